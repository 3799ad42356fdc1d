#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests that the tree follows those rules of `make check-style` that need no other packages, and
# that tests/style.sh reports a violation of each.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

if ! git -C "$top" rev-parse --git-dir >/dev/null 2>&1; then
	skip 'the tree has no style findings' 'not a git checkout'
	tap_end
fi
nothing 'the tree has no style findings' "$("$top/tests/style.sh" --quick 2>&1 | grep -v ', 0 findings$' | grep -vx '0 findings')"

mkdir -p tree/tests tree/util tree/doc
cp "$top/tests/style.sh" "$top/tests/layers.sh" "$top/tests/unique-names.sh" tree/tests/
cp "$top/doc/design.md" tree/doc/
long=$(printf '%0100d' 0)
printf '/* no license */\n' >tree/util/unlicensed.h
printf '/* SPDX-License-Identifier: LGPL-2.1-only */\n/* %s */\n\tchar *text = "%s";\n' "$long" "$long" >tree/util/long.h
printf '# SPDX-License-Identifier: LGPL-2.1-only\n# %s\necho %s\n' "$long" "$long" >tree/util/long.sh
for name in keep keeper kept job jobs; do
	printf '/* SPDX-License-Identifier: LGPL-2.1-only */\nstruct %s {\n};\nstruct name {\n};\n' "$name" >"tree/util/$name.h"
done
git -C tree init -q && git -C tree add . || exit 2
tree/tests/style.sh --quick >out
is 'findings: the exit status is 1' 1 $?
is 'findings: a file without an SPDX line, and comments that are longer than 100 columns' \
	'util/long.h:2: longer than 100 columns
util/long.sh:2: longer than 100 columns
util/unlicensed.h: no SPDX line' "$(grep '^util' out | sort)"
is 'findings: structs that several files define, and files named by forms of one word' \
	'forms of one word: job jobs
forms of one word: keep keeper kept
struct name: util/job.h util/jobs.h util/keep.h util/keeper.h util/kept.h' "$(grep '^struct\|^forms' out)"

tap_end
