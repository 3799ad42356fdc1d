#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# In a guest with two CPUs: takes samples for the figures of bench/recorder.sh. Prints each sample
# at once, as a line with its name and its value. recorder-guest.sh PART RUNS [PACE]; PART is
#
#   coverage     the time that snapshots of a busy ring cover, and whether they are complete
#   freeze       the time from the request to the freeze of a busy ring
#   status       the time until `status` answers while the session daemon or a disk hangs
#   match        the time from an event that a trigger matches to the freeze
#   durable-MIB  the time that a snapshot of an idle ring of so many MiB takes, and a copy of it
#
# After a failure, the script prints the line `failed 1` instead of a sample, and the reason on
# standard error. The last line is `seconds N`, the duration of the part. Snapshots are written to
# an ext4 filesystem on /dev/pmem0.
# shellcheck disable=SC2034,SC2154  # variables of the tests that are sourced
set -u

# shellcheck source=tests/kernel/lib.sh
. /usr/lib/lttng-mm/tests/lib.sh
# shellcheck source=tests/kernel/recorder/freeze.sh
. "$tests/freeze.sh"
# shellcheck source=tests/kernel/recorder/serve.sh
. "$tests/serve.sh"
# shellcheck source=tests/kernel/slab/slab-probe.sh
. "$tests/slab-probe.sh"
# shellcheck source=tests/kernel/recorder/snapshot.sh
. "$tests/snapshot.sh"
# shellcheck source=tests/kernel/triggers/trigger.sh
. "$tests/trigger.sh"

part=$1 runs=$2 pace=${3:-16}
out=/mnt/recorder
numbers=lttng-mm-numbers
slab=lttng-mm-slab
paused=/tmp/recorder-paused
written=/tmp/recorder-written
log=/tmp/recorder-log
times=/tmp/recorder-times
began_part=$(date +%s)
trap 'echo "seconds $(($(date +%s) - began_part))"' EXIT

note() {
	echo "recorder-guest.sh: $part: $1" >&2
}

failed() {
	echo 'failed 1'
	note "$1"
}

# sample NAME VALUE
sample() {
	case $2 in
	'' | *[!0-9.-]*) failed "$1: '$2' is not a value" ;;
	*) echo "$1 $2" ;;
	esac
}

# difference FROM TO: prints the difference if both are numbers.
difference() {
	case $1,$2 in
	,* | *, | *[!0-9,]*) ;;
	*) echo $(($2 - $1)) ;;
	esac
}

# try COMMAND...: runs COMMAND with its output in $log and $log.err. Reports a failure.
try() {
	try_status=0
	timeout 300 "$@" >"$log" 2>"$log.err" || try_status=$?
	[ "$try_status" != 0 ] || return 0
	failed "$*: exit status $try_status: $(tail -n 1 "$log.err")"
	return 1
}

# timed COMMAND...: like try. Sets began and ended, its start and end on the clock of the traces,
# and began_real, its start on CLOCK_REALTIME, for comparison with times since the Epoch.
timed() {
	began='' ended='' began_real=''
	try "$tests/stamp" "$times" "$@" && read -r began ended began_real <"$times"
}

# take [OPTION...]: takes a snapshot with `timed`; sets path to its folder.
take() {
	path=
	timed lttng-mm snapshot --method=freeze --output "$out" "$@" || return
	path=$(cat "$log")
	[ ! -s "$path/snapshot.json" ] || return 0
	failed "snapshot: '$path' is not a snapshot"
	return 1
}

# record TRACE SESSION: takes LTTng's own snapshot.
record() {
	try lttng snapshot record -s "$2" "file://$1"
}

# progress ROUND BEGAN
progress() {
	note "round $1 of $runs took $(($(date +%s) - $2)) s"
}

# numbers_session SUBBUF
numbers_session() {
	slab_subbuf=$1 slab_session "$numbers" recordtest_packed >"$log" 2>&1 &&
		lttng start "$numbers" >>"$log" 2>&1 && return
	failed "$numbers cannot be started: $(tail -n 1 "$log")"
	exit 1
}

