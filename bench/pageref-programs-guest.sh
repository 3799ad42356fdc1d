#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# In a guest, records the page references of five programs, and writes files to /out that
# bench/pageref.sh compares.
#
#   pageref-programs-guest.sh phases SECONDS [PROGRAM...]
#   pageref-programs-guest.sh whole SECONDS [PROGRAM...]     with --icount
#   pageref-programs-guest.sh limited SECONDS [PROGRAM...]   with --icount
#   pageref-programs-guest.sh memory SECONDS [PROGRAM...]    with --pmem
#
# whole runs each program for some seconds untraced, and then records all its pages with lttng-mm
# record page-ref at the default interval until it has made the same progress. limited does the same
# with --max-overhead=5%, and then records the program again without a limit.
#
# phases divides the run of a program into phases. A phase is the progress that the program makes in
# a second when it is not traced. The programs are deterministic and run at fixed addresses, so they
# touch the same pages in a phase in each of these runs:
#
#   truth    the Accessed bits of the page tables, which are cleared before each phase
#   record   all pages are marked before each phase
#   damon-*  DAMON, with four settings, where the kernel has it
#
# The program waits between two phases. The first phase does not count.
#
# memory records all pages of the program for some seconds. Then it runs the program in a cgroup
# with a limit, until it has made the same progress: at first with the limit `max`, and then at five
# sizes of the miss curve. It writes to limits.txt the refaults that the kernel counted. The limit
# is the size plus the kernel memory of the cgroup, as measured in the first of these runs.
# limits-no-read-ahead.txt has the refaults when the kernel reads no more pages of a file than the
# program uses.
set -eu

# shellcheck source=tests/kernel/lib.sh
. /usr/lib/lttng-mm/tests/lib.sh

work=/tmp/pageref-programs
damon=/sys/kernel/mm/damon/admin/kdamonds
cgroup=/sys/fs/cgroup/pageref-memory
# ms between two passes in the part memory
interval=100
fault_around=/sys/kernel/debug/fault_around_bytes
part=$1 seconds=$2
shift 2
[ $# -gt 0 ] || set -- sequential random zipf gcc database

# make_source FUNCTIONS: prints a C program.
make_source() {
	awk -v functions="$1" 'BEGIN {
		print "struct node { struct node *next; long key, values[16]; };"
		print "extern long log_value(const char *name, long value);"
		for (i = 0; i < functions; i++) {
			printf "long function_%d(struct node *list, long *array, int n)\n{\n\tlong sum = %d;\n", i, i
			printf "\tfor (int i = 0; i < n; i++) {\n\t\tfor (struct node *at = list; at; at = at->next)\n"
			printf "\t\t\tsum += at->key * array[i] + at->values[i %% %d];\n\t\tswitch (sum %% 8) {\n", i % 15 + 1
			for (j = 0; j < 8; j++)
				printf "\t\tcase %d: array[i] ^= sum << %d; sum += log_value(\"f%d_%d\", array[i]); break;\n", \
					j, (i + j) % 7, i, j
			printf "\t\t}\n\t}\n\treturn sum%s;\n}\n", i ? " + function_" i - 1 "(list, array, n - 1)" : ""
		}
	}'
}

# choose PROGRAM ROUNDS: sets `command`.
choose() {
	case $1 in
	gcc)
		[ -e $work/source.c ] || make_source 400 >$work/source.c
		command="$(gcc -print-prog-name=cc1) -quiet -O2 $work/source.c -o /dev/null"
		;;
	database)
		[ -e $work/database ] || "$tests/pageref-workload" database-make $work/database
		command="$tests/pageref-workload database $work/database"
		;;
	*) command="$tests/pageref-workload $1 $2" ;;
	esac
}

# Reads the files of the program, so that it need not wait for the disk: with --icount, the guest's
# clock jumps to the next timer while the guest waits.
read_files() {
	for word in $command $(ldd "${command%% *}" | grep -o '/[^ ]*'); do
		[ ! -f "$word" ] || cat "$word"
	done >/dev/null
}

