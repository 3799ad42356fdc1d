# SPDX-License-Identifier: LGPL-2.1-only
# Pointers that no allocator returned. Called by slab-probe.sh, sourced by run-all.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh and slab-probe.sh set tests, work and out
# shellcheck source=tests/kernel/lib.sh

slab_odd_act() {
	slab_session odd slab_kfree_wide &&
		slab_session odd-filtered slab_kfree_wide --filter 'ptr == -1' &&
		lttng start odd && lttng start odd-filtered || return 1
	insmod "$tests/slab-odd.ko" || return 1
	lttng stop odd
	lttng stop odd-filtered
	slab_text odd && slab_text odd-filtered || return 1
	rmmod slab-odd
	lttng destroy odd
	lttng destroy odd-filtered
}

slab_odd() {
	check_function 'slab: odd: the module acts' slab_odd_act || return
	slab_is 'odd: a pointer outside of the direct map has no value that depends on KASLR' 3 \
		"$(grep -c ' slab_kfree_wide: .* ptr = 0xFFFFFFFFFFFFFFFF }' "$out/odd.txt")"
	slab_is 'odd: ... and no other' 3 "$(grep -c ' slab_kfree_wide: ' "$out/odd.txt")"
	slab_is 'odd: ... in a filter' 3 "$(grep -c ' slab_kfree_wide: ' "$out/odd-filtered.txt")"
}
