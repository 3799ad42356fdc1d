#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# The program, its profiles, its babeltrace2 plugin, systemd units and man pages on this machine:
# packaging/install.sh install|program BUILD|units|profiles|uninstall
#
# DESTDIR and PREFIX are as usual with make; LIBDIR is PREFIX/lib, unless babeltrace2 is installed
# below PREFIX: then it is babeltrace2's, where it finds the plugin without further settings.
# probes/install.sh installs the kernel modules.
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
destdir=${DESTDIR:-}
prefix=${PREFIX:-/usr/local}
libdir=${LIBDIR:-$prefix/lib}
if [ -z "${LIBDIR:-}" ] && [ "$(pkg-config --variable=prefix babeltrace2)" = "$prefix" ]; then
	libdir=$(pkg-config --variable=libdir babeltrace2)
fi
plugins=$libdir/babeltrace2/plugins
plugin=babeltrace-plugin-lttng-mm.so
units=$prefix/lib/systemd/system
tmpfiles=$prefix/lib/tmpfiles.d
# In /etc/lttng-mm: what the recorder records, and lists of what snapshots may contain.
settings='captures kernel-parameters mount-options recorder.conf'
unit_files='lttng-mm-boot.service lttng-mm-failed@.service lttng-mm-shutdown.service lttng-mm.service'
# Where the program looks for them: in share/ next to its own folder.
profiles=$prefix/share/lttng-mm/profiles

die() {
	echo "packaging/install.sh: $1" >&2
	exit "${2:-4}"
}

# The recorder daemon, which the administrator enables; snapshots of units that fail, which name the
# template; and the recorder that starts at boot: every boot pulls it in, but it does nothing unless
# the kernel command line requests it.
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

uninstall_units() {
	for unit in $unit_files; do
		rm -f "$destdir$units/$unit"
	done
	rm -f "$destdir$units/sysinit.target.wants/lttng-mm-boot.service" \
		"$destdir$units/lttng-sessiond.service.d/lttng-mm-boot.conf" \
		"$destdir$tmpfiles/lttng-mm.conf"
	# Not what the administrator has changed.
	for file in $settings; do
		! cmp -s "$top/packaging/$file" "$destdir/etc/lttng-mm/$file" ||
			rm "$destdir/etc/lttng-mm/$file"
	done
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
	for profile in "$top"/profiles/*.conf; do
		rm -f "$destdir$profiles/${profile##*/}"
	done
	rmdir "$destdir$profiles" "$destdir$prefix/share/lttng-mm" 2>/dev/null || :
}

# install_program BUILD: the program of all commands is found from the folder of the small one.
install_program() {
	mkdir -p "$destdir$prefix/bin" "$destdir$prefix/lib/lttng-mm"
	install -m 755 "$1/lib/lttng-mm/lttng-mm" "$destdir$prefix/lib/lttng-mm/lttng-mm"
	install -m 755 "$1/bin/lttng-mm" "$destdir$prefix/bin/lttng-mm"
}

install_all() {
	[ -x "$top/build/host/bin/lttng-mm" ] || die 'the program is not built; run: make tools'
	mkdir -p "$destdir$prefix/bin" "$destdir$plugins" "$destdir$prefix/share/man/man1" \
		"$destdir$prefix/share/man/man7" ||
		die "cannot write below ${destdir:-/}; run as root, or set DESTDIR"
	install_program "$top/build/host"
	install -m 644 "$top/build/host/lib/babeltrace2/plugins/$plugin" "$destdir$plugins/$plugin"
	for page in "$top"/doc/man/*.[17]; do
		install -m 644 "$page" "$destdir$prefix/share/man/man${page##*.}/${page##*/}"
	done
	install_profiles
	install_units
	echo "installed: lttng-mm in $destdir$prefix/bin, babeltrace2's plugin in $destdir$plugins"
	echo "(if babeltrace2 does not search there: BABELTRACE_PLUGIN_PATH=$plugins)"
}

uninstall_all() {
	rm -f "$destdir$prefix/bin/lttng-mm" "$destdir$prefix/lib/lttng-mm/lttng-mm" \
		"$destdir$plugins/$plugin"
	rmdir "$destdir$prefix/lib/lttng-mm" "$destdir$plugins" "$destdir$libdir/babeltrace2" 2>/dev/null || :
	for page in "$top"/doc/man/*.[17]; do
		rm -f "$destdir$prefix/share/man/man${page##*.}/${page##*/}"
	done
	uninstall_profiles
	uninstall_units
	echo 'removed: lttng-mm, its profiles, babeltrace2 plugin, systemd units and man pages'
}

case ${1:-} in
install) install_all ;;
program) install_program "${2:?usage: packaging/install.sh program BUILD}" ;;
units) install_units ;;
profiles) install_profiles ;;
uninstall) uninstall_all ;;
*) die 'usage: packaging/install.sh install|program BUILD|units|profiles|uninstall' 2 ;;
esac