# whole KIND VARIABLE [WORD...]: runs the program without phases and with VARIABLE (NAME=VALUE) in
# its environment. WORD... is a command that runs it, such as `lttng-mm record ... --`.
whole() {
	kind=$1 variable=$2
	shift 2
	# shellcheck disable=SC2086 # words
	"$@" setarch -R env -i PATH=/usr/bin LD_PRELOAD="$tests/pageref-phases.so" \
		PAGEREF_RESULT="$to/$kind.result" "$variable" $command >"$to/$kind.out" 2>"$to/$kind.err"
}

# phases KIND: runs the program, and calls at_KIND N before phase N. Writes the processor time of
# the program at each of these times.
phases() {
	kind=$1
	rm -f $work/in $work/out
	mkfifo $work/in $work/out
	# shellcheck disable=SC2086 # words
	setarch -R env -i PATH=/usr/bin LD_PRELOAD="$tests/pageref-phases.so" \
		PAGEREF_TICKS="$ticks" PAGEREF_FIFOS=$work $command \
		>"$to/$kind.out" 2>"$to/$kind.err" 7>&- 8>&- 9>&- &
	pid=$!
	exec 8>$work/in 9<$work/out
	: >"$to/$kind.cpu"
	n=0
	while read -r cpu <&9; do
		echo "$n $cpu" >>"$to/$kind.cpu"
		"at_${kind%%-*}" $n
		[ $n -lt $((seconds + 1)) ] || break
		n=$((n + 1))
		echo >&8
	done
	[ $n = $((seconds + 1)) ] || echo "pageref-programs-guest.sh: $to: $kind: only $n phases" >&2
	kill -KILL $pid 2>/dev/null || :
	exec 8>&- 9<&-
	wait $pid 2>/dev/null || :
}

at_truth() {
	[ "$1" != 0 ] || echo "pid $pid" >/proc/accessed-pages
	[ "$1" -lt 2 ] || cat /proc/accessed-pages >"$to/truth.$1"
	echo clear >/proc/accessed-pages
}

at_record() {
	[ "$1" != 0 ] || echo "pid $pid" >&7
	echo arm >&7
	echo "$1 $(daemon_cpu)" >>"$to/record.other"
}

# daemon_cpu: prints the processor time of LTTng's daemons in ns.
daemon_cpu() {
	for daemon in $(pgrep 'lttng-(sessiond|consumerd)'); do
		cat "/proc/$daemon"/task/*/schedstat
	done | awk '{ sum += $1 } END { printf "%d\n", sum }'
}

record() {
	format=
	if lttng_has_formats; then
		format=--trace-format=ctf-1.8
	fi
	# shellcheck disable=SC2086
	lttng create recall --output="$to/trace" $format >/dev/null
	lttng enable-channel -k -s recall --subbuf-size=1M --num-subbuf=16 all >/dev/null
	lttng enable-event -k -s recall -c all 'pageref_*' >/dev/null
	lttng start recall >/dev/null
	exec 7<>/dev/lttng-mm-pageref
	echo 'interval 3600000' >&7
	: >"$to/record.other"
	phases record
	exec 7>&-
	lttng destroy recall >/dev/null
}

at_damon() {
	if [ "$1" = 0 ]; then
		echo "$pid" >$damon/0/contexts/0/targets/0/pid_target
		echo on >$damon/0/state
		kdamond=$(cat $damon/0/pid)
	fi
	echo "phase $1" >"$tracing/trace_marker"
	read -r ran _ </proc/"$kdamond"/schedstat
	echo "$1 $ran" >>"$to/$kind.other"
}

# watch SETTING SAMPLE_US AGGREGATION_US MIN_REGIONS MAX_REGIONS [GOAL]
watch() {
	echo 1 >$damon/nr_kdamonds
	echo 1 >$damon/0/contexts/nr_contexts
	context=$damon/0/contexts/0
	echo vaddr >$context/operations
	echo 1 >$context/targets/nr_targets
	attributes=$context/monitoring_attrs
	echo "$2" >$attributes/intervals/sample_us
	echo "$3" >$attributes/intervals/aggr_us
	echo "$5" >$attributes/nr_regions/max
	echo "$4" >$attributes/nr_regions/min
	if [ -n "${6:-}" ]; then
		goal=$attributes/intervals/intervals_goal
		[ -e $goal ] || return 0
		# The values that the kernel's documentation recommends.
		echo 400 >$goal/access_bp
		echo 3 >$goal/aggrs
		echo 5000 >$goal/min_sample_us
		echo 10000000 >$goal/max_sample_us
	fi
	: >"$to/damon-$1.other"
	echo >"$tracing/trace"
	phases "damon-$1"
	echo off >$damon/0/state || :
	awk '/damon_aggregated:|tracing_mark_write:/' "$tracing/trace" >"$to/damon-$1.txt"
	awk '/^(overrun|dropped events):/ && $NF > 0' "$tracing"/per_cpu/cpu*/stats >&2
	echo 0 >$damon/nr_kdamonds
}

