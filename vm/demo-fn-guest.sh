#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# The part of `make demo-fn` that runs in the guest: records page faults with arguments and results,
# by lttng-mm with a trigger on an argument, and by plain LTTng with a filter on an argument.
set -eu

spec='handle_mm_fault(address, flags:enum fault_flag)'

# shows COMMAND...: prints a command as a user would type it, and runs it.
shows() {
	printf '#'
	for word; do
		case $word in
		*[!A-Za-z0-9_./=:,-]*) printf " '%s'" "$word" ;;
		*) printf ' %s' "$word" ;;
		esac
	done
	echo
	"$@"
}

# Starts processes that cause page faults.
load() {
	for _ in 1 2 3 4 5; do
		sh -c 'ls / >/dev/null'
	done
}

# first EVENT TRACE: prints some lines of the trace.
first() {
	echo "# lttng-mm print $2 | grep $1 | head -n 4"
	lttng-mm print "$2" >/tmp/print.txt
	grep "$1" /tmp/print.txt | head -n 4
}

echo 'Arguments at the entry and the result at the exit:'
shows lttng-mm fn signature handle_mm_fault
shows lttng-mm record fn "$spec" --output /out
load
trace=$(lttng-mm snapshot fn --output /out)
echo "# trace=\$(lttng-mm snapshot fn --output /out)"
first fn_handle_mm_fault_ "$trace"
lttng-mm info --all "$trace" | grep '^Complete'
echo
echo 'As a graph of calls:'
echo "# lttng-mm report fn --graph $trace | head -n 12"
lttng-mm report fn --graph "$trace" >/tmp/graph.txt
head -n 12 /tmp/graph.txt

echo
echo 'A trigger on an argument: the next write fault is kept.'
shows lttng-mm trigger add write --on 'fn_handle_mm_fault_call if flags & FAULT_FLAG_WRITE' \
	--capture address,duration_ns --max 1/day --warm-up 0s
tries=0
until triggered=$(find /out -maxdepth 1 -name 'write-2*') && [ -n "$triggered" ]; do
	tries=$((tries + 1))
	[ "$tries" -lt 300 ] || { lttng-mm trigger list; exit 1; }
	load
	sleep 0.2
done
echo "# grep -A 3 '\"fields\"' $triggered/snapshot.json"
sed -n '/"fields"/,/}/p' "$triggered/snapshot.json"
shows lttng-mm trigger remove write
shows lttng-mm stop fn

echo
echo 'A filter on an argument: only write faults are recorded.'
shows lttng-mm record fn "$spec" --filter 'flags & FAULT_FLAG_WRITE'
load
trace=$(lttng-mm snapshot fn --output /out)
first fn_handle_mm_fault_call "$trace"
echo "# reads among them: $(grep fn_handle_mm_fault_call /tmp/print.txt | grep -vc FAULT_FLAG_WRITE || :)"
shows lttng-mm stop fn
shows lttng-mm fn list

echo
echo 'The same function by plain LTTng, with a filter on an argument:'
# LTTng 2.15 and later write CTF 2 by default.
format=$(lttng --version | awk '{ split($5, v, "."); if (v[1] > 2 || v[2] >= 15) print "--trace-format=ctf-1.8" }')
# shellcheck disable=SC2086
shows lttng create faults --output=/out/faults $format
shows lttng enable-event --kernel fn_handle_mm_fault_call --filter='flags & 1'
shows lttng start
load
shows lttng destroy
first fn_handle_mm_fault_call /out/faults
echo "# reads among them: $(grep fn_handle_mm_fault_call /tmp/print.txt | grep -vc FAULT_FLAG_WRITE || :)"

echo
echo 'A trigger of plain LTTng on an argument: it stops the session at the first write fault.'
# shellcheck disable=SC2086
shows lttng create stopped --output=/out/stopped $format
shows lttng enable-event --kernel fn_handle_mm_fault_call
shows lttng add-trigger --name=write --condition=event-rule-matches --type=kernel:tracepoint \
	--name=fn_handle_mm_fault_call --filter='(flags & 1) != 0' --action=stop-session stopped
shows lttng start
tries=0
until lttng --mi=xml list stopped | grep -q '<enabled>false</enabled><snapshot_mode>'; do
	tries=$((tries + 1))
	[ "$tries" -lt 300 ] || { lttng list; lttng list-triggers; exit 1; }
	load
	sleep 0.2
done
lttng list | grep 'session.*stopped\|stopped.*active'
shows lttng remove-trigger write
shows lttng destroy stopped
shows lttng-mm fn remove handle_mm_fault
