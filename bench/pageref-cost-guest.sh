#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# In a guest, measures what recording page references costs. Prints `name value` lines.
#
#   pageref-cost-guest.sh icount   with --icount: counts the instructions of refaults, of marking,
#                                  of touches of unsampled pages, of faults of other processes,
#                                  and of the longest hold of the mmap lock
#   pageref-cost-guest.sh stress   with two CPUs: counts the marks that the kernel had to restore
set -eu

# shellcheck source=tests/kernel/lib.sh
. /usr/lib/lttng-mm/tests/lib.sh

folder=/tmp/pageref-cost
device=/dev/lttng-mm-pageref
pages=4096
# Costs per page are computed from the difference between two sizes, so fixed costs cancel out.
small=4096 large=20480

# start PAGES: starts a program that touches its pages at each command of tell().
start() {
	rm -f "$folder/in" "$folder/out"
	mkfifo "$folder/in" "$folder/out"
	"$tests/pageref-cost" touch "$1" <"$folder/in" >"$folder/out" 7>&- 8>&- 9>&- &
	pid=$!
	exec 8>"$folder/in" 9<"$folder/out"
	read -r answer <&9
	[ "$answer" = ready ]
}

# tell read|write|fault: sets `answer` to the median cost of a touch.
tell() {
	echo "$1" >&8
	read -r answer <&9
}

stop() {
	exec 8>&- 9<&-
	wait "$pid"
}

# best COMMAND...: sets `least` to the least answer in three rounds.
best() {
	least=
	for _ in 1 2 3; do
		"$@"
		[ -n "$least" ] && [ "$least" -le "$answer" ] || least=$answer
	done
}

# net COMMAND...: like best, but subtracts the cost of a touch that does not fault.
net() {
	best "$@"
	least=$((least - bare))
}

hinted() {
	echo 1 >/proc/sys/kernel/numa_balancing
	echo hint >/proc/accessed-pages
	echo 0 >/proc/sys/kernel/numa_balancing
	tell "$1"
}

marked() {
	echo arm >&7
	tell "$1"
}

hints() {
	awk '$1 == "numa_hint_faults" { print $2 }' /proc/vmstat
}

# kernel_refaults: measures refaults without the probe: the kernel itself restores the pages.
kernel_refaults() {
	insmod "$tests/accessed-pages.ko"
	start $pages
	best tell write
	bare=$least
	echo "pid $pid" >/proc/accessed-pages
	for access in write read; do
		before=$(hints)
		net hinted $access
		echo "kernel_refault_$access $least"
		[ $(($(hints) - before)) -ge $((3 * pages)) ]
	done
	best tell fault
	echo "fault_bare $least"
	stop
}

session() {
	format=
	if lttng_has_formats; then
		format=--trace-format=ctf-1.8
	fi
	# shellcheck disable=SC2086
	lttng create "$1" --output="$folder/$1" $format
	lttng enable-channel -k -s "$1" --subbuf-size=1M --num-subbuf=16 all
	lttng enable-event -k -s "$1" -c all 'pageref_*'
	lttng start "$1"
}

# record: opens the control file, and records the program.
record() {
	exec 7<>$device
	echo "interval 3600000" >&7
	echo "pid $pid" >&7
	# The first pass also allocates memory.
	echo arm >&7
}

refaults() {
	start $pages
	record
	best tell write
	bare=$least
	before=$(hints)
	for access in write read; do
		net marked $access
		echo "refault_$access $least"
	done
	echo "refaults_by_kernel $(($(hints) - before))"
	exec 7>&-
	stop
}

# sampled THRESHOLD: marks the pages of this sample.
sampled() {
	echo "sample $1" >&7
	echo arm >&7
}

# Measures touches and first faults of a recorded process, with all pages in the sample and with
# almost none.
samples() {
	start $pages
	record
	best tell fault
	echo "fault_sampled $least"
	sampled 1
	best tell fault
	echo "fault_unsampled $least"
	best tell write
	echo "touch_unrecorded $least"
	arm_and_write() {
		echo arm >&7
		tell write
	}
	best arm_and_write
	echo "touch_unsampled $least"
	exec 7>&-
	stop
}

