#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Installs the program, its profiles, its babeltrace2 plugin, systemd units and man pages:
# packaging/install.sh check|install|tools|program BUILD|units|profiles|installed|uninstall
#
# `install` also copies what vm/gate.sh needs to build guests: the sources of program and modules.
# DESTDIR and PREFIX have their usual meanings in make. LIBDIR is PREFIX/lib or, if babeltrace2 is
# installed below PREFIX, its library folder, where it finds the plugin without further settings.
# `tools` installs only the readers: the program, its plugin and the man pages. `uninstall` without
# DESTDIR first stops recorders and daemons; with PURGE=1, it also removes the recorders' snapshots.
# If nothing is installed below PREFIX (`installed` checks that), it changes nothing.
# probes/install.sh installs the kernel modules.
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
destdir=${DESTDIR:-}
prefix=${PREFIX:-/usr/local}
libdir=${LIBDIR:-$prefix/lib}
if [ -z "${LIBDIR:-}" ] && [ "$(pkg-config --variable=prefix babeltrace2 2>/dev/null)" = "$prefix" ]; then
	libdir=$(pkg-config --variable=libdir babeltrace2)
fi
plugins=$libdir/babeltrace2/plugins
plugin=babeltrace-plugin-lttng-mm.so
units=$prefix/lib/systemd/system
tmpfiles=$prefix/lib/tmpfiles.d
# In /etc/lttng-mm: settings of the recorder daemon, and lists of values that snapshots may contain.
settings='captures kernel-parameters mount-options recorder.conf'
unit_files='lttng-mm-boot.service lttng-mm-failed@.service lttng-mm-shutdown.service lttng-mm.service
	system-lttng_mm.slice'
# The program looks for profiles in share/ next to its own folder.
profiles=$prefix/share/lttng-mm/profiles
# vm/gate.sh and everything from which it builds guests.
guest=$prefix/share/lttng-mm/guest
guest_files='VERSION analysis cli instrumentation lttng-session packaging probes profiles reader regress tools.mk util vm'

die() {
	echo "packaging/install.sh: $1" >&2
	exit "${2:-4}"
}

# Units: the recorder daemon, which the administrator enables; the template for snapshots of failing
# units; and the recorder at boot, which does nothing unless the kernel command line requests it.
install_units() {
	mkdir -p "$destdir$units/sysinit.target.wants" "$destdir$units/lttng-sessiond.service.d"
	for unit in $unit_files; do
		sed "s|@PREFIX@|$prefix|g" "$top/packaging/$unit.in" >"$destdir$units/$unit"
		chmod 644 "$destdir$units/$unit"
	done
	ln -sf ../lttng-mm-boot.service "$destdir$units/sysinit.target.wants/lttng-mm-boot.service"
	mkdir -p "$destdir/etc/lttng-mm"
	for file in $settings; do
		[ -e "$destdir/etc/lttng-mm/$file" ] ||
			install -m 644 "$top/packaging/$file" "$destdir/etc/lttng-mm/$file"
	done
	install -m 644 "$top/packaging/lttng-mm-boot.conf" \
		"$destdir$units/lttng-sessiond.service.d/lttng-mm-boot.conf"
	mkdir -p "$destdir$tmpfiles"
	install -m 644 "$top/packaging/lttng-mm-tmpfiles.conf" "$destdir$tmpfiles/lttng-mm.conf"
}

has_systemd() {
	[ -d /run/systemd/system ]
}

# Stops the recorders after the daemon, which would start the recorder in recorder.conf again, and
# before the units that take a snapshot when they are stopped.
stop_recorders() {
	! has_systemd || systemctl stop lttng-mm.service 'lttng-mm-failed@*.service' 2>/dev/null || :
	[ -x "$prefix/bin/lttng-mm" ] || return 0
	"$prefix/bin/lttng-mm" stop --all ||
		die 'the recorders cannot be stopped, and nothing was removed; see the message above'
	# Stop daemons that were started by hand, and wait until they have written their snapshots.
	daemons=$(hand_started)
	for pid in $daemons; do kill "$pid" 2>/dev/null || :; done
	for pid in $daemons; do
		while kill -0 "$pid" 2>/dev/null; do sleep 0.2; done
	done
}

# is_daemon PID: is PID a process of the recorder daemon? An upgrade may have replaced its program.
is_daemon() {
	is_daemon_program=$(readlink "/proc/$1/exe")
	[ "${is_daemon_program% (deleted)}" = "$prefix/lib/lttng-mm/lttng-mm" ] &&
		tr '\0' ' ' <"/proc/$1/cmdline" 2>/dev/null | grep -q ' serve '
}

