#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Reads traces on which a reader without limits would take forever, or use up the memory
# (tests/utils/make-hostile.c). No command may take more than 5 s of CPU time. If a command takes
# longer than a minimum, it may take at most 12.5 times as long for a trace of eight times the size.
# Linear work takes 8 times as long and quadratic work 64 times, so the load of the machine does not
# matter. Memory must stay within the limit that lttng-mm(1) states. A refusal must be one line that
# contains the reason.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# The limits that lttng-mm(1) states.
resident_kib=196608 resident_times=128
seconds=5 timed=yes scale=1
# A sanitizer's shadow memory alone exceeds the address space below. The instrumented program is
# only tested for memory errors: its time says nothing about the time of the real program, so it
# reads smaller traces and is not timed.
# shellcheck disable=SC3045
if ! (ulimit -v 2000000 && "$mm" --version) >/dev/null 2>&1; then
	seconds=40 resident_kib=2000000 resident_times=1000 timed='' scale=10
fi

# use TRACE COMMAND...: runs COMMAND. Sets status, cpu (ms) and resident (KiB), and writes errors to
# err.
use() {
	trace=$1
	shift
	# shellcheck disable=SC2046
	set -- $("$tests/used" "$seconds" "$mm" "$@" --jobs=2 "$trace" 2>err)
	status=$1 cpu=$2 resident=$3
}

# complaint SMALL LARGE COMMAND...: prints which limit the command exceeds, or nothing.
complaint() {
	small=$1 large=$2
	shift 2
	use "$large" "$@"
	case $status in
	0 | 2 | 3) ;;
	*)
		echo "$*: status $status after $cpu ms"
		return
		;;
	esac
	if [ "$cpu" -gt $((seconds * 1000)) ]; then
		echo "$*: $cpu ms"
		return
	fi
	given=$(cat "$large/metadata" "$large"/sysinfo/* 2>/dev/null | wc -c)
	most=$((resident_kib + given * resident_times / 1024))
	if [ "$resident" -gt "$most" ]; then
		echo "$*: $resident KiB, not $most"
		return
	fi
	if grep -v '^lttng-mm: ' err >complaints; then
		echo "$*: not a message: $(head -n 1 complaints)"
		return
	fi
	[ -n "$timed" ] || return
	# Other load on the machine can only add time, so compare the fastest run on the large trace
	# with the slowest run on the small trace.
	least=$cpu most_small=0
	for try in 1 2 3 4 5; do
		[ "$least" -ge 300 ] || return
		use "$small" "$@"
		[ "$cpu" -le "$most_small" ] || most_small=$cpu
		[ "$least" -gt $((most_small * 25 / 2 + 50)) ] || return
		use "$large" "$@"
		[ "$cpu" -ge "$least" ] || least=$cpu
	done
	echo "$*: $least ms, more than 12.5 times $most_small ms for an eighth of it ($try tries)"
}

# reads KIND N WHAT: reads two traces of KIND; the larger one has the size 2 * N / $scale.
reads() {
	size=$(($2 * 2 / scale))
	"$tests/make-hostile" "$1" $(((size + 7) / 8)) small &&
		"$tests/make-hostile" "$1" "$size" large || exit 2
	nothing "$3" "$(
		complaint small large info --all --events
		complaint small large verify
		complaint small large print
		complaint small large print --format=babeltrace
		complaint small large report slab
		complaint small large report dax --all
		complaint small large report page-ref --all
		complaint small large mrc
		complaint small large mrc --policy lru,clock,fifo,opt
		complaint small large export page-ref --format csv
	)"
	rm -rf small large
}

reads absent 100000 'events with thousands of fields that are not there'
reads checksums 30000 'packets that all may be one of thousands of packets with a checksum'
reads classes 10000 'thousands of stream classes'
reads contexts 400 'event classes that share a large context'
reads empties 100 'structures without a member, by the million'
reads files 1500 'thousands of small streams of thousands of event classes'
reads header 100000 'events that refer to a large packet header'
reads hole 100 'a file with a hole of 200 GiB'
reads ids 50000 'event ids that a known hash has collide'
reads json 200000 'system information of hundreds of thousands of values'
reads lists 20000 'packet headers that are as long as the file, between intact packets'
reads long-event 500000 'one long event'
reads long-packet 30000000 'one long packet'
reads magics 100000 'a magic number every four bytes'
reads missing 20000 'a list of tens of thousands of streams that are not there'
reads nested 200 'arrays of arrays of arrays'
reads options 400000 'a variant of thousands of options'
reads references 60000 'page references that all need memory'
reads strings 500000 'a magic number every four bytes, and a string after each'

# refuses WHAT MESSAGE COMMAND...: the command must fail with status 2 and one line with MESSAGE.
refuses() {
	what=$1 message=$2
	shift 2
	"$mm" "$@" >out 2>err
	status=$?
	why=
	[ "$status" = 2 ] || why="status $status"
	[ "$(wc -l <err)" = 1 ] || why="$why not one line:"
	grep -q -F "$message" err || why="$why no such message:"
	nothing "refused by name: $what" "${why:+$why $(head -n 2 err)}"
}

"$tests/make-hostile" empties 10 large
refuses 'arrays of structures without a member' 'an event cannot be shown: too many fields that take no space' \
	print large
"$tests/make-hostile" long-event 40000000 large
refuses 'a text that is too long' 'an event cannot be shown: its text is longer than 64 MiB' print large
"$tests/make-hostile" labels 5000 large
refuses 'thousands of labels that overlap' 'more than 4096 overlapping ranges of labels, which are not supported' \
	print large
rm -rf large
"$tests/make-hostile" json 1200000 large
use large print
nothing 'refused by name: too many values in the system information, and the rest is read' "$(
	grep -q -F 'large/sysinfo/files.json: more than 2097152 values; it is not used' err ||
		head -n 2 err
	[ "$status" = 0 ] || echo "status $status"
)"
rm -rf large
"$tests/make-hostile" contexts 2000 large
refuses 'more shared fields than are planned' '2000 event classes times 4002 context fields exceed the limit of 1048576' \
	verify large

tap_end
