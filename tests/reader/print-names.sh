#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests the names that print shows for threads and call sites. Names come from the system
# information, from the state dump, wherever it is, and from earlier events. --numeric prints
# numbers.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# The kernel's text has 16 MiB. A module and an unloaded module follow.
cat >slab.trace <<'EOF'
cpu 0
1000 callsite_statedump_range start=0 size=16777216 alive=1 name=kernel
1001 callsite_statedump_range start=0x1000000 size=65536 alive=1 name=ext4
1002 callsite_statedump_range start=0x1010000 size=65536 alive=0 name=gone
1003 process_statedump_thread tid=11 pid=10 name=worker/1
1004 process_statedump_thread tid=12 pid=12 name=dumped
2000000 slab_kmalloc tid=10 call_site=0x110 ptr=0x1000 bytes_req=33 size_class=6
2000001 slab_kmalloc tid=11 call_site=0x1000021 ptr=0x1040 bytes_req=33 size_class=6
2000002 slab_kfree tid=12 call_site=0x1010021 ptr=0x1040
2000003 slab_kfree_wide tid=13 call_site=0x3000000 ptr=0x1000
2000004 page_alloc tid=0 pfn=0x100 order=1
2000005 page_alloc tid=20 pfn=0x200 order=1
2000006 sched_process_fork child_comm=forked child_tid=20 child_pid=20
cpu 1
2000007 page_free tid=20 pfn=0x200 order=1
2000008 slab_kmalloc_wide tid=4194304 call_site=0x0fff ptr=0x2000 bytes_req=5 bytes_alloc=8
cpu 0
2000009 sched_process_exit comm=renamed tid=20
2000010 page_free tid=20 pfn=0x300 order=1
2000011 sched_process_fork child_comm=sh child_tid=21 child_pid=21
2000012 page_free tid=21 pfn=0x300 order=1
2000013 sched_process_exec filename=/usr/bin/a-name-of-more-than-15-bytes tid=21 old_tid=21
2000014 page_free tid=21 pfn=0x300 order=1
EOF
mkdir -p snapshot/sysinfo
printf 'kernel\t100\tT\tdo_thing\nkernel\t200\tT\tother_thing\next4\t20\tt\text4_thing\ngone\t20\tt\twrong\n' \
	>snapshot/sysinfo/symbols.txt
cat >snapshot/sysinfo/processes.json <<'EOF'
[{"tid": 10, "pid": 10, "comm": "main\u001b[31m"}, {"tid": 12, "pid": 12, "comm": "renamed by then"}]
EOF
sed -n 's/^\(100.\) /9000\1 /p' slab.trace | awk '{ print "cpu " NR % 2; print }' >state.trace
make_slab --no-state slab.trace snapshot/kernel && make_slab --state state.trace snapshot/state || exit 2

# lines TRACE [OPTION...]: prints the thread, the event and, if there is one, the call site of each
# event of the kernel trace.
lines() {
	lines_trace=$1
	shift
	"$mm" print --events 'slab_k*,page_[af]*' "$@" "$lines_trace" 2>err |
		sed 's/ \[00[01]\] [0-9.]*: \([a-z_]*\):/ \1/; s/ tid=[0-9]* */ /; s/ pt*[rf].=.*//; s/ ptr=.*//'
}
# According to the state dump, thread 11 belongs to process 10. Thread 13 and idle threads belong to
# no process.
is '--pid: the events of its threads' '10 slab_kmalloc 11 slab_kmalloc' "$("$mm" print --pid 10 --numeric --events 'slab*' snapshot |
	sed 's/^<\.\.\.>-\([0-9]*\) .*: \([a-z_]*\): .*/\1 \2/' | paste -sd ' ')"
is '--pid: a process that forks later in the trace' '20 page_alloc 20 page_free 20 page_free' \
	"$("$mm" print --pid 20 --numeric --events 'page*' snapshot | sed 's/^<\.\.\.>-\([0-9]*\) .*: \([a-z_]*\): .*/\1 \2/' | paste -sd ' ')"
is '--pid: the same by babeltrace2' "$("$mm" print --pid 10 snapshot)" "$("$mm" print --pid 10 --reader babeltrace2 snapshot)"
is '--pid: no event: a note says so' '0 1' "$("$mm" print --pid 999 snapshot 2>err | wc -l) $(grep -c 'no event is known to belong to process 999' err)"
is '--pid with a thread id names the process' 1 "$("$mm" print --pid 11 snapshot 2>&1 >/dev/null |
	grep -cxF 'lttng-mm: note: no event is known to belong to process 11; 11 is a thread of process 10 (main\x1b[31m): use --pid=10')"
