# SPDX-License-Identifier: LGPL-2.1-only
# Tests the recorder and its snapshots when CPUs go offline, when the clock is set, when modules are
# replaced or unloaded, and when the session daemon or a relay daemon hangs. Also tests how much
# memory a recorder with a budget takes, and that a thousand snapshots leave nothing behind. Sourced
# by run-all.sh after freeze.sh, serve.sh and snapshot.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets work; freeze.sh the others

# faults_is NAME EXPECTED ACTUAL
faults_is() {
	is "faults: $1" "$2" "$3"
}

# faults_take NAME [OPTION...]: takes a snapshot; writes its path to $out/NAME.
faults_take() {
	faults_name=$1
	shift
	timeout 120 lttng-mm snapshot --session numbers --output "$out" "$@" >"$out/$faults_name" 2>"$out/$faults_name.err"
}

# faults_streams SNAPSHOT: prints the CPU of each stream of the certificate and whether it was
# online.
faults_streams() {
	awk '{ sub(/,$/, "") } $1 == "\"cpu\":" { cpu = $2 } $1 == "\"online\":" { print cpu, $2 }' \
		"$1/snapshot.json" | sort -u | paste -sd ';'
}

# faults_numbers SNAPSHOT CPU: succeeds if that CPU has events and their numbers are consecutive.
faults_numbers() {
	lttng-mm print --format=babeltrace "$1/kernel" 2>/dev/null | awk -v hits="$freeze_hits" -v only="$2" '
		{
			cpu = $0; sub(/.*cpu_id = /, "", cpu); cpu += 0
			n = $0; sub(/.*number = /, "", n); n += 0
			if (cpu != only) next
			if (last && n != last % hits + 1) print n " after " last
			last = n
		}
		END { if (!last) print "no events" }' | head -n 3
}

# faults_fire: fires numbered events on each CPU that is online.
faults_fire() {
	for cpu in 0 1; do
		taskset -c $cpu sh -c "echo $freeze_hits >/sys/module/record_test/parameters/fire" 2>/dev/null
	done
}

faults_sound() {
	lttng-mm verify "$1" >"$out/verify" 2>&1
	faults_is "$2: verify finds no damage" 'Findings: 0 damaged' "$(grep -o 'Findings: 0 damaged' "$out/verify")"
}

faults_cpu1=/sys/devices/system/cpu/cpu1/online

faults_cpus() {
	faults_fire
	echo 0 >"$faults_cpu1"
	faults_is 'a CPU goes offline' 0 "$(cat "$faults_cpu1")"
	check_function 'faults: a snapshot succeeds while CPU 1 is offline' faults_take offline --method=freeze
	faults_is 'the certificate says so' '0 true;1 false' "$(faults_streams "$(cat "$out/offline")")"
	faults_is 'it has the events of the offline CPU' '' "$(faults_numbers "$(cat "$out/offline")" 1)"
	faults_sound "$(cat "$out/offline")" 'CPU 1 is offline'
	echo 1 >"$faults_cpu1"
	faults_fire
	check_function 'faults: a snapshot succeeds after CPU 1 is back' faults_take online --method=freeze
	faults_is 'both are online' '0 true;1 true' "$(faults_streams "$(cat "$out/online")")"
	faults_is 'its numbers continue' '' "$(faults_numbers "$(cat "$out/online")" 1)"
	faults_sound "$(cat "$out/online")" 'CPU 1 is back'
	: >"$out/writing"
	freeze_write 0 &
	faults_writer=$!
	: >"$out/toggling"
	(while [ -e "$out/toggling" ]; do
		echo 0 >"$faults_cpu1"
		echo 1 >"$faults_cpu1"
	done) &
	faults_toggler=$!
	for i in 1 2 3 4 5; do
		check_function "faults: snapshot $i of 5 while CPU 1 goes offline and online" faults_take "toggle-$i"
		faults_is '... has every number of CPU 0' '' "$(faults_numbers "$(cat "$out/toggle-$i")" 0)"
		faults_sound "$(cat "$out/toggle-$i")" "snapshot $i"
	done
	rm "$out/writing" "$out/toggling"
	wait "$faults_writer" "$faults_toggler"
	echo "# methods: $(cat "$out"/snapshot-*/snapshot.json | grep -o '"method": "[a-z]*"' | sort | uniq -c | paste -sd ' ')"
}

