#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests the commands on a machine that cannot record: usage, dry runs, and doctor with a simulated
# root folder.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# A daemon of this machine must not answer. The library looks for the user's daemon in this folder.
LTTNG_HOME=$work/home
export LTTNG_HOME
mkdir "$LTTNG_HOME"

fails 'unknown command' 2 'unknown command .nonsense.; .*help' nonsense
fails 'unknown profile' 2 "unknown profile 'nonsense'; known: dax, fn" record nonsense
fails 'no profile' 2 'no profile given; known: dax, fn' record
fails 'sub-buffer size that is not a power of two' 2 "'3000' is not a power of two" \
	record dax --subbuf-size=3000
fails 'one sub-buffer' 2 "'1' is not a power of two (at least 2)" record dax --num-subbuf=1
fails 'session name for a shell' 2 'is not a valid name' record dax '--session=a;b'
fails 'session name of a state dump' 2 'is reserved for a state dump' record slab --session=slab-state
fails 'unknown option' 2 'there is no option .--nonsense.' record --nonsense
fails 'snapshot name with a slash' 2 "cannot be the first part of a folder's name" snapshot --name a/b
fails 'snapshot: a duration without a unit' 2 '--last: 10: not a duration; give a number with one of the units' \
	snapshot --last 10
fails 'snapshot: a negative duration' 2 '--after: -1s: not a duration' snapshot --after=-1s
fails 'snapshot: nothing to keep' 2 '--last: 0s would keep nothing' snapshot --last 0s
fails 'snapshot: unknown method' 2 "--method: 'copy' is not a method; known: freeze, lttng" snapshot --method copy
fails 'snapshot: a long reason' 2 '--reason: the text is too long; use at most 1024 bytes' \
	snapshot --reason "$(printf '%01025d' 0)"
fails 'snapshot: options that exclude each other' 2 '--no-wait and --require-complete cannot be combined: ' \
	snapshot --no-wait --require-complete
fails 'snapshot without a session daemon' 4 'no recorder is running\|session daemon: no session daemon' snapshot --last 10s --after 1ms --reason x
# A user can write a plan only below a folder of the test.
LTTNG_MM_ROOT=$work/empty
export LTTNG_MM_ROOT
mkdir -p "$LTTNG_MM_ROOT/run/lttng-mm" "$LTTNG_MM_ROOT/proc/self"
: >"$LTTNG_MM_ROOT/proc/self/mountinfo"
fails 'record without a DAX mount' 4 'no filesystem is mounted with DAX; mount one' record dax
is '... and names everything else that is missing' '1 1' "$(grep -c '^lttng-mm: also missing: no lttng-modules for .*; make install' "$work/err") $(
	grep -c '^lttng-mm: also missing: no lttng-mm-lib, ' "$work/err")"
unset LTTNG_MM_ROOT

"$mm" record dax --dry-run >"$work/dry" 2>&1
is 'dry run: exit status' 0 $?
is 'dry run: is shell' 0 "$(sh -n "$work/dry" >/dev/null 2>&1; echo $?)"
is 'dry run: loads the probe first' 'modprobe lttng-probe-dax' "$(head -n 1 "$work/dry")"
is 'dry run: overwrite buffers of the given size' 1 "$("$mm" record dax --dry-run --subbuf-size=64k \
	--num-subbuf=4 | grep -c -e '--overwrite .*--subbuf-size=65536 --num-subbuf=4 ')"
is 'dry run: the session has the given name' 1 "$("$mm" record dax --dry-run --session=mine |
	grep -cx 'lttng start lttng-mm-mine')"

fails 'call stacks of a profile without call stacks' 2 \
	"record: --callstack: the profile 'dax' does not record call stacks; omit the option" \
	record dax --callstack --dry-run
is 'dry run with call stacks: only the ring buffers have the context' \
	'--session=lttng-mm-mine --channel=lttng-mm --type=callstack-kernel --session=lttng-mm-mine --channel=lttng-mm-rare --type=callstack-kernel' \
	"$("$mm" record slab --callstack --dry-run --session=mine | sed -n 's/^lttng add-context --kernel //p' | xargs)"