fails '--pid: not a number' 2 "--pid: '-1' is not a number from 0 to 2147483647" print --pid=-1 snapshot
fails '--pid: a live session' 2 '--pid requires a folder' print --pid 1 net://localhost/host/a/b
cat >named <<'EOF'
main\x1b[31m-10 slab_kmalloc call_site=do_thing+0x10
worker/1-11 slab_kmalloc call_site=ext4_thing+0x1 [ext4]
renamed by then-12 slab_kfree call_site=gone+0x21
<...>-13 slab_kfree_wide call_site=0x3000000
swapper-0 page_alloc
<...>-20 page_alloc
forked-20 page_free
<...>-4194304 slab_kmalloc_wide call_site=other_thing+0xdff
renamed-20 page_free
sh-21 page_free
a-name-of-more--21 page_free
EOF
cat >numbers <<'EOF'
<...>-10 slab_kmalloc call_site=0x110
<...>-11 slab_kmalloc call_site=0x1000021
<...>-12 slab_kfree call_site=0x1010021
<...>-13 slab_kfree_wide call_site=0x3000000
<...>-0 page_alloc
<...>-20 page_alloc
<...>-20 page_free
<...>-4194304 slab_kmalloc_wide call_site=0xfff
<...>-20 page_free
<...>-21 page_free
<...>-21 page_free
EOF
# prints NAME FILE TRACE [OPTION...]: checks that the output of `lines` equals FILE.
prints() {
	prints_name=$1 prints_file=$2
	shift 2
	lines "$@" >actual
	same "$prints_name" "$prints_file" actual
}
prints 'a snapshot: by name' named snapshot
mkdir -p plain
lttng_threads slab.trace >plain.trace
lttng_threads state.trace >plain-state.trace
make_slab --no-state plain.trace plain/kernel && make_slab --state plain-state.trace plain/state || exit 2
cp -R snapshot/sysinfo plain/
prints "a snapshot with LTTng's state dump of threads: by name" named plain
prints 'a snapshot: by number with --numeric' numbers snapshot --numeric
prints 'a snapshot: by libbabeltrace2' named snapshot --reader=babeltrace2
prints 'a snapshot: by libbabeltrace2, by number' numbers snapshot --reader=babeltrace2 --numeric
for jobs in 1 2 5; do
	prints "a snapshot: $jobs threads" named snapshot --jobs=$jobs
done
# Thread 20 was forked before the time range.
sed '7,$!d' named >late
prints 'a window: names from before it' late snapshot --begin=1700000000.002000007
prints 'a window: names from before it, by libbabeltrace2' late snapshot \
	--begin=1700000000.002000007 --reader=babeltrace2
sed -n '2,5p' named >middle
prints 'a window that ends' middle snapshot --begin=1700000000.002000001 --end=1700000000.002000004

# The state dump is in the trace itself, as in a session recorded by hand. It may be at the trace's
# end.
{ grep -v _statedump_ slab.trace; sed -n 's/^\(100. .*_statedump_\)/9000\1/p' slab.trace; } >after.trace
for name in slab after; do
	rm -rf plain
	make_slab $name.trace plain
	cp -R snapshot/sysinfo plain
	prints "state in the trace, $name: by name" named plain
	prints "state in the trace, $name: by libbabeltrace2" named plain --reader=babeltrace2
done
# stamps TRACE: prints the times of all events, in order.
stamps() { "$mm" print --clock wall "$1" | sed 's/.*T//; s/: .*//'; }
is 'state in the trace: it is in time order' "$(stamps plain | sort)" "$(stamps plain)"
is 'a snapshot: its state is in time order' "$(stamps snapshot | sort)" "$(stamps snapshot)"

# Without state dumps and system information, names come from events only.
rm -rf bare
cp -R snapshot/kernel bare
sed 's/^forked/F/; s/^renamed-/R-/; /^[FR]/!s/.*/-/' named >told
lines bare | sed 's/^forked/F/; s/^renamed-/R-/; /^[FR]/!s/.*/-/' >actual
same 'no state: names from events' told actual
is 'no state: call sites as numbers' 5 "$(lines bare | grep -c 'call_site=0x')"

# Tests names of events of a provider that the trace does not have, and misspelt names.
for events in dax_pmd_fault 'dax_pmd*'; do
	fails "$events: a family that the trace lacks" 2 \
		"^lttng-mm: print: --events: the trace has no event 'dax_pmd[^']*' and no other dax_\* event; .lttng-mm info --all --events TRACE. lists" \
		print --events "$events" snapshot
done
fails 'a misspelt event of a family that it has' 2 \
	"the trace has no event 'slab_kfre'; similar names: slab_kfree, " print --events slab_kfre snapshot
fails 'a misspelt family' 2 \
	"the trace has no event 'salb_kfree'; similar names: slab_kfree, " print --events salb_kfree snapshot

# Only the default format shows names.
"$mm" print --format=babeltrace snapshot >text
is 'babeltrace: numbers' 0 "$(grep -c 'do_thing\|worker/1-' text)"
is 'babeltrace: it is the kernel trace nevertheless' 1 "$(grep -c 'slab_kmalloc: .*call_site = 0x110, ' text)"
"$mm" print --format=babeltrace --numeric snapshot >out 2>err
is 'babeltrace --numeric: status' 2 $?
is 'babeltrace --numeric: has the reason' 1 "$(grep -c -- '--numeric requires --format=ftrace' err)"

# Many call sites on several threads must all have names.
awk 'BEGIN {
	for (i = 0; i < 20000; i++)
		printf "cpu %d\n%d slab_kfree tid=11 call_site=%d ptr=%d\n", i % 2, 2000000 + i, 257 + i * 40 % 80000, i
}' >many.trace
rm -rf many && mkdir many && cp -R snapshot/sysinfo snapshot/state many
make_slab --no-state many.trace many/kernel
"$mm" print --jobs=1 many >one 2>err
is 'many: nothing on standard error' '' "$(cat err)"
"$mm" print --jobs=4 many >four
same 'many: the same on several threads' one four
is 'many: all have names' 20000 "$(grep -c '^worker/1-11 .*call_site=\(do\|other\)_thing+0x' one)"

