#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Checks that no integer in the metadata of CTF 1.8 traces exceeds 2^63 - 1. Trace Compass reads
# integers as signed 64-bit numbers and refuses the whole trace if one is larger.
set -eu
LC_ALL=C
export LC_ALL

usage='Usage: check-metadata.sh [--events PREFIX,PREFIX...] FOLDER...
Looks at every trace below each FOLDER; with --events only at the events whose names begin with a PREFIX.'
prefixes=
if [ "${1:-}" = --events ]; then
	prefixes=${2:-}
	shift 2
fi
[ $# -gt 0 ] || { echo "$usage" >&2; exit 2; }

# Compares numbers as text, because awk has no 64-bit integers.
too_large() {
	awk -v prefixes="$prefixes" '
	function concerns(  i, count, prefix) {
		if (prefixes == "")
			return 1
		count = split(prefixes, prefix, ",")
		for (i = 1; i <= count; i++)
			if (index(event, prefix[i]) == 1)
				return 1
		return 0
	}
	# True if the digits, after leading zeros are removed, exceed 2^63 - 1.
	function exceeds(digits, limit) {
		sub(/^0+/, "", digits)
		return length(digits) > length(limit) ||
			length(digits) == length(limit) && digits "" > limit ""
	}
	function check(number, negative) {
		if (number ~ /^0[xX]/)
			return exceeds(toupper(substr(number, 3)), "7FFFFFFFFFFFFFFF")
		if (number ~ /^0[0-7]+$/)
			return exceeds(number, "777777777777777777777")
		return exceeds(number, negative ? "9223372036854775808" : "9223372036854775807")
	}
	/^[ \t]*event[ \t]*\{/ { event = "?" }
	/^[ \t]*name[ \t]*=/ && event == "?" {
		event = $0
		sub(/^[^"]*"/, "", event)
		sub(/".*/, "", event)
	}
	{
		line = $0
		gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
		while (match(line, /[A-Za-z0-9_]+/)) {
			word = substr(line, RSTART, RLENGTH)
			negative = RSTART > 1 && substr(line, RSTART - 1, 1) == "-"
			line = substr(line, RSTART + RLENGTH)
			if (word !~ /^[0-9]/)
				continue
			numbers++
			sub(/[uUlL]+$/, "", word)
			if (concerns() && check(word, negative)) {
				print (event == "" ? "" : event ": ") $0
				bad = 1
			}
		}
	}
	END {
		if (!numbers)
			print "no number found"
		exit bad || !numbers
	}'
}

found=0 failed=0
list=$(mktemp)
text=$(mktemp)
trap 'rm -f "$list" "$text"' EXIT
for folder; do
	find "$folder" -name metadata -type f
done >"$list"
while IFS= read -r metadata; do
	found=$((found + 1))
	if ! babeltrace2 --output-format=ctf-metadata "${metadata%/metadata}" >"$text" || ! too_large <"$text"; then
		echo "in $metadata"
		failed=1
	fi
done <"$list"
[ "$found" -gt 0 ] || { echo "no metadata below $*" >&2; exit 2; }
exit "$failed"
