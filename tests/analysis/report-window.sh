#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests reports of a part of a trace: the names of threads from before the part, and the time range
# of the trace if the part is empty.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

export TZ=UTC0

# --- threads ---

cat >fork.trace <<'EVENTS'
1000 process_statedump_thread tid=30 pid=30 name=leader
1000 process_statedump_thread tid=40 pid=40 name=other
2000 sched_process_fork child_tid=31 child_pid=30 child_comm=forked
2100 sched_process_fork child_tid=32 child_pid=30 child_comm=again
2200 slab_kmalloc tid=31 call_site=0x110 ptr=0x9000 bytes_req=60 size_class=6
5000 slab_kmalloc tid=31 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
5100 slab_kfree tid=30 call_site=0x120 ptr=0x1000
5200 slab_kmalloc tid=31 call_site=0x110 ptr=0x2000 bytes_req=60 size_class=6
5300 slab_kfree tid=40 call_site=0x120 ptr=0x2000
5400 slab_kmalloc tid=50 call_site=0x110 ptr=0x3000 bytes_req=60 size_class=6
5500 slab_kfree tid=40 call_site=0x120 ptr=0x3000
5600 sched_process_exit tid=31 comm=last
# thread id 32 belongs to two processes; its fork names the second one
5700 sched_process_exit tid=32 comm=gone
5800 sched_process_fork child_tid=32 child_pid=40 child_comm=young
5900 slab_kfree tid=32 call_site=0x120 ptr=0x4000
EVENTS
make_slab fork.trace fork
# processes TRACE [OPTION...]: prints the rows of processes, then the rows of cross-process frees.
processes() {
	processes_trace=$1
	shift
	"$mm" report slab --wide --by process "$@" "$processes_trace" | sed 's/   */|/g' | awk -F '|' -v OFS='|' '
		/^$/ { title = 0 }
		/^Processes/ { n = 5; title = NR }
		/^Cross-process/ { n = 6; title = NR }
		title && NR > title + 1 && NF > 2 { print $2, $3, $4, n == 6 ? $5 "|" $6 : $6 }'
}
expected='leader|30|2|1
thread 50 (process not known)|-|1|0
other|40|0|3
leader|30|other|40|1'
is 'threads: forked before the part; their process is known' "$expected" \
	"$(processes fork --begin 1700000000.000003)"
is 'threads: with the reader babeltrace2' "$expected" "$(processes fork --begin 1700000000.000003 --reader babeltrace2)"
lttng_threads fork.trace >plain.trace
make_slab plain.trace plain
is "threads: with LTTng's state dump of threads" "$expected" "$(processes plain --begin 1700000000.000003)"
is 'threads: the part starts at a time of day' "$expected" "$(processes fork --begin 22:13:20.000003)"
is 'threads: with several jobs' "$expected" "$(processes fork --begin 1700000000.000003 --jobs 3)"
is 'threads: in a part that ends early' 'leader|30|2|1
other|40|0|1
leader|30|other|40|1' "$(processes fork --timerange 22:13:20.000003,22:13:20.00000535)"
is 'threads: objects whose processes are not known are counted separately' 1 \
	"$("$mm" report slab --json --begin 1700000000.000003 fork | 
		jq '.metrics[] | select(.name == "slab.frees_process_unknown").value')"
sed '/_fork/d; /process_state/d' fork.trace >unknown.trace
make_slab unknown.trace unknown
is 'threads: an exit alone does not tell the process' 'last (process not known)|-|3|0
thread 50 (process not known)|-|1|0
thread 40 (process not known)|-|0|2
thread 30 (process not known)|-|0|1
gone (process not known)|-|0|1' "$(processes unknown)"