is 'dry run with trackers: only the session of events has them, before it starts' \
	'--session=lttng-mm-mine --pid=1,22 --session=lttng-mm-mine --uid=0 lttng-mm-mine' \
	"$("$mm" record slab --pid=22 --pid=1,22 --uid=0 --dry-run --session=mine |
		sed -n 's/^lttng \(track --kernel\|start\) //p' | grep -v 'attach\|state' | sed 's/22,1/1,22/' | xargs)"
fails 'process id 0 is refused' 2 "--pid: '0' is not a process id" record slab --pid=0 --dry-run

# The sub-buffers in the text of --help must equal the sub-buffers of a dry run.
"$mm" record --help | tr -s ' \n' ' ' >"$work/help"
profiles=$(sed -n 's/.*Profiles: \([a-z, -]*\)\..*/\1/p' "$work/help" | tr -d ,)
is 'record --help: it names profiles' yes "$([ -n "$profiles" ] && echo yes)"
for profile in $profiles; do
	size=$("$mm" record "$profile" --dry-run |
		sed -n "s/.* --session=lttng-mm-$profile .*--subbuf-size=\([0-9]*\) .* lttng-mm$/\1/p")
	if [ "$size" -lt 1048576 ]; then size=$((size >> 10))k; else size=$((size >> 20))M; fi
	is "record --help: the default for $profile" 1 \
		"$(grep -c "suffix k or M (default[^)]* $profile: ${size}[,)]" "$work/help")"
done

for profile in dax slab; do
	"$mm" record $profile --dry-run --session=mine >"$work/dry"
	is "dry run of $profile: state has a separate session, started last" 'lttng start lttng-mm-mine-state' \
		"$(tail -n 1 "$work/dry")"
	is "dry run of $profile: the ring buffer starts while another session has the probe attached" \
		'start lttng-mm-mine-attach start lttng-mm-mine destroy lttng-mm-mine-attach start lttng-mm-mine-state' \
		"$(sed -n 's/^lttng \(start\|destroy\)/\1/p' "$work/dry" | xargs)"
	is "dry run of $profile: the ring buffer has no state events" '' \
		"$(grep -e '--session=lttng-mm-mine ' "$work/dry" | grep statedump)"
	is "dry run of $profile: the state session has no other events" '' \
		"$(grep 'enable-event.*--session=lttng-mm-mine-state ' "$work/dry" | grep -v statedump)"
	is "dry run of $profile: threads are named by events, without contexts" \
		'sched_process_exec sched_process_exit sched_process_fork 0' \
		"$(sed -n "s/.*enable-event.*--session=lttng-mm-mine .*'\(sched_process_[a-z]*\)'\$/\1/p" "$work/dry" |
			sort | xargs) $(grep -c add-context "$work/dry")"
done

# Simulates a machine.
root=$work/root
release=6.12.1-test
mkdir -p "$root/proc/sys/kernel" "$root/proc/self" "$root/sys/kernel/security" \
	"$root/lib/modules/$release/build" "$root/sys/module/lttng_tracer" "$root/sys/block/pmem0"
echo "$release" >"$root/proc/sys/kernel/osrelease"
echo 'MemAvailable: 8000000 kB' >"$root/proc/meminfo"
printf '%s\n' '10 1 259:0 / /mnt\040x rw - ext4 /dev/pmem0 rw,dax=always' >"$root/proc/self/mountinfo"
cat >"$root/lib/modules/$release/modules.dep" <<EOF
updates/lttng-tracer.ko:
updates/lttng-mm-lib.ko: updates/lttng-tracer.ko
updates/lttng-probe-slab.ko: updates/lttng-mm-lib.ko updates/lttng-tracer.ko
updates/lttng-probe-dax.ko.xz: updates/lttng-tracer.ko
EOF
# Adds the probes of other profiles, if any.
for profile in $profiles; do
	module=$("$mm" record "$profile" --dry-run | sed -n 's/^modprobe //p')
	grep -q "/$module\.ko" "$root/lib/modules/$release/modules.dep" ||
		echo "updates/$module.ko: updates/lttng-mm-lib.ko" >>"$root/lib/modules/$release/modules.dep"
done
touch "$root/lib/modules/$release/build/Makefile"
echo 'none [none] integrity' >"$root/sys/kernel/security/lockdown"

