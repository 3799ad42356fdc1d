# SPDX-License-Identifier: LGPL-2.1-only
# Tests a recorder of several profiles: adding or stopping one profile must keep the data of the
# others. Also tests the plan when other programs interfere, LTTng's own events, and how recorders
# made with plain lttng commands are recognized. Sourced by run-all.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets tests and work
# shellcheck source=tests/kernel/lib.sh

plan_file=/run/lttng-mm/recorder.json

# plan_is NAME EXPECTED ACTUAL
plan_is() {
	is "plan: $1" "$2" "$3"
}

# plan_has: prints the suffixes of sessions and channels in the plan. plan_lists: prints the
# sessions in LTTng.
plan_has() {
	sed -n 's/^ *"name": "\(lttng-mm-.*\)",$/\1/p' "$plan_file" 2>/dev/null | sort | xargs
}
plan_lists() {
	# XML, because LTTng 2.16 changed the text output.
	lttng --mi=xml list 2>/dev/null | sed 's/<session>/\n&/g' | sed -n 's/^<session><name>\([^<]*\).*/\1/p' |
		sort | xargs
}

# plan_faults SNAPSHOT: prints the number of DAX faults in the snapshot.
plan_faults() {
	lttng-mm print "$1" | grep -c ' dax_p[mt][de]_fault: '
}

# plan_workload: causes DAX faults on a new filesystem, which stays mounted.
plan_workload() {
	umount "$work/mnt"
	session_workload "$device"
}

plan_snapshot() {
	lttng-mm snapshot "$1" --output "$work" --name "plan-$1"
}

# plan_layout SESSION: prints the session's channels and events as LTTng lists them, without its
# name.
plan_layout() {
	lttng --mi=xml list "$1" | sed 's/.*<domains>//; s/></>\n</g' | grep -vE 'discarded|lost|usage|stats|live_timer'
}

