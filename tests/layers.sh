#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Usage: layers.sh [TREE [TABLE]]
#
# Reads the #include lines of the tree, except in tests/ and bench/, and checks them against the
# table below: a folder may include only the folders that its line in the table lists, and the
# folders that these folders may include. Prints a line for each include that is not allowed, each
# file in a folder that the table lacks, and each cycle of folders. Exits with 1 if there are any.
# doc/design.md describes the folders.
set -eu

tree=${1:-$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)}

# FOLDER: FOLDERS...  the folders that FOLDER may include. A file belongs to the longest FOLDER that
#                     its path starts with, so a single file can have a line, too.
# - FILE HEADER       an include that is known to be wrong and should be removed
# + HEADER FOLDER...  a header that only these folders may include, not the folders above them
table() {
	cat <<'END'
util:
instrumentation/wire:

reader/events: util
reader/coverage: reader/events
reader/ctf/model: util
reader/ctf/tsdl: reader/ctf/model
reader/ctf/json: reader/ctf/model
reader/ctf/metadata: reader/ctf/tsdl reader/ctf/json
reader/ctf/packet: reader/ctf/metadata reader/coverage
reader/ctf/decode: reader/ctf/packet
reader/bt2: reader/coverage
reader/sysinfo: reader/coverage
reader/report: util
reader/picture: util
reader/coverage/find: reader/ctf/decode reader/sysinfo
reader/open: reader/coverage/find reader/bt2
reader/coverage/report: reader/sysinfo reader/report
reader/coverage/certify: reader/open reader/coverage/report
reader/inspect: reader/coverage/certify
reader/print: reader/open

analysis/subsystem: reader/coverage reader/report reader/sysinfo
analysis: analysis/subsystem instrumentation/wire
analysis/dax: analysis/subsystem instrumentation/wire
analysis/pageref: analysis/subsystem reader/picture instrumentation/wire
analysis/slab/decode: analysis/subsystem instrumentation/wire
analysis/slab/account: analysis/slab/decode
analysis/slab/track: analysis/slab/account
analysis/slab/report: analysis/slab/track
analysis/slab/verify: analysis/subsystem instrumentation/wire
analysis/slab: analysis/slab/report analysis/slab/verify
analysis/fn/decode: analysis/subsystem
analysis/fn/track: analysis/fn/decode
analysis/fn/account: analysis/fn/track
analysis/fn/options.h: analysis/subsystem
analysis/fn/report: analysis/fn/account analysis/fn/options.h
analysis/fn/list: analysis/fn/track analysis/fn/options.h
analysis/fn/verify: analysis/fn/track
analysis/fn: analysis/fn/report analysis/fn/list analysis/fn/verify
analysis/registry: analysis/subsystem
analysis/why: analysis/registry analysis/fn/track
analysis/run: reader/coverage/certify analysis/registry
analysis/mrc: analysis/run instrumentation/wire
regress: analysis/mrc
+ reader/events/source-base.h reader/events reader/bt2 reader/ctf/decode reader/coverage reader/coverage/find reader/open
lttng-session/system: util
lttng-session/profile: lttng-session/system analysis/registry
lttng-session/recorder: lttng-session/profile
lttng-session/sysinfo: lttng-session/recorder lttng-session/fn reader/open
lttng-session/freeze: lttng-session/system instrumentation/wire
lttng-session/fn/describe: lttng-session/system instrumentation/wire
lttng-session/fn: lttng-session/fn/describe
lttng-session/status: lttng-session/freeze lttng-session/sysinfo
lttng-session/snapshot: lttng-session/freeze lttng-session/sysinfo reader/inspect
lttng-session/run: lttng-session/pageref
lttng-session/pageref: lttng-session/snapshot instrumentation/wire
lttng-session/daemon/triggers/definition: lttng-session/snapshot lttng-session/fn
lttng-session/daemon/triggers/watch: lttng-session/daemon/triggers/definition
lttng-session/daemon/jobs: lttng-session/snapshot
lttng-session/daemon/triggers: lttng-session/daemon/triggers/watch lttng-session/daemon/jobs
lttng-session/daemon/supervisor: lttng-session/daemon/triggers/definition lttng-session/daemon/jobs lttng-session/pageref
lttng-session/daemon/server: lttng-session/daemon/triggers lttng-session/daemon/supervisor lttng-session/status
lttng-session: lttng-session/daemon/server lttng-session/run analysis/registry
cli/common: lttng-session reader/open
cli/fn: cli/common
cli/pageref: cli/common
cli/status: cli/common
cli/report: cli/common analysis/mrc
cli/mrc: cli/common analysis/mrc
cli/regress: cli/common regress
cli/trigger: cli/common
cli: cli/fn cli/mrc cli/pageref cli/regress cli/status cli/report cli/trigger reader/inspect reader/print
plugin: analysis/registry analysis/run reader/inspect

probes/compat:
probes/lib: instrumentation/wire probes/compat
instrumentation/enums: instrumentation/wire probes/compat
instrumentation/events: instrumentation/enums probes/lib
probes: instrumentation/events
probes/dax: instrumentation/events
probes/fn: instrumentation/events
probes/pageref: instrumentation/events
probes/slab: instrumentation/events
# The library's own provider is a probe inside the library's module.
probes/lib/callsite-events.c: instrumentation/events
probes/lib/process-events.c: instrumentation/events
END
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
} | awk '
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
	if (layer_of($0) == "")
		found($0 ": its folder is in no layer; give it a line in tests/layers.sh")
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
	cycles(below, "the table has a cycle")
	cycles(used, "a cycle of includes")
	printf "%d files, %d layers, %d findings\n", file_count, layer_count, findings
	exit findings > 0
}'
