#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests the parts of a boot that concern the recorder: the kernel command line and the systemd
# units.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# boot LINE [OPTION...]: runs record --boot on a machine booted with LINE.
mkdir -p "$work/proc"
boot() {
	printf '%s\n' "$1" >"$work/proc/cmdline"
	shift
	LTTNG_MM_ROOT=$work "$mm" record --boot "$@" >"$work/out" 2>"$work/err"
	boot_status=$?
}

boot 'quiet lttng_mm.enable=1 lttng_mm.profile=slab lttng_mm.subbufs=16' --dry-run
is 'requested: status' 0 "$boot_status"
is "requested: the profile's probe is loaded" 1 "$(grep -c '^modprobe lttng-probe-slab$' "$work/out")"
is 'requested: the session has so many sub-buffers' 1 "$(grep -c -e '--session=lttng-mm-slab .*--num-subbuf=16 ' "$work/out")"
boot 'quiet ro'
is 'not requested: no command is run' 0 "$boot_status"
is 'not requested: nothing is printed' '' "$(cat "$work/out" "$work/err")"
boot 'lttng_mm.enable=0 lttng_mm.subbufs=odd'
is 'disabled: no command is run' '0 ' "$boot_status $(cat "$work/out" "$work/err")"
for odd in enable=2 'enable=1 lttng_mm.profile=../x' 'enable=1 lttng_mm.subbufs=12' 'enable=1 lttng_mm.other'; do
	boot "quiet lttng_mm.$odd"
	is "$odd: status" 2 "$boot_status"
	is "$odd: refused with one line" '1 1' "$(wc -l <"$work/err") $(grep -c 'kernel command line: lttng_mm' "$work/err")"
	is "$odd: nothing on standard output" '' "$(cat "$work/out")"
done
rm "$work/proc/cmdline"
LTTNG_MM_ROOT=$work "$mm" record --boot >"$work/out" 2>"$work/err"
is 'no command line: exit status 4' 4 $?
"$mm" record --boot slab >"$work/out" 2>"$work/err"
is 'a profile with --boot is refused' 2 $?

# The units of an installation. systemd-analyze requires that the program exists.
prefix=$work/here
units=$prefix/lib/systemd/system
mkdir -p "$prefix/bin"
ln -s "$(command -v "$mm")" "$prefix/bin/lttng-mm"
DESTDIR='' PREFIX=$prefix "$top/packaging/install.sh" units
is 'units: the recorder is started from its installation path' "ExecStart=$prefix/bin/lttng-mm record --boot" \
	"$(grep '^ExecStart' "$units/lttng-mm-boot.service")"
is 'units: the recorder daemon is started from there, too' "ExecStart=$prefix/bin/lttng-mm serve --record" \
	"$(grep '^ExecStart' "$units/lttng-mm.service")"
writes=$(sed -n 's/^#define JOB_QUEUE_WRITE_US (\([0-9]*\) \* 1000000ull)$/\1/p' "$top/lttng-session/daemon/jobs/job-queue.h")
is 'units: the recorder daemon may take longer to stop than it takes to abandon a write' \
	"$((2 * writes + 60))" "$(sed -n 's/^TimeoutStopSec=//p' "$units/lttng-mm.service")"
is 'units: the snapshot of a failed unit is started from there, too' "ExecStart=$prefix/bin/lttng-mm snapshot --recorder-folder --failed-unit %i --reason \"unit %i failed\"" \
	"$(grep '^ExecStart' "$units/lttng-mm-failed@.service")"
is 'units: no placeholder remains' '' "$(cat "$units"/lttng-mm*.service | grep "@[A-Z]*@")"
is 'units: every boot checks the command line' yes "$([ -e "$units/sysinit.target.wants/lttng-mm-boot.service" ] && echo yes)"
# verify UNIT: counts systemd's messages about the unit.
verify() {
	systemd-analyze --man=no verify "$units/$1.service" 2>&1 | grep -c "$1"
}
if command -v systemd-analyze >/dev/null; then
	is 'units: systemd-analyze finds no errors' 0 "$(verify lttng-mm-boot)"
	is "units: ... in the recorder daemon's unit" 0 "$(verify lttng-mm)"
	is 'units: ... in the unit of failure snapshots' 0 "$(verify lttng-mm-failed@x.service)"
	echo 'Nonsense=yes' >>"$units/lttng-mm-boot.service"
	is 'units: ... and finds an invalid line' 1 "$(verify lttng-mm-boot)"
else
	skip 'units: systemd-analyze finds no errors' 'systemd-analyze is not installed'
fi
mkdir -p "$work/dest/etc/lttng-mm"
echo mine >"$work/dest/etc/lttng-mm/captures"
DESTDIR=$work/dest PREFIX=/opt/mm "$top/packaging/install.sh" units
is 'units: the lists of allowed values are installed' 'captures kernel-parameters mount-options recorder.conf' \
	"$(cd "$work/dest/etc/lttng-mm" && echo *)"