# Records two profiles with one recorder, stops one profile and adds it again.
plan_combines() {
	check 'plan: record dax slab' 120 lttng-mm record dax slab --subbuf-size=256k
	plan_is 'each profile has a session, and both share one for state' 'lttng-mm-dax lttng-mm-slab lttng-mm-state' "$(plan_lists)"
	plan_is '... the plan lists these sessions and their channels' 'lttng-mm-dax lttng-mm-rare lttng-mm-rare lttng-mm-slab lttng-mm-state lttng-mm-state' "$(plan_has)"
	plan_is '... which all may read' '644 755' "$(stat -c %a "$plan_file" "${plan_file%/*}" | xargs)"
	lttng-mm status --all >"$work/status"
	plan_is 'status shows both profiles and the recorder' '2 1' \
		"$(grep -c '^lttng-mm-\(dax: profile dax\|slab: profile slab\), recording since' "$work/status") $(grep -c '^  recorder lttng-mm: buffers take up to [0-9]* KiB' "$work/status")"
	plan_is 'doctor reports no problem' ok "$(lttng-mm doctor | awk '$2 == "recorders" { print $1 }')"
	plan_workload
	before=$(plan_faults "$(plan_snapshot dax)")
	# The number of faults depends on the kernel: 9 on 6.1, more on 6.12.
	plan_is 'dax has faults of each of the three kinds' yes "$([ "$before" -ge 3 ] && echo yes)"
	check_metadata plan "$(plan_snapshot slab)"
	both=$(lttng-mm snapshot --output "$work" --name plan-both)
	plan_is 'a snapshot has both profiles and their state' 'kernel/dax kernel/slab state' \
		"$(cd "$both" && find . -name metadata | sed 's|^./\(.*\)/metadata$|\1|' | sort | xargs)"
	plan_is '... with the same faults' "$before" "$(plan_faults "$both")"
	plan_is '... with one clock' 1 "$(find "$both" -name metadata -exec grep -aho 'offset = [0-9]*;' {} + | sort -u | wc -l)"
	check 'plan: ... a slab report succeeds' 60 lttng-mm report slab "$both"
	check 'plan: stop slab' 60 lttng-mm stop slab
	plan_is '... only its session ends' 'lttng-mm-dax lttng-mm-state' "$(plan_lists)"
	check 'plan: record slab again' 60 lttng-mm record slab --subbuf-size=256k
	plan_is '... the new session shares the state session' 'lttng-mm-dax lttng-mm-slab lttng-mm-state' "$(plan_lists)"
	plan_is 'dax kept its faults' "$before" "$(plan_faults "$(plan_snapshot dax)")"
	session_fails 'record of an active profile says that it is recording' 4 'slab: already recording in session lttng-mm-slab' record slab
	plan_is '... has no effect' 'lttng-mm-dax lttng-mm-slab lttng-mm-state' "$(plan_lists)"
	check 'plan: stop both' 60 lttng-mm stop
	plan_is '... no session and no plan is left' ' no' "$(plan_lists) $([ -e "$plan_file" ] || echo no)"
}

# Adds a profile that needs state events that the first profile's session does not have.
plan_adds() {
	check 'plan: record dax' 60 lttng-mm record dax --subbuf-size=256k
	check 'plan: add slab' 60 lttng-mm record slab --subbuf-size=256k
	plan_is 'slab gets a state session of its own' 'lttng-mm-dax lttng-mm-dax-state lttng-mm-slab lttng-mm-slab-state' "$(plan_lists)"
	plan_is '... with only the events that the first one lacks' 0 \
		"$(lttng list lttng-mm-slab-state | grep -c process_statedump_thread)"
	both=$(lttng-mm snapshot --output "$work" --name plan-added)
	plan_is 'a snapshot has both state dumps' 'kernel/dax kernel/slab state/dax state/slab' \
		"$(cd "$both" && find . -name metadata | sed 's|^./\(.*\)/metadata$|\1|' | sort | xargs)"
	check 'plan: stop dax' 60 lttng-mm stop dax
	plan_is 'slab keeps both state sessions' 'lttng-mm-dax-state lttng-mm-slab lttng-mm-slab-state' "$(plan_lists)"
	check 'plan: stop slab' 60 lttng-mm stop slab
	plan_is '... they end with it' '' "$(plan_lists)"
	lttng-mm record slab --subbuf-size=256k >/dev/null 2>"$work/plan.slab" &
	slab_pid=$!
	lttng-mm record dax --subbuf-size=256k >/dev/null 2>"$work/plan.dax"
	plan_is 'two commands at once: record dax succeeds' 0 $?
	wait "$slab_pid"
	plan_is 'two commands at once: record slab succeeds' 0 $?
	plan_is '... both are in the plan' '1 1' \
		"$(grep -c '"name": "lttng-mm-dax"' "$plan_file") $(grep -c '"name": "lttng-mm-slab"' "$plan_file")"
	check 'plan: stop dax slab' 60 lttng-mm stop dax slab
	plan_is '... and nothing is left' '' "$(plan_lists)"
}

# Tests the plan when other programs stop, destroy and replace its sessions.
plan_others() {
	check 'plan: record dax, before others interfere' 60 lttng-mm record dax --no-daemon
	lttng stop lttng-mm-dax >/dev/null
	lttng-mm status --all >"$work/status" 2>&1
	plan_is 'status shows that another program stopped the session' 1 "$(grep -c '^lttng-mm-dax: profile dax, stopped by another program' "$work/status")"
	grep -q 'stopped by another program' "$work/status" || diag <"$work/status"
	lttng destroy lttng-mm-dax >/dev/null
	plan_is 'status shows that the session is gone' 1 "$(lttng-mm status --all | grep -c '^lttng-mm-dax: profile dax, gone')"
	plan_is '... doctor, too' note "$(lttng-mm doctor | awk '$2 == "recorders" { print $1 }')"
	sleep 1
	lttng create lttng-mm-dax --snapshot >/dev/null
	plan_is "a later session of the same name is not the recorder's" '1 1' \
		"$(lttng-mm status --all | grep -c '^lttng-mm-dax: .*gone') $(lttng-mm status --all | grep -c '^lttng-mm-dax: profile ?, stopped')"
	lttng destroy lttng-mm-dax >/dev/null
	lttng-mm record dax --no-daemon >"$work/plan.out" 2>"$work/plan.err"
	plan_is 'recording again succeeds with a note' '0 1' "$? $(grep -c 'note: lttng-mm-dax was already gone' "$work/plan.err")"
	lttng destroy -a >/dev/null
	check 'plan: record slab when dax is gone' 60 lttng-mm record slab --subbuf-size=256k --no-daemon
	plan_is '... the plan still contains dax' '1 1' \
		"$(lttng-mm status --all | grep -c '^lttng-mm-dax: profile dax, gone') $(lttng-mm status --all | grep -c '^lttng-mm-slab: profile slab, recording')"
	check 'plan: record dax, too' 60 lttng-mm record dax --no-daemon
	plan_is '... both record, with the threads' '1 1 1' \
		"$(lttng-mm status --all | grep -c '^lttng-mm-dax: profile dax, recording') $(lttng-mm status --all | grep -c '^lttng-mm-slab: profile slab, recording') $(
			cat "$(lttng-mm snapshot --output "$work" --name plan-again)"/state/*/metadata | grep -c 'name = "process_statedump_thread"')"
	check 'plan: stop slab again' 60 lttng-mm stop slab
	daemon_stop >/dev/null 2>&1
	plan_is 'after the session daemon ended, status shows that the session is gone' 1 "$(lttng-mm status --all | grep -c '^lttng-mm-dax: profile dax, gone')"
	lttng-mm stop >"$work/plan.out" 2>"$work/plan.err"
	plan_is '... stop says so' '0 1 no' \
		"$? $(grep -c 'lttng-mm-dax was already gone' "$work/plan.err") $([ -e "$plan_file" ] || echo no)"
}

