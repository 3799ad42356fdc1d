# SPDX-License-Identifier: LGPL-2.1-only
# Runs the five commands of doc/on-call.md as a member of the group tracing. Before that, an
# application whose faults on a DAX filesystem fall back has logged an error. Sourced by run-all.sh
# after serve.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets tests and work
# shellcheck source=tests/kernel/lib.sh

# on_call_is NAME EXPECTED ACTUAL
on_call_is() {
	is "on-call: $1" "$2" "$3"
}

# on_call_section TITLE PROMPT: prints the commands of a section of the page.
on_call_section() {
	awk -v title="## $1" -v prompt="$2" '
		/^## / { inside = index($0, title) == 1 }
		inside && $1 == prompt {
			sub(/^ *[$#] /, "")
			print
		}' "$tests/on-call.md"
}

# on_call_run DIR: runs the commands from standard input in one shell. Writes the output of each to
# files in DIR.
on_call_run() {
	awk -v file="$1/" '{
		out = file NR
		printf "{ %s\n} >%s.out 2>%s.err; echo $? >%s.status\n", $0, out, out, out
	}' >"$1/commands"
	serve_as "$(serve_group)" timeout 300 sh "$1/commands"
}

# on_call_has N PATTERN: prints yes if a line of the output of command N matches.
on_call_has() {
	if grep -qE "$2" "$out/$1.out"; then
		echo yes
	else
		sed 's/^/# /' "$out/$1.out" >&2
	fi
}

on_call_mount() {
	pmem_mkfs ext4 "$1" && pmem_mount "$1" "$work/mnt"
}

# on_call DEVICE
on_call() {
	out=$work/on-call
	rm -rf "$out"
	mkdir -p "$out"
	chown "$serve_user:$serve_user" "$out"
	chmod 755 "$work"
	on_call_section 'At the error' '$' >"$work/on-call.commands"
	on_call_is 'the page has five commands' 5 "$(wc -l <"$work/on-call.commands")"
	check_function 'on-call: a filesystem with DAX' on_call_mount "$1" || return
	serve_group >/dev/null
	check_function 'on-call: the recorder daemon runs' serve_start || return
	check 'on-call: the recorder starts' 120 sh -c "$(on_call_section 'Before the error' '#')" || return
	# An application that faults and logs the error.
	check 'on-call: an application faults' 120 "$tests/dax-workload" --quiet \
		--only pmd-write,mapping-misaligned,extent-short "$work/mnt"
	on_call_run "$out" <"$work/on-call.commands"
	on_call_is 'all succeed' '0 0 0 0 0' "$(cat "$out"/[1-5].status | xargs)"
	cat "$out"/*.err | sed 's/^/# /'
	on_call_is 'status: all buffers reach back' yes "$(on_call_has 1 '^All buffers .*reach back ')"
	trace=$(find /var/tmp -maxdepth 1 -name 'snapshot-*' | tail -n 1)
	on_call_is 'the reason is kept' 1 "$(grep -c 'request 4711 took 1.2 s' "$trace/snapshot.json")"
	on_call_is 'info: all buffers reach back, without losses' yes "$(on_call_has 3 '^All buffers reach back .*; nothing was lost')"
	on_call_is 'report dax: the cause' yes "$(on_call_has 4 '^[A-Z][a-z]* cause( of fallbacks)?: ')"
	on_call_is 'report dax: its remedy' yes "$(on_call_has 4 '^Remedy[a-z, ]*: ')"
	on_call_is 'the snapshot has the switches that report why needs' yes \
		"$(lttng-mm print --events sched_switch "$trace" | grep -qm 1 ' sched_switch: ' && echo yes)"
	on_call_is '... and reveals no kernel address' 1 "$(grep -c '"kaslr_safe": true' "$trace/sysinfo/system.json")"
	on_call_is 'report slab: the largest consumer' yes "$(on_call_has 5 '^Most allocated [(]freed memory included[)]: ')"
	check 'on-call: the recorder stops' 60 lttng-mm stop
	kill "$(serve_pid)"
	umount "$work/mnt"
	rm -rf "$trace"
}
