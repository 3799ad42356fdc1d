#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests `lttng-mm record page-ref` without its module: words of the recorded command, dry runs, exit
# statuses, refusals, and what status and doctor say. tests/unit/session/test-pageref.c tests the
# recording to a folder, test-held-targets.c the targets of a recorder in memory.
# shellcheck disable=SC2016 # backquotes in messages, commands of the dry run
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# No daemon of this machine may answer the tested program.
LTTNG_HOME=$work/home
LTTNG_MM_ROOT=$work/root
export LTTNG_HOME LTTNG_MM_ROOT
mkdir -p "$LTTNG_HOME" "$LTTNG_MM_ROOT/run"

# refuses NAME STATUS TEXT ARGUMENT...: checks for the exit status and a message that contains TEXT.
refuses() {
	refuses_name=$1 refuses_status=$2 refuses_text=$3
	shift 3
	"$mm" record page-ref "$@" >out 2>err
	is "$refuses_name" "$refuses_status 0 1" "$? $(wc -c <out) $(head -n 1 err | grep -cF -e "$refuses_text")"
	is '... nothing is made' no "$([ -e dir ] && echo yes || echo no)"
}

# commands ARGUMENT...: writes a dry run to `dry`.
commands() {
	"$mm" record page-ref --output=dir --dry-run "$@" >dry
}

# control: prints the commands that the dry run writes to the control file.
control() {
	grep '>&7$' dry | xargs
}

commands -- gcc -c 'a file.c' --pid=3 --output=x
is 'dry run of a command: everything after -- belongs to it' \
	"sh -c 'kill -STOP \$\$; exec \"\$@\"' sh gcc -c 'a file.c' --pid=3 --output=x &" "$(grep ' &$' dry)"
is '... which is a target before it executes' 'echo interval 500 >&7 echo max-overhead 500 >&7 echo pid $! >&7' "$(control)"
is '... and executes when the session records' 'lttng start page-ref kill -CONT $! wait $!' \
	"$(grep -A2 '^lttng start' dry | xargs)"
is '... marks end before the session does' 'exec 7>&- lttng destroy page-ref' "$(tail -n 2 dry | xargs)"
is '... that sh can read' '' "$(sh -n dry 2>&1)"
is 'one session writes everything to the folder' "lttng create page-ref --output='dir'" \
	"$(grep '^lttng create' dry | sed 's/ --trace-format=.*//')"
is '... and overwrites nothing' '3 0 3' \
	"$(grep -c '^lttng enable-channel' dry) $(grep -c -e --overwrite dry) $(grep -c -e --discard dry)"
is '... with the state dump in a channel of its own' 1 \
	"$(grep -c -e "--session=page-ref --channel=lttng-mm-state 'process_statedump_thread'" dry)"
commands --pid=3,4 --pid 5 --interval=100
is 'dry run of processes: no command' '0 0' "$(grep -c 'kill\|wait' dry) $(grep -c 'lttng track' dry)"
is '... targets and interval' 'echo interval 100 >&7 echo max-overhead 500 >&7 echo pid 3,4,5 >&7' "$(control)"
commands --pid=3 --dax
is 'dry run with DAX mappings' 'echo interval 500 >&7 echo dax 1 >&7 echo max-overhead 500 >&7 echo pid 3 >&7' "$(control)"
commands --uid=root
is 'dry run of a user' 'echo interval 500 >&7 echo max-overhead 500 >&7 echo uid 0 >&7' "$(control)"
commands --cgroup=/sys/fs/cgroup/a.slice/b.service
is 'dry run of a cgroup: its path below the mount' \
	'echo interval 500 >&7 echo max-overhead 500 >&7 printf cgroup %s\n /a.slice/b.service >&7' "$(control)"
