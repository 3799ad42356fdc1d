#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Manages the kernel modules on this machine: probes/install.sh check|build|install|uninstall
#
# DESTDIR has its usual meaning for make. lttng-modules is built once per kernel, and installed next
# to the probes. `uninstall` removes both; without DESTDIR it unloads all their modules first.
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

# Reports everything that is missing for building and installing modules, before anything is built.
check_requirements() {
	lacking=''
	for tool in make gcc strip; do
		command -v "$tool" >/dev/null 2>&1 || lacking='build-essential'
	done
	command -v awk >/dev/null 2>&1 || lacking="$lacking mawk"
	# In a package build, the package's scripts run depmod instead.
	[ -n "$destdir" ] || command -v depmod >/dev/null 2>&1 || lacking="$lacking kmod"
	[ -f "$kernel_dir/Makefile" ] || lacking="$lacking linux-headers-$release"
	[ -z "$lacking" ] ||
		die "the modules for $release cannot be built: Debian packages are missing; run: apt-get install $(echo "$lacking" | xargs); or use the guest: make demo"
	# The source of LTTng's modules will be downloaded, unless it is present.
	if ! have_backend && [ -z "${LTTNG_MODULES_SRC:-}" ]; then
		apt-get download --print-uris lttng-modules-dkms >/dev/null 2>&1 ||
			die 'apt-get does not find lttng-modules-dkms, the source of the tracer; run: apt-get update; or name a source tree: LTTNG_MODULES_SRC=DIR'
	fi
	can_write "$modules" || die "cannot write below ${destdir:-/}; run as root, or set DESTDIR"
}

# can_write FOLDER: can the folder be written to, or created?
can_write() {
	folder=$1
	while [ ! -e "$folder" ]; do folder=$(dirname -- "$folder"); done
	[ -d "$folder" ] && [ -w "$folder" ]
}

build_modules() {
	[ -f "$kernel_dir/Makefile" ] ||
		die "the headers of the running kernel $release are missing; install them (apt-get install linux-headers-$release), install only what reads traces (make install-tools), or use the guest: make demo"
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

# loaded_modules: prints the loaded LTTng modules whose names match $unloads, of any version, used
# or unused. While other programs have sessions, $unloads matches only lttng-mm's modules, because
# the session daemon would not load its own modules again.
unloads='lttng_[a-z0-9_]*'
loaded_modules() {
	[ ! -e /proc/modules ] || sed -n "s/^\\($unloads\\) .*/\\1/p" /proc/modules
}

# Repeats until nothing changes: a module can be unloaded only after the modules that use it.
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

# own_modules: prints a pattern of the names of lttng-mm's installed modules.
own_modules() {
	find "$modules/lttng-mm" -name '*.ko' 2>/dev/null | sed 's,.*/,,; s/\.ko$//; y/-/_/' | paste -sd '|' |
		sed 's/|/\\|/g'
}

# Stops LTTng's session daemon, which uses the tracer, unless it has sessions. These sessions belong
# to other programs: lttng-mm's own sessions are already stopped.
session_daemon=
end_session_daemon() {
	if lttng --mi=xml list 2>/dev/null | grep -q '<session>'; then
		unloads=$(own_modules)
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
	[ "$(id -u)" = 0 ] || die 'uninstalling unloads modules; run as root, or set DESTDIR'
	end_session_daemon
	unload_unused
	left=$(loaded_modules | xargs)
	[ -z "$left" ] ||
		echo "still loaded, because LTTng sessions use them: $left; remove them with \`lttng destroy --all\` and rmmod, or reboot"
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
