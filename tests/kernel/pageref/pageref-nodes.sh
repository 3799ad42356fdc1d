# SPDX-License-Identifier: LGPL-2.1-only
# Page references on two NUMA nodes, with NUMA balancing off and on. Sourced by run-all.sh after
# pageref-effects.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets tests and work
# shellcheck source=tests/kernel/lib.sh

# pageref_balance 0|1: with 1, the kernel looks at all pages of a process every 10 ms of its time.
pageref_balance() {
	pageref_knobs=/sys/kernel/debug/sched/numa_balancing
	echo 1 >"$pageref_knobs/scan_delay_ms" && echo 10 >"$pageref_knobs/scan_period_min_ms" &&
		echo 20 >"$pageref_knobs/scan_period_max_ms" && echo "$1" >/proc/sys/kernel/numa_balancing
}

# Prints recorded references that the program does not know ("false:"), and known ones that are
# neither recorded nor on an unseen page ("missing:"). With balancing, the kernel's marks remain, so
# a touch may be a NUMA hint. A write to such a page that must be copied faults twice: NUMA_HINT,
# COPY. The kernel may map a page that it has migrated without write permission. The next write is
# then a COPY, whatever the program expects.
pageref_differs() {
	awk '
		function key() { return $2 " " $3 " " $4 " " $5 " " $7 }
		function page(address, i, value) {
			for (i = 3; i <= length(address); i++)
				value = value * 16 + index("0123456789abcdef", substr(address, i, 1)) - 1
			return value / 4096
		}
		FILENAME ~ /expected/ && $1 == "touch" { known[key()] = $6 }
		FILENAME ~ /recorded/ && $1 == "touch" {
			if (!(key() in known) || ($6 != known[key()] && $6 != "NUMA_HINT" && $6 != "MIGRATED" &&
			    !($6 == "COPY" && $4 == 1)))
				print "false:", $0
			seen[key()] = 1
		}
		FILENAME ~ /recorded/ && $1 == "unseen" {
			for (i = 0; i < $3; i++)
				unseen[page($2) + i] = 1
		}
		END {
			for (touch in known) {
				split(touch, field, " ")
				if (!(touch in seen) && !(page(field[2]) in unseen))
					print "missing:", touch, known[touch]
			}
		}' "$out/expected.sorted" "$out/recorded.sorted"
}

pageref_nodes_off() {
	check_function 'pageref: nodes: balancing is off' pageref_balance 0
	check_function 'pageref: nodes: migrations are recorded' pageref_migrations_start
	pageref_truth off
	pageref_agrees off
	pageref_is 'nodes: 500 pages, touched from the other node, stay: migrations' 0 \
		"$(pageref_migrations page-references)"
	pageref_is 'nodes: ... and their touches name the first node' '500 0' \
		"$(pageref_far off | sort | uniq -c | xargs)"
}

# pageref_far NAME: prints the node of each touch of the region far-away.
pageref_far() {
	awk 'FNR == NR { if ($2 == "far-away") { start = $3; end = $4 } ; next }
		/ pageref_touch: / {
			address = $0
			sub(/.* address = /, "", address)
			sub(/,.*/, "", address)
			address = tolower(address)
			node = $0
			sub(/.* node = /, "", node)
			sub(/,.*/, "", node)
			if (length(address) == length(start) && address >= start && address < end)
				print node
		}' "$out/expected" "$out/$1.txt"
}

pageref_nodes_on() {
	check_function 'pageref: nodes: balancing is on' pageref_balance 1
	pageref_truth on 300
	pageref_differs >"$out/differs"
	pageref_is 'nodes: with balancing, no touch is false' '' "$(grep '^false:' "$out/differs" | head -n 20)"
	# The kernel can migrate a page that it has marked, which removes the mark, and mark it
	# again.
	sed -n 's/^missing:/# &/p' "$out/differs"
	pageref_is 'nodes: ... and at most 1 % of them are missing' yes \
		"$([ $(($(grep -c '^missing:' "$out/differs") * 100)) -le "$(grep -c '^touch' "$out/expected")" ] && echo yes)"
	pageref_above 'nodes: ... there are NUMA hints' 0 "$(grep -c NUMA_HINT "$out/recorded")"
	pageref_above 'nodes: ... and touches of marked pages' 10 "$(grep -c ARMED "$out/recorded")"
	echo "# unseen: $(grep -c '^unseen' "$out/recorded"); in their place: $(sed -n 's/^placed //p' "$out/expected")"
	check_function 'pageref: nodes: balancing is off again' pageref_balance 0
}

pageref_nodes() {
	check 'pageref: nodes: there are two' 10 grep -qx 0-1 /sys/devices/system/node/online
	pageref_part_begin pageref-nodes || return
	pageref_nodes_off
	pageref_nodes_on
	pageref_part_end
}
