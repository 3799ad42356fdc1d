# SPDX-License-Identifier: LGPL-2.1-only
# Tests the recorder: record, status, snapshot and its system information, and stop. Also tests that
# the plain lttng commands that --dry-run prints record the same events. Sourced by run-all.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets tests, tracing and work

# session_is NAME EXPECTED ACTUAL
session_is() {
	is "session: $1" "$2" "$3"
}

# session_fails NAME STATUS PATTERN ARG...: lttng-mm exits with STATUS and prints one line that
# matches PATTERN.
session_fails() {
	session_name=$1 session_status=$2 session_pattern=$3
	shift 3
	lttng-mm "$@" >"$work/session.out" 2>"$work/session.err"
	session_is "$session_name: exit status" "$session_status" $?
	session_is "$session_name: one line with the reason" 1 \
		"$(grep -c "$session_pattern" "$work/session.err")"
}

# session_events TRACE: counts each DAX event. The workload faults on one file only.
session_events() {
	lttng-mm print "$1" | awk '$4 ~ /^dax_/ { print $4 }' | sort | uniq -c
}

# session_workload: causes the same faults each time, on a new filesystem.
session_workload() {
	pmem_mkfs ext4 "$1" && pmem_mount "$1" "$work/mnt" &&
		"$tests/dax-workload" --quiet --only pmd-write,mapping-misaligned,extent-short "$work/mnt" \
			>/dev/null 2>&1
}

# session_threads FOLDER: causes faults in processes that end before the snapshot: an ordinary
# process, a process that calls exec between two faults, and two processes that have the same id one
# after the other.
session_threads() {
	for name in ended before after first second; do
		cp "$tests/dax-wide" "$work/dax-$name" || return
	done
	"$work/dax-ended" "$1/ended" 0x200000000000 0 &&
		"$work/dax-before" "$1/before" 0x200000000000 0 \
			"$work/dax-after" "$1/after" 0x200000000000 0 || return
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		"$work/dax-first" "$1/first" 0x200000000000 0 &
		first=$!
		wait "$first" || return
		echo $((first - 1)) >/proc/sys/kernel/ns_last_pid
		"$work/dax-second" "$1/second" 0x200000000000 0 &
		second=$!
		wait "$second" || return
		[ "$first" != "$second" ] || return 0
	done
	echo 'no process id was reused'
	return 1
}

# session_named SNAPSHOT: prints the name and id of each process in the report.
session_named() {
	lttng-mm report dax --json "$1" | tr -d ' \n' | tr '}' '\n' |
		sed -n 's/.*"process":"\(dax-[^"]*\)","pid":\([0-9]*\),.*/\1 \2/p' | sort -u
}

# session_threads_named SNAPSHOT
session_threads_named() {
	session_named "$1" >"$work/named"
	session_is 'threads: ended processes are named in the report' \
		'dax-after dax-before dax-ended dax-first dax-second' "$(cut -d ' ' -f 1 "$work/named" | uniq | xargs)"
	session_is 'threads: a process keeps its id over exec, under another name' \
		"$(sed -n 's/^dax-before //p' "$work/named")" "$(sed -n 's/^dax-after //p' "$work/named")"
	session_is 'threads: two processes with the same id are told apart' "$first $first" \
		"$(sed -n "s/^dax-\(first\|second\) $first\$/$first/p" "$work/named" | xargs)"
	session_is 'threads: the events themselves have no process name' 0 \
		"$(babeltrace2 --output-format=ctf-metadata "$1/kernel" | grep -c procname)"
}

# session_filtered: creates a plain LTTng session with a filter on integer and enumeration fields.
session_filtered() {
	lttng create filtered --snapshot &&
		lttng enable-channel --kernel --session=filtered --overwrite ring &&
		lttng enable-event --kernel --session=filtered --channel=ring dax_pmd_fault_done \
			--filter 'result == 2048 && ino > 0 && vm_end > vm_start && (vm_flags & 8) != 0' &&
		lttng start filtered
}

