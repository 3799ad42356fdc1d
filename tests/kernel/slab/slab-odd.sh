# SPDX-License-Identifier: LGPL-2.1-only
# Tests rare arguments: pointers that no allocator returned, a large kvmalloc(), and a block of
# pages whose order does not fit into four bits. Called by slab-probe.sh, sourced by run-all.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh and slab-probe.sh set tests, work and out
# shellcheck source=tests/kernel/lib.sh

slab_odd_run() {
	slab_session odd slab_kfree_wide &&
		lttng enable-event -k -s odd -c ring page_free,slab_kmalloc_wide &&
		slab_session odd-filtered slab_kfree_wide --filter 'ptr == -1' &&
		lttng enable-event -k -s odd-filtered -c ring page_free --filter 'order == 15' &&
		lttng start odd && lttng start odd-filtered || return 1
	insmod "$tests/slab-odd.ko" || return 1
	lttng stop odd
	lttng stop odd-filtered
	slab_text odd && slab_text odd-filtered || return 1
	rmmod slab-odd
	lttng destroy odd
	lttng destroy odd-filtered
}

# odd_pages FILE FIRST PAGES: prints the number of pages of the block that were freed by events
# whose order is above 10.
odd_pages() {
	sed -n 's/.* page_free: .* pfn = 0x\([0-9A-F]*\), order = \([0-9]*\) }$/\1 \2/p' "$1" |
		awk -v first="$2" -v pages="$3" '
			{ pfn = 0
			  for (i = 1; i <= length($1); i++)
				pfn = pfn * 16 + index("0123456789ABCDEF", substr($1, i, 1)) - 1
			  if (pfn >= first && pfn < first + pages && $2 > 10)
				sum += 2 ^ $2 }
			END { print sum + 0 }'
}

slab_odd() {
	check_function 'slab: odd: the module runs' slab_odd_run || return
	slab_is 'odd: a pointer outside of the direct map is recorded as -1, which reveals no address' 3 \
		"$(grep -c ' slab_kfree_wide: .* ptr = 0xFFFFFFFFFFFFFFFF }' "$out/odd.txt")"
	slab_is 'odd: ... there are no other such events' 3 "$(grep -c ' slab_kfree_wide: ' "$out/odd.txt")"
	slab_is 'odd: ... a filter on -1 finds them' 3 "$(grep -c ' slab_kfree_wide: ' "$out/odd-filtered.txt")"
	if dmesg | grep -q 'slab-odd: kvmalloc() gave a block'; then
		slab_is 'odd: a large kvmalloc() is one allocation' 1 \
			"$(grep -c ' slab_kmalloc_wide: .* bytes_req = 99991,' "$out/odd.txt")"
	else
		skip 'slab: odd: a large kvmalloc() is one allocation' 'it gave mapped pages'
	fi
	block=$(dmesg | sed -n 's/.*slab-odd: freeing \([0-9]*\) pages from page frame \([0-9]*\)$/\2 \1/p')
	if [ -z "$block" ]; then
		skip 'slab: odd: all pages of a block of order 16 are freed' 'the kernel has no such block'
		return
	fi
	# shellcheck disable=SC2086  # two numbers
	slab_is 'odd: all pages of a block of order 16 are freed' 65536 "$(odd_pages "$out/odd.txt" $block)"
	# shellcheck disable=SC2086
	slab_is 'odd: ... a filter on the order finds them' 65536 "$(odd_pages "$out/odd-filtered.txt" $block)"
}
