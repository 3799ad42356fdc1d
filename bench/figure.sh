# SPDX-License-Identifier: LGPL-2.1-only
# Sourced by the scripts that print figures.
# shellcheck shell=sh

# print_figure NAME OURS PEER PEER_NAME UNIT: prints a figure as a line of JSON. PEER is empty if no
# other tool was measured.
print_figure() {
	awk -v name="$1" -v ours="$2" -v peer="$3" -v peer_name="$4" -v unit="$5" 'BEGIN {
		printf "{\"figure\":\"%s\",\"ours\":%s,", name, ours
		if (peer == "")
			printf "\"peer\":null,\"peer_name\":null,\"ratio\":null,"
		else if (peer == 0)
			printf "\"peer\":0,\"peer_name\":\"%s\",\"ratio\":null,", peer_name
		else
			printf "\"peer\":%s,\"peer_name\":\"%s\",\"ratio\":%.3f,", peer, peer_name, ours / peer
		printf "\"unit\":\"%s\"}\n", unit
	}'
}

# print_width NAME LTTNG_MM TRACE: prints the width of the answer "needs A to B" for one refault per
# second, relative to its middle.
print_width() {
	print_figure "$1" "$("$2" mrc --json --rate 1 "$3" |
		jq '[.metrics[] | select(.name == "mrc.needed_bytes") | .value] |
			if all(. != null) then (max - min) / ((max + min) / 2) else null end')" \
		'' '' 'of the middle, 1 refault per second'
}
