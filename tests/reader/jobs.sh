#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests that --jobs changes only the time: output and status are the same for any number of threads.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# same_by_jobs NAME COMMAND TRACE OPTION...: checks that output, standard error and status with 2, 3
# and 8 jobs equal those with one job.
same_by_jobs() {
	same_name=$1 same_command=$2 same_trace=$3
	shift 3
	for jobs in 1 2 3 8; do
		# shellcheck disable=SC2086 # "report dax --all" is two words
		"$mm" $same_command --jobs $jobs "$@" "$same_trace" >"$work/out.$jobs" 2>"$work/err.$jobs"
		echo "status $?" >>"$work/out.$jobs"
		if [ $jobs = 1 ]; then
			is "$same_name, $same_command $*: the output is not empty" 1 \
				"$(($(wc -c <"$work/out.1") + $(wc -c <"$work/err.1") > 40))"
			continue
		fi
		is "$same_name, $same_command $*: --jobs $jobs as --jobs 1" "$(cksum <"$work/out.1")$(
			cat "$work/err.1")" "$(cksum <"$work/out.$jobs")$(cat "$work/err.$jobs")"
	done
}

for script in "$here"/../analysis/cases/*.trace; do
	name=$(basename "$script" .trace)
	make_dax "$script" "$name"
	same_by_jobs "$name" 'report dax --all' "$name"
	same_by_jobs "$name" verify "$name"
	same_by_jobs "$name" print "$name"
done
# A separate thread processes slab events in batches of several thousand.
for script in "$here"/../analysis/slab/*.trace; do
	name=slab-$(basename "$script" .trace)
	make_slab "$script" "$name"
	same_by_jobs "$name" 'report slab' "$name" --json
done
make_slab_load 50000 slab-load
same_by_jobs slab-load 'report slab' slab-load --json
same_by_jobs slab-load 'report slab' slab-load --leaks
make_ctf --shape dax --streams 3 --events 120000 --seed 2 dax
make_ctf --shape dax --streams 40 --events 40000 --seed 3 wide
make_ctf --shape slab --streams 2 --events 60000 --seed 4 slab
same_by_jobs dax 'report dax --all' dax
same_by_jobs dax 'report dax --all' dax --json --top=100
# Every part of the trace is read together with all state dumps, but a separate trace of state dumps
# must count only once.
mkdir dumped
cp -R dax dumped/kernel
for cpu in 0 1 2; do
	echo "cpu $cpu"
	echo "90000000 process_statedump_thread tid=$cpu pid=$cpu name=thread$cpu"
done >dumps
make_dax_packed --state dumps dumped/state
is 'state dumps apart: they count' 120003 "$("$mm" report dax --json --jobs=1 dumped | jq '.coverage.events')"
same_by_jobs dumped 'report dax --all' dumped --json
same_by_jobs wide 'report dax --all' wide --json
same_by_jobs dax verify dax
same_by_jobs wide verify wide
same_by_jobs slab verify slab
same_by_jobs slab print slab
same_by_jobs wide print wide --format babeltrace
# Packets without a start timestamp start at the time of the previous packet.
make_ctf --format ctf1 --seed 36 --untimed untimed
same_by_jobs untimed print untimed --format babeltrace
# Timestamps beyond the last possible nanosecond count as that nanosecond, which is also the time of
# a finished stream.
make_ctf --shape slab --streams 2 --events 2000 --seed 5 overflow
sed -i 's/offset = 1700000000123456789;/offset = 9223372036854775807;/' overflow/metadata
is 'overflow: the events of both streams are delivered, one stream after the other' '1000 [000] 1000 [001]' \
	"$("$mm" print --jobs 1 overflow | cut -d ' ' -f 2 | uniq -c | tr -s ' \n' ' ' | sed 's/^ //; s/ $//')"
# Damages three streams in turn, in more places than messages are stored. The messages and their
# order must not depend on the number of jobs.
make_ctf --shape slab --streams 3 --events 600000 --seed 6 places
place=0
for packet in 0 1 2 3 4 5; do
	for stream in 0 1 2; do
		head -c 64 /dev/zero | tr '\0' '\377' | dd of=places/channel0_$stream bs=1 conv=notrunc status=none \
			seek=$((packet * 1048576 + 200000 + place * 40009))
		place=$((place + 1))
	done
done
same_by_jobs places 'report slab' places --json --leaks
same_by_jobs places print places
is 'places: as many messages as are kept' 16 "$("$mm" report slab --json places 2>/dev/null |
	sed -n '/"damage"/,/]/p' | grep -c '"message"')"
# Zeros replace half of a packet. The trace must not be read in parts, because the losses would then
# differ.
dd if=/dev/zero of=dax/channel0_1 bs=4096 seek=300 count=100 conv=notrunc 2>/dev/null
same_by_jobs 'damaged dax' 'report dax --all' dax --json
same_by_jobs 'damaged dax' verify dax
tap_end