plan_events() {
	session_fails 'plan: a misspelt event is refused' 2 "no event 'sched_swich'; similar names: sched_switch" \
		record --events=sched_swich
	session_fails 'plan: a misspelt system call is refused' 2 "no event 'syscall:opennat'; similar names: syscall:openat" \
		record --events=syscall:opennat
	mkdir -p /etc/lttng-mm/profiles
	printf '%s\n' '[events]' 'record = dax_*' 'record = dex_*' >/etc/lttng-mm/profiles/own.conf
	session_fails 'plan: a profile with an unknown event is refused' 2 "own.conf:3: the kernel has no event 'dex_\*'" record own
	plan_is '... starts nothing' '' "$(plan_lists)"
	rm -r /etc/lttng-mm/profiles
	check 'plan: record dax with events' 60 lttng-mm record dax --events=sched_switch,syscall:openat --budget=24M
	plan_is "status shows that LTTng's own events are not KASLR-safe" 1 "$(lttng-mm status --all | grep -c '^lttng-mm-events: profile events, .* not KASLR-safe')"
	plan_is 'the buffers stay within the budget' yes \
		"$([ "$(($(lttng-mm status --all | sed -n 's/.*buffers take up to \([0-9]*\) KiB.*/\1/p') * 2))" -le $((24 * 1024)) ] && echo yes)"
	cat /proc/uptime >/dev/null
	events=$(plan_snapshot events)
	lttng-mm print "$events" | awk '{ print $4 }' | sort -u >"$work/events"
	plan_is '... the chosen events are recorded' 'sched_switch syscall_entry_openat syscall_exit_openat' \
		"$(grep -oE '^(sched_switch|syscall_[a-z]*_openat)' "$work/events" | xargs)"
	plan_is '... and the snapshot is marked as not KASLR-safe' 1 "$(grep -c '"kaslr_safe": false' "$events/sysinfo/system.json")"
	plan_is 'a snapshot of dax alone is KASLR-safe' 1 "$(plan_workload; grep -c '"kaslr_safe": true' "$(plan_snapshot dax)/sysinfo/system.json")"
	check 'plan: stop events' 60 lttng-mm stop events
	check 'plan: stop dax, too' 60 lttng-mm stop
}

# Runs the commands of a dry run with session names that reveal no profile.
plan_plain() {
	lttng-mm record dax slab --session=x --dry-run | sed 's/lttng-mm-x-/other-/g' >"$work/dry-run.sh"
	check 'plan: the commands of a dry run of two profiles succeed' 120 sh -e "$work/dry-run.sh"
	plan_is 'the sessions are recognized by their events' '1 1' \
		"$(lttng-mm status --all | grep -c '^other-dax: profile dax, recording') $(lttng-mm status --all | grep -c '^other-slab: profile slab, recording')"
	check 'plan: record dax slab, to compare' 120 lttng-mm record dax slab
	for session in dax slab state; do
		plan_layout "lttng-mm-$session" >"$work/plan.ours"
		plan_layout "other-$session" >"$work/plan.plain"
		plan_is "the dry run creates the same session $session" "$(cat "$work/plan.ours")" "$(cat "$work/plan.plain")"
	done
	check 'plan: stop the recorder' 60 lttng-mm stop --session lttng-mm
	check 'plan: stop a recognized session' 60 lttng-mm stop dax
	plan_is '... the other session keeps the state session' 'other-slab other-state' "$(plan_lists)"
	check 'plan: stop the other recognized session' 60 lttng-mm stop --session other-slab
	plan_is '... with it' '' "$(plan_lists)"
}

plan() {
	device=$1
	pmem_mkfs ext4 "$device" && pmem_mount "$device" "$work/mnt" || return
	for plan_part in combines adds others events plain; do
		"plan_$plan_part"
	done
	umount "$work/mnt"
	check_function 'plan: the session daemon ends' daemon_stop
	for module in lttng_probe_slab lttng_probe_dax; do
		! grep -q "^$module " /proc/modules || rmmod "$module"
	done
}
