# SPDX-License-Identifier: LGPL-2.1-only
# Tests values that are too wide for the packed DAX events, in each way LTTng can record an event:
# the fast path, a filter, a context, a tracker, a single event. Called by dax-faults.sh on a
# mounted filesystem, sourced by run-all.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh and dax-faults.sh set tests, work, fs and out
# shellcheck source=tests/kernel/lib.sh

# The values: an address that needs five-level page tables, an offset in a file of 100 TiB, and an
# inode number of 57 bits.
wide_address=0x4000000200000 high_fault=0x4000000201000
plain_address=0x200000000000
wide_offset=0x640000000000
wide_inode=0x123456789abcdef

wide_session() {
	lttng create "$1" --snapshot >/dev/null &&
		lttng enable-channel -k -s "$1" --overwrite --subbuf-size=256k --num-subbuf=4 ring >/dev/null &&
		lttng enable-event -k -s "$@" >/dev/null
}

wide_sessions() {
	wide_session fast -c ring 'dax_*' && wide_session alone -c ring dax_pmd_fault &&
		wide_session filtered -c ring 'dax_*' --filter 'tid > 0 && pid > 0' &&
		wide_session context -c ring 'dax_*' &&
		lttng add-context -k -s context -c ring -t procname >/dev/null &&
		wide_session tracked -c ring 'dax_*' && lttng track -k -s tracked --pid="$1" >/dev/null &&
		wide_session chosen -c ring dax_pmd_fault_wide --filter "address == $high_fault" &&
		for name in fast alone filtered context tracked chosen; do lttng start "$name" >/dev/null; done
}

# wide_faults FOLDER: causes the faults that the machine and the filesystem support. Each fault runs
# in a separate process, which waits until the sessions record: a tracker selects the process.
wide_faults() {
	"$tests/dax-wide" "$1/plain" $plain_address 0 || return
	"$tests/dax-wide" "$1/high" $wide_address 0
	case $? in
	0) echo high >>"$out/wide-has" ;;
	77) ;;
	*) return 1 ;;
	esac
	[ "$fs" = xfs ] || return 0
	"$tests/dax-wide" "$1/far" $plain_address $wide_offset && echo far >>"$out/wide-has" || return
	# Writes the file first: while the inode number is replaced, the file is only read.
	"$tests/dax-wide" "$1/inode" $plain_address 0 || return
	sync
	insmod "$tests/dax-inode.ko" path="$1/inode" number=$wide_inode || return
	"$tests/dax-wide" "$1/inode" $plain_address 0 && echo inode >>"$out/wide-has"
	rmmod dax-inode
}

# wide_bodies SESSION: prints events and fields in a fixed order, without timestamps and contexts.
wide_bodies() {
	sed -n 's/^.* \(dax_[a-z_]*\): { cpu_id = \([0-9]*\) }, \({ procname = "[^"]*" }, \)*{ \(.*\) }$/\1 cpu \2 \4/p' \
		"$out/wide-$1.txt" | sort
}

# wide_agrees SESSION EXPECTED: checks that the session has the events and values of the fast path.
wide_agrees() {
	wide_bodies "$1" >"$out/wide-$1"
	if [ -s "$2" ] && cmp -s "$2" "$out/wide-$1"; then
		ok "$fs: wide: session $1 has the fast path's events and values"
	else
		not_ok "$fs: wide: session $1 has the fast path's events and values"
		diff "$2" "$out/wide-$1" | head -n 20 | diag
	fi
}

# wide_shows NAME EVENT FIELD VALUE: checks that an EVENT has FIELD = VALUE.
wide_shows() {
	check "$fs: wide: $1: $2 has $3 = $4" 10 grep -q " $2: .*[{ ]$3 = $4[ ,]" "$out/wide-fast.txt"
}

wide_values() {
	if grep -qx high "$out/wide-has"; then
		for event in dax_pmd_fault dax_pmd_fault_done; do
			wide_shows 'an address above 2^47' $event address 0x7FFFFFFFFFFF
			wide_shows 'an address above 2^47' ${event}_wide address $high_fault
		done
		wide_shows 'an address above 2^47' dax_pte_fault_wide address 0x4000000601000
		is "$fs: wide: a filter on a wide event finds it" 1 "$(grep -c ' dax_pmd_fault_wide: ' "$out/wide-chosen.txt")"
	else
		skip "$fs: wide: an address above 2^47" 'this CPU has page tables of four levels'
	fi
	[ "$fs" = xfs ] || return 0
	wide_shows 'a file of 100 TiB' dax_pmd_fault pgoff 0x3FFFFFFFF
	wide_shows 'a file of 100 TiB' dax_pmd_fault_wide pgoff 0x640000001
	wide_shows 'a file of 100 TiB' dax_pmd_fault_wide max_pgoff 0x640000400
	wide_shows 'a file of 100 TiB' dax_fault_extent_wide pos 0x640000000000
	wide_shows 'a large inode number' dax_pmd_fault ino 0x3FFFFFFFFF
	wide_shows 'a large inode number' dax_pmd_fault_done_wide ino 0x123456789ABCDEF
	wide_shows 'a large inode number' dax_pte_fault_done_wide ino 0x123456789ABCDEF
}

# dax_wide FOLDER
dax_wide() {
	: >"$out/wide-has"
	rm -f "$out/wide-go"
	(
		while [ ! -e "$out/wide-go" ]; do sleep 0.2; done
		exec "$tests/dax-wide" "$1/tracked" $plain_address 0
	) &
	tracked=$!
	check_function "$fs: wide: the session daemon starts" daemon_start
	check_function "$fs: wide: six sessions start" wide_sessions "$tracked" || return
	ftrace_start 1024
	touch "$out/wide-go"
	wait "$tracked"
	check_function "$fs: wide: the faults succeed" wide_faults "$1"
	"$tests/dax-workload" --quiet \
		--only pmd-write,pmd-hole-read,pmd-sync,pte-hole,mapping-misaligned,writeback "$1" \
		>"$out/wide-workload.txt" 2>&1
	ftrace_stop
	ftrace_save "$out/wide-ftrace"
	for name in fast alone filtered context tracked chosen; do
		lttng stop "$name" >/dev/null
		lttng snapshot record -s "$name" "file://$out/wide-trace-$name" >/dev/null
		lttng destroy "$name" >/dev/null
		babeltrace2 --clock-cycles --no-delta "$out/wide-trace-$name" >"$out/wide-$name.txt" 2>"$out/wide-$name.err"
	done
	is "$fs: wide: nothing was lost" '' "$(cat "$out"/wide-*.err)"
	check "$fs: wide: every event and field is the same in ftrace and LTTng" 20 \
		"$tests/compare-ftrace" "$out/wide-ftrace" "$out/wide-fast.txt"
	wide_values
	wide_bodies fast >"$out/wide-expected"
	wide_agrees filtered "$out/wide-expected"
	wide_agrees context "$out/wide-expected"
	grep " tid = $tracked," "$out/wide-fast.txt" >"$out/wide-mine.txt"
	wide_bodies mine >"$out/wide-mine"
	wide_agrees tracked "$out/wide-mine"
	grep '^dax_pmd_fault cpu ' "$out/wide-expected" >"$out/wide-only"
	wide_agrees alone "$out/wide-only"
	rm -f "$1/plain" "$1/high" "$1/far" "$1/inode" "$1/tracked"
}