# An exec changes the name, before the part or in it. This counts even if the exit is outside the
# part.
cat >exec.trace <<'EVENTS'
1000 sched_process_fork child_tid=60 child_pid=60 child_comm=sh
2000 slab_kmalloc tid=60 call_site=0x110 ptr=0x1000 bytes_req=600 size_class=10
3000 sched_process_exec filename=/usr/bin/rm tid=60 old_tid=60
4000 slab_kmalloc tid=60 call_site=0x110 ptr=0x2000 bytes_req=60 size_class=6
5000 slab_kfree tid=61 call_site=0x120 ptr=0x2000
6000 sched_process_exec filename=/opt/a-name-of-more-than-15-bytes tid=61 old_tid=61
6500 slab_kfree tid=61 call_site=0x120 ptr=0x3000
7000 sched_process_exit tid=60 comm=last
EVENTS
make_slab exec.trace exec
# exec_names [OPTION...]: prints processes, frees across processes, and the first allocator.
exec_names() {
	"$mm" report slab --json "$@" exec | jq -r '.tables | [.processes[].process],
		[."cross-process-frees"[] | .allocated_by, .freed_by], [."most-wasted"[].process] |
		join(" ")' | paste -sd '|'
}
for reader in $readers; do
	is "exec: without an earlier name, $reader" 'sh||sh' \
		"$(exec_names --end=1700000000.0000025 --reader="$reader")"
	is "exec: in the part, $reader" 'rm thread 61||rm rm' \
		"$(exec_names --end=1700000000.0000055 --reader="$reader")"
	is "exec: before the part, a truncated name, $reader" 'rm a-name-of-more-|rm a-name-of-more-|rm' \
		"$(exec_names --timerange=1700000000.0000035,1700000000.0000068 --reader="$reader")"
	is "exec: the exit has the last name, $reader" 'last a-name-of-more-|last a-name-of-more-|last last' \
		"$(exec_names --reader="$reader")"
done
# Without a file name, an exec only shows that the name has changed.
cat >nameless.trace <<'EVENTS'
1000 sched_process_fork child_tid=60 child_pid=60 child_comm=sh
3000 sched_process_exec tid=60 old_tid=60
4000 slab_kmalloc tid=60 call_site=0x110 ptr=0x2000 bytes_req=60 size_class=6
EVENTS
sed '/^\tname = "sched_process_exec"/,/^};/s/_filename/_path/' "$top/tests/metadata/slab.tsdl" >nameless.tsdl
"$tests/make-trace" nameless.tsdl nameless.trace nameless || exit 2
is 'exec: without a file name' 'thread 60' \
	"$("$mm" report slab --json nameless | jq -r '.tables.processes[].process')"

# --- the maximum lengths of lists ---

for i in $(seq 10 49); do
	echo "${i}000 dax_pte_fault procname=reader$i tid=$i pid=$i dev_major=259 ino=0x10$i address=0x10000000"
	echo "${i}500 dax_pte_fault_done procname=reader$i tid=$i pid=$i dev_major=259 ino=0x10$i address=0x10000000 result=0x100"
done >long-dax.trace
make_dax long-dax.trace long-dax
for i in $(seq 10 49); do
	echo "1$i slab_kmalloc tid=$i call_site=0x$i ptr=0x${i}00 bytes_req=60 size_class=6"
	echo "2$i slab_kfree tid=$i call_site=0x1$i ptr=0x${i}00"
done >long-slab.trace
make_slab long-slab.trace long-slab
# rows ANALYSIS TITLE [OPTION...]: prints the number of rows of the list with that title.
rows() {
	rows_of=$1 rows_title=$2
	shift 2
	"$mm" report "$rows_of" --all --wide "$@" "long-$rows_of" | awk -v title="$rows_title" '
		/^$/ { inside = 0 } index($0, title) == 1 { inside = 1; next }
		inside && /^  / && !/^  (\.\.\.|\()/ { rows++ } END { print rows ? rows - 1 : 0 }'
}
for most in 0 3 10 12 30 100; do
	shown=$((most < 40 ? most : 40))
	for title in Files Processes Slowest; do
		is "dax, --top=$most: $title" $shown "$(rows dax $title --top=$most)"
	done
	for title in 'Call sites' 'Freeing call sites' 'Processes'; do
		is "slab, --top=$most: $title" $shown "$(rows slab "$title" --top=$most)"
	done
done
is 'dax, by default: Files' 10 "$(rows dax Files)"
is 'slab, by default: Call sites' 10 "$(rows slab 'Call sites')"

# --- streams that end before the part, or start after it ---

cat >over.trace <<'EVENTS'
1000 slab_statedump_path path=3 hooked=1 function=kmem_cache_alloc_bulk
1000 slab_statedump_path path=4 hooked=0
cpu 1
begin 1000
2000 page_alloc tid=1 pfn=8 order=0
end 3000
cpu 0
4000 slab_kfree tid=1 call_site=0x120 ptr=0x2000
4100 page_free tid=1 pfn=8 order=0
4200 page_free tid=1 pfn=8 order=0
4300 slab_kmalloc tid=1 call_site=0x120 ptr=0x2000 bytes_req=60 size_class=6
4400 slab_kmalloc tid=1 call_site=0x120 ptr=0x2000 bytes_req=60 size_class=6
EVENTS
sed 's/^begin 1000/begin 5000/; s/^2000/5100/; s/^end 3000/end 6000/' over.trace >yet.trace
sed 's/^end 3000/end 6000/' over.trace >there.trace
for name in over yet there; do
	make_slab $name.trace $name
done
for reader in $readers; do
	for name in over yet; do
		is "a stream has no events in the part, $name, $reader: its CPU may have had some" \
			'Outcomes: paired 0, live 0, before trace 0, freed untraced 0, anomalies 0, undetermined 5' \
			"$("$mm" report slab --all --wide --reader "$reader" --timerange 1700000000.0000035,1700000000.000004999 $name |
				outcomes)"
	done
	is "a stream without events in the part is present, $reader" \
		'Outcomes: paired 0, live 1, before trace 2, freed untraced 2, anomalies 0, undetermined 0' \
		"$("$mm" report slab --all --wide --reader "$reader" --timerange 1700000000.0000035,1700000000.000004999 there |
			outcomes)"