commands --pid=3 --max-overhead=none
is 'no limit of the overhead' 'echo interval 500 >&7 echo pid 3 >&7' "$(control)"
commands --pid=3 --max-overhead=0.5% --from=64M
is 'a limit of the overhead, and a size' \
	'echo interval 500 >&7 echo max-overhead 50 >&7 echo from 67108864 >&7 echo pid 3 >&7' "$(control)"
commands --subbuf-size=64k --num-subbuf=4 -- true
is 'sizes of the sub-buffers' 1 "$(grep -c -e '--subbuf-size=65536 --num-subbuf=4 lttng-mm$' dry)"

commands -- true
is 'without --file-io: no reads and writes' '0 0' "$(grep -c pageref_file dry) $(grep -c -e lttng-mm-file-io dry)"
commands --file-io -- true
is '--file-io: reads and writes in a channel of their own' '2 2' \
	"$(grep -c -e "--channel=lttng-mm-file-io 'pageref_file\(_io\)\?'" dry) $(grep -c pageref_file dry)"

"$mm" record page-ref --pid=3,4 --interval=100 --dry-run >dry
is 'dry run of buffers in memory: the session of a recorder' '1 1 1' \
	"$(grep -c '^lttng create lttng-mm-page-ref --snapshot' dry) $(grep -c -e '--session=lttng-mm-page-ref .*--overwrite.*lttng-mm$' dry) $(grep -c '^lttng start lttng-mm-page-ref$' dry)"
is '... then the targets, without a tracker' 'echo interval 100 >&7 echo max-overhead 500 >&7 echo pid 3,4 >&7 0' "$(control) $(grep -c 'lttng track' dry)"
is '... that sh can read' '' "$(sh -n dry 2>&1)"

refuses 'without a target' 2 'page-ref needs one of: --pid, --uid, --cgroup; none is given'
refuses 'a command without a folder' 125 '-- COMMAND needs a folder for the trace; give --output=DIR' -- true
refuses 'a folder without a target' 2 'page-ref needs one of: -- COMMAND, --pid, --uid, --cgroup; none is given' --output=dir
refuses 'two kinds of targets' 125 '--cgroup; give only one of these' --output=dir --pid=1 -- true
refuses 'two users' 2 '--uid: page-ref can record one user only' --output=dir --uid=1,2
refuses 'no command after --' 125 'no command follows --' --output=dir --
refuses 'another profile' 125 'cannot be combined with other profiles' dax --output=dir -- true
refuses '... in memory' 2 'cannot be combined with other profiles or --events; use two commands' slab --pid=1
refuses '... or functions' 2 'cannot be combined with other profiles' --pid=1 fn vfs_read
refuses 'two users in memory' 2 '--uid: page-ref can record one user only' --uid=1,2
refuses 'without the recorder daemon' 2 'record: --no-daemon: page-ref needs the recorder daemon, and none is running' --pid=1 --no-daemon
refuses 'an unknown option' 125 "there is no option '--nonsense'" --nonsense --output=dir -- true
refuses 'a short interval' 125 "--interval: '9' is not a number from 10 to 3600000" --interval=9 --output=dir -- true
for option in --session=x --budget=1G --window=30s --keep=1 --min-free=1% --callstack --missing; do
	refuses "$option" 125 "${option%%=*}: has no effect on page-ref" "$option" --output=dir -- true
done
for limit in 0% 5 100.01% 5.% 0.001% -5% 5%% '' some 9999%; do
	refuses "--max-overhead '$limit'" 125 "--max-overhead: '$limit' is neither a percentage from 0.01% to 100%, such as 5%, nor none" \
		--max-overhead="$limit" --output=dir -- true
done
refuses '--from without a number' 125 "--from: 'x' is not a number of bytes; example: 64M" --from=x --output=dir -- true
refuses 'a small --from' 125 '--from: 1024 bytes is not a size from 64k to 64T' --from=1k --output=dir -- true
for option in --interval=100 --cgroup=/x --dax --file-io --max-overhead=1% --from=1M; do
	"$mm" record slab "$option" >out 2>err
	is "$option without page-ref" '2 1' \
		"$? $(grep -c -e "${option%%=*}: only the profile page-ref accepts this option" err)"
