#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Builds everything for the guest of a suite, with that suite's compiler and libraries: vm/build.sh
# SUITE. With --backend, only the image and lttng-modules: vm/build.sh --backend SUITE
#
#   build/SUITE/stage/      files that are added to Debian's packages in the guest
#   build/SUITE/guest.img   the same as the image that vm/run.sh attaches
#
# With --demo, builds only what `make demo` uses, in build/SUITE-demo: vm/build.sh --demo SUITE. Its
# steps run concurrently, and nothing has debug information. LTTNG_MM_GUEST=demo vm/run.sh boots it.
#
# With --gate, builds only what is installed, without tests and plugin, in build/SUITE-gate. With
# LTTNG_MM_KERNEL=DEB, the guest has this kernel (vm/kernel-image.sh), and the folder is
# build/SUITE+KEY-gate. LTTNG_MM_GUEST=gate vm/run.sh boots it, with LTTNG_MM_KERNEL if it was set.
set -eu
# shellcheck source=vm/lib.sh
. "$(dirname -- "$0")/lib.sh"

only_backend='' demo='' gate=''
case ${1:-} in
--backend) only_backend=1; shift ;;
--demo) demo=1; shift ;;
--gate) gate=1; shift ;;
esac
[ $# = 1 ] || die 'usage: vm/build.sh [--backend | --demo | --gate] SUITE'
suite=$1
check_suite "$suite" debug
[ -z "${LTTNG_MM_KERNEL:-}" ] || [ -n "$gate" ] || die 'LTTNG_MM_KERNEL is set, and only --gate builds for it'
LTTNG_MM_GUEST=${demo:+demo}${gate:+gate}
export LTTNG_MM_GUEST
make_image ${demo:+--root} "$suite"
image=$(image_dir "$suite")
release=$(kernel_release "$suite")
backend=$(backend_dir "$suite")
export LTTNG_MM_BACKEND="$backend"
build=$(build_dir "$suite")
log=$build/log
jobs=$(getconf _NPROCESSORS_ONLN)
mkdir -p "$build" "$log" "$cache/lttng-modules"
exec 9>"$build/.lock"
flock 9

in_sysroot() { "$top/vm/sysroot.sh" "$suite" "$@" 9>&-; }

# The build of the suite's lttng-modules takes minutes, so it is cached.
build_backend() {
	deb=$(cd "$image/root" && echo usr/src/lttng-modules-dkms_*.deb)
	set -- --deb "/$deb"
	if [ -n "${LTTNG_MODULES_SRC:-}" ]; then
		rm -rf "$build/lttng-modules-src"
		cp -R -- "$LTTNG_MODULES_SRC" "$build/lttng-modules-src"
		set -- --source /build/lttng-modules-src
		# Mark the cache, so that the next build without LTTNG_MODULES_SRC builds the stock
		# source again.
		mkdir -p "$backend"
		: >"$backend/user-source"
	else
		rm -f "$backend/user-source"
	fi
	set -- --kernel-dir "/lib/modules/$release/build" --kernel-release "$release" --out /backend \
		--jobs "$jobs" --modules-dir /backend/modules "$@"
	# Retries with the complete source if the reduced source does not build.
	[ -z "$demo" ] || ! in_sysroot sh /src/probes/backend/build.sh --core "$@" || return 0
	in_sysroot sh /src/probes/backend/build.sh "$@"
}

# Prints a hash of all files on which the contents of the guest depend.
sources_key() {
	(
		cd "$top"
		find probes profiles instrumentation lttng-session analysis reader regress util plugin packaging cli tests \
			bench vm doc/man doc/on-call.md tools.mk VERSION -type f 2>/dev/null | LC_ALL=C sort | xargs sha256sum
		echo "$image $backend ${LTTNG_MODULES_SRC:-} $demo"
		cat "$backend/table.txt"
	) | sha256sum
}

build_probes() {
	set -- --kernel-dir "/lib/modules/$release/build" --kernel-release "$release" \
		--lttng-modules /backend/src --out /build/probes --modules-dir /build/stage/usr
	if [ -n "$demo" ]; then
		in_sysroot sh /src/probes/build.sh --probes 'dax slab' --no-debug "$@"
	else
		in_sysroot sh /src/probes/build.sh "$@"
	fi
}

# Starts with the objects of another build for the suite, which do not depend on the kernel.
copy_tools() {
	[ ! -d "$build/tools" ] || return 0
	for copy_from in "$(dirname -- "$build")/$suite" "$(dirname -- "$build")/$suite-gate"; do
		if [ -d "$copy_from/tools" ]; then
			cp -a "$copy_from/tools" "$build/tools"
			return
		fi
	done
}

build_tools() {
	if [ -n "$demo" ]; then
		in_sysroot make -C /src -f tools.mk O=/build/tools CFLAGS='-O1 -g0' -j"$jobs" program
	elif [ -n "$gate" ]; then
		copy_tools
		in_sysroot make -C /src -f tools.mk O=/build/tools -j"$jobs" program
	else
		in_sysroot make -C /src -f tools.mk O=/build/tools -j"$jobs" all
	fi
	# The installation would keep old settings, as if an administrator had changed them.
	rm -rf "$build/stage/etc/lttng-mm"
	DESTDIR=$build/stage PREFIX=/usr "$top/packaging/install.sh" program "$build/tools"
	DESTDIR=$build/stage PREFIX=/usr "$top/packaging/install.sh" units
	DESTDIR=$build/stage PREFIX=/usr "$top/packaging/install.sh" profiles
	[ -z "$demo$gate" ] || return 0
	plugins=$(in_sysroot pkg-config --variable=libdir babeltrace2)/babeltrace2/plugins
	mkdir -p "$build/stage$plugins"
	cp "$build/tools/lib/babeltrace2/plugins/"*.so "$build/stage$plugins/"
}

# Builds the demo's workload and script.
build_demo() {
	tests=$build/stage/usr/lib/lttng-mm/tests
	rm -rf "$tests"
	mkdir -p "$tests"
	in_sysroot make -C /src/tests/kernel O=/build/stage/usr/lib/lttng-mm/tests \
		/build/stage/usr/lib/lttng-mm/tests/dax-workload
	cp "$top/vm/demo-guest.sh" "$tests/"
}

build_tests() {
	tests=$build/stage/usr/lib/lttng-mm/tests
	rm -rf "$tests"
	mkdir -p "$tests"
	in_sysroot make -C /src/tests/kernel O=/build/stage/usr/lib/lttng-mm/tests
	rm -rf "$build/test-modules"
	cp -R "$top/tests/kernel/modules" "$build/test-modules"
	in_sysroot make -C "/lib/modules/$release/build" M=/build/test-modules modules
	rm -rf "$build/test-probes"
	cp -R "$top/tests/kernel/probes" "$build/test-probes"
	in_sysroot make -C "/lib/modules/$release/build" M=/build/test-probes LTTNG_MM_TOP=/src \
		LTTNG_MODULES_TREE=/backend/src \
		KBUILD_EXTRA_SYMBOLS='/backend/src/src/Module.symvers /build/probes/probes/Module.symvers' modules
	for module in "$build"/test-modules/*.ko "$build"/test-probes/*.ko; do
		in_sysroot strip --strip-debug "/build/${module#"$build"/}"
		cp "$module" "$tests/"
	done
	for program in dax-fault-loop ftrace-window pageref-cost pageref-workload stamp; do
		in_sysroot gcc -O2 -o "/build/stage/usr/lib/lttng-mm/tests/$program" "/src/bench/$program.c"
	done
	in_sysroot gcc -O2 -shared -fPIC -o /build/stage/usr/lib/lttng-mm/tests/pageref-phases.so \
		/src/bench/pageref-phases.c
	cp "$top"/tests/metadata/*.tsdl "$top/tests/utils/capture-metadata.sh" "$tests/"
	# Files that `make uninstall` needs.
	mkdir -p "$tests/tree/doc" "$tests/tree/probes"
	cp -R "$top/packaging" "$top/profiles" "$tests/tree/"
	cp -R "$top/doc/man" "$tests/tree/doc/"
	cp "$top/probes/install.sh" "$tests/tree/probes/"
	cp "$top/doc/on-call.md" "$top/tests/tap.sh" "$top"/tests/kernel/*.sh "$top"/tests/kernel/*/*.sh "$top"/vm/demo-guest.sh "$top"/vm/demo-fn-guest.sh "$top"/vm/demo-page-ref-guest.sh "$top"/bench/*-guest.sh "$tests/"
}

assemble() {
	# Only module files are staged: in the image, `lib` is a link to `usr/lib`.
	mkdir -p "$build/stage/usr/lib/modules/$release/updates"
	# The disk of the suite has the modules of its own kernel only.
	[ -z "${LTTNG_MM_KERNEL:-}" ] || cp -RP "$image/root/usr/lib/modules/$release/." "$build/stage/usr/lib/modules/$release/"
	rm -rf "$build/stage/usr/lib/modules/$release/updates/lttng-modules"
	cp -R "$backend/modules/lib/modules/$release/updates/lttng-modules" \
		"$build/stage/usr/lib/modules/$release/updates/"
	# Debian 12's depmod can only write next to the modules, hence the copy.
	# shellcheck disable=SC2016
	in_sysroot sh -e -c '
		copy=/tmp/depmod/lib/modules/$1
		mkdir -p "$copy"
		cp -R "/lib/modules/$1/kernel" "/lib/modules/$1/updates" /lib/modules/"$1"/modules.* "$copy"
		depmod -b /tmp/depmod "$1"
		cp "$copy"/modules.* "/build/stage/usr/lib/modules/$1/"' sh "$release"
	size=$(du -sm "$build/stage" | cut -f1)
	rm -f "$build/guest.img.new"
	mke2fs -q -t ext4 -O '^has_journal' -m 0 -d "$build/stage" "$build/guest.img.new" \
		"$((size * 5 / 4 + 16))M"
	mv "$build/guest.img.new" "$build/guest.img"
}

# Only one process builds the lttng-modules of a suite. Others wait for the lock, and then find the
# build.
lock_backend() {
	exec 8>"$cache/lttng-modules/.$(guest_name "$suite").lock"
	flock 8
}
unlock_backend() { exec 8>&-; }

backend_missing() {
	[ ! -e "$backend/version" ] || [ -n "${LTTNG_MODULES_SRC:-}" ]
}

# Removes older builds, and a demo build that a complete build has replaced. A demo build does not
# remove complete builds, because another process may be creating one.
remove_old_backends() {
	for old in "$cache/lttng-modules/$(guest_name "$suite")-"*${demo:+-demo}; do
		[ "$old" = "$backend" ] || as_root rm -rf "$old"
	done
}

is_outdated() {
	[ ! -e "$build/guest.img" ] || [ "$(cat "$build/.key" 2>/dev/null)" != "$(sources_key)" ]
}

# Builds the tools and the image concurrently with lttng-modules, because they need only the file
# tree. The probes are built afterwards, because they need lttng-modules.
build_side_by_side() {
	rm -f "$build/.key"
	begin_step "$log/image.log" "$suite: disk of the packages" make_image "$suite" 9>&-
	begin_step "$log/tools.log" "$suite: tools" build_tools 9>&-
	begin_step "$log/demo.log" "$suite: the demo's workload" build_demo 9>&-
	lock_backend
	if backend_missing; then
		begin_step "$log/lttng-modules.log" "$suite: lttng-modules for $release" build_backend 9>&-
		end_step "$log/lttng-modules.log"
		remove_old_backends
	fi
	unlock_backend
	step "$log/probes.log" "$suite: probes" build_probes
	for name in tools demo image; do
		end_step "$log/$name.log"
	done
	step "$log/assemble.log" "$suite: guest's disk" assemble
	sources_key >"$build/.key"
}

if [ -z "${LTTNG_MODULES_SRC:-}" ] && [ -e "$backend/user-source" ]; then
	rm -f "$backend/version"
fi
trap cancel_steps EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
if [ -n "$demo" ]; then
	if backend_missing || is_outdated; then
		build_side_by_side
	else
		make_image "$suite" 9>&-
	fi
	exit
fi
lock_backend
if backend_missing; then
	step "$log/lttng-modules.log" "$suite: lttng-modules for $release" build_backend
	sed "s/^/    /" "$backend/table.txt" >&2
	remove_old_backends
fi
unlock_backend
[ -z "$only_backend" ] || exit 0
if is_outdated; then
	rm -f "$build/.key"
	step "$log/probes.log" "$suite: probes" build_probes
	step "$log/tools.log" "$suite: tools" build_tools
	[ -n "$gate" ] || step "$log/tests.log" "$suite: guest's tests" build_tests
	step "$log/assemble.log" "$suite: guest's disk" assemble
	sources_key >"$build/.key"
fi
