# SPDX-License-Identifier: LGPL-2.1-only
# Records real traces of many kinds for the reader's tests: every kernel event and system call with
# contexts, user-space events with a field of every kind, a lossy channel, a flight recorder whose
# buffers have wrapped, rotated files. The host then compares our reader's output for them with
# babeltrace2's (tests/kernel/compare-traces.sh). Sourced by run-all.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets tests, tracing and work
# shellcheck source=tests/kernel/lib.sh

# traces_formats: prints the metadata formats that this LTTng can write.
traces_formats() {
	if lttng_has_formats; then
		echo ctf-1.8 ctf-2
	else
		echo default
	fi
}

# traces_create NAME OPTION...: creates a session with the current format.
traces_create() {
	traces_name=$1
	shift
	[ "$format" = default ] || set -- "$@" "--trace-format=$format"
	lttng create "$traces_name" "$@"
}

# Runs a load that is short, because the guest is slow, but has a variety of events.
traces_workload() {
	find /usr/share -type f 2>/dev/null | head -n 400 | xargs cat >/dev/null 2>&1
	for _ in 1 2 3 4 5; do
		sh -c 'echo $$ >/tmp/traces-file; cat /tmp/traces-file; rm /tmp/traces-file' >/dev/null
	done
	dd if=/dev/zero of=/tmp/traces-zero bs=64k count=20 2>/dev/null
	rm -f /tmp/traces-zero
}

# Enables all contexts except prio: for prio, LTTng 2.13 calls a NULL pointer on 6.1.
traces_kernel() {
	traces_create all --output="$out/$format-kernel" &&
		lttng enable-channel -k --subbuf-size=1M --num-subbuf=4 ring &&
		lttng enable-event -k -c ring --all &&
		lttng add-context -k -c ring -t procname -t tid -t vpid -t nice -t hostname &&
		lttng start && traces_workload && lttng stop && lttng destroy
}

# Records into a small channel that discards events; its files are rotated at least three times.
traces_lossy() {
	traces_create lossy --output="$out/$format-lossy" &&
		lttng enable-channel -k --discard --subbuf-size=4k --num-subbuf=2 \
			--tracefile-size=16384 --tracefile-count=3 tiny &&
		lttng enable-event -k -c tiny 'sched_*,timer_*,kmem_*,irq_*,rcu_*' &&
		lttng enable-event -k -c tiny --syscall --all &&
		lttng start && traces_workload && lttng stop && lttng destroy
}

traces_recorder() {
	traces_create recorder --snapshot --output="$out/$format-recorder-output" &&
		lttng enable-channel -k --overwrite --subbuf-size=16k --num-subbuf=4 ring &&
		lttng enable-event -k -c ring --all && lttng start && traces_workload &&
		lttng snapshot record "file://$out/$format-recorder" && lttng destroy &&
		rm -rf "$out/$format-recorder-output"
}

traces_user() {
	traces_create user --output="$out/$format-user" &&
		lttng enable-channel -u --subbuf-size=256k --num-subbuf=8 ring &&
		lttng enable-event -u -c ring --all &&
		lttng add-context -u -c ring -t procname -t vtid -t vpid -t ip -t pthread_id &&
		lttng enable-channel -k --subbuf-size=256k --num-subbuf=4 second &&
		lttng enable-event -k -c second sched_switch,sched_process_exec &&
		lttng start && "$tests/ust-events" 2000 >/dev/null &&
		LD_PRELOAD=liblttng-ust-libc-wrapper.so ls -l /usr/bin >/dev/null &&
		lttng stop && lttng destroy
}

# traces_events FOLDER: true if babeltrace2 finds events in FOLDER.
traces_events() {
	[ "$(babeltrace2 "$1" 2>/dev/null | head -n 100 | wc -l)" = 100 ]
}

traces() {
	out=$work/traces
	mkdir -p "$out"
	check_function 'traces: the session daemon starts' daemon_start
	for format in $(traces_formats); do
		for kind in kernel lossy recorder user; do
			check_function "traces: $format: $kind is recorded" "traces_$kind"
			check_function "traces: $format: $kind has events" \
				traces_events "$out/$format-$kind"
		done
		# Checks only our own events, because we cannot change LTTng's declarations. Trace
		# Compass reads CTF 1.8 only.
		[ "$format" = ctf-2 ] ||
			check_metadata "traces: $format" --events dax_,slab_,page_ "$out/$format-kernel"
		# Reads the smallest trace in the guest; the host reads the others.
		check "traces: $format: verify finds no errors in user" 120 \
			lttng-mm verify "$out/$format-user"
	done
	uname -n >"$out/host-name"
}