faults_clock() {
	faults_fire
	date -s @$(($(date +%s) + 3600)) >/dev/null
	faults_fire
	check_function 'faults: a snapshot succeeds after the clock was set forward' faults_take forward --method=freeze
	faults_is 'its numbers continue' '' "$(faults_numbers "$(cat "$out/forward")" 0)"
	faults_sound "$(cat "$out/forward")" 'the clock is set forward'
	faults_is '--last uses the clock of the traces' yes \
		"$(faults_take last --method=freeze --last=100s && [ -z "$(faults_numbers "$(cat "$out/last")" 0)" ] && echo yes)"
	date -s @$(($(date +%s) - 7200)) >/dev/null
	faults_fire
	check_function 'faults: a snapshot succeeds after the clock was set back' faults_take back --method=freeze
	faults_sound "$(cat "$out/back")" 'the clock is set back'
	faults_is 'it is complete' complete "$(sed -n 's/.*"verdict": "\([a-z]*\)".*/\1/p' "$(cat "$out/back")/snapshot.json")"
	date -s @$(($(date +%s) + 3600)) >/dev/null
}

faults_modules() {
	rmmod lttng-mm-freeze 2>"$out/rmmod.err"
	faults_is 'the freeze module cannot be removed while a recorder is held' 1 "$?"
	rmmod lttng_tracer 2>"$out/rmmod.err"
	faults_is 'the tracer cannot be unloaded' 1 "$?"
	rmmod lttng_probe_slab 2>"$out/rmmod.err"
	faults_is 'the probe cannot be unloaded' 1 "$?"
	faults_file=$(modinfo -n lttng-probe-slab)
	mv "$faults_file" "$out/probe.ko"
	echo 'another version' >"$faults_file"
	path=$(lttng-mm snapshot --session lttng-mm-slab --output "$out" 2>"$out/modules.err")
	faults_is 'a snapshot succeeds after the modules on disk were replaced' complete \
		"$(sed -n 's/.*"verdict": "\([a-z]*\)".*/\1/p' "$path/snapshot.json")"
	lttng-mm report slab "$path" >"$out/report" 2>&1
	faults_is '... and a report of it' 0 "$?"
	mv "$out/probe.ko" "$faults_file"
}

# Starts another user's session whose relay daemon does not receive the events.
faults_relay_start() {
	lttng-relayd --daemonize --working-directory="$out" &&
		lttng create remote --set-url=net://127.0.0.1 &&
		lttng enable-channel -k -s remote --subbuf-size=64k --num-subbuf=4 all &&
		lttng enable-event -k -s remote -c all 'sched_*' && lttng start remote
}

faults_relay() {
	check_function 'faults: a session that sends to a relay daemon starts' faults_relay_start || return
	kill -STOP "$(pgrep -o -x lttng-relayd)"
	for i in 1 2 3 4 5 6 7 8; do
		faults_fire
		sleep 1
	done
	check_function 'faults: a snapshot succeeds while the relay daemon hangs' faults_take relay --method=freeze
	faults_is 'its numbers continue' '' "$(faults_numbers "$(cat "$out/relay")" 0)"
	path=$(timeout 120 lttng-mm snapshot --session lttng-mm-slab --output "$out" 2>"$out/relay-slab.err")
	faults_is '... a snapshot with a state dump succeeds, too' complete \
		"$(sed -n 's/.*"verdict": "\([a-z]*\)".*/\1/p' "$path/snapshot.json")"
	sed 's/^/# /' "$out/relay-slab.err"
	faults_is 'status answers' 1 "$(timeout 60 lttng-mm status --all | grep -c '^lttng-mm-slab: profile slab, recording')"
	# shellcheck disable=SC2046
	kill -CONT $(pgrep -x lttng-relayd)
	check 'faults: the relay daemon continues, and its session ends' 120 lttng destroy remote
	pkill -x lttng-relayd
}

# faults_verdict SNAPSHOT: prints the snapshot's verdict.
faults_verdict() {
	sed -n 's/.*"verdict": "\([a-z]*\)".*/\1/p' "$1/snapshot.json"
}

# faults_within NAME MS: checks that no more than MS passed since $faults_began. The limits are
# large because a guest is slow and its CPUs are shared.
faults_within() {
	faults_took=$((($(date +%s%N) - faults_began) / 1000000))
	echo "# $1: $faults_took ms"
	faults_is "$1, within $2 ms" yes "$([ "$faults_took" -lt "$2" ] && echo yes)"
}

