#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# In a guest with two CPUs: which time the snapshots of a busy ring cover, how soon after the
# request the ring is frozen, and what a snapshot takes compared with copying its folder. Prints
# `name value` lines. recorder-guest.sh PART RUNS; PART is coverage, freeze, or copy-MIB for a ring
# of so many MiB. Snapshots are written to an ext4 file system on /dev/pmem0.
set -eu

# shellcheck source=tests/kernel/lib.sh
. /usr/lib/lttng-mm/tests/lib.sh

part=$1 runs=$2
out=/mnt/recorder
session=lttng-mm-numbers
busy=/tmp/recorder-busy

# now: CLOCK_MONOTONIC in ns, which is also the clock of the traces.
now() {
	awk '/^now at/ { print $3; exit }' /proc/timer_list
}

# value SNAPSHOT KEY...: numbers of snapshot.json, of the first member with that name.
value() {
	awk -v key="\"$2\":" '{ sub(/,$/, "") } $1 == key { print $2; exit }' "$1/snapshot.json"
}

# shared_of TRACE: the length of the shared interval, of the certificate that `info` derives.
shared_of() {
	lttng-mm info --json "$1" | sed -n 's/^ *"shared_duration_ns": *\([0-9][0-9]*\),*$/\1/p' | head -n 1
}

# quantiles NAME: of numbers on standard input, the median and the 99th percentile (nearest rank).
quantiles() {
	sort -n | awk -v name="$1" '{ v[NR] = $1 }
		function rank(q) { r = int(q * NR); if (r < q * NR) r++; return v[r < 1 ? 1 : r] }
		END { if (NR) { print name "_p50", rank(0.5); print name "_p99", rank(0.99); print name "_runs", NR } }'
}

session() {
	format=
	if lttng_has_formats; then
		format=--trace-format=ctf-1.8
	fi
	# shellcheck disable=SC2086
	lttng create "$session" --snapshot --output=/tmp/unused $format
	lttng enable-channel -k -s "$session" --overwrite --subbuf-size="$1" --num-subbuf=4 ring
	lttng enable-event -k -s "$session" -c ring recordtest_packed
	lttng start "$session"
}

write_numbers() {
	exec taskset -c "$1" sh -c "while [ -e $busy ]; do
		echo 20000 >/sys/module/record_test/parameters/fire; done"
}
allocate() {
	exec taskset -c "$1" sh -c "while [ -e $busy ]; do ls -R /usr/share/doc >/dev/null; done"
}
start_load() {
	: >$busy
	"$1" 0 &
	"$1" 1 &
}
stop_load() {
	rm -f $busy
	sleep 1
}

# gaps TRACE: where a CPU's numbers, 1 to 20000 repeatedly, are not consecutive.
gaps() {
	lttng-mm print --format=babeltrace "$1" 2>&1 | awk '
		!/cpu_id/ { bad++; next }
		{
			cpu = $0; sub(/.*cpu_id = /, "", cpu); cpu += 0
			n = $0; sub(/.*number = /, "", n); n += 0
			if (cpu in last && n != last[cpu] % 20000 + 1)
				bad++
			last[cpu] = n
		}
		END { print bad + 0 }'
}

# found SNAPSHOT INDEX: 1 if the removal of a packet of CPU 0 is noticed.
found() {
	rm -rf "$out/cut"
	cp -R "$1" "$out/cut"
	"$tests/cut-packets" "$out/cut/kernel/ring_0" "$2" 1 >/dev/null
	if lttng-mm info --require-complete "$out/cut" >/dev/null 2>&1; then echo 0; else echo 1; fi
}

