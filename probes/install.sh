#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Modules, tools, the babeltrace2 plugin, systemd units and man pages on the running machine:
# probes/install.sh build|install|units|uninstall
#
# DESTDIR and PREFIX are make's usual ones; LIBDIR is PREFIX/lib unless babeltrace2 itself is below PREFIX:
# then it is babeltrace2's, where the plugin is found without being told. lttng-modules is built once for a kernel, installed beside
# the probes, and goes away again with `uninstall`.
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
release=${KERNEL_RELEASE:-$(uname -r)}
kernel_dir=/lib/modules/$release/build
build=$top/build/kernel/$release
destdir=${DESTDIR:-}
prefix=${PREFIX:-/usr/local}
modules=$destdir/lib/modules/$release/updates
libdir=${LIBDIR:-$prefix/lib}
if [ -z "${LIBDIR:-}" ] && [ "$(pkg-config --variable=prefix babeltrace2)" = "$prefix" ]; then
	libdir=$(pkg-config --variable=libdir babeltrace2)
fi
plugins=$libdir/babeltrace2/plugins
plugin=babeltrace-plugin-lttng-mm.so

units=$prefix/lib/systemd/system

die() {
	echo "install: $1" >&2
	exit "${2:-4}"
}

build_modules() {
	[ -f "$kernel_dir/Makefile" ] ||
		die "the running kernel $release has no headers here; install them (apt-get install linux-headers-$release), or use the guest: make demo"
	mkdir -p "$build"
	if [ ! -e "$build/lttng-modules/version" ] || [ -n "${LTTNG_MODULES_SRC:-}" ]; then
		"$top/probes/backend/build.sh" --kernel-dir "$kernel_dir" --kernel-release "$release" \
			--out "$build/lttng-modules" --modules-dir "$build/stage"
	fi
	"$top/probes/build.sh" --kernel-dir "$kernel_dir" --kernel-release "$release" \
		--lttng-modules "$build/lttng-modules/src" --out "$build/probes" \
		--modules-dir "$build/stage"
}

run_depmod() {
	# A package build into DESTDIR leaves depmod to the package's own scripts.
	if [ -z "$destdir" ]; then depmod "$release"; fi
}

# The recorder from boot on: pulled in by every boot, does nothing unless the kernel's command line asks for it.
install_units() {
	mkdir -p "$destdir$units/sysinit.target.wants" "$destdir$units/lttng-sessiond.service.d"
	sed "s|@PREFIX@|$prefix|g" "$top/lttng-session/lttng-mm-boot.service.in" \
		>"$destdir$units/lttng-mm-boot.service"
	chmod 644 "$destdir$units/lttng-mm-boot.service"
	ln -sf ../lttng-mm-boot.service "$destdir$units/sysinit.target.wants/lttng-mm-boot.service"
	install -m 644 "$top/lttng-session/lttng-mm-boot.conf" \
		"$destdir$units/lttng-sessiond.service.d/lttng-mm-boot.conf"
}

uninstall_units() {
	rm -f "$destdir$units/lttng-mm-boot.service" \
		"$destdir$units/sysinit.target.wants/lttng-mm-boot.service" \
		"$destdir$units/lttng-sessiond.service.d/lttng-mm-boot.conf"
	rmdir "$destdir$units/sysinit.target.wants" "$destdir$units/lttng-sessiond.service.d" \
		"$destdir$units" 2>/dev/null || :
}

install_all() {
	[ -d "$build/stage" ] || die 'the modules are not built; run: make modules'
	mkdir -p "$modules" "$destdir$prefix/bin" "$destdir$plugins" "$destdir$prefix/share/man/man1" \
		"$destdir$prefix/share/man/man7" ||
		die "cannot write below ${destdir:-/}; run as root, or set DESTDIR"
	for set in lttng-modules lttng-mm; do
		rm -rf "${modules:?}/$set"
		cp -R "$build/stage/lib/modules/$release/updates/$set" "$modules/$set"
	done
	install -m 755 "$top/build/host/bin/lttng-mm" "$destdir$prefix/bin/lttng-mm"
	install -m 644 "$top/build/host/lib/babeltrace2/plugins/$plugin" "$destdir$plugins/$plugin"
	for page in "$top"/doc/man/*.[17]; do
		install -m 644 "$page" "$destdir$prefix/share/man/man${page##*.}/${page##*/}"
	done
	install_units
	run_depmod
	echo "installed: modules for $release in $modules, lttng-mm in $destdir$prefix/bin,"
	echo "babeltrace2's plugin in $destdir$plugins (if babeltrace2 does not look there: BABELTRACE_PLUGIN_PATH=$plugins)"
}

uninstall_all() {
	rm -rf "${modules:?}/lttng-mm" "${modules:?}/lttng-modules"
	rmdir "$modules" 2>/dev/null || :
	rm -f "$destdir$prefix/bin/lttng-mm" "$destdir$plugins/$plugin"
	rmdir "$destdir$plugins" "$destdir$libdir/babeltrace2" 2>/dev/null || :
	for page in "$top"/doc/man/*.[17]; do
		rm -f "$destdir$prefix/share/man/man${page##*.}/${page##*/}"
	done
	uninstall_units
	run_depmod
	echo "taken away: modules for $release, lttng-mm, its babeltrace2 plugin, its systemd units and its man pages"
}

case ${1:-} in
build) build_modules ;;
install) install_all ;;
units) install_units ;;
uninstall) uninstall_all ;;
*) die 'usage: probes/install.sh build|install|units|uninstall' 2 ;;
esac
