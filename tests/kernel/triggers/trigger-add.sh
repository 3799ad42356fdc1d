# SPDX-License-Identifier: LGPL-2.1-only
# Tests that `trigger add` refuses conditions that LTTng would accept but that never match. Also
# tests that other triggers are added and stored. Sourced by run-all.sh after serve.sh.
# shellcheck shell=sh disable=SC2154,SC2016  # run-all.sh sets work; $ctx is not a variable

# add_is NAME EXPECTED ACTUAL
add_is() {
	is "trigger-add: $1" "$2" "$3"
}

# add_accepts CONDITION FILTER [OPTION...]: checks that the condition is accepted, and that its
# filter becomes FILTER, with numbers instead of labels.
add_accepts() {
	accepts_on=$1 accepts_filter=$2
	shift 2
	lttng-mm trigger add test --on "$accepts_on" --dry-run "$@" >"$out/add.json" 2>"$out/add.err"
	add_is "$accepts_on is accepted" "0 $accepts_filter" \
		"$? $(sed -n 's/^  "filter": "\(.*\)",*$/\1/p' "$out/add.json")"
	sed 's/^/# /' "$out/add.err"
}

# add_refuses CONDITION TEXT [OPTION...]: checks that the condition is refused with a message that
# contains TEXT.
add_refuses() {
	refuses_on=$1 refuses_text=$2
	shift 2
	lttng-mm trigger add test --on "$refuses_on" --dry-run "$@" >"$out/add.json" 2>"$out/add.err"
	add_is "$refuses_on is refused" "2 1" "$? $(grep -cF -e "$refuses_text" "$out/add.err")"
	sed 's/^/# /' "$out/add.err"
}

add_events() {
	add_accepts 'dax_pmd_fault_done if result & FALLBACK' 'result & 2048' --capture 'address,$ctx.tid'
	add_accepts 'dax_pmd_fault_done if (result&(OOM|SIGBUS)) != 0 && (flags & WRITE) == 0' \
		'( result & ( 1 | 2 ) ) != 0 && ( flags & 1 ) == 0'
	add_refuses 'dax_pmd_fault_done if result&(OOM|SIGBUS) && !(flags & WRITE)' \
		'the tracer never matches the result of a bitwise operator next to && or ||; compare it'
	add_accepts 'rate sched_switch if prev_comm == "sh" && $ctx.cpu_id == 1 > 10/s' \
		'prev_comm == \"sh\" && $ctx.cpu_id == 1'
	add_refuses 'dax_pmd_fault_don' "no event is named 'dax_pmd_fault_don'; similar names: dax_pmd_fault_done,"
	add_refuses 'sched_swich' "no event is named 'sched_swich'; similar names: sched_switch,"
	add_refuses 'syscall:opennat' "no event is named 'syscall:opennat'; similar names: syscall:openat,"
	add_refuses 'dax_pmd_fault_done if reslt & FALLBACK' "no field 'reslt'; the event's fields: result,"
	add_refuses 'dax_pmd_fault_done if result & FALBACK' "a label of result; its labels: FALLBACK,"
	add_refuses 'sched_switch' "no field 'prev_com'; the event's fields: prev_comm," --capture prev_com
	add_refuses 'sched_switch if $ctx.cpuid == 1' "no context 'cpuid'; known after \$ctx.: cpu_id,"
	add_refuses 'sched_switch if prev_comm == 1' 'prev_comm is a string'
	add_refuses 'sched_switch if prev_tid + 1 == 2' 'is not a filter of LTTng'
}

add_calls() {
	lttng-mm trigger add test --on 'syscall:openat if filename == "/etc/passwd"' --dry-run >/dev/null
	add_is 'a filter on a field of the entry of a system call is accepted' 0 $?
	lttng-mm trigger add test --on 'syscall:openat if ret < 0' --dry-run >/dev/null
	add_is 'a filter on a field of the exit of a system call is accepted' 0 $?
	add_refuses 'syscall:openat if fielname == "x"' "no field 'fielname'; the event's fields: filename,"
}

