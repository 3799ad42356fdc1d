# SPDX-License-Identifier: LGPL-2.1-only
# Records commands with `lttng-mm run`, and compares them with a base file by `lttng-mm gate`.
# Sourced by run-all.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets tests and work
# shellcheck source=tests/kernel/lib.sh

# gate_is NAME EXPECTED ACTUAL
gate_is() {
	if [ "$2" = "$3" ]; then
		ok "gate: $1"
	else
		not_ok "gate: $1"
		printf '%s\n' "expected: $2" "actual:   $3" | diag
		sed 's/^/# err: /' "$out/err"
	fi
}

# gate_mm ARGUMENT...: runs lttng-mm with output in $out/out and $out/err. Prints the status.
gate_mm() {
	timeout 1200 lttng-mm "$@" >"$out/out" 2>"$out/err"
	echo $?
}

# gate_value FOLDER METRIC: prints a value of the slab report of a run.
gate_value() {
	lttng-mm metrics "$1" 2>/dev/null | grep -F "$2 " | sed 's/.*} //; s/^[a-z_.]* //'
}

# gate_fact FILE KEY: prints a member of run.json, without quotes. The guest has no jq.
gate_fact() {
	sed -n "s/^ *\"$2\": \"*\(.*[^\",]\)\"*,*\$/\1/p" "$1"
}

