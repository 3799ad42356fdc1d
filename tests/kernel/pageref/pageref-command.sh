# SPDX-License-Identifier: LGPL-2.1-only
# Records page references of commands and of running processes with `lttng-mm record page-ref`.
# Sourced by run-all.sh after pageref.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets work, pageref.sh the others
# shellcheck source=tests/kernel/lib.sh

# pageref_record FOLDER ARGUMENT...: records to $out/FOLDER. Writes the output to $out/FOLDER.out
# and .err, and sets status.
pageref_record() {
	pageref_folder=$out/$1
	shift
	lttng-mm record page-ref --output="$pageref_folder" --max-overhead=none "$@" \
		>"$pageref_folder.out" 2>"$pageref_folder.err"
	status=$?
}

# pageref_touches FOLDER NAME [KIND]: counts the touches, of a kind, in address spaces of processes
# with this name.
pageref_touches() {
	babeltrace2 "$out/$1" 2>/dev/null | awk -v name="$2" -v kind="${3:-.*}" '
		function value(field, t) {
			t = $0
			if (!sub(".*[{ ]" field " = ", "", t)) return ""
			sub(/^\( /, "", t)
			sub(/^"/, "", t)
			sub(/[",} ].*/, "", t)
			return t
		}
		/ pageref_mm: / && value("name") == name { mine[value("mm")] = 1 }
		/ pageref_touch: / && value("mm") in mine && value("kind") ~ "^" kind "$" { count++ }
		END { print count + 0 }'
}

# pageref_above NAME MINIMUM ACTUAL
pageref_above() {
	if [ "$3" -gt "$2" ]; then
		ok "pageref: $1 ($3)"
	else
		not_ok "pageref: $1 ($3)"
	fi
}

# True if the session of a recording is active. The text form of LTTng 2.16 differs.
pageref_is_active() {
	lttng --mi xml list 2>/dev/null | tr -d '\n' |
		grep -q '<name>page-ref</name>.*<enabled>true</enabled>'
}

pageref_has_no_session() {
	! lttng --mi xml list 2>/dev/null | grep -q '<name>page-ref</name>'
}

# True if no process has the control file open.
pageref_is_free() {
	(exec 6<>"$pageref_device") 2>/dev/null
}

# A compilation: a shell executes gcc, which executes cc1 and as.
pageref_command_compile() {
	echo 'int main(void) { return 0; }' >"$out/x.c"
	pageref_record gcc --interval=100 -- sh -c "gcc -c '$out/x.c' -o '$out/x.o'; echo compiled"
	sed 's/^/# /' "$out/gcc.err"
	pageref_is 'a compilation is recorded' '0 compiled yes' \
		"$status $(cat "$out/gcc.out") $([ -s "$out/x.o" ] && echo yes)"
	pageref_is '... the folder is printed' 1 "$(grep -cx "lttng-mm: recorded in $out/gcc" "$out/gcc.err")"
	pageref_is '... no event is discarded' 0 "$(grep -c discarded "$out/gcc.err")"
	pageref_is '... the session is gone' yes "$(pageref_has_no_session && echo yes)"
	check_function '... another process can open the control file' pageref_is_free
	check '... babeltrace2 reads the folder' 120 babeltrace2 "$out/gcc"
	check '... lttng-mm info calls it complete' 120 lttng-mm info --require-complete "$out/gcc"
	# gcc 16 executes x86_64-linux-gnu-as; the kernel keeps 15 characters of the name.
	pageref_as=$(basename "$(gcc -print-prog-name=as)" | cut -c 1-15)
	for pageref_name in sh gcc cc1 "$pageref_as"; do
		pageref_above "... touches of $pageref_name" 30 "$(pageref_touches gcc "$pageref_name")"
	done
	pageref_above '... also before the first pass' 20 "$(pageref_touches gcc cc1 DEMAND)"
	lttng-mm report page-ref "$out/gcc" >"$out/gcc.report" 2>&1
	pageref_is '... the report names the compiler' "0 yes" \
		"$? $(grep -q cc1 "$out/gcc.report" && echo yes)"
	pageref_is '... and the system information has the kernel' "$(uname -r)" \
		"$(sed -n 's/^ *"kernel_release": "\(.*\)",*$/\1/p' "$out/gcc/sysinfo/system.json")"
}

pageref_command_status() {
	pageref_record three -- sh -c 'exit 3'
	pageref_is 'the status of the command is passed' 3 "$status"
	pageref_record killed -- sh -c 'kill -9 $$'
	pageref_is 'the status of a killed command' 137 "$status"
	pageref_record missing -- "$out/no-such-program"
	pageref_is 'a missing program: 127, one line, and no folder' '127 1 no' \
		"$status $(grep -c no-such-program "$out/missing.err") $([ -e "$out/missing" ] && echo yes || echo no)"
	pageref_record noexec -- "$out/x.c"
	pageref_is 'a file that is no program: 126' 126 "$status"
	pageref_record three -- touch "$out/executed"
	pageref_is 'a folder that is not empty: 125, and the command does not run' '125 no' \
		"$status $([ -e "$out/executed" ] && echo yes || echo no)"
	pageref_is 'after failures, no session is left' yes "$(pageref_has_no_session && echo yes)"
	check_function 'after failures, nobody has the control file open' pageref_is_free
}

# The metrics of a run must include the processes that its command starts.
pageref_command_run() {
	lttng-mm run --profile page-ref -o "$out/run" -- sh -c "'$tests/known-set' 8 2 250; true" >"$out/run.out" 2>"$out/run.err"
	status=$?
	pageref_run_bytes=$(lttng-mm metrics "$out/run" |
		sed -n 's/^pageref.working_set_bytes{window="interval",q="0.5"} \([0-9]*\) bytes$/\1/p')
	pageref_is 'a run is recorded' 0 "$status"
	pageref_above 'a run includes the processes that its command starts' 8388607 "${pageref_run_bytes:-0}"
}

# pageref_command_loop NAME: starts recording a shell that touches its memory until $out/NAME.go
# exists, and then writes NAME.done.
pageref_command_loop() {
	# shellcheck disable=SC2016 # the inner shell expands these
	lttng-mm record page-ref --output="$out/$1" --interval=100 --max-overhead=none -- sh -c '
		trap "exit 5" TERM
		: >"$1.ready"
		while [ ! -e "$1.go" ]; do :; done
		LC_ALL=C sort /proc/kallsyms >"$1.sorted"
		: >"$1.done"' sh "$out/$1" >"$out/$1.out" 2>"$out/$1.err" &
	pageref_pid=$!
	wait_for 60 [ -e "$out/$1.ready" ]
}

pageref_command_signals() {
	check_function 'pageref: a loop is recorded' pageref_command_loop term
	pageref_record second -- true
	pageref_is 'a second recorder is refused' '125 1' \
		"$status $(grep -c 'another process records page references' "$out/second.err")"
	kill -TERM "$pageref_pid"
	wait "$pageref_pid"
	pageref_is 'SIGTERM ends the command, whose status is passed' 5 "$?"
	pageref_above '... its touches until then are recorded' 10 "$(pageref_touches term sh)"

	check_function 'pageref: another loop is recorded' pageref_command_loop kill
	sleep 1
	kill -KILL "$pageref_pid"
	wait "$pageref_pid" 2>/dev/null
	check_function 'pageref: when the recorder is killed, the control file is free' wait_for 10 pageref_is_free
	check_function 'pageref: ... the session is destroyed' wait_for 30 pageref_has_no_session
	: >"$out/kill.go"
	check_function 'pageref: ... the command goes on to its end' wait_for 60 [ -e "$out/kill.done" ]
	pageref_is '... with correct data' yes "$(LC_ALL=C sort -c "$out/kill.sorted" 2>/dev/null && echo yes)"
	check '... what was recorded can be read' 120 babeltrace2 "$out/kill"
}

pageref_command_pid() {
	# shellcheck disable=SC2016
	sh -c 'while :; do :; done' &
	pageref_loop=$!
	# Background processes of a script ignore SIGINT, so the recorder is ended with SIGTERM.
	lttng-mm record page-ref --output="$out/pid" --interval=100 --max-overhead=none --pid="$pageref_loop" \
		>"$out/pid.out" 2>"$out/pid.err" &
	pageref_pid=$!
	check_function 'pageref: a running process is recorded' wait_for 60 pageref_is_active
	sleep 3
	kill -TERM "$pageref_pid"
	wait "$pageref_pid"
	pageref_is '... until SIGTERM' "0 $out/pid" "$? $(cat "$out/pid.out")"
	sed 's/^/# /' "$out/pid.err"
	pageref_above '... after each pass, it touches its pages again' 10 "$(pageref_touches pid sh ARMED)"
	pageref_is '... and continues' yes "$(kill -0 "$pageref_loop" && echo yes)"
	kill "$pageref_loop"
	wait "$pageref_loop" 2>/dev/null
	pageref_record gone --pid="$pageref_loop"
	pageref_is 'a process that does not exist: 2, and no folder' '2 1 no' \
		"$status $(grep -c 'there is no process with this ID' "$out/gone.err") $([ -e "$out/gone" ] && echo yes || echo no)"
}

pageref_command() {
	out=$work/pageref-command
	rm -rf "$out"
	mkdir -p "$out"
	check_function 'pageref: no session daemon runs' daemon_stop
	pageref_command_compile
	pageref_command_status
	pageref_command_run
	pageref_command_signals
	pageref_command_pid
	check_function 'pageref: the session daemon ends' daemon_stop
	check 'pageref: the probe can be removed' 60 rmmod lttng-probe-pageref
}
