#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# The kernel modules on this machine: probes/install.sh build|install|uninstall
#
# DESTDIR is as usual with make. lttng-modules is built once for each kernel, installed next to the
# probes, and removed by `uninstall`. packaging/install.sh installs the program.
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
release=${KERNEL_RELEASE:-$(uname -r)}
kernel_dir=/lib/modules/$release/build
build=$top/build/kernel/$release
destdir=${DESTDIR:-}
modules=$destdir/lib/modules/$release/updates

die() {
	echo "probes/install.sh: $1" >&2
	exit "${2:-4}"
}

build_modules() {
	[ -f "$kernel_dir/Makefile" ] ||
		die "the headers of the running kernel $release are missing; install them (apt-get install linux-headers-$release), or use the guest: make demo"
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
	# For a package build into DESTDIR, the package's scripts run depmod.
	if [ -z "$destdir" ]; then depmod "$release"; fi
}

install_modules() {
	[ -d "$build/stage" ] || die 'the modules are not built; run: make modules'
	mkdir -p "$modules" || die "cannot write below ${destdir:-/}; run as root, or set DESTDIR"
	for set in lttng-modules lttng-mm; do
		rm -rf "${modules:?}/$set"
		cp -R "$build/stage/lib/modules/$release/updates/$set" "$modules/$set"
	done
	run_depmod
	echo "installed: modules for $release in $modules"
}

uninstall_modules() {
	rm -rf "${modules:?}/lttng-mm" "${modules:?}/lttng-modules"
	rmdir "$modules" 2>/dev/null || :
	run_depmod
	echo "removed: modules for $release"
}

case ${1:-} in
build) build_modules ;;
install) install_modules ;;
uninstall) uninstall_modules ;;
*) die 'usage: probes/install.sh build|install|uninstall' 2 ;;
esac