watch_all() {
	[ -e $damon ] || return 0
	echo 131072 >"$tracing/buffer_size_kb"
	echo 'nr_accesses > 0' >"$tracing/events/damon/damon_aggregated/filter"
	echo 1 >"$tracing/events/damon/damon_aggregated/enable"
	watch defaults 5000 100000 10 1000
	watch regions 5000 100000 10000 10000
	watch second 50000 1000000 10 1000
	watch tuned 5000 100000 10 1000 goal
	echo 0 >"$tracing/events/damon/damon_aggregated/enable"
}

# one_whole PROGRAM [LIMIT]
one_whole() {
	# A reference has some 50,000 instructions.
	choose "$1" 24
	read_files
	whole first PAGEREF_SECONDS="$seconds"
	read -r all _ <"$to/first.result"
	whole untraced PAGEREF_END="$all"
	whole recorded PAGEREF_END="$all" \
		lttng-mm record page-ref --output="$work/$1.trace" --max-overhead="${2:-none}" --
	babeltrace2 "$work/$1.trace" | grep -c ' pageref_touch: ' >"$to/recorded.touches"
	babeltrace2 "$work/$1.trace" | sed -n 's/.* pageref_pass: .* end = 1,.* sample = \([0-9]*\).*/\1/p' \
		>"$to/recorded.samples"
}

# bytes_of FILE: prints the bounds of the memory that the program has touched in a recording.
bytes_of() {
	lttng-mm metrics "$work/$1" >"$to/$1.metrics"
	for name in pageref.bytes pageref.most_bytes; do
		# The line of a value that is only a bound has >= before the value.
		awk -v name=$name '$1 == name && $(NF - 1) ~ /^[0-9]+$/ { print $(NF - 1) }' "$to/$1.metrics"
	done | paste -sd' '
}

one_limited() {
	one_whole "$1" 5%
	bytes_of "$1.trace" >"$to/recorded.bytes"
	whole unlimited PAGEREF_END="$all" \
		lttng-mm record page-ref --output="$work/$1-unlimited.trace" --max-overhead=none --
	bytes_of "$1-unlimited.trace" >"$to/unlimited.bytes"
}

# limit KIND LIMIT: runs the program in a cgroup with this memory.max. Sets `refaults` to the number
# of refaults of anonymous memory and of files, and `kernel` to the peak of its kernel memory.
limit() {
	mkdir "$cgroup"
	echo "$2" >"$cgroup/memory.max"
	# The cgroup is charged for pages of files only if it reads them itself.
	echo 3 >/proc/sys/vm/drop_caches
	# shellcheck disable=SC2016 # the inner shell expands these
	whole "$1" PAGEREF_END="$all" \
		sh -c 'echo 0 >"$1/cgroup.procs" && shift && exec "$@"' sh "$cgroup" &
	running=$!
	kernel=0
	while kill -0 $running 2>/dev/null; do
		now=$(awk '$1 == "kernel" { print $2 }' "$cgroup/memory.stat")
		[ "$now" -le "$kernel" ] || kernel=$now
		sleep 0.2
	done
	wait $running || echo "pageref-programs-guest.sh: $to: $1: status $?" >&2
	refaults=$(awk '/^workingset_refault_(anon|file) / { printf "%s ", $2 }' "$cgroup/memory.stat")
	wait_for 10 rmdir "$cgroup"
}

