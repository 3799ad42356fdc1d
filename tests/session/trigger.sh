#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests the arguments that `lttng-mm trigger` refuses without a daemon, and --dry-run.
# shellcheck disable=SC2016 # texts
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# refuses NAME TEXT ARGUMENT...: checks for exit status 2 and a message that contains TEXT once.
refuses() {
	refuses_name=$1 refuses_text=$2
	shift 2
	"$mm" trigger "$@" >"$work/out" 2>"$work/err"
	is "$refuses_name" "2 0 1" \
		"$? $(wc -c <"$work/out") $(head -n 1 "$work/err" | grep -cF -e "$refuses_text")"
	[ -s "$work/err" ] || echo '# no message'
}

refuses 'no action' 'no action is given; known: add, list, remove, test'
refuses 'an unknown action' "'delete' is not an action" delete x
refuses 'no name' 'the name of the trigger is missing' add
refuses 'no condition' '--on is missing' add x
for name in '' .x -- ../x 'a b' a/b "$(printf '%064d' 0)"; do
	refuses "the name '$name'" "cannot be the name of a trigger" add --on y -- "$name"
done
refuses 'two names' "'y': unexpected argument" remove x y
refuses 'a name for list' "'x': unexpected argument" list x
refuses 'an option of add for remove' 'only `lttng-mm trigger add` accepts this option' remove x --after 2s
refuses '--json for add' 'only `lttng-mm trigger list` accepts this option' add x --on y --json
for option in after last cooldown warm-up run-timeout; do
	refuses "--$option without a unit" "--$option: 2: not a duration" add x --on y "--$option=2"
done
refuses '--last 0s' 'not a number from 1' add x --on y --last 0s
for max in 20 0/day -1/day 20/ 20/week 20/0s x/day; do
	refuses "--max $max" "--max: $max: not a number of snapshots per interval" add x --on y "--max=$max"
done
refuses '--capture with an empty name' '--capture: a name is empty' add x --on y --capture a,,b
refuses '--capture without an event' 'only events have fields' add x --on 'failed-allocation' --capture a
refuses 'an empty condition' 'not a line of text' add x --on ''
refuses 'two lines' 'not a line of text' add x --on 'sched_switch
if a'
refuses 'an unknown kind' "did you mean 'kernel-message'?" add x --on 'kernel-mesage oom'
refuses 'a pattern' 'is a pattern' add x --on 'sched_*'
refuses 'a bad regular expression' 'is not a regular expression' add x --on 'journal ('
refuses 'a filter that LTTng does not compile' 'is not a filter of LTTng: syntax error' add x --on 'sched_switch if a =='
refuses 'a relative path' 'is not an absolute path' add x --on 'file log x'
refuses 'a pressure with an unsupported window' 'windows of 500ms to 10s' add x --on 'pressure io some > 1s per 1m'
refuses 'a pressure that the kernel does not define' "does not define 'full' for the CPUs" add x --on 'pressure cpu full > 150ms per 1s'
refuses 'a command with an unbalanced quote' '"run": ' add x --on failed-allocation --run "logger 'a b"
refuses 'a command that ends with a backslash' '"run": ' add x --on failed-allocation --run 'logger a\'
refuses 'a blank command' '"run": the command is empty' add x --on failed-allocation --run ' '
refuses '... a dry run refuses it, too' '"run": the command is empty' add x --on failed-allocation --run ' ' --dry-run

# A kernel booted with psi=0 has no folder /proc/pressure.
mkdir -p "$work/psi/proc"
LTTNG_MM_ROOT=$work/psi "$mm" trigger add x --on 'pressure memory some > 150ms per 1s' --dry-run >"$work/out" 2>"$work/err"
is 'a pressure that the kernel does not measure: exit status 4, and the remedy' '4 0 1' \
	"$? $(wc -c <"$work/out") $(grep -c '^lttng-mm: trigger: x: /proc/pressure/memory: .*; boot it with psi=1$' "$work/err")"
mkdir "$work/psi/proc/pressure"
: >"$work/psi/proc/pressure/memory"
LTTNG_MM_ROOT=$work/psi "$mm" trigger add x --on 'pressure memory some > 150ms per 1s' --dry-run >"$work/out" 2>"$work/err"
is '... a pressure that it measures is accepted' 0 $?

# Tests commands without a daemon.
for command in 'add x --on sched_switch' list 'test x'; do
	# shellcheck disable=SC2086
	"$mm" trigger $command >"$work/out" 2>"$work/err"
	is "$command without a daemon: exit status 4, and the remedy" '4 0 1' \
		"$? $(wc -c <"$work/out") $(grep -c 'systemctl start lttng-mm' "$work/err")"
done

# Without a daemon, root must be able to remove the stored trigger.
if [ "$(id -u)" = 0 ]; then
	mkdir -p "$work/root/run" "$work/root/var/lib/lttng-mm/triggers"
	"$mm" trigger add x --on 'kernel-message oom' --dry-run >"$work/root/var/lib/lttng-mm/triggers/x.json"
	cp "$work/root/var/lib/lttng-mm/triggers/x.json" "$work/root/var/lib/lttng-mm/triggers/.x.limits"
	LTTNG_MM_ROOT=$work/root "$mm" trigger remove y >"$work/out" 2>"$work/err"
	is 'remove of a trigger that does not exist, without a daemon' '2 1' \
		"$? $(grep -c '^lttng-mm: trigger: y: there is no such trigger$' "$work/err")"
	LTTNG_MM_ROOT=$work/root "$mm" trigger remove x >"$work/out" 2>"$work/err"
	is 'remove of one that exists' '0 0 ' \
		"$? $(wc -c <"$work/err") $(ls -A "$work/root/var/lib/lttng-mm/triggers")"
	flock "$work/root/run/lttng-mm/serve.lock" sleep 20 &
	sleep 1
	: >"$work/root/var/lib/lttng-mm/triggers/x.json"
	LTTNG_MM_ROOT=$work/root "$mm" trigger remove x >"$work/out" 2>"$work/err"
	is '... not while a daemon starts or ends' '4 x.json' "$? $(ls "$work/root/var/lib/lttng-mm/triggers")"
	kill $!
else
	"$mm" trigger remove x >"$work/out" 2>"$work/err"
	is 'remove without a daemon is for root only' '4 1' "$? $(grep -c 'systemctl start lttng-mm' "$work/err")"
fi

# Conditions that are not about events must not need a session daemon.
"$mm" trigger add x --on 'kernel-message oom' --max 3/12h --after 2s --run 'logger -t x' --dry-run >"$work/json" 2>"$work/err"
is '--dry-run prints the trigger' 0 $?
is '... prints its options in ns' '2000000000 60000000000 10000000000 3 43200000000000' \
	"$(for key in after_ns cooldown_ns warm_up_ns max max_ns; do
		sed -n "s/^  \"$key\": \([0-9]*\),*\$/\1/p" "$work/json"
	done | xargs)"
is '... prints its user' "$(id -u)" "$(sed -n 's/^  "uid": \([0-9]*\),*$/\1/p' "$work/json")"
"$mm" trigger add x --on 'kernel-message oom' --max none --dry-run >"$work/json"
is '--max none' 0 "$(sed -n 's/^  "max_ns": \([0-9]*\),*$/\1/p' "$work/json")"

tap_end
