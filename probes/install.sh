#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# The kernel modules on this machine: probes/install.sh check|build|install|uninstall
#
# DESTDIR is as usual with make. lttng-modules is built once for each kernel, installed next to the
# probes, and removed by `uninstall`, which without DESTDIR unloads all of them first.
# packaging/install.sh installs the program.
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

have_backend() {
	[ -e "$build/lttng-modules/version" ] && [ -z "${LTTNG_MODULES_SRC:-}" ]
}

# Names everything that building and installing modules lacks, before anything is built.
check_requirements() {
	lacking=''
	for tool in make gcc strip; do
		command -v "$tool" >/dev/null 2>&1 || lacking='build-essential'
	done
	command -v awk >/dev/null 2>&1 || lacking="$lacking mawk"
	# A package's scripts run depmod.
	[ -n "$destdir" ] || command -v depmod >/dev/null 2>&1 || lacking="$lacking kmod"
	[ -f "$kernel_dir/Makefile" ] || lacking="$lacking linux-headers-$release"
	[ -z "$lacking" ] ||
		die "the modules for $release cannot be built without what these Debian packages hold; run: apt-get install $(echo "$lacking" | xargs); or use the guest: make demo"
	# The source of LTTng's modules is downloaded, unless it is at hand.
	if ! have_backend && [ -z "${LTTNG_MODULES_SRC:-}" ]; then
		apt-get download --print-uris lttng-modules-dkms >/dev/null 2>&1 ||
			die 'apt-get knows no lttng-modules-dkms, whose source is needed; run: apt-get update; or name a source tree: LTTNG_MODULES_SRC=DIR'
	fi
	can_write "$modules" || die "cannot write below ${destdir:-/}; run as root, or set DESTDIR"
}

# can_write FOLDER: can it be written, or created?
can_write() {
	folder=$1
	while [ ! -e "$folder" ]; do folder=$(dirname -- "$folder"); done
	[ -d "$folder" ] && [ -w "$folder" ]
}

build_modules() {
	[ -f "$kernel_dir/Makefile" ] ||
		die "the headers of the running kernel $release are missing; install them (apt-get install linux-headers-$release), or use the guest: make demo"
	mkdir -p "$build"
	if ! have_backend; then
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

# loaded_modules: all modules of LTTng of any version, since unused ones can be loaded again. While
# others have sessions, only lttng-mm's modules: the session daemon would not load its own again.
unloads='lttng_[a-z0-9_]*'
loaded_modules() {
	[ ! -e /proc/modules ] || sed -n "s/^\\($unloads\\) .*/\\1/p" /proc/modules
}

# A module that others use can be unloaded after these.
unload_unused() {
	while
		before=$(loaded_modules)
		for name in $before; do
			rmmod "$name" 2>/dev/null || :
		done
		[ "$(loaded_modules)" != "$before" ]
	do
		:
	done
}

# LTTng's session daemon uses the tracer. It is ended unless it has sessions. These belong to other
# programs: lttng-mm's sessions have been stopped.
session_daemon=
end_session_daemon() {
	if lttng --mi=xml list 2>/dev/null | grep -q '<session>'; then
		unloads='lttng_mm_[a-z0-9_]*\|lttng_probe_\(dax\|fn\|slab\)'
		return
	fi
	if [ -d /run/systemd/system ] && systemctl --quiet is-active lttng-sessiond.service; then
		systemctl stop lttng-sessiond.service
		session_daemon=stopped
	fi
	pid=$(cat /run/lttng/lttng-sessiond.pid 2>/dev/null) || return 0
	[ "$(cat "/proc/$pid/comm" 2>/dev/null)" = lttng-sessiond ] || return 0
	kill "$pid"
	while kill -0 "$pid" 2>/dev/null; do sleep 0.2; done
}

unload_modules() {
	[ -z "$destdir" ] && [ "$release" = "$(uname -r)" ] && [ -n "$(loaded_modules)" ] || return 0
	[ "$(id -u)" = 0 ] || die 'it unloads modules; run as root, or set DESTDIR'
	end_session_daemon
	unload_unused
	left=$(loaded_modules | xargs)
	[ -z "$left" ] ||
		echo "still loaded, because LTTng sessions use them: $left; they are gone after \`lttng destroy --all\` and rmmod, or after a reboot"
}

uninstall_modules() {
	unload_modules
	removed=''
	for set in lttng-mm lttng-modules; do
		[ -e "$modules/$set" ] || continue
		rm -rf "${modules:?}/$set"
		removed="$removed $modules/$set"
	done
	rmdir "$modules" 2>/dev/null || :
	[ -z "$session_daemon" ] || systemctl start lttng-sessiond.service
	[ -n "$removed" ] || return 0
	run_depmod
	echo "removed:$removed"
}

case ${1:-} in
check) check_requirements ;;
build) build_modules ;;
install) install_modules ;;
uninstall) uninstall_modules ;;
*) die 'usage: probes/install.sh check|build|install|uninstall' 2 ;;
esac
