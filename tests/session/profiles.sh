#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests profiles, and combinations of profiles, on a host without a session daemon: files of the
# installation and of users, dry runs, and budgets.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# A daemon of this machine must not answer. The library looks for the user's daemon in this folder.
LTTNG_HOME=$work/home
LTTNG_MM_ROOT=$work/root
export LTTNG_HOME LTTNG_MM_ROOT
own=$LTTNG_MM_ROOT/etc/lttng-mm/profiles
mkdir -p "$LTTNG_HOME" "$own" "$LTTNG_MM_ROOT/sys/devices/system/cpu"
echo 0-2,4 >"$LTTNG_MM_ROOT/sys/devices/system/cpu/possible"

# starts OPTION...: prints the sessions that remain after a dry run, in the order of their starts.
starts() {
	"$mm" record "$@" --dry-run >dry || return
	awk '$2 == "start" { if (!($3 in started)) name[++n] = $3; started[$3] = 1 }
		$2 == "destroy" { delete started[$3] }
		END { for (i = 1; i <= n; i++) if (name[i] in started) print name[i] }' dry | xargs
}
is 'two profiles: each has a session, and both share one for state' 'lttng-mm-dax lttng-mm-slab lttng-mm-state' \
	"$(starts dax slab)"
is '... no state event is enabled twice' '' "$(grep 'session=lttng-mm-state ' dry | sort | uniq -d)"
is '... the state session has the state events of both' '1 1' \
	"$(grep -c "lttng-mm-state .*'process_statedump_thread'" dry) $(grep -c "lttng-mm-state .*'slab_statedump_cache'" dry)"
is 'two profiles and events of a named recorder' \
	'lttng-mm-mine-slab lttng-mm-mine-dax lttng-mm-mine-events lttng-mm-mine-state' \
	"$(starts slab dax --events=sched_switch --session=mine)"
is 'events alone' 'lttng-mm-events lttng-mm-events-state' "$(starts --events=sched_switch,syscall:openat)"
is "... events and system calls have LTTng's names" "'sched_switch' --syscall 'openat'" \
	"$(sed -n 's/.*enable-event.* --session=lttng-mm-events .*--channel=lttng-mm //p' dry | xargs -d '\n')"
is '... the library that names threads is loaded if it is installed' 'modprobe --quiet lttng-mm-lib || :' \
	"$(grep modprobe dry)"
fails 'a profile twice' 2 "the profile 'dax' is given twice" record dax dax --dry-run
fails 'a misspelt event' 2 "no event is named 'dax_pmd_falt'; similar names: dax_pmd_fault" \
	record --events=dax_pmd_falt --dry-run
fails 'events with shell characters are refused' 2 'is not the name of an event' record "--events=a'b" --dry-run

for limit in --keep=0 --keep=x --keep=-1 --max-disk=0 --max-disk=2T --min-free=10 --min-free=0% --min-free=100% \
	--min-free=%; do
	fails "$limit is refused" 2 "${limit%%=*}: '${limit#*=}' is not" record dax "$limit" --dry-run
done

# budget SIZE: prints the sub-buffer sizes of each session.
budget() {
	"$mm" record dax slab "--budget=$1" --dry-run | sed -n 's/.*--subbuf-size=\([0-9]*\) --num-subbuf=8 .*/\1/p' | xargs
}
# Each of 4 CPUs needs 9 * 128 KiB for the state session, 27 times the sub-buffer of dax for the
# rings, and 36 KiB for the rare events of each profile. A snapshot needs as much again. Each of the
# five channels also needs a page.
is 'a budget gives the largest sizes that do not exceed it' '524288 4096 1048576 4096 131072' "$(budget 118M)"
is '... exactly' '524288 4096 1048576 4096 131072' "$(budget 123355136)"
is '... one byte less gives smaller sizes' '262144 4096 524288 4096 131072' "$(budget 123355135)"
fails 'a budget that is too small: the message has the minimum' 2 'the minimum is 10448 KiB (--budget=10448k)' \
	record dax slab --budget=10447k --dry-run
fails 'a budget that is no multiple of 1 KiB' 2 'record: --budget: 256 bytes is not enough for the recorder on' \
	record dax slab --budget=256 --dry-run
is '... the minimum is enough' '4096 4096 4096 4096 131072' "$(budget 10448k)"
fails 'a budget and a size exclude each other' 2 'omit --subbuf-size and --num-subbuf' record dax --budget=64M --subbuf-size=1M
fails 'a budget that is no number' 2 "'64x' is not a number of bytes" record dax --budget=64x

# events CHANNEL: prints the events of a channel in the dry run.
events() {
	sed -n "s/.*enable-event.* --session=lttng-mm-[a-z]* --channel=$1 '\(.*\)'/\1/p" dry | sort | xargs
}
"$mm" record slab --dry-run --subbuf-size=1M >dry
is 'rare events have a channel of their own' 'page_alloc_failed slab_cache_alloc_failed slab_kmalloc_failed' \
	"$(grep -v attach dry >events; mv events dry; events lttng-mm-rare)"