# hand_started: prints the PIDs of recorder daemons outside of the service, without child processes.
hand_started() {
	for process in /proc/[0-9]*; do
		is_daemon "${process#/proc/}" || continue
		is_daemon "$(sed -n 's/^PPid:[[:blank:]]*//p' "$process/status")" || echo "${process#/proc/}"
	done 2>/dev/null
}

# Stops the units. The session daemon of lttng-mm-boot serves all users: it is kept if it is used.
stop_units() {
	has_systemd || return 0
	for unit in $unit_files; do
		case $unit in
		lttng-mm-boot.service)
			lttng --mi=xml list 2>/dev/null | grep -q '<session>' || systemctl stop "$unit" 2>/dev/null || :
			;;
		*@*) ;;
		*) systemctl disable --quiet --now "$unit" 2>/dev/null || : ;;
		esac
	done
}

# recorder_folders: prints the default folder of recorders, and the folders of running recorders.
recorder_folders() {
	echo /var/lib/lttng-mm
	sed -n 's|^ *"output": "\(/[^"\\]*\)",*$|\1|p' /run/lttng-mm/recorder.json 2>/dev/null || :
}

# remove_state FOLDERS: removes the files that the program wrote on this machine, and with PURGE=1
# the snapshots in FOLDERS: each folder with a snapshot.json of root is a snapshot.
remove_state() {
	! mountpoint -q /run/lttng-mm/stage || umount /run/lttng-mm/stage
	rm -rf --one-file-system /run/lttng-mm /var/lib/lttng-mm/triggers
	# Without systemd, the daemon creates this cgroup for the commands of triggers.
	! [ -d /sys/fs/cgroup/lttng-mm ] || rmdir /sys/fs/cgroup/lttng-mm || :
	echo "$1" | sort -u | while read -r folder; do
		[ -d "$folder" ] || continue
		if [ "${PURGE:-}" = 1 ]; then
			find "$folder" -xdev -mindepth 2 -maxdepth 2 -type f -user root -name snapshot.json \
				-exec sh -c 'for file; do rm -rf --one-file-system "${file%/snapshot.json}"; done' sh {} +
		elif [ -n "$(find "$folder" -mindepth 2 -maxdepth 2 -name snapshot.json | head -n 1)" ]; then
			echo "snapshots remain in $folder (PURGE=1 removes them)"
		fi
	done
	rmdir /var/lib/lttng-mm 2>/dev/null || :
}

# remove_files WHAT FILE...: removes the files that exist below DESTDIR. Prints nothing if no file
# exists, the name of a single file, or else their number, WHAT, and the folder of the first file.
remove_files() {
	what=$1 removed=0 first=''
	shift
	for file; do
		[ -e "$destdir$file" ] || [ -L "$destdir$file" ] || continue
		rm -f "$destdir$file"
		removed=$((removed + 1)) first=${first:-$destdir$file}
	done
	case $removed in
	0) ;;
	1) echo "removed: $first" ;;
	*) echo "removed: $removed $what in ${first%/*}" ;;
	esac
}

uninstall_units() {
	set -- "$units/sysinit.target.wants/lttng-mm-boot.service" \
		"$units/lttng-sessiond.service.d/lttng-mm-boot.conf"
	# These files come first, because remove_files prints the folder of the first file.
	for unit in $unit_files; do
		set -- "$units/$unit" "$@"
	done
	remove_files 'systemd units' "$@"
	remove_files 'files' "$tmpfiles/lttng-mm.conf"
	# Settings that the administrator has changed are kept.
	set --
	for file in $settings; do
		! cmp -s "$top/packaging/$file" "$destdir/etc/lttng-mm/$file" || set -- "$@" "/etc/lttng-mm/$file"
	done
	remove_files 'unchanged settings' "$@"
	rmdir "$destdir/etc/lttng-mm" 2>/dev/null || :
	rmdir "$destdir$tmpfiles" "$destdir$units/sysinit.target.wants" "$destdir$units/lttng-sessiond.service.d" \
		"$destdir$units" 2>/dev/null || :
}

install_profiles() {
	mkdir -p "$destdir$profiles"
	for profile in "$top"/profiles/*.conf; do
		install -m 644 "$profile" "$destdir$profiles/${profile##*/}"
	done
}

uninstall_profiles() {
	set --
	for profile in "$top"/profiles/*.conf; do
		set -- "$@" "$profiles/${profile##*/}"
	done
	remove_files profiles "$@"
	rmdir "$destdir$profiles" "$destdir$prefix/share/lttng-mm" 2>/dev/null || :
}

# The folder of the files is read-only for guests; vm/lib.sh builds in the cache because of the file
# `installed`.
install_guest() {
	rm -rf "$destdir$guest"
	mkdir -p "$destdir$guest"
	for file in $guest_files; do
		cp -R "$top/$file" "$destdir$guest/$file"
	done
	chmod -R u=rwX,go=rX "$destdir$guest"
	: >"$destdir$guest/vm/installed"
}