# --- thread ids that only contexts have ---

# contexts PREFIX: writes metadata with the contexts PREFIXpid, PREFIXtid and procname.
contexts() {
	cat <<END
/* CTF 1.8 */
typealias integer { size = 8; align = 8; encoding = UTF8; } := c8;
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 32; align = 8; signed = true; } := s32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { u32 magic; }; };
clock { name = c; freq = 1000000000; };
typealias integer { size = 64; align = 8; signed = false; map = clock.c.value; } := ts;
stream { event.header := struct { u32 id; ts timestamp; };
packet.context := struct { ts timestamp_begin; ts timestamp_end; u64 content_size; u64 packet_size;
u64 packet_seq_num; u64 events_discarded; u32 cpu_id; };
event.context := struct { s32 _$1pid; s32 _$1tid; u64 _perf_thread_cycles; c8 _procname[17]; }; };
event { name = "app:work"; id = 0; fields := struct { u32 _n; u32 _tid; }; };
event { name = "app:idle"; id = 1; fields := struct { u32 _n; }; };
END
}
for prefix in v ''; do
	contexts "$prefix" >contexts.tsdl
	cat >contexts.trace <<END
cpu 3
1000 app:work ${prefix}pid=100 ${prefix}tid=101 procname=app n=1 $([ -z "$prefix" ] || echo tid=7)
1001 app:idle ${prefix}pid=100 ${prefix}tid=102 procname=app n=2
END
	[ -n "$prefix" ] || sed -i 's/ u32 _tid;//' contexts.tsdl
	"$tests/make-trace" contexts.tsdl contexts.trace "contexts$prefix" || exit 2
	is "the context ${prefix}tid is the id of the thread" 'app-101 [003]|app-102 [003]|' \
		"$("$mm" print "contexts$prefix" | cut -d ' ' -f 1,2 | tr '\n' '|')"
done
# A thread that the state dump names executes a program. Another one is alive at the snapshot.
cat >exec.trace <<'EOF'
cpu 0
2000 slab_kmalloc tid=11 call_site=0x110 ptr=0x1000 bytes_req=33 size_class=6
2001 sched_process_exec filename=/usr/bin/after tid=11 old_tid=11
2002 slab_kmalloc tid=11 call_site=0x110 ptr=0x2000 bytes_req=33 size_class=6
2003 slab_kmalloc tid=12 call_site=0x110 ptr=0x3000 bytes_req=33 size_class=6
EOF
printf 'cpu 0\n1003 process_statedump_thread tid=11 pid=11 name=before\n1004 process_statedump_thread tid=12 pid=12 name=other\n' >dump.trace
mkdir -p executed/sysinfo
echo '[{"tid": 12, "pid": 12, "comm": "alive"}]' >executed/sysinfo/processes.json
make_slab --no-state exec.trace executed/kernel && make_slab --state dump.trace executed/state || exit 2
for how in --jobs=1 --jobs=4 --reader=babeltrace2; do
	is "exec after the state dump, $how: the name from then on" 'before-11 after-11 alive-12' \
		"$("$mm" print --events slab_kmalloc "$how" executed | cut -d ' ' -f 1 | paste -sd ' ')"
done
tap_end
