#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# make bench: writes every figure of doc/benchmarks.md as a JSON line to build/bench.jsonl.
# bench/run.sh SUITE
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
suite=${1:-trixie}
out=$top/build/bench.jsonl
mkdir -p "$top/build"
: >"$out"

# shellcheck source=bench/figure.sh
. "$top/bench/figure.sh"

# figure: as print_figure; also adds the line to the file.
figure() {
	print_figure "$@" | tee -a "$out"
}

"$top/vm/build.sh" "$suite"

# Measures the reader on this machine, with a real trace that a guest records.
rm -rf "$top/build/bench-trace"
mkdir -p "$top/build/bench-trace"
"$top/vm/run.sh" --suite "$suite" --timeout 900 --out "$top/build/bench-trace" \
	-- sh /usr/lib/lttng-mm/tests/reader-guest.sh >"$top/build/bench-trace.log" 2>&1
"$top/bench/reader.sh" "$top/build/bench-trace/trace" >"$top/build/bench-reader.jsonl"
tee -a "$out" <"$top/build/bench-reader.jsonl"

"$top/vm/run.sh" --suite "$suite" --icount --pmem 256M --timeout 600 \
	-- sh /usr/lib/lttng-mm/tests/dax-cost-guest.sh >"$top/build/bench-dax.txt"
value() { awk -v name="$1" '$1 == name { print $2 }' "$top/build/bench-dax.txt"; }
added() { awk -v a="$(value "$1")" -v b="$(value bare)" 'BEGIN { printf "%.1f", a - b }'; }
figure "dax.pair.instructions.$suite" "$(added pair)" "$(added ftrace)" ftrace \
	'instructions per dax_pmd_fault entry and exit'
figure "dax.profile.instructions.$suite" "$(added profile)" "$(added ftrace)" ftrace \
	'instructions per huge-page fault, profile as shipped (three events) compared with ftrace entry and exit'
figure "dax.pair.bytes.$suite" "$(value pair_bytes)" "$(value ftrace_bytes)" ftrace 'bytes per event'
figure "dax.profile.bytes.$suite" "$(value profile_bytes)" "$(value ftrace_bytes)" ftrace \
	'bytes per event'

"$top/vm/run.sh" --suite "$suite" --icount --timeout 600 \
	-- sh /usr/lib/lttng-mm/tests/slab-cost-guest.sh >"$top/build/bench-slab.txt"
slab_value() { awk -v name="$1" '$1 == name { print $2 }' "$top/build/bench-slab.txt"; }
# Prints how many instructions tracing adds per event; a pair has two events.
slab_added() {
	awk -v a="$(slab_value "$1_$2")" -v b="$(slab_value "bare_$2")" \
		'BEGIN { printf "%.1f", (a - b) / 2 }'
}
for kind in kmalloc kmem_cache; do
	figure "slab.$kind.instructions.$suite" "$(slab_added lttng $kind)" "$(slab_added ftrace $kind)" \
		ftrace "instructions per event of a $kind pair, every slab event enabled"
done
figure "slab.kmalloc.bytes.$suite" "$(slab_value lttng_pair_bytes)" "$(slab_value ftrace_pair_bytes)" \
	ftrace 'bytes per event, kmalloc pairs'
"$top/vm/run.sh" --suite "$suite" --timeout 600 \
	-- sh /usr/lib/lttng-mm/tests/slab-load-guest.sh >>"$top/build/bench-slab.txt"
figure "slab.load.bytes.$suite" "$(slab_value load_lttng_bytes)" "$(slab_value load_ftrace_bytes)" \
	ftrace 'bytes per event, a kernel module is built'

# Measures a record of 48 bytes in 12 fields, written by a test probe through the probe library.
"$top/vm/run.sh" --suite "$suite" --icount --timeout 600 \
	-- sh /usr/lib/lttng-mm/tests/record-cost-guest.sh >"$top/build/bench-record.txt"