is '... and are in no other channel' 0 "$(events lttng-mm | grep -c '_failed\|\*alloc')"
is '... which is small, whatever the size of the other channel' '1048576 4096 131072' \
	"$(sed -n 's/.*--subbuf-size=\([0-9]*\) .*/\1/p' dry | xargs)"
"$mm" record dax --dry-run >dry
is 'the channels of dax have all of its events' '' \
	"$(echo "$(events lttng-mm) $(events lttng-mm-rare)" | tr ' ' '\n' | sed -n 's/^dax_/&/p' | sed 's/[*]/.*/; s/.*/^&$/' >patterns
	"$top/instrumentation/event-names.sh" | grep '^dax_' | grep -v -f patterns)"

# Makes a user's profiles: a new profile, and a profile that replaces one of the installation.
cat >"$own/mine.conf" <<'END'
[profile]
description = one of my own
[events]
record = sched_switch, dax_pmd_fault
END
is "a user's profile is known" 1 "$("$mm" record --help | tr -s ' \n' ' ' | grep -c 'Profiles: [a-z, -]*, mine\.')"
is '... and recorded, without a state session' lttng-mm-mine "$(starts mine)"
sed '0,/^num-subbuf/s/^num-subbuf = .*/num-subbuf = 32/' "$top/profiles/dax.conf" >"$own/dax.conf"
is "a user's profile replaces one of the installation" 2 \
	"$("$mm" record dax slab --dry-run | grep -e '--session=lttng-mm-[a-z]* ' | grep -c -e '--num-subbuf=32 lttng-mm$' -e 'session=lttng-mm-slab .*--num-subbuf=8 lttng-mm$')"
echo 'nonsense = 1' >>"$own/dax.conf"
fails 'a malformed profile: the message has file, line and remedy' 2 \
	"profile: $own/dax.conf:[0-9]*: unknown key 'nonsense' in \[channel\]; known: record, subbuf-size, num-subbuf" record dax --dry-run
is '... the other profiles work' 'lttng-mm-slab lttng-mm-slab-state' "$(starts slab)"
rm "$own/dax.conf"
cat >"$own/two.conf" <<'END'
[events]
record = slab_kfree*
record = slab_kmalloc*
[channel rare]
num-subbuf = 2
record = slab_kmalloc_failed
END
fails 'an event in two channels: the message has file, line and remedy' 2 \
	"profile: $own/two.conf:6: .*[[]events[]] already includes by 'slab_kmalloc\*' in line 3; .*: list each event in one channel" \
	record two --dry-run
sed -i 's/slab_kmalloc\*/slab_kmalloc/' "$own/two.conf"
"$mm" record two --dry-run >dry
is '... without it: the channel has the sizes of its section' '--subbuf-size=4096 --num-subbuf=2' \
	"$(sed -n 's/.* \(--subbuf-size=.*\) lttng-mm-rare$/\1/p' dry)"
rm "$own/two.conf"
mkdir "$own/dax.conf"
fails 'a folder' 4 'dax.conf: not a regular file' record dax --dry-run
rmdir "$own/dax.conf"
if [ "$(id -u)" = 0 ]; then
	cp "$top/profiles/dax.conf" "$own/dax.conf"
	chmod 666 "$own/dax.conf"
	fails 'a profile that others can write is refused for root' 4 'users other than root can change it' record dax --dry-run
	rm "$own/dax.conf"
else
	skip 'a profile that others can write is refused for root' 'only for root'
fi
fails 'the name of a path' 2 "unknown profile '../profiles/mine'" record ../profiles/mine --dry-run
fails 'the profile of --events' 2 "unknown profile 'events'" record events --dry-run


# Tests triggers of profiles. They must be shown in dry runs, omitted on request, or refused with
# file and line.
cat >"$own/mine.conf" <<'PROFILE'
[events]
record = sched_switch
[trigger oom]
on = kernel-message oom
[trigger line]
on = file /var/log/app.log
  it's slow
PROFILE
is 'triggers of a profile are shown as comments' "2 2" \
	"$("$mm" record mine --dry-run | grep -c '^# .* trigger [a-z]* of the profile mine: ') $("$mm" record mine --dry-run | grep -c "trigger oom of the profile mine: kernel-message oom$\|: file /var/log/app.log it's slow$")"
is '--no-triggers omits them' 0 "$("$mm" record mine --no-triggers --dry-run | grep -c trigger)"
echo 'on = x' >>"$own/mine.conf"
fails 'a second condition' 2 "mine.conf:8: on is given twice" record mine --dry-run
sed -i '$d; s/^on = kernel-message oom/on = kernel-mesage oom/' "$own/mine.conf"
fails 'an invalid condition: the message has file and line' 2 \
	"profile: $own/mine.conf:4: trigger: oom: .* is not the name of an event; did you mean 'kernel-message'? known conditions: " record mine --dry-run
