# SPDX-License-Identifier: LGPL-2.1-only
# Makes traces of function calls from scripts, and queries the reports of them. Requires what
# tests/lib.sh sets. Sourced.
# shellcheck shell=sh disable=SC2034,SC2154 # those that source this use the queries; lib.sh sets mm

# trace NAME [ENTRY...]: makes a trace of the script on standard input.
trace() {
	cat >"$1.trace"
	rm -rf "$1"
	make_profile fn-calls "$1.trace" "$1"
}

# json NAME [OPTION...]: prints the JSON report, which must be the same with both readers.
json() {
	json_name=$1
	shift
	"$mm" report fn --json --reader=fast "$@" "$json_name" >fast.json 2>fast.err
	"$mm" report fn --json --reader=babeltrace2 "$@" "$json_name" >babeltrace2.json 2>babeltrace2.err
	cmp -s fast.json babeltrace2.json || echo 'the readers differ'
	jq -r "$json_query" fast.json
}

# q NAME EXPECTED TRACE QUERY [OPTION...]: compares the result of jq's QUERY of the JSON report.
q() {
	q_name=$1 q_expected=$2 q_trace=$3 json_query=$4
	shift 4
	is "$q_name" "$q_expected" "$(json "$q_trace" "$@")"
}
times='.tables.functions[] | "\(.function) \(.calls) \(.errors) total \(.total_ns) self \(.self_ns) max \(.max_ns)"'
outcomes='[.metrics[] | select(.name == "fn.outcomes" and .value > 0) | "\(.labels.what) \(.value)"] | join(", ")'
slowest='.tables.slowest[] | "\(.tid) \(.duration_ns) \(.call)"'

# Declares the events of most scripts.
entries='declare fn_handle_mm_fault_entry fn_handle_mm_fault_exit fn_do_sys_openat2_entry fn_do_sys_openat2_exit fn_d_lookup_entry fn_d_lookup_exit fn_kick_entry fn_kick_exit fn_deep_entry fn_deep_exit sched_process_fork sched_process_exec sched_process_exit process_statedump_thread callsite_statedump_range'