# write_numbers CPU: writes numbered events unless $paused exists, and the number of its writes to
# $written.CPU. Writes at most 2 MB per $pace hundredths of a second. The CPU is always busy.
write_numbers() {
	exec taskset -c "$1" sh -c "n=0 due=0
		while [ -e '$out/busy' ]; do
			if [ -e $paused ]; then
				sleep 0.1
				continue
			fi
			now=0
			while [ \$now -lt \$due ]; do
				read -r up _ </proc/uptime
				now=\${up%.*}\${up#*.}
			done
			[ \$now -lt \$((due + 100)) ] || due=\$now
			due=\$((due + $pace))
			echo $freeze_hits >/sys/module/record_test/parameters/fire
			n=\$((n + 1))
			echo \$n >$written.$1
		done"
}

start_load() {
	: >"$out/busy"
	"$1" 0 &
	"$1" 1 &
}

# written CPU: prints the number of writes. Retries, because the file may be empty for a moment.
written() {
	for _ in 1 2; do
		written_count=$(cat "$written.$1" 2>/dev/null)
		[ -z "$written_count" ] || break
	done
	echo "${written_count:-0}"
}

# wait_written CPU COUNT: waits for that many writes, for two minutes at most.
wait_written() {
	wait_end=$(($(date +%s) + 120))
	while [ "$(written "$1")" -lt "$2" ]; do
		if [ "$(date +%s)" -ge "$wait_end" ]; then
			failed "CPU $1 writes nothing"
			exit 1
		fi
		sleep 0.1
	done
}

# refill: continues the load until everything in the ring (8 MiB per CPU and its extra sub-buffer)
# has been overwritten. Each write is 40,000 events of at least 52 bytes: 2 MB.
refill() {
	rm -f $paused
	resumed=$(date +%s%N)
	refill_0=$(($(written 0) + 7)) refill_1=$(($(written 1) + 7))
	wait_written 0 $refill_0
	wait_written 1 $refill_1
}

# pause: pauses the load for steps that are not measured, because they take only a quarter of the
# time without load.
pause() {
	: >$paused
}

# interval NAME START END: prints a sample of the interval that all CPUs share, or 0 if none exists.
interval() {
	if [ -z "$2" ]; then
		sample "$1" 0
	elif [ "$2" -lt "$resumed" ]; then
		failed "$1: the ring was not full"
	else
		sample "$1" "$(difference "$2" "$3")"
	fi
}

# interval_of NAME TRACE [UNTIL]: prints the interval of the certificate that `info` derives.
# Nothing was recorded after UNTIL, in ns since the Epoch.
interval_of() {
	try lttng-mm info --json "$2" || return
	start=$(sed -n 's/^ *"shared_start_ns": *\([0-9][0-9]*\),*$/\1/p' "$log" | head -n 1)
	end=$(sed -n 's/^ *"shared_end_ns": *\([0-9][0-9]*\),*$/\1/p' "$log" | head -n 1)
	if [ -n "${3:-}" ] && [ "${end:-0}" -gt "$3" ]; then
		end=$3
	fi
	interval "$1" "$start" "$end"
}

# rate SNAPSHOT: prints the rate in MB/s at which all its streams together were written.
rate() {
	awk '{ sub(/,$/, "") }
		$1 == "\"bytes\":" { bytes = $2 }
		$1 == "\"start_ns\":" { start = $2 }
		$1 == "\"end_ns\":" && bytes && $2 > start { rate += bytes * 1000 / ($2 - start); bytes = 0 }
		END { printf "%.1f\n", rate }' "$1/snapshot.json"
}

# removals SNAPSHOT: removes each packet of each CPU in turn from a copy. info must notice each
# removal, and must find no error in the intact copy.
removals() {
	cp -R "$1" "$out/cut"
	if ! try lttng-mm info --require-complete "$out/cut"; then
		rm -rf "$out/cut"
		return
	fi
	for cpu in 0 1; do
		packet=0 packets=1
		while [ "$packet" -lt "$packets" ]; do
			try "$tests/cut-packets" "$out/cut/kernel/ring_$cpu" $packet 1 || break
			packets=$(cut -d' ' -f1 "$log")
			lttng-mm info --require-complete "$out/cut" >"$log" 2>"$log.err"
			removal=$?
			case $removal in
			0 | 3) sample coverage_removal $((removal == 3)) ;;
			*) failed "info --require-complete: exit status $removal: $(tail -n 1 "$log.err")" ;;
			esac
			[ $removal != 0 ] || note "packet $packet of $packets of CPU $cpu was removed unnoticed"
			cp "$1/kernel/ring_$cpu" "$out/cut/kernel/ring_$cpu"
			packet=$((packet + 1))
		done
	done
	rm -rf "$out/cut"
}

