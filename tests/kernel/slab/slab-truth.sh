# SPDX-License-Identifier: LGPL-2.1-only
# A module makes a million allocations and frees and counts them. The report must agree with the
# module, with ftrace and with the allocator's own count. The host then removes packets from the
# trace (tests/kernel/slab/cut-slab-truth.sh). Sourced by run-all.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets tests, tracing and work
# shellcheck source=tests/kernel/lib.sh

# Histograms by call site count every event but store no event.
truth_hists='kmalloc:vals=bytes_req,bytes_alloc kmem_cache_alloc:vals=bytes_req,bytes_alloc
	kfree:vals=hitcount kmem_cache_free:vals=hitcount'

truth_hist() {
	for hist in $truth_hists; do
		echo "$1hist:keys=call_site.sym:${hist#*:}:size=16384" \
			>"$tracing/events/kmem/${hist%%:*}/trigger" || return 1
	done
}

truth_hists_save() {
	mkdir -p "$out/hists"
	for hist in $truth_hists; do
		cat "$tracing/events/kmem/${hist%%:*}/hist" >"$out/hists/${hist%%:*}" || return 1
	done
}

truth_act_once() {
	rm -rf "$out"
	mkdir -p "$out"
	truth_hist '' && lttng-mm record slab --subbuf-size=512k --num-subbuf=64 &&
		insmod "$tests/slab-truth.ko" &&
		lttng-mm snapshot --output "$out" --name truth >"$out/snapshot.txt" &&
		lttng-mm stop && truth_hists_save && truth_hist '!' &&
		cat /proc/slab-truth >"$out/truth.txt"
}

# truth_hists_dropped: prints the histograms that dropped events. ftrace drops an event if the other
# CPU is still adding its entry to the histogram after as many attempts as the histogram has slots.
# This happens if the host suspends the other CPU at that time.
truth_hists_dropped() {
	grep -H 'Dropped: [1-9]' "$out"/hists/*
}

# truth_run: lets the module act. Repeats this if ftrace's histograms, which must agree with the
# report, lack events.
truth_run() {
	truth_act_once || return 1
	for truth_again in 1 2; do
		truth_hists_dropped || return 0
		echo "ftrace's histograms lack events: attempt $((truth_again + 1))"
		rmmod slab-truth && truth_act_once || return 1
	done
}

# The module's interrupts run in any thread, including the recorder's, so the report must include
# the recorder's threads.
truth_report() {
	lttng-mm report slab --json --include-recorder "$trace" >"$out/truth.json"
}

# Checks that verify finds only the deliberate errors, and no memory outside the reported nodes.
truth_verify() {
	status=0
	lttng-mm verify --findings=0 "$trace" >"$out/verify.txt" 2>&1 || status=$?
	grep -q '^note: .* requested, .* allocated' "$out/verify.txt" || return 1
	! grep 'outside the nodes' "$out/verify.txt" || return 1
	[ "$status" = 0 ]
}

# Checks that the list of --leaks names each leaking call site and the number of its live objects.
truth_leaks() {
	lttng-mm report slab --all --wide --leaks --include-recorder --top=100 "$trace" >"$out/leaks.txt" || return 1
	while read -r key name kind _ _ _ live _; do
		if [ "$key" != site ] || [ "$kind" = pages ] || [ "$live" = 0 ]; then continue; fi
		grep -Eq "$name\\+0x[0-9a-f]+ \\[slab_truth\\] .* $live " "$out/leaks.txt" ||
			{ echo "$name: $live in truth"; return 1; }
	done <"$out/truth.txt"
}

# truth_slabinfo CACHE: prints the number of objects in use according to the allocator.
truth_slabinfo() {
	awk -v cache="$1" '$1 == cache { print $2 }' /proc/slabinfo
}

# truth_in_use CACHE: compares the objects in use with the live objects. The allocator also counts
# free objects in per-CPU slabs and sheaves (two sheaves for each CPU and ten for each node) as in
# use, so the numbers may differ by the capacity of these. Shrinking the cache frees the free
# objects.
truth_in_use() {
	sys=/sys/kernel/slab/$1
	live=$(awk -v cache="$1" '$1 == "site" && $3 == cache { n += $7 } END { print n + 0 }' \
		"$out/truth.txt")
	slabs=$(cut -d' ' -f1 "$sys/cpu_slabs" 2>/dev/null || echo 0)
	nodes=$(sed -n 's/^nodes //p' "$out/truth.txt")
	sheaf=$(cat "$sys/sheaf_capacity" 2>/dev/null || echo 0)
	bound=$(($(cat "$sys/objs_per_slab") * slabs + sheaf * (2 * $(nproc) + 10 * nodes)))
	active=$(truth_slabinfo "$1")
	echo 1 >"$sys/shrink"
	exactly=$(truth_slabinfo "$1")
	echo "$1: $live live; in use: $active, at most $bound of them free; $exactly when shrunk" |
		tee -a "$out/in-use.txt"
	[ "$active" -ge "$live" ] && [ "$active" -le $((live + bound)) ] && [ "$exactly" = "$live" ]
}

slab_truth() {
	out=$work/slab-truth
	check_function 'truth: the session daemon starts' daemon_start
	check_function 'truth: a million operations are recorded' truth_run || return
	trace=$out/trace
	mv "$(tail -n 1 "$out/snapshot.txt")" "$trace"
	check_metadata truth "$trace"
	check 'truth: the module made a million operations' 10 grep -qx 'operations 1000000' "$out/truth.txt"
	check_function 'truth: the report succeeds' truth_report
	check 'truth: the report, the module and ftrace agree for each call site' 120 \
		"$tests/check-slab-truth" exact "$out/truth.txt" "$out/truth.json" "$out/hists"
	check_function 'truth: verify finds no memory outside the nodes' truth_verify
	check_function 'truth: --leaks names the leaking call sites' truth_leaks
	for cache in slab-truth-large slab-truth-small; do
		check_function "truth: $cache: the objects in use are the live ones" truth_in_use "$cache"
	done
	check 'truth: the module unloads' 30 rmmod slab-truth
	check_function 'truth: the session daemon ends' daemon_stop
}
