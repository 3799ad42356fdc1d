#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests that calls between the program's source files form no circle: if a file calls functions of
# another file, the other file must not call the first one, neither directly nor through further
# files.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# called: prints a line for each pair of a calling file and a called file, according to the symbols
# of their objects. Ignores objects of removed sources. Ignores variables, because descriptors refer
# to each other.
called() {
	for folder in analysis cli lttng-session plugin reader regress util; do
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

# The files of this parser call each other (recursive descent): a declaration contains types, a type
# contains declarations, and both contain values.
excepted() {
	grep -v '^[a-z]*/ctf/tsdl/[a-z]* [a-z]*/ctf/tsdl/[a-z]*$'
}

# circles: reads pairs from standard input, and prints the files that are in circles.
circles() {
	tsort 2>&1 >/dev/null | sed -n 's/^tsort: \([^-].*\)/\1/p' | paste -sd ' ' -
}

called >pairs
is 'there are files that call others' yes "$([ "$(wc -l <pairs)" -gt 500 ] && echo yes)"
is 'a circle is found' 'a b' "$(printf 'a b\nb a\nc a\n' | circles)"
is 'the tree has no circle' '' "$(excepted <pairs | circles)"
tap_end