gate() {
	out=$work/gate work_load=$tests/gate-work
	rm -rf "$out"
	mkdir -p "$out"
	lttng-mm stop --all >"$out/out" 2>&1

	# run
	gate_is 'run: a command' 0 "$(gate_mm run --profile slab -o "$out/runs" --runs 2 -- "$work_load" 500)"
	gate_is '... shows its progress' 4 "$(grep -c '^run [12] of 2: ' "$out/err")"
	gate_is '... writes the files of each run' 'run.json slab.json run.json slab.json' \
		"$(cd "$out/runs" && for gate_i in 1 2; do (cd run-$gate_i && echo run.json slab.json && ls run.json slab.json >/dev/null); done | xargs)"
	gate_is '... and a trace that is complete' '0 0' \
		"$(for gate_i in 1 2; do lttng-mm info --require-complete "$out/runs/run-$gate_i"/trace-* >/dev/null 2>&1; echo $?; done | xargs)"
	gate_is '... run.json: nothing is inconclusive' 'null null' \
		"$(for gate_i in 1 2; do gate_fact "$out/runs/run-$gate_i/run.json" inconclusive; done | xargs)"
	gate_is '... the kernel' "$(uname -r)" "$(gate_fact "$out/runs/run-1/run.json" kernel | cut -d ' ' -f 1)"
	gate_is '... the probe' yes "$(gate_fact "$out/runs/run-1/run.json" probes | grep -q 'lttng_probe_slab [0-9a-f]' && echo yes)"
	gate_is '... no recorder is left' 0 "$(lttng list 2>/dev/null | grep -cw run)"
	gate_count=$(gate_value "$out/runs/run-1" 'slab.allocations{of="kmalloc"}' | cut -d ' ' -f 1)
	if [ "$gate_count" -ge 1000 ] && [ "$gate_count" -lt 1500 ]; then
		ok "gate: ... allocations of both processes, and hardly others ($gate_count)"
	else
		not_ok "gate: ... allocations of both processes, and hardly others ($gate_count)"
	fi
	gate_is 'run --all: everything' 0 "$(gate_mm run --all --profile slab -o "$out/all" -- "$work_load" 500)"
	gate_count=$(gate_value "$out/all/run-1" 'slab.allocations{of="kmalloc"}' | cut -d ' ' -f 1)
	gate_is '... has as many at least' yes "$([ "$gate_count" -ge 1000 ] && echo yes)"
	gate_is 'run: a command that fails has no result' '4 no' "$(gate_mm run --profile slab -o "$out/failed" -- false) $([ -e "$out/failed" ] || echo no)"
	gate_is '... says so' 1 "$(grep -c 'run: false: failed with status 1; there is no result' "$out/err")"
	gate_is 'run: a command that does not exist' '4 1' "$(gate_mm run --profile slab -o "$out/failed" -- /none) $(grep -c 'run: /none: No such file' "$out/err")"
	gate_is 'run: a command that takes too long' '4 1' \
		"$(gate_mm run --timeout 1s --profile slab -o "$out/failed" -- sleep 1000) $(grep -c 'did not end within 1 s, and was killed' "$out/err")"
	gate_is '... no recorder is left' 0 "$(lttng list 2>/dev/null | grep -cw run)"
	gate_is 'run: the folder has runs already' '2 1' "$(gate_mm run --profile slab -o "$out/runs" -- true) $(grep -c 'run-1: File exists; remove it' "$out/err")"

	# check on runs
	echo 'slab.allocations{of="kmalloc"} <= 1500' >"$out/rules"
	gate_is 'check: the rules hold for both runs' '0 pass' "$(gate_mm check "$out/rules" "$out/runs") $(tail -n 1 "$out/out" | cut -d : -f 1)"
	echo 'slab.allocations{of="kmalloc"} <= 900' >"$out/strict"
	gate_is 'check: a rule that fails' '1 fail' "$(gate_mm check "$out/strict" "$out/runs") $(tail -n 1 "$out/out" | cut -d : -f 1)"
	gate_is '... the cause is named' yes "$(grep -q 'eventfd' "$out/out" && echo yes)"

	# A ring that wraps.
	gate_is 'run: a ring that wraps' 0 "$(gate_mm run --subbuf-size 4k --num-subbuf 2 --profile slab -o "$out/wrapped" -- "$work_load" 20000)"
	gate_is '... is inconclusive' yes "$(gate_fact "$out/wrapped/run-1/run.json" inconclusive | grep -q 'the ring buffers wrapped.*larger buffers' && echo yes)"
	gate_is '... without a warning about an option that was not given' 0 "$(grep -c -e '--last' "$out/err")"
	gate_fact "$out/wrapped/run-1/run.json" inconclusive | diag
	gate_is '... and never green' 3 "$(gate_mm check "$out/rules" "$out/wrapped" | sed 's/1/3/')"

	# gate
	gate_is 'gate without a base file' '2 1' "$(gate_mm gate --base "$out/base" --profile slab -- "$work_load" 500) $(grep -c 'create it with --accept' "$out/err")"
	gate_is 'gate --accept' 0 "$(gate_mm gate --accept --base "$out/base" --profile slab -- "$work_load" 500)"
	gate_is '... writes ten values of each metric' 11 "$(grep -F 'slab.allocations{of="kmalloc"}' "$out/base" | wc -w)"
	grep -F 'slab.allocations{of="kmalloc"}' "$out/base" | diag
	gate_is 'gate: the same command passes' '0 gate: pass' "$(gate_mm gate --base "$out/base" --rules "$out/rules" --profile slab -- "$work_load" 500) $(tail -n 1 "$out/out")"
	diag <"$out/out"
	gate_is 'gate: twice the allocations fail; for git bisect, the commit is bad' '1 gate: fail' \
		"$(gate_mm gate --bisect --base "$out/base" --profile slab -- "$work_load" 1000) $(tail -n 1 "$out/out")"
	diag <"$out/out"
	gate_is '... confirmed by five more runs' 1 "$(grep -c 'five more runs must confirm that' "$out/out")"
	gate_is '... names the metric' 1 "$(grep -c '^worse: slab.allocations{of="kmalloc"}: ' "$out/out")"
	gate_is '... and the call site' yes "$(grep -q 'eventfd' "$out/out" && echo yes)"
	sed 's/^@kernel .*/@kernel 5.0/' "$out/base" >"$out/other"
	gate_is 'gate: a base file of another kernel decides nothing; a rule does' '1 1 gate: fail' \
		"$(gate_mm gate --base "$out/other" --rules "$out/strict" --profile slab -- "$work_load" 500) $(
			grep -c 'the comparison is shown, but does not affect the verdict; the rules decide' "$out/out") $(tail -n 1 "$out/out")"
	gate_is '... without rules, that is inconclusive' '3 gate: inconclusive' \
		"$(gate_mm gate --base "$out/other" --profile slab -- "$work_load" 500) $(tail -n 1 "$out/out")"
	gate_is '... with rules that hold, it passes by them only' '0 gate: pass, by the rules only' \
		"$(gate_mm gate --base "$out/other" --rules "$out/rules" --profile slab -- "$work_load" 500) $(tail -n 1 "$out/out")"
	gate_is 'gate --bisect: a command that fails is skipped' 125 "$(gate_mm gate --bisect --base "$out/base" --profile slab -- false)"
	gate_is '... incomplete runs, too' 125 "$(gate_mm gate --bisect --subbuf-size 4k --num-subbuf 2 --base "$out/base" --profile slab -- "$work_load" 20000)"
	lttng-mm stop --all >"$out/out" 2>&1
}