# curve TRACE: prints the smallest size of the miss curve, and the size that avoids all refaults.
curve() {
	lttng-mm mrc --json "$1" | awk '$1 == "\"size_bytes\":" && $2 ~ /^[0-9]/ { sub(/,/, "", $2); print $2 }' |
		sort -n | sed -n '1p; $p' | paste -sd' '
}

# read_ahead KIB: sets the read-ahead of all disks.
read_ahead() {
	for queue in /sys/block/*/queue/read_ahead_kb; do
		echo "$1" >"$queue"
	done
}

one_memory() {
	# A reference takes so long that an interval covers a small part of the array.
	choose "$1" 100
	whole untraced PAGEREF_SECONDS="$seconds"
	read -r all _ <"$to/untraced.result"
	whole recorded PAGEREF_END="$all" \
		lttng-mm record page-ref --output="$to/memory.trace" --max-overhead=none --interval=$interval --
	limit unlimited max
	kernel_memory=$kernel
	echo "max 0 $refaults" >"$to/limits.txt"
	read -r least most <<-END
	$(curve "$to/memory.trace")
	END
	for fifth in 0 1 2 3 4; do
		size=$(((least + (most - least) * fifth / 5) / 4096 * 4096))
		limit limited $((size + kernel_memory))
		echo "$size $kernel_memory $refaults" >>"$to/limits.txt"
		read_ahead 0
		limit limited $((size + kernel_memory))
		echo "$size $kernel_memory $refaults" >>"$to/limits-no-read-ahead.txt"
		read_ahead 128
	done
}

# one_phases PROGRAM
one_phases() {
	choose "$1" 2
	whole untraced PAGEREF_SECONDS=2
	read -r all _ ns <"$to/untraced.result"
	ticks=$(awk -v ticks="$all" -v ns="$ns" 'BEGIN { printf "%d\n", ticks * 1e9 / ns }')
	echo "$1: $ticks ticks in a second"
	# A program without phases would never open the pipes.
	[ "$ticks" -gt 0 ]
	phases truth
	record
	watch_all
}

rm -rf $work
mkdir -p $work
echo never >/sys/kernel/mm/transparent_hugepage/enabled
echo 0 >/proc/sys/kernel/numa_balancing
[ ! -e /sys/module/damon_stat/parameters/enabled ] || echo N >/sys/module/damon_stat/parameters/enabled
uname -r >/out/kernel
modprobe lttng-probe-pageref
daemon_start >/dev/null
if [ "$part" = phases ]; then
	insmod "$tests/accessed-pages.ko"
	# Fault-around sets Accessed bits, too.
	[ -e $fault_around ] || mount -t debugfs none /sys/kernel/debug
	echo 4096 >$fault_around
fi
if [ "$part" = memory ]; then
	mountpoint -q /sys/fs/cgroup || mount -t cgroup2 cgroup2 /sys/fs/cgroup
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control
	modprobe loop
	# Put the programs' files on a disk. Otherwise, the cgroup is not charged for their pages.
	mkfs.ext4 -q -F /dev/pmem0
	mount /dev/pmem0 $work
	fallocate -l 200M $work/swap
	swap=$(losetup --find --show $work/swap)
	mkswap "$swap" >/dev/null
	swapon "$swap"
	# Disable read-ahead from swap: a page that is read ahead does not count as a refault.
	echo 0 >/proc/sys/vm/page-cluster
	[ ! -e /sys/kernel/mm/lru_gen/enabled ] || echo "lru_gen $(cat /sys/kernel/mm/lru_gen/enabled)"
fi
for program; do
	to=/out/$program
	mkdir -p "$to"
	"one_$part" "$program"
done