done
if [ ! -e /dev/lttng-mm-pageref ]; then
	refuses 'without the module, recording fails' 125 'probe: lttng-probe-pageref: ' --output=dir -- touch executed
	is '... and the command does not execute' no "$([ -e executed ] && echo yes || echo no)"
	refuses '... the status without a command' 4 'probe: lttng-probe-pageref: ' --output=dir --pid=1
	refuses '... in memory' 4 'probe: lttng-probe-pageref: ' --pid=1
else
	skip 'without the module, recording fails' 'the module is loaded'
fi

# A recorder of the plan records page references.
mkdir -p "$LTTNG_MM_ROOT/run/lttng-mm" "$LTTNG_MM_ROOT/proc/sys/kernel/random" "$LTTNG_MM_ROOT/proc/77" "$LTTNG_MM_ROOT/sys/kernel"
echo here >"$LTTNG_MM_ROOT/proc/sys/kernel/random/boot_id"
# plan TARGETS: writes the plan of this recorder.
plan() {
	cat >"$LTTNG_MM_ROOT/run/lttng-mm/recorder.json" <<-END
		{ "version": 1, "boot_id": "here", "recorders": [ { "name": "here", "budget_bytes": null, "sessions": [
		{ "name": "here-page-ref", "role": "events", "profiles": ["page-ref"], "since": 7, "callstack": false,
		"kaslr_safe": true, "channels": [ { "name": "c", "subbuf_bytes": 4096, "subbuf_count": 8,
		"events": ["pageref_touch"], "contexts": [] } ], "targets": $1 } ] } ] }
	END
}
plan '{ "interval_ms": 200, "noted": 9, "pid": [ { "id": 77, "started": 5 }, { "id": 78, "started": 6 } ] }'
refuses 'a second recorder' 4 'page-ref: the recorder here already records page references, and only one can do so at a time; `lttng-mm stop page-ref` ends it' --pid=1
refuses '... of another name' 4 'page-ref: the recorder here already records page references' --session=other --uid=0
is 'doctor names the recorder' '1 1' "$("$mm" doctor | grep -c '^note *page-marks *the recorder here records page references, and only one recorder can do so at a time; recording costs a page fault') $(
	rm -r "$LTTNG_MM_ROOT/run/lttng-mm"
	"$mm" doctor | grep -c '^ok *page-marks *page references can be recorded (x86-64, neither PREEMPT_RT nor Xen PV), and nobody records')"
echo 1 >"$LTTNG_MM_ROOT/sys/kernel/realtime"
is '... and a kernel that cannot have marks' 1 "$("$mm" doctor | grep -c '^note *page-marks *page references cannot be recorded: the kernel is PREEMPT_RT')"
rm "$LTTNG_MM_ROOT/sys/kernel/realtime"
mkdir -p "$LTTNG_MM_ROOT/run/lttng-mm"
plan '{ "interval_ms": 200, "noted": 9, "cgroup": "/a.slice" }'
"$mm" status >out
is 'status: targets that nobody has set' \
	'page references: cgroup /a.slice, every 200 ms; no page is marked, because no process has /dev/lttng-mm-pageref open: the recorder daemon does not answer; `lttng-mm serve` must be running' \
	"$(grep '^page references' out)"
plan '[]'
refuses 'targets that are not an object: the plan is refused' 4 'a session has a missing or invalid member' --pid=1
rm -r "$LTTNG_MM_ROOT/run/lttng-mm"
echo 'lttng_mm.enable=1 lttng_mm.profile=page-ref' >"$LTTNG_MM_ROOT/proc/cmdline"
"$mm" record --boot >out 2>err
is 'the kernel command line cannot name targets' '2 0 1' "$? $(wc -c <out) $(grep -c 'kernel command line: lttng_mm.profile: page-ref needs targets; name them in recorder.conf' err)"
tap_end
