#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests the commands and rules of doc/gate.md: the parser accepts each of them, and the steps that
# check runs work on stored runs.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
# shellcheck source=tests/certified.sh
. "$top/tests/certified.sh"
LTTNG_HOME=$work/home
export LTTNG_HOME
mkdir "$LTTNG_HOME"
doc=$top/doc/gate.md

# The lines of the block of rules.
# shellcheck disable=SC2016 # backquotes of Markdown
sed -n '/This one is `gate.rules`/,/^With `if present`/s/^    //p' "$doc" >gate.rules
is 'the document has rules' yes "$([ "$(grep -vc '^#' gate.rules)" -ge 3 ] && echo yes)"
# A run with a slab report that is complete.
# shellcheck disable=SC2119 # certified has no argument here
busy | certified
mkdir -p runs/run-1
"$mm" report slab --json t >runs/run-1/slab.json
echo '{ "format": 1, "inconclusive": null }' >runs/run-1/run.json
"$mm" check gate.rules runs >out 2>err
is '... which the parser accepts' '0 0' "$? $(wc -c <err)"

# The steps of the workflow that read the runs.
sed -n 's/^            run: sudo lttng-mm check \(.*\)$/\1/p' "$doc" >steps
is 'the workflow has steps that check the runs' 2 "$(wc -l <steps)"
while read -r step; do
	# shellcheck disable=SC2086 # words
	sh -c "\"\$0\" check $step" "$mm" >out 2>err
	is "the step: check $step" '0 0' "$? $(wc -c <err)"
done <steps
is '... writes XML' 0 "$(xmllint --noout gate.xml >err 2>&1; echo $?)"
rm -r runs

# Nothing can be recorded on this machine. Bad usage is reported first, with status 2, so another
# status shows that the usage is correct.
printf '@format 1\nslab.peak_bytes 1\n' >gate.base
grep -o 'lttng-mm gate [^`]*-- [./a-z-]*' "$doc" | sed 's|/tmp/gate.base|gate.base|' >gates
is 'the document has gates' 5 "$(wc -l <gates)"
while read -r words; do
	# shellcheck disable=SC2086 # words
	"$mm" ${words#lttng-mm } >out 2>err
	status=$?
	is "accepted: $words" yes "$(case $words,$status in *--bisect*,125 | *,4) echo yes ;; *) echo "status $status: $(cat err)" ;; esac)"
	rm -rf runs
done <gates

# The commands of vm/gate.sh: each option is known, so the first error is a missing package or base
# file.
awk '/^    [$] vm\/gate.sh/ { inside = 1 } inside { line = line " " $0; inside = /\\$/; sub(/\\$/, "", line)
	if (!inside) { sub(/^ *[$] *vm\/gate.sh/, "", line); print line; line = "" } }' "$doc" | sed 's|--base gate.base|--base none/gate.base|' >gates
is 'the document has gates in guests' 5 "$(wc -l <gates)"
mkdir work
while read -r words; do
	eval "\"\$top/vm/gate.sh\" $words" >out 2>err
	is "accepted: vm/gate.sh $words" '2 1' \
		"$? $(grep -c -e '--base-kernel .*[.]deb: no such file' -e '--base none/gate.base: no such file' -e '--base none/gate.base: its folder does not exist' err)"
done <gates
tap_end