coverage() {
	session 2M >/dev/null
	start_load write_numbers
	sleep 5
	complete=0 intact=0 removed=0 removals=0
	for i in $(seq "$runs"); do
		path=$(lttng-mm snapshot --method=freeze --session numbers --output "$out")
		start=$(value "$path" start_ns) end=$(value "$path" end_ns)
		echo $((end - start)) >>"$out/ours"
		cat "$path"/kernel/ring_[01] | wc -c | awk -v ns="$((end - start))" '{ print $1 * 1000 / ns }' >>"$out/rate"
		[ "$(value "$path" verdict)" != '"complete"' ] || complete=$((complete + 1))
		[ "$(gaps "$path/kernel")" != 0 ] || intact=$((intact + 1))
		if [ "$i" = 1 ]; then
			for packet in 0 1 -1; do
				removals=$((removals + 1))
				removed=$((removed + $(found "$path" $packet)))
			done
		fi
		rm -rf "$path"
		lttng snapshot record -s "$session" "file://$out/plain" >/dev/null
		shared_of "$out/plain" >>"$out/plain-shared" || :
		rm -rf "$out/plain"
		lttng stop "$session" >/dev/null
		lttng snapshot record -s "$session" "file://$out/stopped" >/dev/null
		shared_of "$out/stopped" >>"$out/stopped-shared" || :
		rm -rf "$out/stopped"
		lttng start "$session" >/dev/null
		sleep 3
	done
	stop_load
	quantiles coverage_ours_ns <"$out/ours"
	quantiles coverage_stopped_ns <"$out/stopped-shared"
	quantiles coverage_plain_ns <"$out/plain-shared"
	quantiles coverage_rate_mb_per_s <"$out/rate"
	echo "coverage_complete $complete"
	echo "coverage_intact $intact"
	echo "coverage_removals $removals"
	echo "coverage_removals_found $removed"
}

# last_event TRACE: its clock value.
last_event() {
	lttng-mm print --format=babeltrace --clock-cycles --no-delta "$1" | tail -n 1 | sed 's/^\[0*\([0-9]*\)\].*/\1/'
}

# freeze_with NAME: the freeze after the request, by a busy slab recorder.
freeze_with() {
	for _ in $(seq "$runs"); do
		began=$(now)
		path=$(lttng-mm snapshot --method=freeze slab --output "$out")
		echo $(($(last_event "$path/kernel") - began)) >>"$out/$1"
		rm -rf "$path"
	done
	quantiles "$1_ns" <"$out/$1"
}

freeze() {
	lttng-mm record slab --subbuf-size=256k --num-subbuf=4 >/dev/null
	start_load allocate
	sleep 3
	for _ in $(seq "$runs"); do
		began=$(now)
		lttng stop lttng-mm-slab >/dev/null
		returned=$(now)
		lttng snapshot record -s lttng-mm-slab "file://$out/stopped" >/dev/null
		lttng start lttng-mm-slab >/dev/null
		echo $(($(last_event "$out/stopped") - began)) >>"$out/stop"
		echo $((returned - began)) >>"$out/stop-returned"
		rm -rf "$out/stopped"
	done
	quantiles freeze_stop_ns <"$out/stop"
	quantiles freeze_stop_returned_ns <"$out/stop-returned"
	freeze_with freeze_alone
	lttng-mm serve --daemonize
	sleep 2
	freeze_with freeze_daemon
	stop_load
}

# copy KIB: of each of the 4 sub-buffers of each CPU.
copy() {
	session "$1k" >/dev/null
	for cpu in 0 1; do
		# At least 48 bytes for each of the two rounds, a ring and a half.
		taskset -c $cpu sh -c "echo $(($1 * 4 * 1024 / 60)) >/sys/module/record_test/parameters/fire"
	done
	for _ in $(seq "$runs"); do
		sync
		began=$(now)
		path=$(lttng-mm snapshot --method=freeze --session numbers --output "$out")
		took=$(($(now) - began))
		sync
		began=$(now)
		cp -r "$path" "$out/copied"
		sync
		copied=$(($(now) - began))
		echo "$took" >>"$out/took"
		echo "$copied" >>"$out/copy"
		du -sk "$path" >"$out/size"
		rm -rf "$path" "$out/copied"
	done
	quantiles "${part}_snapshot_ns" <"$out/took"
	quantiles "${part}_cp_ns" <"$out/copy"
	echo "${part}_kib $(cut -f1 "$out/size")"
}

pmem_mkfs ext4 /dev/pmem0 >/dev/null
mkdir -p /mnt
mount /dev/pmem0 /mnt
mkdir -p "$out" "$work"
chmod 755 /mnt "$out"
modprobe -a lttng-mm-freeze lttng-mm-lib
insmod "$tests/record-test.ko"
lttng-sessiond --daemonize
case $part in
coverage) coverage ;;
freeze) freeze ;;
copy-*) copy $((${part#copy-} * 1024 / 8)) ;;
esac