done

# --- nothing in the part ---

cat >dax.events <<'EVENTS'
1000 dax_pte_fault procname=reader tid=10 pid=10 dev_major=259 ino=0x1001 address=0x10000000
2000 dax_pte_fault_done procname=reader tid=10 pid=10 dev_major=259 ino=0x1001 address=0x10000000 result=0x100
9000 dax_pte_fault procname=reader tid=10 pid=10 dev_major=259 ino=0x1001 address=0x10001000
9500 dax_pte_fault_done procname=reader tid=10 pid=10 dev_major=259 ino=0x1001 address=0x10001000 result=0x100
EVENTS
make_dax dax.events dax
cat >slab.events <<'EVENTS'
500 callsite_statedump_range start=0 size=16777216 alive=1 name=kernel
1000 slab_kmalloc tid=31 call_site=0x110 ptr=0x9000 bytes_req=60 size_class=6
9500 slab_kfree tid=31 call_site=0x110 ptr=0x9000
EVENTS
make_slab slab.events slab
for name in slab dax; do
	for part in '--timerange 22:13:20.000004,22:13:20.000005' \
		'--timerange [0.000004],[0.000005]' \
		'--begin 22:13:20.000004Z --end 22:13:20.000005Z --reader babeltrace2' \
		'--begin -5500ns --end 2023-11-14T23:13:20.000005+01:00 --jobs 3'; do
		# shellcheck disable=SC2086
		is "$name, nothing in $part: the first finding states the trace's time range" \
			"No event of $name in the requested time range: the trace has some from 2023-11-14T22:13:20.000001000Z to 2023-11-14T22:13:20.000009500Z." \
			"$("$mm" report $name $part $name | sed '1,/^$/d' | sed -n 1p)"
	done
	for reader in $readers; do
		is "$name, nothing in the part, $reader: state dumps are not counted as events" 1 \
			"$("$mm" report $name --timerange 22:13:20.000004,22:13:20.000005 --reader $reader $name | grep -c '; the time range has 0 events$')"
	done
	is "$name, another time zone: as --begin accepts it" 1 "$(TZ=XYZ-1 "$mm" report $name --timerange 23:13:20.000004,23:13:20.000005 $name |
		grep -c '^No event .* from 2023-11-14T23:13:20.000001000+01:00 to 2023-11-14T23:13:20.000009500+01:00\.')"
	# The part is outside the trace, in any notation and with both readers.
	for part in '--begin 1700000001|from 2023-11-14T22:13:21.000000000Z' \
		'--end 1700000000|up to 2023-11-14T22:13:20.000000000Z' \
		'--begin 22:13:20.00001 --reader babeltrace2|from 2023-11-14T22:13:20.000010000Z' \
		'--end -10s --jobs 3|up to 2023-11-14T22:13:10.000009500Z' \
		'--begin 1700000000.5 --leaks|from 2023-11-14T22:13:20.500000000Z'; do
		case $name$part in dax*leaks*) continue ;; esac
		# shellcheck disable=SC2086
		"$mm" report $name ${part%|*} $name >out 2>err
		is "$name, ${part%|*}: outside the trace" "2 0 lttng-mm: trace: $name: the requested time range, ${part#*|}, is outside the trace, which is from 2023-11-14T22:13:20" \
			"$? $(wc -c <out) $(sed 's/\(is from 2023-11-14T22:13:20\).*/\1/' err)"
	done
	is "$name, something in the part: no such finding" 0 \
		"$("$mm" report $name --begin 1700000000.000001 --end 1700000000.000001 $name | grep -c '^No event of')"