coverage_ours() {
	refill
	if ! take --session numbers; then
		sample coverage_complete 0
		return
	fi
	pause
	interval coverage_ours_ns "$(snapshot_value "$path" certificate.shared.start_ns)" \
		"$(snapshot_value "$path" certificate.shared.end_ns)"
	sample coverage_mb_per_s "$(rate "$path")"
	intact=1
	gaps=$(freeze_gaps "$path" lttng-mm print --format=babeltrace 2>&1)
	if [ -n "$gaps" ]; then
		intact=0
		note "$gaps"
	fi
	if [ "$(snapshot_value "$path" certificate.verdict)" = '"complete"' ]; then
		sample coverage_complete 1
		sample coverage_intact $intact
		[ -n "$removed" ] || removals "$path"
		removed=1
	else
		sample coverage_complete 0
		note "not complete: $(sed -n '/"why": \[/,/\]/p' "$path/snapshot.json" | xargs)"
	fi
	rm -rf "$path" "$path.err"
}

coverage_plain() {
	refill
	record "$out/plain" $numbers && pause && interval_of coverage_plain_ns "$out/plain"
	rm -rf "$out/plain"
}

# LTTng may append an empty packet, with the time of the snapshot, to a stopped session's snapshot.
coverage_stopped() {
	refill
	timed lttng stop $numbers || return
	pause
	stopped=$((began_real + ended - began))
	record "$out/stopped" $numbers && interval_of coverage_stopped_ns "$out/stopped" $stopped
	rm -rf "$out/stopped"
	try lttng start $numbers || exit 1
}

measure_coverage() {
	# At least three quarters of 8 MiB are full, and one packet may be overwritten before it is
	# copied. An event takes less than 64 bytes.
	freeze_least=60000
	removed=
	numbers_session 2M
	try lttng-mm serve --daemonize || exit 1
	require_daemon yes
	start_load write_numbers
	for round in $(seq "$runs"); do
		began_round=$(date +%s)
		coverage_ours
		coverage_plain
		coverage_stopped
		progress "$round" "$began_round"
	done
	rm "$out/busy"
}

# slab_recorder [OPTION...]: starts a recorder and fills its ring. Both CPUs allocate without pause.
slab_recorder() {
	try lttng-mm record slab --subbuf-size=2M --num-subbuf=4 "$@" || exit 1
	start_load snapshot_load
	for _ in $(seq 60); do
		sleep 2
		take slab || exit 1
		bytes=$(snapshot_bytes "$path")
		rm -rf "$path"
		# At least three sub-buffers of each CPU are full.
		[ "$bytes" -lt 12000000 ] || return 0
	done
	failed "the ring is not full: $bytes bytes"
	exit 1
}

# kept TRACE: prints the time from the request to the last event, in ns.
kept() {
	since=$((began_real - 50000000))
	last=$(lttng-mm print --format=babeltrace --clock-cycles --no-delta \
		--begin="${since%?????????}.${since#"${since%?????????}"}" "$1" 2>"$log.err" |
		tail -n 1 | sed -n 's/^\[0*\([0-9][0-9]*\)\].*/\1/p')
	difference "$began" "$last"
}

# freeze_once NAME
freeze_once() {
	take slab || return
	sample "$1" "$(kept "$path/kernel")"
	rm -rf "$path"
}

# require_daemon yes|no: fails unless a recorder daemon runs (or not). The daemon would restart a
# stopped session.
require_daemon() {
	daemon_runs=no
	[ -z "$(serve_pid)" ] || daemon_runs=yes
	[ $daemon_runs != "$1" ] || return 0
	failed "a recorder daemon runs: $daemon_runs"
	exit 1
}

measure_freeze() {
	slab_recorder --no-daemon
	require_daemon no
	for round in $(seq "$runs"); do
		began_round=$(date +%s)
		if timed lttng stop $slab; then
			sample freeze_stop_returned_ns "$(difference "$began" "$ended")"
			! record "$out/stopped" $slab || sample freeze_stop_ns "$(kept "$out/stopped")"
			rm -rf "$out/stopped"
			try lttng start $slab || exit 1
		fi
		freeze_once freeze_alone_ns
		progress "$round" "$began_round"
	done
	try lttng-mm serve --daemonize || exit 1
	require_daemon yes
	sleep 2
	for round in $(seq "$runs"); do
		began_round=$(date +%s)
		freeze_once freeze_daemon_ns
		progress "$round, with the daemon," "$began_round"
	done
	rm "$out/busy"
}