# doctor FINDING: prints the finding's state on the synthetic machine.
doctor() {
	LTTNG_MM_ROOT=$root "$mm" doctor >"$work/doctor"
	doctor_status=$?
	awk -v name="$1" '$2 == name { print $1 }' "$work/doctor"
}
for finding in kernel headers lttng-modules probe signatures dax memory; do
	is "doctor: $finding" ok "$(doctor "$finding")"
done
is 'doctor: the buffers of every profile are counted' 1 "$(grep -c 'buffers require: dax .* slab ' "$work/doctor")"
# The memory suffices for twice the buffers of dax, but not of slab.
echo "MemAvailable: $((30 * 1024 * $(getconf _NPROCESSORS_ONLN))) kB" >"$root/proc/meminfo"
is 'doctor: memory for one profile only' note "$(doctor memory)"
is 'doctor: ... the remedy is about the other profile' 1 "$(grep -c -e '-> lttng-mm record slab --subbuf-size' "$work/doctor")"
sed -i '/^updates.lttng-mm-lib.ko/d' "$root/lib/modules/$release/modules.dep"
echo 7.9.1-test >"$root/proc/sys/kernel/osrelease"
is 'doctor: a kernel newer than those tested' 'note 1' \
	"$(doctor kernel) $(grep -c 'kernel .*Linux 7.9.1-test is untested; the tested versions are 6.1, 6.12 and 7.2' "$work/doctor")"
echo 6.8.0-test >"$root/proc/sys/kernel/osrelease"
is 'doctor: an untested kernel between those tested' note "$(doctor kernel)"
echo 5.10.0 >"$root/proc/sys/kernel/osrelease"
is 'doctor: a kernel that is too old' missing "$(doctor kernel)"
echo "$release" >"$root/proc/sys/kernel/osrelease"
is 'doctor: the probe library is missing' missing "$(doctor probe)"
is 'doctor: ... and is named' 1 "$(grep -c 'no lttng-mm-lib for' "$work/doctor")"
echo 'updates/lttng-mm-lib.ko: updates/lttng-tracer.ko' >>"$root/lib/modules/$release/modules.dep"
sed -i '/lttng-probe-slab.ko:/d' "$root/lib/modules/$release/modules.dep"
is 'doctor: one of two probes is missing' missing "$(doctor probe)"
is 'doctor: ... and is named' 1 "$(grep -c 'no lttng-probe-slab for' "$work/doctor")"
LTTNG_MM_ROOT=$root "$mm" doctor --json >"$work/json"
is 'doctor: JSON has every finding' "$(grep -cE '^(ok|note|missing) ' "$work/doctor")" \
	"$(grep -c '"name":' "$work/json")"
echo 'none [integrity] confidentiality' >"$root/sys/kernel/security/lockdown"
is 'doctor: lockdown' missing "$(doctor signatures)"
doctor signatures >/dev/null
is 'doctor: a missing requirement gives exit status 4' 4 "$doctor_status"
# Moves the simulated machine to a folder with a long name.
deep=$work/deep
while [ ${#deep} -lt 1500 ]; do
	deep=$deep/$(printf '%0200d' 0)
done
mkdir -p "$deep"
cp -R "$root/." "$deep"
LTTNG_MM_ROOT=$root "$mm" doctor >"$work/doctor"
LTTNG_MM_ROOT=$deep "$mm" doctor >"$work/doctor-deep"
is 'doctor: a root with a long name: status' 4 $?
same 'doctor: a root with a long name: the same findings' "$work/doctor" "$work/doctor-deep"
LTTNG_MM_ROOT=/$(printf '%05000d' 0) "$mm" doctor >"$work/doctor-deep" 2>&1
is 'doctor: a root with a name that is too long: every requirement is missing' '4 missing' \
	"$? $(awk '$2 == "lttng-modules" { print $1 }' "$work/doctor-deep")"
echo 5.10.0-1-amd64 >"$root/proc/sys/kernel/osrelease"
is 'doctor: an old kernel' missing "$(doctor kernel)"
is 'doctor: a kernel without modules' missing "$(doctor probe)"
is 'doctor: names the remedy' 1 "$(grep -c -e '-> apt-get install linux-headers-5.10.0-1-amd64' \
	"$work/doctor")"
: >"$root/proc/self/mountinfo"
is 'doctor: no DAX mount' note "$(doctor dax)"
tap_end