# Tests a session daemon that hangs. The sessions of the plan must be frozen without it.
faults_daemon() {
	kill -STOP "$(daemon_pid)"
	timeout 100 lttng-mm snapshot --session lttng-mm-slab --method=freeze --output "$out" \
		>"$out/hangs" 2>"$out/hangs.err" &
	faults_snapshot=$!
	sleep 2
	faults_began=$(date +%s%N)
	env -u LTTNG_MM_STATUS_WAIT_MS lttng-mm status --all >"$out/hangs.status" 2>&1
	faults_is 'status answers while the session daemon hangs' 0 $?
	faults_within '... it answers' 10000
	faults_is '... and says so' 1 "$(grep -c '^the session daemon does not answer' "$out/hangs.status")"
	wait "$faults_snapshot"
	faults_is 'a snapshot succeeds while the session daemon hangs' 0 $?
	sed 's/^/# /' "$out/hangs.err"
	path=$(cat "$out/hangs")
	faults_is '... one warning names the missing information' '1 1' \
		"$(wc -l <"$out/hangs.err") $(grep -c 'warning: .*the session daemon does not answer: filters are not known' "$out/hangs.err")"
	faults_is '... the snapshot is frozen, and complete' '"freeze" complete' "$(snapshot_value "$path" method) $(faults_verdict "$path")"
	faults_from=$(snapshot_value "$path" requested.monotonic_ns)
	faults_to=$(snapshot_value "$path" frozen.monotonic_ns)
	faults_late=$(((${faults_to:-99000000000} - ${faults_from:-0}) / 1000000))
	echo "# frozen $faults_late ms after the request"
	# The snapshot waits 15 s for the session daemon.
	faults_is '... the buffers were frozen before the session daemon was asked' yes "$([ "$faults_late" -lt 10000 ] && echo yes)"
	lttng-mm info --all --require-complete "$path" >"$out/hangs.info" 2>&1
	faults_is '... info says so, too' 0 $?
	faults_sound "$path" 'the session daemon hangs'
	faults_is '... it has the previous state dump' yes "$([ -s "$path/state/lttng-mm-state_0" ] && echo yes)"
	kill -CONT "$(daemon_pid)"
	path=$(timeout 120 lttng-mm snapshot --session lttng-mm-slab --output "$out" 2>"$out/hangs.err")
	faults_is 'a snapshot has no warning after the session daemon continues' 'complete 0' "$(faults_verdict "$path") $(wc -l <"$out/hangs.err")"
}

# faults_kib: prints the memory of all processes in KiB: anonymous, and files in tmpfs.
faults_kib() {
	awk '$1 == "AnonPages:" || $1 == "Shmem:" { kib += $2 } END { print kib }' /proc/meminfo
}

# faults_watch: records the maximum of faults_kib until $out/watching is removed. Starts no program
# but sleep.
faults_watch() {
	most=0
	while [ -e "$out/watching" ]; do
		kib=0
		while read -r key value _; do
			case $key in
			AnonPages: | Shmem:) kib=$((kib + value)) ;;
			esac
		done </proc/meminfo
		[ "$kib" -le "$most" ] || most=$kib
		sleep 0.02
	done
	echo "$most"
}

# faults_free: prints the free memory in KiB, after it has dropped reclaimable memory. LTTng frees
# its buffers with a delay, so this waits until the free memory no longer grows.
faults_free() {
	free_last=0
	for _ in 1 2 3 4 5 6 7 8; do
		sync
		echo 3 >/proc/sys/vm/drop_caches
		sleep 3
		free=$(awk '$1 == "MemFree:" { print $2 }' /proc/meminfo)
		[ $((free - free_last)) -gt 300 ] || break
		free_last=$free
	done
	echo "$free"
}

# faults_other: prints the memory in KiB that processes use, and the kernel's memory that
# /proc/meminfo lists. The pages of LTTng's buffers are in no line of /proc/meminfo.
faults_other() {
	awk '$1 ~ /^(AnonPages|Slab|PageTables|SecPageTables|VmallocUsed|Percpu):$/ { kib += $2 }
		END { print kib }' /proc/meminfo
}

