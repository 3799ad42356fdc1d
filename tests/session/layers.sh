#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests that includes follow the layers, and that tests/layers.sh finds violations.
set -u

top=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"

# file PATH LINE...: creates a file of the tested tree.
file() {
	file_path=$work/tree/$1
	shift
	mkdir -p "$(dirname -- "$file_path")"
	printf '%s\n' "$@" >"$file_path"
}

# Creates a small correct tree.
new_tree() {
	rm -rf "$work/tree"
	file util/error.h '#include <stdio.h>'
	file reader/events/source.h '#include "util/error.h"'
	file reader/bt2/source.c '#include "reader/events/source.h"' '#include "table.h"'
	file reader/bt2/table.h ''
	file reader/open/open.c '#include "reader/bt2/table.h"' '#include "util/error.h"'
	file probes/slab/hooks.c '#include <instrumentation/events/slab.h>'
	file instrumentation/events/slab.h '#include <probes/compat/gfp.h>'
	file probes/compat/gfp.h '#include <linux/gfp.h>'
	file tests/unit/test-x.c '#include "cli/common/command.h"'
	file bench/measure.c '#include "cli/common/command.h"'
	file cli/common/command.h ''
}

# says NAME STATUS FINDINGS [TABLE]: compares the output of tests/layers.sh for the tree.
says() {
	"$top/tests/layers.sh" "$work/tree" ${4:+"$4"} >"$work/out" 2>&1
	is "$1: exit status" "$2" $?
	is "$1: findings" "$3" "$(sed '$d' "$work/out")"
}

"$top/tests/layers.sh" >"$work/out" 2>&1
is 'the tree follows the layers' 0 $?
[ "$tap_failed" = 0 ] || sed 's/^/# /' "$work/out"

# A copy of the script with a table of its own.
mkdir -p "$work/copy/tests" "$work/copy/doc" "$work/copy/util"
cp "$top/tests/layers.sh" "$work/copy/tests"
: >"$work/copy/util/error.h"
printf '%s\n' '## Which folder may include which' '    util -> nothing' '    reader/gone -> util' >"$work/copy/doc/design.md"
"$work/copy/tests/layers.sh" >"$work/out" 2>&1
is 'a row without files: exit status' 1 $?
is '... finding' 'doc/design.md: reader/gone: no file is there; correct the row' "$(head -n 1 "$work/out")"

new_tree
says 'a correct tree has no findings' 0 ''

new_tree
file reader/events/source.c '/* up */' '#include "reader/bt2/table.h"'
says 'an interface includes an implementation' 1 \
	'reader/events/source.c:2: reader/events/ must not include reader/bt2/table.h
a cycle of includes: reader/events -> reader/bt2 -> reader/events'

new_tree
file reader/bt2/source.c '#	include "reader/open/open.h"'
file reader/open/open.h ''
says 'a cycle, by different files' 1 \
	'reader/bt2/source.c:1: reader/bt2/ must not include reader/open/open.h
a cycle of includes: reader/bt2 -> reader/open -> reader/bt2'

new_tree
file analysis/slab/slab.c '#include "analysis/dax/dax.h"'
file analysis/dax/dax.h ''
says 'an include between neighbours, without a cycle' 1 \
	'analysis/slab/slab.c:1: analysis/slab/ must not include analysis/dax/dax.h'

new_tree
file reader/events/source.c '#include "../print/names.h"'
file reader/print/names.h ''
says 'a relative path' 1 \
	'reader/events/source.c:1: reader/events/ must not include reader/print/names.h'

new_tree
file reader/events/source.c '#include "instrumentation/events/slab.h"'
says 'user space includes a kernel header' 1 \
	'reader/events/source.c:1: reader/events/ must not include instrumentation/events/slab.h'

new_tree
file probes/compat/gfp.h '#include <probes/slab/slab.h>'
file probes/slab/slab.h ''
says 'a cycle of kernel headers' 1 \
	'probes/compat/gfp.h:1: probes/compat/ must not include probes/slab/slab.h
a cycle of includes: probes/compat -> probes/slab -> instrumentation/events -> probes/compat'

new_tree
file reader/new/new.c ''
says 'a folder without a layer' 1 \
	'reader/new/new.c: its folder is in no layer; give it a row in doc/design.md'

new_tree
printf '%s\n' 'util: reader/open' 'reader/open: reader/bt2' 'reader/bt2: reader/events' \
	'reader/events: util' \
	'cli:' 'instrumentation/events: probes/compat' 'probes/slab: instrumentation/events' \
	>"$work/table"
says 'a table with a cycle' 1 \
	'the table has a cycle: util -> reader/open -> reader/bt2 -> reader/events -> util' "$work/table"

new_tree
file reader/events/source.c '#include "reader/bt2/table.h"'
printf '%s\n' 'util:' 'reader/events: util' 'reader/bt2: reader/events' 'reader/open: reader/bt2' \
	'cli:' 'instrumentation/events: probes/compat' 'probes/slab: instrumentation/events' \
	'- reader/events/source.c reader/bt2/table.h' >"$work/table"
says 'a known exception' 0 '' "$work/table"

new_tree
file reader/events/base.h ''
file reader/bt2/inner/read.c '#include "reader/events/base.h"'
file reader/open/open.c '#include "reader/events/base.h"'
printf '%s\n' 'util:' 'reader/events: util' 'reader/bt2: reader/events' 'reader/open: reader/bt2' \
	'cli:' 'instrumentation/events: probes/compat' 'probes/slab: instrumentation/events' \
	'+ reader/events/base.h reader/bt2 reader/open' >"$work/table"
says 'a header for some folders, and not for those inside them' 1 \
	'reader/bt2/inner/read.c:1: reader/bt2/inner/ must not include reader/events/base.h' "$work/table"

tap_end
