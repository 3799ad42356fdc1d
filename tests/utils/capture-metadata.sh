#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Prints the metadata of a snapshot, for make-trace: tests/utils/capture-metadata.sh SNAPSHOT
# >tests/metadata/NAME.tsdl
#
# The traces in it become one, with the event classes of all, numbered anew in the order of their
# names. What differs from one recording to the next is made the same: UUIDs, times, the clock's
# offset, the names of host and session.
set -eu

[ -d "${1:-}" ] || { echo 'usage: tests/utils/capture-metadata.sh SNAPSHOT' >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for trace in "$1"/kernel "$1"/state; do
	[ ! -e "$trace/metadata" ] || babeltrace2 --output-format=ctf-metadata "$trace"
done >"$work/all"

echo '/* CTF 1.8 */'
awk '/^event \{/ { exit } { print }' "$work/all" | sed '
	/^trace {/,/^}/s/uuid = ".*"/uuid = "00112233-4455-6677-8899-aabbccddeeff"/
	/^clock {/,/^}/{ /uuid = /d; s/offset = .*/offset = 1700000000000000000;/; }
	s/hostname = ".*"/hostname = "guest"/
	/trace_name = /d
	/trace_creation_datetime = /d'
# An event class as a line, its newlines as \001.
awk '
	/^event \{/ { block = "" ; inside = 1 }
	inside { block = block $0 "\001" }
	inside && /^\};/ {
		inside = 0
		name = block
		sub(/.*\tname = "/, "", name)
		sub(/".*/, "", name)
		print name "\002" block
	}' "$work/all" | LC_ALL=C sort -u | awk -F '\002' '
	{
		sub(/\001\tid = [0-9]+;/, "\001\tid = " NR - 1 ";", $2)
		gsub(/\001/, "\n", $2)
		print $2
	}'