is "units: ... but do not replace a changed one" mine "$(cat "$work/dest/etc/lttng-mm/captures")"
cp "$top/packaging/captures" "$work/dest/etc/lttng-mm/captures"
# Tests uninstall with DESTDIR: it must not stop, unload or remove anything on this machine.
mkdir "$work/calls"
for program in systemctl rmmod modprobe lttng umount kill pkill; do
	printf '#!/bin/sh\necho "%s $*" >>"%s/called"\n' "$program" "$work" >"$work/calls/$program"
	chmod 755 "$work/calls/$program"
done
mkdir -p "$work/dest/var/lib/lttng-mm/triggers" "$work/dest/run/lttng-mm"
PATH=$work/calls:$PATH DESTDIR=$work/dest PREFIX=/opt/mm PURGE=1 "$top/packaging/install.sh" uninstall >/dev/null
PATH=$work/calls:$PATH DESTDIR=$work/dest "$top/probes/install.sh" uninstall >/dev/null
is 'units: uninstalled' '' "$(find "$work/dest" -type f -o -type l)"
is '... with DESTDIR: no command is called' '' "$(cat "$work/called" 2>/dev/null)"
is '... and nothing of the machine is removed' 'yes yes' \
	"$([ -d "$work/dest/var/lib/lttng-mm/triggers" ] && echo yes) $([ -d "$work/dest/run/lttng-mm" ] && echo yes)"

# uninstall_alone: uninstalls while a daemon runs whose program file was replaced. Does this in
# separate namespaces, whose end kills the daemon. Prints whether the daemon still runs, and the
# remaining files.
uninstall_alone() {
	mkdir -p "$work/prefix/lib/lttng-mm"
	cp /bin/sh "$work/prefix/lib/lttng-mm/lttng-mm"
	# shellcheck disable=SC2016 # the inner shell expands these
	unshare --mount --pid --fork --mount-proc sh -c '
		for folder in /run /var/lib /sys/fs/cgroup; do
			mount -t tmpfs none "$folder" || exit 2
		done
		mkdir -p /run/lttng-mm /var/lib/lttng-mm/triggers /sys/fs/cgroup/lttng-mm
		"$1/lib/lttng-mm/lttng-mm" -c "while :; do sleep 0.1; done" lttng-mm serve --daemonize &
		sleep 0.2
		rm "$1/lib/lttng-mm/lttng-mm"
		printf "#!/bin/sh\n" >"$1/bin/lttng-mm"
		chmod 755 "$1/bin/lttng-mm"
		DESTDIR= PREFIX=$1 "$2" uninstall >/dev/null
		echo "$? $(kill -0 $! 2>/dev/null && echo running)"
		find "$1" /run/lttng-mm /var/lib/lttng-mm /sys/fs/cgroup/lttng-mm ! -type d -o -name lttng-mm 2>/dev/null' sh "$work/prefix" "$top/packaging/install.sh"
}

# uninstall_none FOLDER [NAME=VALUE]: runs `make uninstall` in a separate namespace. No file is
# installed below its PREFIX, and /run/FOLDER has the state of a recorder with another PREFIX.
# Prints the messages and the number of remaining files.
uninstall_none() {
	# shellcheck disable=SC2016 # the inner shell expands these
	PATH=$work/calls:$PATH unshare --mount sh -c '
		for folder in /run /var/lib /lib/modules; do
			[ ! -d "$folder" ] || mount -t tmpfs none "$folder" || exit 2
		done
		mkdir -p "/run/$3" /var/lib/lttng-mm/triggers /var/lib/lttng-mm/snapshot
		touch "/run/$3/recorder.json" /var/lib/lttng-mm/triggers/oom.json \
			/var/lib/lttng-mm/snapshot/snapshot.json
		make --no-print-directory -C "$1" uninstall DESTDIR= PREFIX="$2" $4 2>&1
		find /run /var/lib -type f | wc -l' sh "$top" "$work/none" "$@" | paste -s -d ' '
}
if [ "$(id -u)" = 0 ]; then
	mkdir -p "$work/prefix/bin"
	is 'uninstall kills a daemon whose program file was replaced, and leaves nothing' '0 ' "$(uninstall_alone)"
	none="nothing of lttng-mm is installed below $work/none, and nothing was changed; PREFIX is where it was installed"
	is 'uninstall without an installation prints one line and removes nothing' "$none 3" "$(uninstall_none lttng-mm)"
	is '... also with PURGE=1 while another recorder exists' "$none 3" "$(uninstall_none lttng-mm PURGE=1)"
	is '... and no command is called' '' "$(cat "$work/called" 2>/dev/null)"
	is 'PURGE=1 removes the snapshots that an earlier uninstall kept' 'removed: the snapshots in /var/lib/lttng-mm 1' \
		"$(uninstall_none other PURGE=1)"
else
	skip 'uninstall kills a daemon whose program file was replaced' 'only root can uninstall'
fi
tap_end