uninstall_guest() {
	[ -d "$destdir$guest" ] || return 0
	rm -rf "$destdir$guest"
	echo "removed: $destdir$guest"
}

uninstall_pages() {
	for section in 1 7; do
		set --
		for page in "$top"/doc/man/*."$section"; do
			set -- "$@" "$prefix/share/man/man$section/${page##*/}"
		done
		remove_files 'man pages' "$@"
	done
}

# install_program BUILD: bin/lttng-mm starts lib/lttng-mm/lttng-mm, relative to its own folder.
install_program() {
	mkdir -p "$destdir$prefix/bin" "$destdir$prefix/lib/lttng-mm"
	install -m 755 "$1/lib/lttng-mm/lttng-mm" "$destdir$prefix/lib/lttng-mm/lttng-mm"
	install -m 755 "$1/bin/lttng-mm" "$destdir$prefix/bin/lttng-mm"
}

# can_write FOLDER: can the folder be written or created?
can_write() {
	folder=$1
	while [ ! -e "$folder" ]; do folder=$(dirname -- "$folder"); done
	[ -d "$folder" ] && [ -w "$folder" ]
}

check_writable() {
	for target in "$prefix/bin" "$plugins" "$prefix/share/man"; do
		can_write "$destdir$target" ||
			die "cannot write below $destdir$target; run as root, or set DESTDIR"
	done
}

# Installs the readers. Recording also requires the profiles and the modules.
install_tools() {
	[ -x "$top/build/host/bin/lttng-mm" ] || die 'the program is not built; run: make tools'
	check_writable
	mkdir -p "$destdir$prefix/bin" "$destdir$plugins" "$destdir$prefix/share/man/man1" \
		"$destdir$prefix/share/man/man7"
	install_program "$top/build/host"
	install -m 644 "$top/build/host/lib/babeltrace2/plugins/$plugin" "$destdir$plugins/$plugin"
	for page in "$top"/doc/man/*.[17]; do
		install -m 644 "$page" "$destdir$prefix/share/man/man${page##*.}/${page##*/}"
	done
	echo "installed: lttng-mm in $destdir$prefix/bin, babeltrace2's plugin in $destdir$plugins"
	echo "(if babeltrace2 does not search there: BABELTRACE_PLUGIN_PATH=$plugins)"
}

install_all() {
	install_tools
	install_profiles
	install_guest
	install_units
}

is_installed() {
	for file in "$prefix/bin/lttng-mm" "$prefix/lib/lttng-mm/lttng-mm" "$plugins/$plugin" "$profiles" \
		"$units/lttng-mm.service" "$tmpfiles/lttng-mm.conf" "$prefix/share/man/man1/lttng-mm.1"; do
		[ ! -e "$destdir$file" ] || return 0
	done
	return 1
}

# Nothing is installed below PREFIX, so recorders and daemons, if any, belong to another PREFIX. An
# earlier uninstall may have left snapshots: PURGE=1 removes these.
uninstall_none() {
	if [ -z "$destdir" ] && [ "${PURGE:-}" = 1 ] && [ ! -e /run/lttng-mm ] && [ -d /var/lib/lttng-mm ]; then
		remove_state /var/lib/lttng-mm
		echo 'removed: the snapshots in /var/lib/lttng-mm'
	else
		echo "nothing of lttng-mm is installed below $destdir$prefix, and nothing was changed; PREFIX is where it was installed"
	fi
}

uninstall_all() {
	if ! is_installed; then
		uninstall_none
		return
	fi
	if [ -z "$destdir" ]; then
		[ "$(id -u)" = 0 ] || die 'it stops recorders and removes units; run as root, or set DESTDIR'
		folders=$(recorder_folders)
		stop_recorders
		stop_units
		remove_state "$folders"
	fi
	remove_files '' "$prefix/bin/lttng-mm"
	remove_files '' "$prefix/lib/lttng-mm/lttng-mm"
	remove_files '' "$plugins/$plugin"
	rmdir "$destdir$prefix/lib/lttng-mm" "$destdir$plugins" "$destdir$libdir/babeltrace2" 2>/dev/null || :
	uninstall_pages
	uninstall_guest
	uninstall_profiles
	uninstall_units
	if [ -z "$destdir" ] && has_systemd; then
		systemctl daemon-reload
		systemctl reset-failed 'lttng-mm*' 2>/dev/null || :
	fi
}

case ${1:-} in
check) check_writable ;;
install) install_all ;;
tools) install_tools ;;
program) install_program "${2:?usage: packaging/install.sh program BUILD}" ;;
units) install_units ;;
profiles) install_profiles ;;
installed) is_installed ;;
uninstall) uninstall_all ;;
*) die 'usage: packaging/install.sh check|install|tools|program BUILD|units|profiles|installed|uninstall' 2 ;;
esac