add_traceless() {
	add_is 'no session of the check is left' '' "$(lttng list 2>/dev/null | grep -i check)"
	add_is 'no folder of the check is left' '' "$(ls -d /tmp/check-* 2>/dev/null)"
	add_began=$(date +%s%N)
	lttng-mm trigger add test --on 'sched_switch if prev_tid == 1' --dry-run >/dev/null
	echo "# checking a condition took $((($(date +%s%N) - add_began) / 1000000)) ms"
	serve_as "$(serve_group)" lttng-mm trigger add test --on 'sched_wakeup if prev_com == 1' --dry-run 2>"$out/add.err"
	add_is 'a user id without a passwd entry gets a remedy' "4 1" "$? $(grep -c 'getent passwd' "$out/add.err")"
	sed 's/^/# /' "$out/add.err"
	# Add the user to /etc/passwd: LTTng's consumer daemon looks up the user's groups.
	grep -q "^trigger:" /etc/passwd || echo "trigger:x:$serve_user:$serve_user::/:/bin/sh" >>/etc/passwd
	# Since 2.16, the session daemon looks up the groups, too. Older session daemons ask the
	# kernel.
	case $(lttng --version) in
	*' 2.1'[345].*) ;;
	*)
		serve_as "$(serve_group)" lttng-mm trigger add test --on 'sched_switch if prev_com == 1' --dry-run 2>"$out/add.err"
		add_is 'a user who is not listed in the group gets a remedy' 1 "$(grep -c 'getent group' "$out/add.err")"
		;;
	esac
	sed -i '/^tracing:/s/^\(tracing:[^:]*:[0-9]*:\).*/\1trigger/' /etc/group
	serve_as "$(serve_group)" lttng-mm trigger add test --on 'sched_switch if prev_com == 1' --dry-run 2>"$out/add.err"
	add_is 'a member of the group tracing is told the nearest names' "2 1" "$? $(grep -c prev_comm "$out/add.err")"
	sed 's/^/# /' "$out/add.err"
}

# Tests that the next check that uses the tracer removes sessions and folders of a killed check, and
# nothing else.
add_swept() {
	for add_left in check-mm-abcdef check-mine; do
		lttng create $add_left --output=/tmp/$add_left >/dev/null
	done
	mkdir -p /tmp/check-mm-ghijkl
	lttng-mm trigger add test --on sched_process_exit --dry-run >/dev/null
	add_is 'sessions of killed checks are removed' check-mine \
		"$(lttng list 2>/dev/null | grep -o 'check-m[a-z-]*' | sort -u | xargs)"
	add_is 'folders of killed checks are removed' '' "$(ls -d /tmp/check-mm-* 2>/dev/null)"
	lttng destroy check-mine >/dev/null
	rm -rf /tmp/check-mine
	add_began=$(date +%s%N)
	lttng-mm trigger add test --on sched_process_exit --dry-run >/dev/null
	echo "# checking a condition of a known event took $((($(date +%s%N) - add_began) / 1000000)) ms"
	add_is 'the answer of the tracer is cached' 1 "$(find /run/lttng-mm/fields -name sched_process_exit | wc -l)"
}

# add_names: prints the names of the daemon's triggers.
add_names() {
	lttng-mm trigger list --json | sed -n 's/^ *"name": "\(.*\)",*$/\1/p' | xargs
}

add_restart() {
	add_pid=$(serve_pid)
	kill "$add_pid"
	wait_for 30 process_gone "$add_pid"
	serve_start
}

# Tests that the daemon stores accepted triggers across a restart, but no refused ones.
add_kept() {
	serve_start
	add_is 'the daemon runs' 0 $?
	lttng-mm trigger add fallback --on 'dax_pmd_fault_done if result & FALLBACK' --capture address 2>"$out/add.err"
	add_is 'a trigger is added' 0 $?
	sed 's/^/# /' "$out/add.err"
	lttng-mm trigger add wrong --on 'dax_pmd_fault_done if result & FALBACK' 2>"$out/add.err"
	add_is 'the daemon refuses a misspelt label' "2 1" "$? $(grep -c 'its labels: FALLBACK,' "$out/add.err")"
	serve_as "$(serve_group)" lttng-mm trigger add own --on 'journal unit=x.service y' 2>"$out/add.err"
	add_is 'a member of the group tracing adds a trigger' 0 $?
	sed 's/^/# /' "$out/add.err"
	serve_as "$(serve_group)" lttng-mm trigger remove fallback 2>/dev/null
	add_is 'a member of the group cannot remove a trigger of root' 1 "$(($? != 0))"
	add_is 'both triggers are listed' 'fallback own' "$(add_names)"
	add_is 'both triggers are stored' 'fallback.json own.json 0' \
		"$(cd /var/lib/lttng-mm/triggers && echo *) $(stat -c %u /var/lib/lttng-mm/triggers/own.json)"
	echo '{ "name": "bad"' >/var/lib/lttng-mm/triggers/bad.json
	add_restart
	add_is 'a restart keeps the triggers, except a damaged one' 'fallback own' "$(add_names)"
	serve_as "$(serve_group)" lttng-mm trigger remove own
	add_is 'a user removes their own trigger' '0 fallback' "$? $(add_names)"
	lttng-mm trigger remove fallback
	add_is 'root removes any trigger' '0 ' "$? $(add_names)"
	rm -f /var/lib/lttng-mm/triggers/bad.json
	kill "$(serve_pid)"
}

trigger_add() {
	out=$work/trigger-add
	mkdir -p "$out"
	serve_group >/dev/null
	daemon_stop
	daemon_start
	check 'trigger-add: the probe of DAX faults is loaded' 30 modprobe lttng-probe-dax
	add_events
	add_calls
	add_traceless
	add_swept
	add_kept
	daemon_stop
}