"$mm" record mine --no-triggers --dry-run >/dev/null
is '... --no-triggers omits it, too' 0 $?
for name in dax slab; do
	sed 's/^#\(\[trigger\|on = \|capture = \|max = \|cooldown = \|after = \)/\1/' "$top/profiles/$name.conf" >"$own/$name.conf"
	is "the triggers that $name.conf has as comments are valid" 2 \
		"$("$mm" record $name --dry-run | grep -c "^# .* of the profile $name: ")"
	rm "$own/$name.conf"
	is '... and not in effect' 0 "$("$mm" record $name --dry-run | grep -c '^#')"
done
sed -i '/^\[trigger/,$d' "$own/mine.conf"

# An installation in another place must use its own files.
prefix=$work/prefix
DESTDIR='' PREFIX=$prefix "$top/packaging/install.sh" profiles
DESTDIR='' PREFIX=$prefix "$top/packaging/install.sh" program "$(dirname "$(dirname "$(command -v "$mm")")")"
sed -i '0,/^subbuf-size/s/^subbuf-size = .*/subbuf-size = 64k/' "$prefix/share/lttng-mm/profiles/dax.conf"
is 'profiles come from the installation' 1 \
	"$("$prefix/bin/lttng-mm" record dax --dry-run | grep -c -e 'session=lttng-mm-dax .*--subbuf-size=65536')"
rm -r "$prefix/share"
"$prefix/bin/lttng-mm" record dax --dry-run >out 2>err
is 'without profiles: exit status 2, and one line with the reason' '2 1' "$? $(grep -c "unknown profile 'dax'; known: mine" err)"
DESTDIR=$work/dest PREFIX=/opt/mm "$top/packaging/install.sh" profiles
DESTDIR=$work/dest PREFIX=/opt/mm "$top/packaging/install.sh" uninstall >/dev/null
is 'profiles: uninstalled' '' "$(find "$work/dest" -type f)"

# Tests the plan while no other recorder runs.
mkdir -p "$LTTNG_MM_ROOT/run/lttng-mm" "$LTTNG_MM_ROOT/proc/sys/kernel/random"
echo now >"$LTTNG_MM_ROOT/proc/sys/kernel/random/boot_id"
plan=$LTTNG_MM_ROOT/run/lttng-mm/recorder.json
cat >"$plan" <<'END'
{ "version": 1, "boot_id": "now", "recorders": [ { "name": "lttng-mm", "budget_bytes": null, "sessions": [
  { "name": "lttng-mm-dax", "role": "events", "profiles": ["dax"], "since": 1795000000, "callstack": false,
    "kaslr_safe": true, "channels": [ { "name": "lttng-mm", "subbuf_bytes": 1048576, "subbuf_count": 8,
    "events": ["dax_*"], "contexts": [] } ] } ] } ] }
END
chmod 644 "$plan"
"$mm" status >out 2>err
status=$?
# LTTng shows root's sessions only to root.
if [ "$(id -u)" = 0 ]; then
	is 'status: a session that ended with the daemon' '0 1' \
		"$status $(grep -c '^lttng-mm-dax: profile dax, gone: .*lttng-mm record dax. starts it again' out)"
	expected='"gone"'
else
	is 'status: a user cannot know whether the session is gone' '0 1' \
		"$status $(grep -c 'to root only, so it is unknown whether they are stopped or gone' out)"
	expected='"unknown"'
fi
is 'status --json: the same' "$expected" "$("$mm" status --json | sed -n 's/.*"status": \([^,]*\),.*/\1/p')"
fails 'snapshot: its sessions are gone' 4 'gone\|session daemon' snapshot
"$mm" stop >out 2>err
is 'stop says that the session was gone, and removes the plan' '0 1 no' \
	"$? $(grep -c 'lttng-mm-dax was already gone' err) $([ -e "$plan" ] || echo no)"
echo '{' >"$plan"
for command in status stop snapshot; do
	fails "$command: a malformed plan" 4 'recorder.json:2: .*remove the file' $command
done
cat >"$plan" <<'END'
{ "version": 1, "boot_id": "before", "recorders": [] }
END
"$mm" status >out 2>err
status=$?
# The message tells users outside the group tracing how to get access to root's daemon.
no_daemon='session daemon: no session daemon is accessible to you; .* join the group'
! id -Gn | grep -qw tracing || no_daemon='no recorder is running; as root, start one with'
[ "$(id -u)" != 0 ] || no_daemon='no recorder is running; start one with'
is 'status: a plan of another boot' '4 1 1' \
	"$status $(grep -c 'from another boot' err) $(grep -c "$no_daemon" err)"
tap_end
