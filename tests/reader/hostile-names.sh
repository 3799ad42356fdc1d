#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests that no command writes control characters from the names of a trace's folders and files to a
# terminal.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# The name clears the screen, with ESC [ and with the C1 control character CSI.
name=$(printf 'evil-\033[2J\302\2332J\177')
make_ctf --shape slab --events 100000 --streams 2 "$name"
mv "$name/channel0_0" "$name/$name" || exit 2
# The second packet reports discarded events. The file of the other stream ends early.
printf '\007' | dd of="$name/$name" bs=1 seek=$((1048576 + 64)) conv=notrunc status=none
truncate -s $((1048576 + 5000)) "$name/channel0_1"
cp -R "$name" damaged
# Changes the header of a packet so that it names another trace.
printf 'x' | dd of="damaged/$name" bs=1 seek=1048576 conv=notrunc status=none
mv damaged "$name-damaged"

# clean COMMAND ARG...: checks that the output has no control character, and names the trace or its
# file.
clean() {
	clean_name=$1
	shift
	"$mm" "$@" "$name$suffix" >out 2>&1
	# In UTF-8, C1 control characters begin with 0xc2, which no other character of these names
	# has.
	is "$clean_name$suffix: no control characters" 0 "$(LC_ALL=C tr -d '\11\12\40-\176' <out | wc -c)"
	cat out >>all
}
for suffix in '' -damaged; do
	clean info info
	clean 'info --all' info --all
	clean 'info --events' info --all --events
	clean print print
	clean verify verify
	clean 'report slab' report slab
	clean 'report slab, with babeltrace2' report slab --reader=babeltrace2
	clean 'report dax' report dax
	clean 'report dax --all' report dax --all
done
is 'the names are shown, escaped' yes "$(grep -q 'evil-\\x1b\[2J\\u009b2J\\x7f' all && echo yes)"
"$mm" info --all --wide "$name-missing" >out 2>&1
is 'a missing trace: no control characters' 0 "$(LC_ALL=C tr -d '\11\12\40-\176' <out | wc -c)"
tap_end