# Measures faults of a process that is not recorded while another process is recorded.
other_faults() {
	start $pages
	record
	exec 5>&8 6<&9
	start $pages
	best tell fault
	echo "fault_recording $least"
	stop
	exec 7>&- 8>&5 9<&6 5>&- 6<&-
	exec 8>&- 9<&-
}

arm() {
	answer=$("$tests/pageref-cost" arm 7)
}

arm_touched() {
	tell write
	arm
}

# passes NAME PAGES: measures passes over a program with PAGES pages, once after all pages were
# touched, and once after none was touched.
passes() {
	start "$2"
	record
	best arm_touched
	echo "pass_touched_$1 $least"
	best arm
	echo "pass_untouched_$1 $least"
	sampled 1048576
	best arm_touched
	echo "pass_sampled_$1 $least"
	sampled 16777216
	[ "$1" = small ] || locks
	exec 7>&-
	stop
}

# counter NAME
counter() {
	awk -v name="$1" '$1 == name { print $2 }' <&7
}

# locks: prints the longest time for which a pass holds the mmap lock, how often the pass takes the
# lock, and how many entries it marks. The tracing itself is part of the time.
locks() {
	before=$(counter marked)
	echo x86-tsc >"$tracing/trace_clock"
	echo 16384 >"$tracing/buffer_size_kb"
	echo >"$tracing/trace"
	for event in acquire_returned released; do
		echo 'write == 0' >"$tracing/events/mmap_lock/mmap_lock_$event/filter"
		echo 1 >"$tracing/events/mmap_lock/mmap_lock_$event/enable"
	done
	arm_touched
	echo "lock_entries $(($(counter marked) - before))"
	for event in acquire_returned released; do
		echo 0 >"$tracing/events/mmap_lock/mmap_lock_$event/enable"
	done
	# The program that arms also takes the mmap lock of its own address space, but for a shorter
	# time in total.
	awk '$1 ~ /^pageref-cost-/ {
			mm = $0
			sub(/.*mm=/, "", mm)
			sub(/ .*/, "", mm)
			time = $0
			sub(/: mmap_lock.*/, "", time)
			sub(/.* /, "", time)
		}
		$1 ~ /^pageref-cost-/ && /acquire_returned/ { since[mm] = time }
		$1 ~ /^pageref-cost-/ && /released/ && mm in since {
			hold = time - since[mm]
			count[mm]++
			total[mm] += hold
			if (hold > longest[mm])
				longest[mm] = hold
			delete since[mm]
		}
		END {
			for (mm in total)
				if (total[mm] > total[most])
					most = mm
			print "lock_longest", longest[most]
			print "lock_times", count[most]
		}' "$tracing/trace"
	cp "$tracing/trace" "$folder/locks.txt"
	echo local >"$tracing/trace_clock"
}

icount() {
	echo never >/sys/kernel/mm/transparent_hugepage/enabled
	echo 0 >/proc/sys/kernel/numa_balancing
	kernel_refaults
	modprobe lttng-probe-pageref
	start $pages
	best tell fault
	echo "fault_loaded $least"
	stop
	daemon_start >/dev/null
	session cost >/dev/null
	refaults
	samples
	other_faults
	passes small $small
	passes large $large
	echo "pass_pages $((large - small))"
	lttng destroy cost >/dev/null
}

stress() {
	echo 0 >/proc/sys/kernel/numa_balancing
	modprobe lttng-probe-pageref
	daemon_start >/dev/null
	session stress >/dev/null
	mkdir -p "$folder/files"
	before=$(hints)
	"$tests/pageref-stress" "$folder/files" "$1" >"$folder/stress.out" 2>&1 &
	pid=$!
	exec 7<>$device
	echo 'interval 10' >&7
	echo "pid $pid" >&7
	while kill -0 $pid 2>/dev/null; do
		echo 1 >/proc/sys/vm/compact_memory
		cat <&7 >"$folder/counters"
		sleep 1
	done
	wait $pid || cat "$folder/stress.out" >&2
	cat <&7 >"$folder/counters"
	exec 7>&-
	awk '$1 == "restored" || $1 == "marked" || $1 == "passes" { print "stress_" $1, $2 }' "$folder/counters"
	echo "stress_kernel $(($(hints) - before))"
	lttng destroy stress >/dev/null
}

rm -rf "$folder"
mkdir -p "$folder"
case $1 in
icount) icount ;;
stress) stress "${2:-30}" ;;
esac