# session_refused: checks that snapshots to another user's or a world-writable folder are refused.
session_refused() {
	rm -rf "$work/others" "$work/shared"
	mkdir "$work/others" "$work/others/root" "$work/shared"
	chown 65534 "$work/others"
	chmod 777 "$work/shared"
	session_fails "snapshot below another user's folder" 4 'others: belongs to user 65534' \
		snapshot --output "$work/others/root"
	session_fails 'snapshot to a world-writable folder' 4 'shared: other users can write.*chmod go-w' \
		snapshot --output "$work/shared"
	session_is '... no file is left there' '' "$(find "$work/others/root" "$work/shared" -mindepth 1)"
	chmod +t "$work/shared"
	session_is 'a world-writable folder with the sticky bit is accepted' yes \
		"$([ -d "$(lttng-mm snapshot --output "$work/shared")/kernel" ] && echo yes)"
}

# session_hidden: takes a snapshot while the kernel hides its addresses, even from root.
session_hidden() {
	restrict=$(cat /proc/sys/kernel/kptr_restrict)
	echo 2 >/proc/sys/kernel/kptr_restrict
	hidden=$(lttng-mm snapshot --output "$work" --name hidden)
	echo "$restrict" >/proc/sys/kernel/kptr_restrict
	session_is 'the snapshot notes that addresses are hidden' '1 0' \
		"$(grep -c '"symbols": "hidden"' "$hidden/sysinfo/system.json") $(wc -c <"$hidden/sysinfo/symbols.txt")"
	session_is '... and the next one has symbols' yes \
		"$([ -s "$(lttng-mm snapshot --output "$work" --name shown)/sysinfo/symbols.txt" ] && echo yes)"
	session_is 'at most two lists of symbols are cached' yes \
		"$([ "$(find /run/lttng-mm -name "symbols-*" | wc -l)" -le 2 ] && echo yes)"
}

