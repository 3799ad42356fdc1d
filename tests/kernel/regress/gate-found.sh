# SPDX-License-Identifier: LGPL-2.1-only
# Tests changes that `lttng-mm gate` must find, with their causes, and incomplete runs that it must
# not pass. Sourced by run-all.sh; uses the functions of gate.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets tests and work
# shellcheck source=tests/kernel/regress/gate.sh

# gate_finds NAME METRIC CAUSE PROFILE GOOD BAD: accepts the shell command GOOD. Expects that GOOD
# passes again, and that BAD fails because METRIC is worse, with CAUSE in the output.
gate_finds() {
	gate_name=$1 gate_metric=$2 gate_cause=$3 gate_profile=$4 gate_good=$5 gate_bad=$6
	rm -f "$out/base"
	gate_is "$gate_name: accepted" 0 \
		"$(gate_mm gate --accept --base "$out/base" --profile "$gate_profile" -- sh -c "$gate_good")"
	grep -F "$gate_metric" "$out/base" | diag
	gate_is '... the same again passes' '0 gate: pass' \
		"$(gate_mm gate --base "$out/base" --profile "$gate_profile" -- sh -c "$gate_good") $(tail -n 1 "$out/out")"
	diag <"$out/out"
	gate_is '... the change fails' '1 gate: fail' \
		"$(gate_mm gate --base "$out/base" --profile "$gate_profile" -- sh -c "$gate_bad") $(tail -n 1 "$out/out")"
	diag <"$out/out"
	gate_is '... the metric is named' yes "$(grep -qF "worse: $gate_metric" "$out/out" && echo yes)"
	gate_is '... and the cause' yes "$(grep -q "$gate_cause" "$out/out" && echo yes)"
}

# gate_dax DEVICE: tests faults that fall back because a file's blocks are not aligned to 2 MiB.
gate_dax() {
	check_function 'gate: a filesystem with DAX' eval \
		"pmem_mkfs ext4 '$1' && pmem_mount '$1' '$work/mnt'" || return
	gate_work_load="$tests/dax-workload --quiet --only"
	gate_finds 'a fallback by misalignment' 'dax.fallback.cause{cause="extent-misaligned"}' \
		"$work/mnt/extent-misaligned" dax \
		"$gate_work_load pmd-write,pmd-read $work/mnt" "$gate_work_load pmd-write,pmd-read,extent-misaligned $work/mnt"
	echo 'dax.fallback.cause{cause="extent-misaligned"} == 0 if present "blocks must be aligned"' >"$out/rules"
	gate_is '... a rule fails, too' '1 1' \
		"$(gate_mm gate --base "$out/base" --rules "$out/rules" --profile dax -- sh -c "$gate_work_load extent-misaligned $work/mnt") $(
			grep -c '^fail .*extent-misaligned' "$out/out")"
	umount "$work/mnt"
}

# Tests runs in which something is missing. The verdict must never be pass.
gate_inconclusive() {
	gate_work=$tests/gate-work
	rm -f "$out/base"
	gate_is 'inconclusive: the command is accepted' 0 \
		"$(gate_mm gate --accept --base "$out/base" --profile slab -- "$gate_work" 500)"
	gate_is '... a ring that wraps' '3 gate: inconclusive' \
		"$(gate_mm gate --subbuf-size 4k --num-subbuf 2 --base "$out/base" --profile slab -- "$gate_work" 500) $(tail -n 1 "$out/out")"
	gate_is '... says so, and what to do' 5 "$(grep -c 'inconclusive: the ring buffers wrapped.*larger buffers (--num-subbuf' "$out/err")"
	gate_is '... and nothing about an option that was not given' 0 "$(grep -c -e '--last' "$out/err")"
	gate_is '... events that are not recorded for a while' '3 gate: inconclusive' \
		"$(gate_mm gate --base "$out/base" --profile slab -- \
			sh -c "$gate_work 200 && lttng stop lttng-mm-run && $gate_work 200 && lttng start lttng-mm-run && $gate_work 100") $(tail -n 1 "$out/out")"
	diag <"$out/err"
	gate_is '... a session daemon that is killed has no result' '4 0' \
		"$(gate_mm gate --base "$out/base" --profile slab -- \
			sh -c "$gate_work 500 && pkill -9 -x lttng-sessiond; sleep 1") $(grep -c '^gate: pass' "$out/out")"
	diag <"$out/err"
	gate_is '... after which everything works again' 0 "$(gate_mm run --profile slab -o "$out/again" -- "$gate_work" 500)"
}

# gate_found DEVICE
gate_found() {
	out=$work/gate-found
	rm -rf "$out"
	mkdir -p "$out"
	lttng-mm stop --all >"$out/out" 2>&1
	gate_dax "$1"
	check 'gate: the module with a leak is loaded' 60 insmod "$tests/gate-test.ko" &&
		gate_finds 'a leak' slab.leaks.objects gate_test_leak slab "$tests/gate-work 500; sleep 0.4" \
			"$tests/gate-work 500; echo 400 >/sys/module/gate_test/parameters/leak"
	lttng-mm stop --all >"$out/out" 2>&1
	rmmod gate-test
	gate_finds 'a working set that doubled' 'pageref.working_set_bytes{window="interval",q="0.5"}' known-set page-ref \
		"$tests/known-set 8 4 250" "$tests/known-set 16 4 250"
	gate_is '... references of other profiles, too' 0 \
		"$(gate_mm run --profile slab,page-ref -o "$out/both" -- "$tests/known-set" 8 2 250)"
	gate_is '... in two reports of a complete run' 'page-ref slab null' \
		"$(for gate_i in page-ref slab; do [ -s "$out/both/run-1/$gate_i.json" ] && echo $gate_i; done | xargs) $(
			gate_fact "$out/both/run-1/run.json" inconclusive)"
	gate_inconclusive
	lttng-mm stop --all >"$out/out" 2>&1
}

# Tests a function that is 20 % slower, in a guest whose clock counts instructions.
gate_icount() {
	out=$work/gate-icount
	rm -rf "$out"
	mkdir -p "$out"
	lttng-mm stop --all >"$out/out" 2>&1
	gate_is 'icount: the guest says that its clock counts instructions' 1 "$(grep -cw lttng_mm.clock=instructions /proc/cmdline)"
	check 'gate: the module with a function is loaded' 60 insmod "$tests/gate-test.ko" || return
	check 'gate: the function is added' 60 lttng-mm fn add 'gate_test_function(loops:u32) : u32'
	gate_finds 'a function that is 20 % slower' 'fn.latency_ns{function="gate_test_function",q="0.5"}' gate_test_function fn \
		"echo '300 10000' >/sys/module/gate_test/parameters/call" "echo '300 12000' >/sys/module/gate_test/parameters/call"
	gate_is '... the base file states the clock' 1 "$(grep -cx '@clock instructions' "$out/base")"
	sed 's/^@clock .*/@clock time/' "$out/base" >"$out/timed"
	gate_is '... a base file of another clock does not judge times' '0 1' \
		"$(gate_mm gate --base "$out/timed" --profile fn -- sh -c "echo '300 12000' >/sys/module/gate_test/parameters/call") $(
			grep -c 'Times are not judged: they count instructions in NEW only' "$out/out")"
	lttng-mm fn remove gate_test_function >"$out/out" 2>&1
	lttng-mm stop --all >"$out/out" 2>&1
	rmmod gate-test
}
