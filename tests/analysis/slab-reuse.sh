#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests that processes that have the same thread id one after the other are reported separately. The
# expected values were worked out by hand from the events below.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# Thread 10 first belongs to the process `first`. Its id then belongs to a process `second`, which
# also has thread 11, and then to another process `second`. Meanwhile, thread id 11 passes to a
# process `third`.
cat >reuse.trace <<'END'
1000 callsite_statedump_range start=0 size=16777216 alive=1 name=kernel
1000 slab_statedump_path path=1 hooked=1 function=kmem_cache_free_bulk
1000 slab_statedump_path path=2 hooked=0
1000 slab_statedump_path path=3 hooked=1 function=kmem_cache_alloc_bulk
1000 slab_statedump_path path=4 hooked=0
1000 slab_statedump_path path=5 hooked=1 function=kvfree_call_rcu
1000 slab_statedump_path path=6 hooked=1 function=krealloc
1000 process_statedump_thread tid=10 pid=10 name=first
1000 process_statedump_thread tid=40 pid=40 name=other
2000 slab_kmalloc tid=10 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
2100 slab_kmalloc tid=10 call_site=0x110 ptr=0x1100 bytes_req=60 size_class=6
2200 slab_kfree tid=40 call_site=0x310 ptr=0x1100
2300 slab_kmalloc tid=40 call_site=0x110 ptr=0x4000 bytes_req=60 size_class=6
2400 slab_kfree tid=10 call_site=0x310 ptr=0x4000
2500 sched_process_exit tid=10 comm=first
3000 sched_process_fork child_tid=10 child_pid=10 child_comm=second
3100 slab_kmalloc tid=10 call_site=0x110 ptr=0x1200 bytes_req=60 size_class=6
3150 slab_kfree tid=10 call_site=0x310 ptr=0x1000
3200 slab_kmalloc tid=40 call_site=0x110 ptr=0x4100 bytes_req=60 size_class=6
3300 slab_kfree tid=10 call_site=0x310 ptr=0x4100
3350 slab_kfree tid=10 call_site=0x310 ptr=0x4000
3400 slab_kfree tid=40 call_site=0x310 ptr=0x1200
4000 sched_process_fork child_tid=11 child_pid=10 child_comm=second
4100 slab_kmalloc tid=11 call_site=0x110 ptr=0x1300 bytes_req=60 size_class=6
4200 sched_process_exit tid=11 comm=second
4300 sched_process_exit tid=10 comm=second
4400 sched_process_fork child_tid=11 child_pid=11 child_comm=third
4500 slab_kmalloc tid=11 call_site=0x110 ptr=0x1400 bytes_req=60 size_class=6
4600 sched_process_fork child_tid=10 child_pid=10 child_comm=second
4700 slab_kmalloc tid=10 call_site=0x110 ptr=0x1500 bytes_req=60 size_class=6
4800 sched_process_fork child_tid=12 child_pid=12 child_comm=idle
END
make_slab reuse.trace reuse || exit 2
mkdir reuse/sysinfo
cp "$here/slab/symbols.txt" reuse/sysinfo/
"$mm" report slab --json reuse >reuse.json

# rows TABLE KEY...: prints the values of these columns, one row per line, in the table's order.
rows() {
	rows_of=$1
	shift
	jq -r ".tables[\"$rows_of\"][] | [$(printf '.%s,' "$@" | sed 's/,$//')] | map(tostring) | join(\" \")" reuse.json
}
is 'processes: one for each that had the thread id' 'first 10 2 1 0
other 40 2 2 0
second 10 1 0 1
second 10 2 3 1
third 11 1 0 1' "$(rows processes process pid allocations frees live | sort)"
is 'cross-process frees: of the process that had the thread id then' 'first 10 other 40 1
first 10 second 10 1
other 40 first 10 1
other 40 second 10 1
second 10 other 40 1' "$(rows cross-process-frees allocated_by allocating_pid freed_by freeing_pid count | sort)"
is 'anomalies: the process that had the thread id then' 'freed first 10
freed again second 10' "$(rows anomalies event process tid)"
is 'internal fragmentation: the first by the process that had the thread id then' 'first 8' \
	"$(rows most-wasted process count)"
is 'call sites: as before' '8 5' "$(rows call-sites allocations paired)"
is 'ages are up to the end of the stream, which is the last fork' 700 \
	"$(jq '.tables.leaks[0] | .oldest_ns' reuse.json)"
is 'a process id: all of its processes' 'first second second' \
	"$("$mm" report slab --json --pid=10 reuse | jq -r '.tables.processes[].process' | sort | xargs)"
"$mm" report slab --json --jobs=2 reuse >jobs.json
same 'the same with another thread' reuse.json jobs.json

# Many processes have the same id one after the other, in more than one batch of a thousand
# operations. Each must have a row.
awk 'BEGIN {
	for (i = 0; i < 3000; i++) {
		at = 2000 + 10 * i
		printf "%d sched_process_fork child_tid=50 child_pid=50 child_comm=p%d\n", at, i
		printf "%d slab_kmalloc tid=50 call_site=0x110 ptr=0x%x bytes_req=60 size_class=6\n", at + 1, 4096 + 64 * i
		if (i)
			printf "%d slab_kfree tid=50 call_site=0x310 ptr=0x%x\n", at + 2, 4096 + 64 * (i - 1)
	}
}' >many.trace
make_slab many.trace many || exit 2
"$mm" report slab --json many >reuse.json
is 'many: a process each' '3000 3000' "$(rows processes process | sort -u | wc -l) $(rows processes allocations |
	grep -cx 1)"
is 'many: each frees what the one before it allocated' 2999 "$(jq '[.tables["cross-process-frees"][] |
	select(.count == 1 and (.allocated_by | ltrimstr("p") | tonumber) + 1 == (.freed_by | ltrimstr("p") | tonumber))] |
	length' reuse.json)"
# A function with a kretprobe returns to a trampoline, so its caller is unknown.
cat >probed.trace <<'END'
1000 callsite_statedump_range start=0 size=16777216 alive=1 name=kernel
2000 slab_kmalloc tid=10 call_site=0x300 ptr=0x1000 bytes_req=60 size_class=6
2100 slab_kmalloc tid=10 call_site=0x400 ptr=0x1100 bytes_req=60 size_class=6
2200 slab_kmalloc tid=10 call_site=0x500 ptr=0x1200 bytes_req=60 size_class=6
END
rm -r reuse
make_slab probed.trace reuse || exit 2
mkdir reuse/sysinfo
printf 'kernel\t%s\tt\t%s\n' 200 before 300 arch_rethook_trampoline 400 __kretprobe_trampoline \
	480 last 500 next >reuse/sysinfo/symbols.txt
"$mm" report slab --json reuse >reuse.json
is 'call sites: behind a kretprobe, and at the end of a function' '(unknown: hidden by a kretprobe)
(unknown: hidden by a kretprobe)
last+0x80' "$(rows call-sites call_site | sort)"

tap_end