# status_once NAME TEXT: takes a sample of `status`, whose output must contain a rate and TEXT.
status_once() {
	timed env -u LTTNG_MM_STATUS_WAIT_MS lttng-mm status --all || return
	if grep -q "$2" "$log" && grep -qE '(KiB|MiB) +(~[0-9]+|-) ' "$log"; then
		sample "$1" "$(difference "$began" "$ended")"
	else
		failed "$1: status does not show the recorder, or that it hangs"
	fi
}

# A recorder is busy, and one of its snapshots is being written to a disk that hangs.
measure_status() {
	slab_recorder
	require_daemon yes
	for round in $(seq "$runs"); do
		began_round=$(date +%s)
		timed true && sample status_start_ns "$(difference "$began" "$ended")"
		kill -STOP "$(daemon_pid)"
		status_once status_daemon_ns '^the session daemon does not answer'
		kill -CONT "$(daemon_pid)"
		fsfreeze -f /mnt
		if try lttng-mm snapshot --no-wait --output "$out"; then
			path=$(cat "$log")
			status_once status_disk_ns ' writing, '
			fsfreeze -u /mnt
			wait_for 60 test -s "$path/snapshot.json" || failed "$path does not appear"
			rm -rf "$path"
		else
			fsfreeze -u /mnt
		fi
		progress "$round" "$began_round"
	done
	rm "$out/busy"
}

# The trigger matches the system call that hostname(1) makes.
measure_match() {
	slab_recorder
	require_daemon yes
	try lttng-mm trigger add match --on syscall:sethostname --warm-up 0s --cooldown 0s \
		--max 1000/hour || exit 1
	if ! wait_for 60 prints armed trigger_state match; then
		failed 'the trigger is not armed'
		exit 1
	fi
	for round in $(seq "$runs"); do
		began_round=$(date +%s)
		timed hostname guest || continue
		path=
		for _ in $(seq 240); do
			path=$(find "$trigger_folder" -maxdepth 1 -name 'match-20*')
			[ -z "$path" ] || break
			sleep 0.5
		done
		if [ -z "$path" ]; then
			failed 'the match gets no snapshot'
			continue
		fi
		sample match_received_ns "$(difference "$began" "$(snapshot_value "$path" cause.match.time.monotonic_ns)")"
		sample match_frozen_ns "$(difference "$began" "$(snapshot_value "$path" frozen.monotonic_ns)")"
		rm -rf "$path"
		progress "$round" "$began_round"
	done
	rm "$out/busy"
}

# measure_durable MIB: MIB is the size of all four sub-buffers of both CPUs together.
measure_durable() {
	numbers_session $(($1 * 1024 / 8))k
	for cpu in 0 1; do
		# Fills the ring one and a half times: each write is 40,000 events, 2 MB.
		for _ in $(seq $(($1 * 3 / 4 / 2 + 1))); do
			taskset -c $cpu sh -c "echo $freeze_hits >/sys/module/record_test/parameters/fire"
		done
	done
	for round in $(seq "$runs"); do
		began_round=$(date +%s)
		sync
		take --session numbers || continue
		took=$(difference "$began" "$ended")
		bytes=$(snapshot_bytes "$path")
		sync
		# shellcheck disable=SC2016
		if [ "$bytes" -lt $((($1 << 20) * 3 / 4)) ]; then
			failed "the ring is not full: $bytes bytes"
		elif timed sh -c 'cp -r "$1" "$2" && sync' sh "$path" "$out/copied"; then
			sample durable_snapshot_ns "$took"
			sample durable_cp_ns "$(difference "$began" "$ended")"
			sample durable_kib "$(du -sk "$path" | cut -f1)"
		fi
		rm -rf "$path" "$out/copied"
		progress "$round" "$began_round"
	done
}

mkdir -p /mnt "$work"
# On Debian 12, mount is a function of lib.sh.
if ! pmem_mkfs ext4 /dev/pmem0 >/dev/null || ! mount /dev/pmem0 /mnt; then
	failed '/dev/pmem0 cannot be mounted'
	exit 1
fi
mkdir -p "$out"
chmod 755 /mnt "$out"
try modprobe -a lttng-mm-freeze lttng-mm-lib || exit 1
try insmod "$tests/record-test.ko" || exit 1
try lttng-sessiond --daemonize || exit 1
case $part in
coverage) measure_coverage ;;
freeze) measure_freeze ;;
status) measure_status ;;
match) measure_match ;;
durable-*) measure_durable "${part#durable-}" ;;
*) failed 'no such part'; exit 2 ;;
esac
if dmesg_bad >"$log"; then
	failed "the kernel log: $(head -n 3 "$log")"
fi