done

# --- state dumps after the freeze ---

mkdir frozen
make_slab --no-state slab.events frozen/kernel
printf '60000 process_statedump_thread tid=31 pid=31 name=late\n' >dump.events
make_slab dump.events frozen/state
sed -i 's/uuid = "00/uuid = "ff/' frozen/state/metadata
fix_uuid frozen/state/channel_0 ff112233
is 'times before the end: state dumps do not count' 1700000000000007500 \
	"$("$mm" report slab --json --begin -2000ns frozen | sed -n 's|.*"start_ns": \([0-9]*\).*|\1|p' | head -n 1)"
"$mm" report slab --begin 1700000000.00005 frozen >out 2>err
is 'times of state dumps are outside the trace of a report' '2 0 2023-11-14T22:13:20.000009500Z' \
	"$? $(wc -c <out) $(sed 's/.* to //' err)"
is 'times of state dumps: print shows them' 1 "$("$mm" print --begin 1700000000.00005 frozen | grep -c late)"
is 'times before the end: the same in print and reports' \
	"$("$mm" print --begin 1700000000.0000075 frozen)" "$("$mm" print --begin -2000ns frozen)"

sed -n 1p slab.events >state.events
make_slab state.events state
is 'no event of the analysis in the trace' 'No event of slab in the requested time range, nor elsewhere in the trace.' \
	"$("$mm" report slab --wide --begin 1700000000 state | sed '1,/^$/d' | sed -n 1p)"
# A process that calls exec() after the time range must keep its earlier name, although the state
# dump and the system information contain the later one. Without an exec, the later name is the only
# one.
cat >later.trace <<'EOT'
cpu 0
1000 sched_process_fork child_tid=70 child_pid=70 child_comm=sh
2000 slab_kmalloc tid=70 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
2100 slab_kmalloc tid=71 call_site=0x110 ptr=0x1040 bytes_req=60 size_class=6
2200 slab_kmalloc tid=72 call_site=0x110 ptr=0x1080 bytes_req=60 size_class=6
3000 sched_process_exec tid=70 old_tid=70 filename=/usr/bin/stat
3100 sched_process_exec tid=72 old_tid=72 filename=/usr/bin/stat
4000 process_statedump_thread tid=70 pid=70 name=stat
4000 process_statedump_thread tid=71 pid=71 name=quiet
4000 process_statedump_thread tid=72 pid=72 name=stat
5000 slab_kfree tid=70 call_site=0x310 ptr=0x1000
EOT
mkdir -p later later-info/sysinfo
grep -v statedump later.trace >kernel.trace
grep -e cpu -e statedump later.trace >dumped.trace
make_slab --no-state kernel.trace later/kernel
make_slab --state dumped.trace later/state
cp -R later/* later-info/
echo '[ { "tid": 70, "pid": 70, "comm": "stat" }, { "tid": 71, "pid": 71, "comm": "quiet" } ]' \
	>later-info/sysinfo/processes.json
for trace in later later-info; do
	for reader in fast babeltrace2; do
		is "exec after the time range, $trace, $reader" '70 sh 71 quiet 72 thread 72' \
			"$("$mm" report slab --json --end=1700000000.0000025 --reader=$reader $trace |
				jq -r '[.tables.processes | sort_by(.pid)[] | "\(.pid) \(.process)"] | join(" ")')"
	done
	is "exec within the time range, $trace" '70 stat 71 quiet 72 stat' "$("$mm" report slab --json $trace |
		jq -r '[.tables.processes | sort_by(.pid)[] | "\(.pid) \(.process)"] | join(" ")')"
done
tap_end
