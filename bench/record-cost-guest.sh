#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# In a guest with --icount: counts the instructions of recording 48 bytes in 12 fields: by LTTng's
# macros, by the probe library's fast path, by its general path, and with a filter that accepts or
# rejects all, in a channel of few event classes and in one of 1,000. Prints `name value` lines.
set -eu

# shellcheck source=tests/kernel/lib.sh
. /usr/lib/lttng-mm/tests/lib.sh

rounds=20000
modules=/usr/lib/lttng-mm/tests

# loop NAME: prints the instructions per event in the second round.
loop() {
	dmesg -C
	echo "$rounds" >/sys/module/record_test/parameters/fire
	dmesg | awk -v name="$1" '/record-test: hit/ { print name, $NF }'
}

# with NAME EVENT [MORE [FILTER]]: runs the loop in a session with EVENT, and with MORE event
# classes that do not fire.
with() {
	lttng create "$1" --snapshot >/dev/null
	lttng enable-channel -k -s "$1" --overwrite --subbuf-size=1M --num-subbuf=8 ring >/dev/null
	lttng enable-event -k -s "$1" -c ring "$2" ${4:+--filter "$4"} >/dev/null
	[ -z "${3:-}" ] || lttng enable-event -k -s "$1" -c ring "$3" >/dev/null
	lttng start "$1" >/dev/null
	loop "$1"
	lttng destroy "$1" >/dev/null
}

modprobe lttng-mm-lib
insmod "$modules/record-test.ko"
insmod "$modules/record-macros.ko"
loop bare
lttng-sessiond --daemonize
with macros recordmacros_hit
with packed recordtest_packed
with general recordtest_general
with accepted recordtest_packed '' 'last != 0'
with rejected recordtest_packed '' 'last == 0'
with macros_1000 recordmacros_hit 'recordclass_*'
with packed_1000 recordtest_packed 'recordclass_*'
