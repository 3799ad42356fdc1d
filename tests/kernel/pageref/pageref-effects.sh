# SPDX-License-Identifier: LGPL-2.1-only
# A program observes its memory with and without recording: nothing but time and the number of minor
# faults may differ. Sourced by run-all.sh after pageref.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets tests, tracing, work and device
# shellcheck source=tests/kernel/lib.sh

pageref_thp=/sys/kernel/mm/transparent_hugepage

# pageref_swap_on FILE: swaps to FILE through a loop device, so that the kernel uses the swap cache,
# as it does for a disk. pageref_swap_off stops swapping.
pageref_swap_on() {
	modprobe loop
	pageref_loop=$(losetup --find --show "$1") || return 1
	mkswap "$pageref_loop" && swapon "$pageref_loop"
}
pageref_swap_off() {
	swapoff "$pageref_loop" && losetup --detach "$pageref_loop"
}

# Makes khugepaged look at pages without long pauses.
pageref_khugepaged_fast() {
	cat "$pageref_thp/enabled"
	echo madvise >"$pageref_thp/enabled"
	echo 100 >"$pageref_thp/khugepaged/scan_sleep_millisecs"
	echo 100 >"$pageref_thp/khugepaged/alloc_sleep_millisecs"
}

# Counts calls of the filesystem for the first write to a clean page of a mapping.
pageref_mkwrite_start() {
	echo 'p:pageref/mkwrite ext4_page_mkwrite' >>"$tracing/kprobe_events" &&
		echo 1 >"$tracing/events/pageref/mkwrite/enable"
}
pageref_mkwrite_stop() {
	echo 0 >"$tracing/events/pageref/mkwrite/enable"
	echo '-:pageref/mkwrite' >>"$tracing/kprobe_events"
}
pageref_mkwrite_count() {
	awk '$1 == "mkwrite" { print $2 }' "$tracing/kprobe_profile"
}

# pageref_observe NAME on|off: runs the program and writes its observations to $out/NAME.
pageref_observe() {
	pageref_calls=$(pageref_mkwrite_count)
	pageref_program "$tests/page-effects" "$out/mnt"
	if [ "$2" = on ]; then
		exec 7<>"$pageref_device"
		pageref_start
	else
		exec 7>/dev/null
		echo go >&8
	fi
	while pageref_step "$2"; do :; done
	[ "$2" = off ] || pageref_counter restored >"$out/$1.restored"
	pageref_finish
	pageref_status=$?
	echo "ext4_page_mkwrite: $(($(pageref_mkwrite_count) - pageref_calls))" >>"$out/expected"
	grep '^minor faults' "$out/expected" >"$out/$1.minor"
	grep -v -e '^arm' -e '^minor faults' "$out/expected" >"$out/$1"
	return "$pageref_status"
}

pageref_compare_effects() {
	check_function 'pageref: effects: migrations are recorded' pageref_migrations_start
	check_function 'pageref: effects: the program without recording' pageref_observe untraced off
	check_function 'pageref: effects: a session starts' pageref_session effects || return
	check_function 'pageref: effects: the program with recording' pageref_observe traced on
	check_function 'pageref: effects: the session stops' lttng destroy effects
	case $(uname -r) in
	# Linux 6.1 does not count huge pages that are marked.
	6.1.*) sed -i '/^huge page: AnonHugePages/d' "$out/untraced" "$out/traced" ;;
	esac
	pageref_is 'effects: the program observes the same' '' "$(diff "$out/untraced" "$out/traced")"
	pageref_is 'effects: ... of many things' yes "$([ "$(wc -l <"$out/traced")" -gt 150 ] && echo yes)"
	# A call is for a folio, which may have several pages.
	pageref_above 'effects: ... also first writes to clean pages' 32 "$(sed -n 's/^ext4_page_mkwrite: //p' "$out/untraced")"
	pageref_above 'effects: marks were restored' 500 "$(cat "$out/traced.restored")"
	sed 's/^/# without recording, /' "$out/untraced.minor"
	sed 's/^/# with recording, /' "$out/traced.minor"
	pageref_is 'effects: a touch of a marked page is a minor fault' '0 yes' \
		"$(sed -n 's/.*: //p' "$out/untraced.minor") $(awk '$3 >= 63 && $3 <= 70 { print "yes" }' "$out/traced.minor")"
	pageref_is 'effects: no page migrates' 0 "$(pageref_migrations page-effects)"
}

pageref_effects() {
	pageref_part_begin pageref-effects || return
	echo 0 >/proc/sys/kernel/numa_balancing
	check_function 'pageref: effects: a filesystem' pmem_mkfs ext4 "$device"
	mkdir -p "$out/mnt"
	# Write-back between two steps would clean pages, and the next write would change mtime.
	pageref_writeback=$(cat /proc/sys/vm/dirty_writeback_centisecs)
	echo 0 >/proc/sys/vm/dirty_writeback_centisecs
	check_function 'pageref: effects: the filesystem is mounted, without DAX' mount -o commit=600 "$device" "$out/mnt"
	truncate -s 64M "$out/mnt/swap"
	check_function 'pageref: effects: swap' pageref_swap_on "$out/mnt/swap"
	pageref_khugepaged_fast >"$out/thp"
	check_function 'pageref: effects: a kprobe counts' pageref_mkwrite_start
	pageref_compare_effects
	check_function 'pageref: effects: the kprobe ends' pageref_mkwrite_stop
	sed 's/.*\[\(.*\)\].*/\1/' "$out/thp" >"$pageref_thp/enabled"
	check_function 'pageref: effects: swap ends' pageref_swap_off
	check_function 'pageref: effects: the filesystem is unmounted' umount "$out/mnt"
	echo "$pageref_writeback" >/proc/sys/vm/dirty_writeback_centisecs
	pageref_part_end
}
