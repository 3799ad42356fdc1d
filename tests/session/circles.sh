#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests that the source files of the program form no circle: no file calls functions of another file
# that calls its own, directly or through further files.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# called: a line for each file and file that it calls, by the symbols of their objects. Objects of
# sources that have been removed do not count, nor do variables: descriptors refer to each other.
called() {
	for folder in analysis cli lttng-session plugin reader util; do
		[ ! -d "$built/obj/$folder" ] || find "$built/obj/$folder" -name '*.o'
	done | while read -r object; do
		source=${object#"$built/obj/"}
		[ ! -e "$top/${source%.o}.c" ] || echo "$object"
	done | xargs nm -A -P | sed "s|^$built/obj/||; s|\.o: | |" | awk '
		$3 == "U" { users[++count] = $1; names[count] = $2 }
		$3 ~ /^[TW]$/ && $2 != "main" { defines[$2] = $1 }
		END {
			for (i = 1; i <= count; i++)
				if (names[i] in defines && defines[names[i]] != users[i])
					print users[i], defines[names[i]]
		}' | sort -u
}

# Recursive descent: a declaration has types, a type has declarations, and both have values.
excepted() {
	grep -v '^[a-z]*/ctf/tsdl/[a-z]* [a-z]*/ctf/tsdl/[a-z]*$'
}

# circles: the files in circles of the lines on standard input.
circles() {
	tsort 2>&1 >/dev/null | sed -n 's/^tsort: \([^-].*\)/\1/p' | paste -sd ' ' -
}

called >pairs
is 'there are files that call others' yes "$([ "$(wc -l <pairs)" -gt 500 ] && echo yes)"
is 'a circle is found' 'a b' "$(printf 'a b\nb a\nc a\n' | circles)"
is 'no files call each other' '' "$(excepted <pairs | circles)"
tap_end
