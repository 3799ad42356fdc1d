#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests that --jobs changes nothing but time: the same bytes and status for any number of threads.
set -u

mm=${LTTNG_MM:?the lttng-mm program to test}
tests=${O:?the folder of the build}/tests
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/tap.sh
. "$(dirname -- "$0")/../tap.sh"

# same NAME COMMAND TRACE OPTION...: with 2, 3 and 8 jobs as with one, what is said on standard error included.
same() {
	same_name=$1 same_command=$2 same_trace=$3
	shift 3
	for jobs in 1 2 3 8; do
		# shellcheck disable=SC2086 # "report dax" is two words
		"$mm" $same_command --jobs $jobs "$@" "$same_trace" >"$work/out.$jobs" 2>"$work/err.$jobs"
		echo "status $?" >>"$work/out.$jobs"
		if [ $jobs = 1 ]; then
			is "$same_name, $same_command $*: something comes out" 1 \
				"$(($(wc -c <"$work/out.1") + $(wc -c <"$work/err.1") > 40))"
			continue
		fi
		is "$same_name, $same_command $*: --jobs $jobs as --jobs 1" "$(cksum <"$work/out.1")$(
			cat "$work/err.1")" "$(cksum <"$work/out.$jobs")$(cat "$work/err.$jobs")"
	done
}

${CC:-gcc} -std=gnu11 -O1 -o "$work/make-trace" "$here/../utils/make-trace.c" || exit 2
cd "$work" || exit 2
for script in "$here"/cases/*.trace; do
	name=$(basename "$script" .trace)
	./make-trace "$script" "$name" || exit 2
	same "$name" 'report dax' "$name"
	same "$name" verify "$name"
	same "$name" print "$name"
done
# Slab events are acted on by a thread of their own, some thousand at a time.
${CC:-gcc} -std=gnu11 -O1 -o "$work/make-slab-trace" "$here/../utils/make-slab-trace.c" || exit 2
for script in "$here"/slab/*.trace; do
	name=slab-$(basename "$script" .trace)
	./make-slab-trace "$script" "$name" || exit 2
	same "$name" 'report slab' "$name" --json
done
./make-slab-trace --load 50000 slab-load || exit 2
same slab-load 'report slab' slab-load --json
same slab-load 'report slab' slab-load --leaks
"$tests/make-ctf" --shape dax --streams 3 --events 120000 --seed 2 dax || exit 2
"$tests/make-ctf" --shape dax --streams 40 --events 40000 --seed 3 wide || exit 2
"$tests/make-ctf" --shape slab --streams 2 --events 60000 --seed 4 slab || exit 2
same dax 'report dax' dax
same dax 'report dax' dax --json --top=100
same wide 'report dax' wide --json
same dax verify dax
same wide verify wide
same slab verify slab
same slab print slab
same wide print wide --format babeltrace
# Packets that do not say when they begin go on from the time of the packet before.
"$tests/make-ctf" --format ctf1 --seed 36 --untimed untimed || exit 2
same untimed print untimed --format babeltrace
# Times beyond the last nanosecond there is are that one: as late as the end of a stream that is over.
"$tests/make-ctf" --shape slab --streams 2 --events 2000 --seed 5 overflow || exit 2
sed -i 's/offset = 1700000000123456789;/offset = 9223372036854775807;/' overflow/metadata
is 'overflow: the events of both streams come, one stream after the other' '1000 [000] 1000 [001]' \
	"$("$mm" print --jobs 1 overflow | cut -d ' ' -f 2 | uniq -c | tr -s ' \n' ' ' | sed 's/^ //; s/ $//')"
# Damage in several streams, in turn, in more places than messages are kept: the same ones come, and in the same order.
"$tests/make-ctf" --shape slab --streams 3 --events 600000 --seed 6 places || exit 2
place=0
for packet in 0 1 2 3 4 5; do
	for stream in 0 1 2; do
		head -c 64 /dev/zero | tr '\0' '\377' | dd of=places/channel0_$stream bs=1 conv=notrunc status=none \
			seek=$((packet * 1048576 + 200000 + place * 40009))
		place=$((place + 1))
	done
done
same places 'report slab' places --json --leaks
same places print places
is 'places: as many messages as are kept' 16 "$("$mm" report slab --json places 2>/dev/null |
	sed -n '/"damage"/,/]/p' | grep -c '"message"')"
# Half of a packet is zeros: parts of the trace would be told apart from one piece by what is lost.
dd if=/dev/zero of=dax/channel0_1 bs=4096 seek=300 count=100 conv=notrunc 2>/dev/null
same 'damaged dax' 'report dax' dax --json
same 'damaged dax' verify dax
[ "$failed" = 0 ]