# session_long: checks that LTTng accepts the longest path that `snapshot` accepts.
session_long() {
	long=$work/long long_part=$(printf '%0200d' 0)
	while [ ${#long} -lt 3600 ]; do
		long=$long/$long_part
	done
	mkdir -p "$long"
	while [ ${#long} -lt 3900 ]; do
		long=$long/$(printf '%010d' 0)
	done
	mkdir -p "$long"
	session_is "snapshot to a path of ${#long} bytes" yes \
		"$([ -s "$(lttng-mm snapshot --output "$long")/sysinfo/system.json" ] && echo yes)"
	long=$long/$long_part
	mkdir -p "${long%????????????????????}"
	session_fails 'snapshot to a longer path' 4 'choose an --output of at most' \
		snapshot --output "${long%????????????????????}"
}

# session_odd_names: tests a session name that another user may have chosen.
session_odd_names() {
	odd=$(printf 'lttng-mm-\033[31m;reboot-state')
	lttng create "$odd" --snapshot >/dev/null || return
	# The session's events make it a state session, whatever its name.
	lttng enable-event --kernel --session="$odd" lttng_statedump_process_state >/dev/null
	for command in status 'status --json' doctor 'doctor --json' stop; do
		# shellcheck disable=SC2086
		lttng-mm $command >"$work/odd" 2>&1
		session_is "$command: a hostile session name is shown without control characters" 'yes 0' \
			"$(grep -q 'reboot' "$work/odd" && echo yes) $(tr -d '\n\40-\176' <"$work/odd" | wc -c)"
		session_is "$command: ... and is not part of a suggested command" '' "$(grep -e '-> .*reboot' "$work/odd")"
	done
	session_is 'the session with the hostile name is stopped' 0 "$(lttng list | grep -c reboot)"
}

session_context() {
	sysinfo=$1/sysinfo
	for file in system.json traces.json modules.json symbols.txt mounts.json dax-devices.json processes.json \
		files.json slab-aliases.json slab-caches.json recorder.json; do
		session_is "sysinfo: has $file" yes "$([ -s "$sysinfo/$file" ] && echo yes)"
	done
	session_is 'sysinfo: contains no kernel address' 0 \
		"$(cat "$sysinfo"/* | grep -ciE '(^|[^0-9a-f])(0x)?ffff[0-9a-f]{12}([^0-9a-f]|$)')"
	session_is 'sysinfo: marks the snapshot as KASLR-safe, and has no addresses' '1 no' \
		"$(grep -c '"kaslr_safe": true' "$sysinfo/system.json") $([ -e "$sysinfo/addresses.json" ] || echo no)"
	# Compares the low 32 bits, because the shell's integers are signed.
	stext=$(awk '$3 == "_stext" { print substr($1, 9) }' /proc/kallsyms)
	address=$(awk '$3 == "dax_iomap_fault" { print substr($1, 9); exit }' /proc/kallsyms)
	session_is 'sysinfo: shows values of allowed kernel parameters only' \
		"root=... $(grep -o 'lttng_mm[^ ]*' /proc/cmdline | xargs)" \
		"$(grep -o 'root=[^ "]*' "$sysinfo/system.json") $(grep -o 'lttng_mm[^ "]*' "$sysinfo/system.json" | xargs)"
	session_is "sysinfo: symbols are relative to _stext" \
		"$(printf '%x' $((0x$address - 0x$stext)))" \
		"$(awk '$1 == "kernel" && $4 == "dax_iomap_fault" { print $2 }' "$sysinfo/symbols.txt")"
	session_is 'sysinfo: names the running boot' 1 \
		"$(grep -c "$(cat /proc/sys/kernel/random/boot_id)" "$sysinfo/system.json")"
	session_is 'sysinfo: names the DAX mount' 1 "$(grep -c '"dax": "always"' "$sysinfo/mounts.json")"
	session_is 'sysinfo: names the files' 1 "$(grep -c 'mnt/.*pmd-write"' "$sysinfo/files.json")"
}

# session_family PID...: prints these processes and all their descendants.
session_family() {
	for member; do
		echo "$member"
		# shellcheck disable=SC2046 # process ids
		(session_family $(pgrep -P "$member"))
	done
}

# session_recorder SNAPSHOT: checks that recorder.json lists lttng-mm, the session daemon and its
# descendants, with their start times.
session_recorder() {
	for pid in $(session_family "$(cat /run/lttng/lttng-sessiond.pid)"); do
		echo "$pid $(sed 's/.*) //' "/proc/$pid/stat" | awk '{ printf "%d0000000", $20 }') $(cat "/proc/$pid/comm")"
	done | sort -n >"$work/recorder.expected"
	tr -d ' \n' <"$1/sysinfo/recorder.json" | sed 's/}/&\n/g' |
		sed -n 's/.*"pid":\([0-9]*\),"start_ns":\([0-9]*\),"name":"\([^"]*\)"}/\1 \2 \3/p' >"$work/recorder.all"
	grep -v ' lttng-mm$' "$work/recorder.all" | sort -n >"$work/recorder.actual"
	session_is 'recorder.json has the daemons' "$(cat "$work/recorder.expected")" "$(cat "$work/recorder.actual")"
	session_is '... including a consumer daemon' yes "$(grep -q ' lttng-consumerd$' "$work/recorder.all" && echo yes)"
	session_is '... and lttng-mm itself' 1 "$(grep -c ' lttng-mm$' "$work/recorder.all")"
}

session() {
	device=$1
	session_fails 'snapshot without a recorder' 4 'lttng-mm record' snapshot
	session_fails 'record without a DAX mount' 4 'mount -o dax' record dax
	pmem_mkfs ext4 "$device" && pmem_mount "$device" "$work/mnt"
	check 'session: record starts' 60 lttng-mm record dax --no-daemon
	session_fails 'record twice' 4 'already recording' record dax
	session_is 'status shows the recorder' 1 \
		"$(lttng-mm status --all | grep -c '^lttng-mm-dax: profile dax, recording since 20[0-9-]*T[0-9:]*[Z+-][0-9:]*, 8 sub-buffers')"
	umount "$work/mnt"
	session_workload "$device"
	snapshot=$(lttng-mm snapshot --output "$work/snapshots" --name mine)
	session_is 'snapshot prints a folder, and only that' yes \
		"$([ -d "$snapshot/kernel" ] && echo yes)"
	session_is 'the output folder contains only the snapshot' 1 "$(find "$work/snapshots" -mindepth 1 -maxdepth 1 | wc -l)"
	session_context "$snapshot"
	session_recorder "$snapshot"
	check_function 'session: processes that end, call exec and share an id fault' session_threads "$work/mnt"
	session_threads_named "$(lttng-mm snapshot --output "$work" --name threads)"
	session_is 'verify: every listed stream exists' 1 \
		"$(lttng-mm verify "$snapshot" | grep -c '^Streams: none is missing')"
	cp -R "$snapshot" "$work/lacking"
	find "$work/lacking/kernel" -maxdepth 1 -name '*_0' -delete
	session_is 'verify: reports the missing stream of a CPU' 3 \
		"$(lttng-mm verify "$work/lacking" >/dev/null; echo $?)"
	session_is 'traces.json counts the packets that babeltrace2 counts' \
		"$(babeltrace2 "$snapshot/kernel" "$snapshot/state" -c sink.utils.counter | sed -n 's/^ *\([0-9]*\) [Pp]acket beginning messages/\1/p' | tail -n 1)" \
		"$(sed -n 's/.*"packets": \([0-9]*\).*/\1/p' "$snapshot/sysinfo/traces.json" | awk '{ n += $1 } END { print n }')"
	session_events "$snapshot" >"$work/events.ours"
	session_is 'the trace is CTF 1.8' yes \
		"$(grep -aq 'minor = 8;' "$snapshot/kernel/metadata" && echo yes)"
	check_metadata session "$snapshot"
	check_captured dax "$snapshot"
	session_refused
	session_hidden
	session_long
	check 'session: stop' 60 lttng-mm stop
	session_fails 'stop twice' 4 'no recorder is running' stop
	session_odd_names
	umount "$work/mnt"

	lttng-mm record dax --session plain --dry-run >"$work/dry-run.sh"
	check 'session: the commands of the dry run succeed' 60 sh -e "$work/dry-run.sh"
	session_filtered >"$work/filtered.log" 2>&1
	session_is 'a concurrent session with a filter starts' 0 $?
	session_workload "$device"
	lttng snapshot record --session=filtered "file://$work/filtered" >/dev/null
	lttng destroy filtered >/dev/null
	lttng snapshot record --session=lttng-mm-plain "file://$work/plain" >/dev/null
	session_events "$work/plain" >"$work/events.plain"
	session_is 'the dry run records the same events' "$(cat "$work/events.ours")" \
		"$(cat "$work/events.plain")"
	session_is "the filter passes all matching events" \
		"$(lttng-mm print "$work/plain" | grep -c 'dax_pmd_fault_done: .* FALLBACK$')" \
		"$(lttng-mm print "$work/filtered" | grep -c 'dax_pmd_fault_done: .* FALLBACK$')"
	session_is '... there are matching events' yes \
		"$(lttng-mm print "$work/filtered" | grep -q 'FALLBACK$' && echo yes)"
	session_is '... and no others' 0 \
		"$(lttng-mm print "$work/filtered" | grep -vc 'dax_pmd_fault_done: .* FALLBACK$')"
	session_is 'there are events' yes "$([ -s "$work/events.ours" ] && echo yes)"
	check 'session: stop by name' 60 lttng-mm stop --session plain
	umount "$work/mnt"
}