# faults_budget DEVICE: measures the memory of a recorder while two snapshots are written to a disk
# that hangs.
faults_budget() {
	faults_budget_kib=53248
	faults_before=$(faults_free) faults_other=$(faults_other)
	check 'budget: a recorder starts' 120 lttng-mm record --events=recordtest_packed --budget=${faults_budget_kib}k
	sed 's/^/# /' "$work/check.log"
	faults_ring=$((faults_before - $(faults_free)))
	faults_other=$(($(faults_other) - faults_other))
	# Other memory of the daemons and the kernel is not part of the budget.
	[ "$faults_other" -le 0 ] || faults_ring=$((faults_ring - faults_other))
	for _ in $(seq 60); do
		faults_fire
	done
	mkdir -p "$out/disk"
	mkfs.ext4 -qF "$1" && mount "$1" "$out/disk" && fsfreeze -f "$out/disk"
	faults_is 'budget: the disk hangs' 0 $?
	faults_kib_before=$(faults_kib)
	: >"$out/watching"
	faults_watch >"$out/most" &
	faults_watcher=$!
	faults_pids=
	for name in one two; do
		lttng-mm snapshot --session lttng-mm-events --method=freeze --name "$name" --output "$out/disk" >"$out/$name" 2>"$out/$name.err" &
		faults_pids="$faults_pids $!"
		sleep 8
	done
	# The budget limits the ring and its copies, not the commands that wait for them.
	faults_waiting=0
	for pid in $faults_pids; do
		kib=$(awk '/^RssAnon/ { print $2 }' "/proc/$pid/status")
		faults_waiting=$((faults_waiting + kib))
	done
	fsfreeze -u "$out/disk"
	for pid in $faults_pids; do
		wait "$pid"
		faults_is 'budget: a snapshot' 0 $?
	done
	rm "$out/watching"
	wait "$faults_watcher"
	sed 's/^/# /' "$out/one.err" "$out/two.err"
	faults_copies=$(($(cat "$out/most") - faults_kib_before))
	faults_traces=$(($(snapshot_bytes "$(cat "$out/one")") / 1024))
	echo "# the recorder takes $faults_ring KiB and $faults_other KiB besides its buffers, its snapshots of $faults_traces KiB at most $faults_copies KiB more, $faults_waiting KiB of them in waiting commands"
	faults_is 'budget: the ring was full' yes "$([ $((faults_traces * 3)) -gt $((faults_budget_kib / 2)) ] && echo yes)"
	faults_is 'budget: waiting commands hold no copies' yes "$([ "$faults_waiting" -lt 4096 ] && echo yes)"
	faults_is 'budget: the ring and its copies stay within the budget' yes \
		"$([ $((faults_ring + faults_copies - faults_waiting)) -le $faults_budget_kib ] && echo yes)"
	for name in one two; do
		faults_is "budget: snapshot $name is complete" complete "$(faults_verdict "$(cat "$out/$name")")"
	done
	check 'budget: the recorder stops' 60 lttng-mm stop events
	umount "$out/disk"
}

faults_setup() {
	out=$work/$1
	rm -rf "$out"
	mkdir -p "$out"
	check_function "$1: the session daemon starts" daemon_start
	check "$1: the modules load" 60 modprobe -a lttng-mm-freeze lttng-mm-lib
	grep -q '^record_test ' /proc/modules ||
		check "$1: the probe of numbered events loads" 60 insmod "$tests/record-test.ko" || return
	check_function "$1: a session in snapshot mode" freeze_record || return
	check_function "$1: the recorder daemon starts" serve_start
}

faults_end() {
	kill -TERM "$(serve_pid)"
	wait_for 30 serve_gone
	check_function "$1: the session stops" lttng destroy "$freeze_session"
	check_function "$1: the session daemon ends" daemon_stop
	check "$1: the module can be removed" 10 rmmod lttng-mm-freeze
	check "$1: the probe can be removed" 10 rmmod record-test
}

faults() {
	faults_setup faults || return
	faults_cpus
	faults_clock
	check 'faults: record slab' 120 lttng-mm record slab
	sleep 2
	faults_modules
	faults_daemon
	faults_relay
	check 'faults: stop slab' 60 lttng-mm stop slab
	faults_budget "$1"
	sleep 2
	faults_end faults
}

# soak_uses: prints the number of descriptors and the private memory in KiB of each process of the
# recorder daemon and of the session daemon.
soak_uses() {
	for soak_pid in $(pgrep -f 'lttng-mm serve') $(daemon_pid); do
		echo "$(find "/proc/$soak_pid/fd" -mindepth 1 | wc -l) $(awk '/^RssAnon/ { print $2 }' "/proc/$soak_pid/status")"
	done
}

