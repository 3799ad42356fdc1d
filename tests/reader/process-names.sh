#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests processes that renamed themselves, in traces without state dumps. A report must use the new
# name, which the fork of a later thread contains (parent_comm of sched_process_fork), and list the
# process once.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# fork NS PARENT PARENT_PID PARENT_NAME CHILD CHILD_PID CHILD_NAME
fork() {
	echo "$1 sched_process_fork parent_tid=$2 parent_pid=$3 parent_comm=$4" \
		"child_tid=$5 child_pid=$6 child_comm=$7"
}
# fault NS TID PID: prints a huge-page fault that falls back.
fault() {
	set -- "$1" "tid=$2 pid=$3 dev_major=259 ino=0x1003 vm_start=0x10200000 vm_end=0x10c00000" \
		'address=0x10400000 pgoff=0x200 max_pgoff=0x1400 vm_flags=8 flags=1'
	echo "$1 dax_pmd_fault $2 $3"
	echo "$(($1 + 1000)) dax_pmd_fault_done $2 $3 result=0x800"
}

# Process 50 is created as `starter`, renames itself to `worker` and creates process 51. No event
# reports the creation of 52, a thread of 50, and of process 60, which creates 61. Process 70 exits
# under its last name, and another process gets its id.
{
	echo 'cpu 0'
	fork 10000 1 1 init 50 50 starter
	fault 20000 50 50
	fault 30000 52 50
	fault 40000 60 60
	fork 50000 50 50 worker 51 50 worker
	fork 51000 60 60 lone 61 61 lone
	fault 60000 51 50
	fault 70000 50 50
	fault 80000 70 70
	fork 90000 70 70 renamed 71 70 renamed
	echo '91000 sched_process_exit tid=70 comm=ended'
	fork 92000 1 1 init 70 70 next
	fault 93000 70 70
} >dax.trace
make_dax_packed dax.trace dax
# processes TRACE [OPTION...]: prints name, id and faults of each process.
processes() {
	"$mm" report dax --json "$@" | jq -r '.tables.processes[] | "\(.process) \(.pid) \(.pmd_faults)"' | sort
}
all='ended 70 1
lone 60 1
next 70 1
worker 50 4'
for how in --jobs=1 --jobs=3 --jobs=8 --reader=babeltrace2; do
	is "dax, $how: one row for each process, with its last name" "$all" "$(processes "$how" dax)"
done
is 'dax, up to a time: the last name until then' 'starter 50 2' "$(processes --end 0.000035 dax)"
is 'dax, from a time on: the name from before it' 'worker 50 2' \
	"$(processes --begin 0.000055 --end 0.000075 dax)"

{
	echo 'cpu 0'
	echo '9000 callsite_statedump_range start=0 size=16777216 alive=1 name=kernel'
	fork 10000 1 1 init 50 50 starter
	echo '20000 slab_kmalloc tid=50 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6'
	echo '30000 slab_kmalloc tid=60 call_site=0x110 ptr=0x2000 bytes_req=60 size_class=6'
	fork 50000 50 50 worker 51 50 worker
	fork 51000 60 60 lone 61 61 lone
	echo '60000 slab_kmalloc tid=51 call_site=0x110 ptr=0x3000 bytes_req=60 size_class=6'
} >slab.trace
make_slab slab.trace slab
for how in --jobs=1 --jobs=3 --reader=babeltrace2; do
	is "slab, $how: one row for each process, with its last name" 'lone 60 1
worker 50 2' "$("$mm" report slab --json "$how" slab |
		jq -r '.tables.processes[] | "\(.process) \(.pid) \(.allocations)"' | sort)"
done

{
	echo 'declare fn_deep_entry fn_deep_exit fn_d_lookup_call sched_process_fork'
	fork 10000 1 1 init 50 50 starter
	printf '%s\n' '20000 fn_deep_entry tid=50' '21000 fn_deep_exit tid=50' \
		'30000 fn_deep_entry tid=60' '30900 fn_deep_exit tid=60'
	fork 50000 50 50 worker 51 50 worker
	fork 51000 60 60 lone 61 61 lone
	printf '%s\n' '60000 fn_deep_entry tid=51' '60800 fn_deep_exit tid=51'
} >fn.trace
make_profile fn-calls fn.trace fn
for how in --jobs=1 --reader=babeltrace2; do
	is "fn, $how: the last names" 'worker 50
lone 60
worker 50' "$("$mm" report fn --json "$how" fn | jq -r '.tables.slowest[] | "\(.comm) \(.pid)"')"
	is "why, $how: the last names" 'worker 50
lone 60
worker 50' "$("$mm" report why --json "$how" fn | jq -r '.tables.intervals[] | "\(.comm) \(.pid)"')"
done
is 'fn --graph: the last name' 'worker-50' "$("$mm" report fn --graph fn | grep -o '[a-z]*-50' | sort -u)"
# In the text of the fast reader, a thread has the name that earlier events give it.
is 'print: the name from the fork on' 'starter-50
starter-50
worker-50
worker-50' "$("$mm" print dax | grep ' dax_pmd_fault' | grep -o '^[a-z]*-50')"
tap_end
