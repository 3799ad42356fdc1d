#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Usage: layers.sh [TREE [TABLE]]
#
# Reads the #include lines of the tree, except in tests/ and bench/, and checks them against the
# table in doc/design.md: a folder may include only the folders that its row in the table lists, and
# the folders that these folders may include. Prints a line for each include that is not allowed,
# each file in a folder that the table lacks, each cycle of folders, and, of this tree, each row
# without files. Exits with 1 if there are any.
set -eu

tree=${1:-$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)}

# Prints the table, which doc/design.md contains for its readers:
# FOLDER: FOLDERS...  the folders that FOLDER may include. A file belongs to the longest FOLDER that
#                     its path starts with, so a single file can have a row, too.
# - FILE HEADER       an include that is known to be wrong and should be removed
# + HEADER FOLDER...  a header that only these folders may include, not the folders above them
table() {
	awk '
		/^## / { inside = $0 == "## Which folder may include which" }
		inside && /^    [a-z]/ && $2 == "->" {
			printf "%s%s:", end, $1
			for (i = 3; i <= NF; i++)
				if ($i != "nothing")
					printf " %s", $i
			end = "\n"
			next
		}
		inside && /^          / { $1 = $1; printf " %s", $0 }
		END { print "" }
	' "$(dirname -- "$0")/../doc/design.md"
	echo '+ reader/events/source-base.h reader/events reader/bt2 reader/ctf/decode reader/coverage reader/coverage/find reader/open'
}

cd "$tree"
files=$(find . \( -path ./build -o -path ./tests -o -path ./bench -o -path './.?*' \) -prune -o \
	-type f -name '*.[ch]' -print | sed 's|^\./||' | LC_ALL=C sort)
{
	if [ $# -gt 1 ]; then cat -- "$2"; else table; fi
	echo '= files'
	printf '%s\n' "$files"
	echo '= includes'
	# shellcheck disable=SC2086 # paths without blanks
	[ -z "$files" ] || grep -nE '^[[:blank:]]*#[[:blank:]]*include[[:blank:]]*["<]' /dev/null $files || :
} | awk -v is_whole=$(($# == 0)) '
# Turns a/b/../c into a/c.
function simplify(path,   parts, count, i, kept, out) {
	count = split(path, parts, "/")
	kept = 0
	for (i = 1; i <= count; i++) {
		if (parts[i] == "." || parts[i] == "")
			continue
		if (parts[i] == ".." && kept > 0)
			kept--
		else
			out[++kept] = parts[i]
	}
	path = out[1]
	for (i = 2; i <= kept; i++)
		path = path "/" out[i]
	return path
}

# Returns the layer of a file: the longest folder of the table that contains it, or "".
function layer_of(file,   path) {
	path = file
	while (!(path in layers)) {
		if (path !~ /\//)
			return ""
		sub(/\/[^\/]*$/, "", path)
	}
	return path
}

function found(line) {
	print line
	findings++
}

# Searches a path in @graph from @from to @to. Returns 1 and sets @path to its layers if it exists.
function reach(graph, from, to, seen,   i) {
	if (from in seen)
		return 0
	seen[from] = 1
	for (i = 1; i <= layer_count; i++) {
		if (!((from, names[i]) in graph) || names[i] == from)
			continue
		if (names[i] == to || reach(graph, names[i], to, seen)) {
			path = names[i] " -> " path
			return 1
		}
	}
	return 0
}

# Prints one line for each cycle. A layer is in at most one line.
function cycles(graph, what,   i, seen, on, reported, parts, count, j) {
	for (i = 1; i <= layer_count; i++) {
		split("", seen)
		path = ""
		if (names[i] in reported || !reach(graph, names[i], names[i], seen))
			continue
		sub(/ -> $/, "", path)
		count = split(path, parts, " -> ")
		for (j = 1; j <= count; j++)
			reported[parts[j]] = 1
		found(what ": " names[i] " -> " path)
	}
}

function add_layer(name) {
	if (!(name in layers)) {
		layers[name] = 1
		names[++layer_count] = name
	}
}

/^= / { section = $2; next }
!section && /^#/ { next }
!section && $1 == "-" { known[$2, $3] = 1; next }
!section && $1 == "+" {
	inner[$2] = 1
	for (i = 3; i <= NF; i++)
		may_include[$i, $2] = 1
	next
}
!section && NF {
	name = $1
	sub(/:$/, "", name)
	add_layer(name)
	for (i = 2; i <= NF; i++) {
		add_layer($i)
		below[name, $i] = 1
	}
	next
}
section == "files" && NF {
	is_file[$0] = 1
	file_count++
	for (path = $0; path != ""; sub(/\/?[^\/]*$/, "", path))
		is_path[path] = 1
	if (layer_of($0) == "")
		found($0 ": its folder is in no layer; give it a row in doc/design.md")
	next
}
section == "includes" {
	file = $0
	sub(/:.*/, "", file)
	place = $0
	match(place, /^[^:]*:[0-9]+/)
	place = substr(place, 1, RLENGTH)
	header = $0
	sub(/^[^"<]*["<]/, "", header)
	sub(/[">].*/, "", header)
	folder = file
	if (!sub(/\/[^\/]*$/, "", folder))
		folder = "."
	target = simplify(folder "/" header)
	if (!(target in is_file))
		target = simplify(header)
	if (!(target in is_file) || (file, target) in known)
		next
	if (target in inner && !((folder, target) in may_include))
		found(place ": " folder "/ must not include " target)
	from = layer_of(file)
	to = layer_of(target)
	if (from == "" || to == "" || from == to)
		next
	used[from, to] = 1
	split("", seen)
	path = ""
	if (!reach(below, from, to, seen))
		found(place ": " from "/ must not include " target)
}
END {
	for (i = 1; is_whole && i <= layer_count; i++)
		if (!(names[i] in is_path))
			found("doc/design.md: " names[i] ": no file is there; correct the row")
	cycles(below, "the table has a cycle")
	cycles(used, "a cycle of includes")
	printf "%d files, %d layers, %d findings\n", file_count, layer_count, findings
	exit findings > 0
}'
