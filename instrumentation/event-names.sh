#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Usage: event-names.sh [FOLDER]
#
# Prints the names of all events that the headers in FOLDER (default: events/ beside this script)
# declare, sorted, one per line. It reads the lists that the modules are built from:
#
#   #define lttng_mm_dax_wide_events(W)
#           W(dax, dax_pmd_fallback, pmd_fault_done)
#
# If the script does not understand a line, it prints a message and exits with 1, so that no event
# is silently left out.
set -eu

folder=${1:-$(dirname -- "$0")/events}
# No pipe into sort here: it would hide the exit status of awk.
names=$(awk '
function wrong(what) {
	print FILENAME ":" FNR ": " what >"/dev/stderr"
	is_wrong = 1
}
# Parses one line: W(PROVIDER, EVENT, ...), or the name of another list. @entry is the macro name.
function read_line(text, entry,   parts) {
	if (text ~ /^lttng_mm_[a-z0-9_]+_events\([A-Z]+\)$/ || text == "")
		return
	if (text !~ ("^" entry "\\([a-z0-9]+, [a-z0-9_]+(, [A-Za-z0-9_]+)*\\)$")) {
		wrong("not an event: \"" text "\"; write " entry "(PROVIDER, EVENT, ...) on a line of its own")
		return
	}
	split(substr(text, length(entry) + 2), parts, /[,)] */)
	count++
	if (index(parts[2], parts[1] "_") != 1)
		wrong(parts[2] ": an event name starts with the name of its provider, " parts[1] "_")
	else if (parts[2] in place)
		wrong(parts[2] ": " place[parts[2]] " has an event of this name, too")
	else
		print parts[2]
	place[parts[2]] = FILENAME ":" FNR
}
function end_file() {
	if (file != "" && !count) {
		print file ": no list of events: #define lttng_mm_..._events(W)" >"/dev/stderr"
		is_wrong = 1
	}
	count = 0
}
FNR == 1 {
	end_file()
	file = FILENAME
	entry = ""
}
/^#define lttng_mm_[a-z0-9_]+_events\([A-Z]+\)/ {
	entry = $0
	sub(/^[^(]*\(/, "", entry)
	sub(/\).*/, "", entry)
	line = $0
	sub(/^[^)]*\)/, "", line)
	in_list = 1
}
!in_list && /^[ \t]*[A-Z]\([a-z0-9]+, [a-z0-9_]+/ {
	wrong("an event outside of a list: #define lttng_mm_..._events(W)")
}
in_list {
	if ($0 !~ /^#/)
		line = $0
	in_list = line ~ /\\$/
	sub(/\\$/, "", line)
	gsub(/^[ \t]+|[ \t]+$/, "", line)
	read_line(line, entry)
}
END {
	end_file()
	exit is_wrong + 0
}' "$folder"/*.h)
printf '%s\n' "$names" | LC_ALL=C sort