record_added() {
	awk -v name="$1" '{ value[$1] = $2 } END { print value[name] - value["bare"] }' "$top/build/bench-record.txt"
}
figure "record.48-bytes.instructions.$suite" "$(record_added packed)" "$(record_added macros)" \
	"LTTng's macros" 'instructions per record of 48 bytes in 12 fields'
figure "record.48-bytes.1000-classes.instructions.$suite" "$(record_added packed_1000)" \
	"$(record_added macros_1000)" "LTTng's macros" \
	'instructions per record of 48 bytes in 12 fields, in a channel of 1,000 event classes'

# Measures a call of a function with three arguments. All figures include the hook.
"$top/vm/run.sh" --suite "$suite" --icount --timeout 900 \
	-- sh /usr/lib/lttng-mm/tests/fn-cost-guest.sh >"$top/build/bench-fn.txt"
fn_value() { awk -v name="$1" '$1 == name { print $2 }' "$top/build/bench-fn.txt"; }
fn_added() { awk -v a="$(fn_value "$1")" -v b="$(fn_value bare)" 'BEGIN { print a - b }'; }
figure "fn.entry-exit.instructions.$suite" "$(fn_added entry_exit)" "$(fn_added lttng_function)" \
	"LTTng's --function" 'instructions added to a call by fn_NAME_entry and fn_NAME_exit'
figure "fn.call.instructions.$suite" "$(fn_added call)" "$(fn_added lttng_function)" \
	"LTTng's --function" 'instructions added to a call by fn_NAME_call'
figure "fn.entry-exit.function-graph.$suite" "$(fn_added entry_exit)" "$(fn_added function_graph)" \
	function_graph 'instructions added to a call by fn_NAME_entry and fn_NAME_exit'
figure "fn.entry-exit.dynamic-events.$suite" "$(fn_added entry_exit)" "$(fn_added ftrace_events)" \
	"ftrace's dynamic events" 'instructions added to a call by fn_NAME_entry and fn_NAME_exit'
figure "fn.entry-exit.1000-functions.$suite" "$(fn_added entry_exit_1000)" "$(fn_added entry_exit)" \
	'a channel with its events only' 'instructions added, in a channel with the events of 1,000 functions'
# The cost of the hook alone is entry + exit - both, because each of the three figures includes one
# hook.
fn_hook=$(($(fn_added entry) + $(fn_added exit) - $(fn_added entry_exit)))
figure "fn.filter.rejected.$suite" "$(($(fn_added rejected) - fn_hook))" "$(($(fn_added entry) - fn_hook))" \
	'writing it' 'instructions of a record that a filter on one argument rejects, without the hook'
figure "fn.entry-exit.kretprobe.$suite" "$(fn_added entry_exit_1000_kretprobe)" \
	"$(($(fn_added entry_exit_1000) + $(fn_added kretprobe)))" 'the sum of each alone' \
	'instructions added to a call by our events and a kretprobe of ftrace, with 1,000 functions hooked'
for step in add enable start disable stop unhook remove; do
	figure "fn.1000.$step.$suite" "$(fn_value "seconds_${step}_1000")" '' '' s
done

"$top/bench/recorder.sh" "$suite" | tee -a "$out"

"$top/bench/pageref.sh" "$suite" cost phases | tee -a "$out"
"$top/bench/pageref-reports.sh" "$top/build/bench-pageref/$suite"/*/trace | tee -a "$out"

"$top/bench/gate.sh" "$suite" | tee -a "$out"

# Measures the demo with a warm cache.
start=$(date +%s)
"$top/vm/demo.sh" "$suite" >/dev/null
figure "demo.warm.$suite" "$(($(date +%s) - start))" '' '' s
if [ -n "${BENCH_COLD:-}" ]; then
	# Measures the demo with a cold cache: in a separate clone and cache, removed afterwards.
	cold=$(mktemp -d)
	trap 'rm -rf "$cold"' EXIT
	git clone -q "$top" "$cold/clone"
	start=$(date +%s)
	LTTNG_MM_CACHE=$cold/cache make -s -C "$cold/clone" demo SUITE="$suite" >/dev/null
	figure "demo.cold.$suite" "$(($(date +%s) - start))" '' '' s
fi