# soak_compare CONDITION: prints the lines of the processes for which CONDITION is true: what they
# used before, then what they used after. If a process has ended or started, prints its line, too.
soak_compare() {
	paste -d' ' "$out/before" "$out/after" | awk "NF != 4 || $1"
}

# soak_verify SESSION SNAPSHOT: prints the snapshot's errors.
soak_verify() {
	lttng-mm verify "$2" 2>&1 | grep -q 'Findings: 0 damaged' || echo "$2 is damaged"
	[ "$1" != numbers ] || freeze_gaps "$2" lttng-mm print --format=babeltrace
	rm -f "$2.err"
}

# soak_why SNAPSHOT: prints the reasons of the snapshot's verdict.
soak_why() {
	sed -n '/"why": \[/,/\]/p' "$1/snapshot.json" | tr -s '\n\t ' ' '
}

# Takes snapshots without pause while both CPUs write: at least SOAK_SNAPSHOTS (more than six), for
# SOAK_S seconds. Verifies one of every 32 snapshots, because this takes as long as several
# snapshots.
soak() {
	# A smaller ring would overwrite the events at the request before the freeze.
	freeze_subbuf=8M
	faults_setup soak || return
	# shellcheck disable=SC2034 # freeze.sh
	freeze_subbuf=
	check 'soak: record slab' 120 lttng-mm record slab || return
	: >"$out/writing"
	freeze_write 0 &
	soak_writers=$!
	freeze_write 1 &
	soak_writers="$soak_writers $!"
	check_function 'soak: both writers write' wait_for 120 freeze_written 20
	count=0 failed=0 complete=0 verified=0 soak_began=$(date +%s) end=$(($(date +%s) + ${SOAK_S:-0}))
	: >"$out/wrong"
	while [ "$count" -lt "${SOAK_SNAPSHOTS:-30}" ] || [ "$(date +%s)" -lt "$end" ]; do
		count=$((count + 1))
		case $((count % 3)) in
		0) session=lttng-mm-slab ;;
		*) session=numbers ;;
		esac
		path=$(timeout 120 lttng-mm snapshot --session "$session" --method=freeze --output "$out" 2>>"$out/errors") ||
			failed=$((failed + 1))
		if [ "$(snapshot_value "$path" certificate.verdict)" = '"complete"' ]; then
			complete=$((complete + 1))
		else
			echo "# snapshot $count, of $session: $(soak_why "$path")"
		fi
		if [ $((count % 32)) = 1 ]; then
			verified=$((verified + 1))
			soak_verify "$session" "$path" >>"$out/wrong"
		fi
		rm -rf "$path"
		if [ "$count" = 6 ]; then
			sleep 3
			soak_uses >"$out/before"
		fi
		[ $((count % 100)) != 0 ] ||
			echo "# $count snapshots in $(($(date +%s) - soak_began)) s: $failed failed, $complete complete"
	done
	echo "# $count snapshots in $(($(date +%s) - soak_began)) s"
	# Try several times, because a busy daemon closes its connections a moment later.
	soak_tries=0
	while sleep 3; soak_tries=$((soak_tries + 1)); [ "$soak_tries" -le 10 ]; do
		soak_uses >"$out/after"
		[ -n "$(soak_compare '$3 > $1')" ] || break
	done
	rm "$out/writing"
	# shellcheck disable=SC2086
	wait $soak_writers
	diag <"$out/errors"
	is "soak: of $count snapshots, none fails" 0 "$failed"
	nothing "soak: none of $verified verified snapshots is damaged or lacks a number" "$(cat "$out/wrong")"
	is "soak: at least 95 % less one snapshot are certified as complete: $complete" yes \
		"$([ $((count - complete)) -le $((count / 20 + 1)) ] && echo yes)"
	nothing 'soak: the daemons have no more descriptors than after the first six snapshots' "$(soak_compare '$3 > $1')"
	echo "# memory in KiB: $(cut -d' ' -f2 "$out/before" | paste -sd ' ') before, $(cut -d' ' -f2 "$out/after" | paste -sd ' ') after"
	nothing 'soak: the memory of each daemon grew by less than 1 MiB' "$(soak_compare '$4 - $2 >= 1024')"
	is 'soak: nothing is left in the stage' '' "$(ls -A /run/lttng-mm/stage)"
	check 'soak: stop slab' 60 lttng-mm stop slab
	sleep 2
	faults_end soak
}
