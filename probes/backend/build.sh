#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Builds lttng-modules for one kernel from the distribution's lttng-modules-dkms source; probes that
# do not compile are skipped and named.
#
# OUT/src        the built tree (include/ and src/Module.symvers: what our probes build against)
# OUT/table.txt  one line for each upstream probe: built or skipped, and why
# OUT/version    the version of lttng-modules
# OUT/kernel-release  the kernel that it was built for
set -eu
LC_ALL=C
export LC_ALL
# The flags of a calling make must not reach the kernel's build.
unset MAKEFLAGS MFLAGS MAKELEVEL GNUMAKEFLAGS

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
kernel_dir='' release='' out='' source=${LTTNG_MODULES_SRC:-} deb='' jobs='' modules_dir='' core=''
origin=LTTNG_MODULES_SRC
max_rounds=8

usage() {
	cat <<'END'
Usage: probes/backend/build.sh --kernel-dir DIR --kernel-release VERSION --out DIR
                               [--source DIR | --deb FILE] [--jobs N] [--modules-dir DIR]
                               [--core]

Builds lttng-modules for a kernel.

  --kernel-dir DIR       the kernel's build directory (/lib/modules/VERSION/build)
  --kernel-release V     the kernel's release, as uname -r prints it
  --out DIR              where the built tree, table.txt and version go
  --source DIR           an lttng-modules source tree; it is copied, never modified
                         (LTTNG_MODULES_SRC=DIR is equivalent)
  --deb FILE             an lttng-modules-dkms package; it is unpacked, never installed
  --jobs N               compile N files in parallel (default: number of CPUs)
  --modules-dir DIR      install the modules below DIR/lib/modules/VERSION/updates/lttng-modules
                         (/ for the running system; the caller runs depmod)
  --core                 build the tracer, its ring buffers, its state dump and the events of
                         processes that profiles record only: no other upstream
                         probes, no system calls, no debug information

Without --source and --deb the package is fetched with apt-get download.
END
}

die() {
	printf 'backend/build.sh: %s\n' "$1" >&2
	exit "${2:-4}"
}

warn() {
	printf 'backend/build.sh: warning: %s\n' "$1" >&2
}

parse_options() {
	while [ $# -gt 0 ]; do
		case $1 in
		-h | --help)
			usage
			exit 0
			;;
		--core)
			core=1
			shift
			continue
			;;
		--kernel-dir | --kernel-release | --out | --source | --deb | --jobs | --modules-dir) ;;
		*) die "unknown option '$1'; see --help" 2 ;;
		esac
		if [ $# -lt 2 ] || [ -z "$2" ]; then
			die "$1 requires a value; see --help" 2
		fi
		case $1 in
		--kernel-dir) kernel_dir=$2 ;;
		--kernel-release) release=$2 ;;
		--out) out=$2 ;;
		--source) source=$2 origin=--source ;;
		--deb) deb=$2 source='' ;;
		--jobs) jobs=$2 ;;
		--modules-dir) modules_dir=$2 ;;
		esac
		shift 2
	done
	[ -n "$kernel_dir" ] || die '--kernel-dir is missing; see --help' 2
	[ -n "$release" ] || die '--kernel-release is missing; see --help' 2
	[ -n "$out" ] || die '--out is missing; see --help' 2
	case $release in
	*/* | .*) die "--kernel-release: '$release' is not a kernel release" 2 ;;
	esac
	jobs=${jobs:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)}
	case $jobs in
	'' | *[!0-9]* | 0*) die "--jobs: '$jobs' is not a positive number" 2 ;;
	esac
}

check_environment() {
	for tool in make gcc strip awk sed; do
		command -v "$tool" >/dev/null 2>&1 ||
			die "$tool is missing; install it: apt-get install make gcc binutils"
	done
	if [ ! -f "$kernel_dir/Makefile" ] || [ ! -f "$kernel_dir/include/config/auto.conf" ]; then
		die "$kernel_dir: no kernel build directory; install it: apt-get install linux-headers-$release"
	fi
	built_for=$(sed -n 's/^#define UTS_RELEASE "\(.*\)"$/\1/p' \
		"$kernel_dir/include/generated/utsrelease.h" 2>/dev/null || :)
	[ -z "$built_for" ] || [ "$built_for" = "$release" ] ||
		die "$kernel_dir is for kernel $built_for, not $release; pass that kernel's build directory"
	kernel_dir=$(CDPATH='' cd -- "$kernel_dir" && pwd -P)
	# Debian splits the headers into two packages. The Makefile of the first package includes
	# the second package's Makefile.
	kernel_src=$(sed -n 's|^include \(/.*\)/Makefile$|\1|p' "$kernel_dir/Makefile" | head -n 1)
	[ -n "$kernel_src" ] || kernel_src=$kernel_dir
}

cleanup() {
	status=$?
	[ -z "${work:-}" ] || rm -rf -- "$work"
	exit "$status"
}

# Is $1 the top folder of an lttng-modules source tree?
is_source() {
	[ -f "$1/src/probes/Kbuild" ] && [ -f "$1/include/lttng/tracer.h" ]
}

# Sets source to the caller's source tree, or to the unpacked source package of the distribution.
find_source() {
	if [ -n "$source" ]; then
		for dir in "$source" "$source"/usr/src/lttng-modules-*; do
			is_source "$dir" || continue
			source=$dir
			return
		done
		die "$origin: $source is not an lttng-modules source tree; it must contain src/probes/Kbuild"
	fi
	command -v dpkg >/dev/null 2>&1 ||
		die 'dpkg is missing; unpack lttng-modules and pass the tree with --source DIR'
	if [ -z "$deb" ]; then
		command -v apt-get >/dev/null 2>&1 ||
			die 'apt-get is missing; pass the package with --deb FILE'
		if ! (cd "$work" && apt-get -q -o APT::Sandbox::User=root download \
			lttng-modules-dkms) >"$work/apt.log" 2>&1; then
			die "apt-get download lttng-modules-dkms: $(grep -m 1 '^E:' "$work/apt.log" ||
				tail -n 1 "$work/apt.log"); run apt-get update, or pass --deb FILE or \
LTTNG_MODULES_SRC=DIR"
		fi
		deb=$(find "$work" -maxdepth 1 -name 'lttng-modules-dkms*.deb' | head -n 1)
	fi
	[ -f "$deb" ] || die "--deb: $deb: no such file"
	dpkg -x "$deb" "$work/package" 2>"$work/dpkg.log" ||
		die "--deb: $deb: $(head -n 1 "$work/dpkg.log"); pass an lttng-modules-dkms package"
	for dir in "$work"/package/usr/src/lttng-modules-*; do
		is_source "$dir" || die "--deb: $deb contains no lttng-modules source; pass lttng-modules-dkms"
		source=$dir
	done
}

# Removes build products from $1. If $2 is "modules", keeps the modules.
remove_objects() {
	find "$1" \( -name '*.o' -o -name '*.mod' -o -name '*.mod.c' -o -name '.*.cmd' \) -type f \
		-exec rm -f -- {} +
	[ "${2:-}" = modules ] || find "$1" \( -name '*.ko' -o -name modules.order \
		-o -name Module.symvers \) -type f -exec rm -f -- {} +
}

# Copies the source without the products of an earlier build.
copy_source() {
	mkdir "$work/src"
	cp -R -- "$source/." "$work/src/"
	chmod -R u+w "$work/src"
	remove_objects "$work/src"
	version=$(awk '/^#define LTTNG_MODULES_(MAJOR|MINOR|PATCHLEVEL)_VERSION/ {
			out = out (out == "" ? "" : ".") $3 }
		/^#define LTTNG_MODULES_EXTRAVERSION/ { gsub(/"/, "", $3); out = out $3 }
		END { print out }' "$work/src/include/lttng/tracer.h")
	[ -n "$version" ] || die "$source: no version in include/lttng/tracer.h; is the tree complete?"
}

# hrtimer_start got a third argument in stable kernels; the source may not support it.
fix_hrtimer_start() {
	ours=$work/src/include/instrumentation/events/timer.h
	theirs=$kernel_src/include/trace/events/timer.h
	[ -f "$ours" ] && [ -f "$theirs" ] || return 0
	awk '/TRACE_EVENT\(hrtimer_start,/ { seen = 1 } seen && /TP_ARGS/ { exit }
		seen && /bool was_armed/ { found = 1 } END { exit !found }' "$theirs" || return 0
	if grep -q was_armed "$ours"; then
		return 0
	fi
	sed -f "$here/hrtimer-start.sed" "$ours" >"$work/timer.h"
	mv "$work/timer.h" "$ours"
	echo 'timer fixed: hrtimer_start has a third argument on this kernel' >>"$work/notes"
}

# Removes everything from the copy that --core does not build, including the tables of system calls,
# which take as long to compile as the rest of the source. Without the tables, the source compiles
# as for a kernel without tracepoints of system calls, and the session daemon reports that it cannot
# trace system calls.
reduce_to_core() {
	# shellcheck disable=SC2016
	echo 'obj-m := $(filter lttng-kprobes.o lttng-kretprobes.o lttng-uprobes.o lttng-probe-statedump.o lttng-probe-sched.o,$(obj-m))' \
		>>"$work/src/src/probes/Kbuild"
	# shellcheck disable=SC2016
	printf '%s\n' 'obj-m := $(filter-out tests/,$(obj-m))' \
		'lttng-tracer-objs := $(filter-out lttng-syscalls%,$(lttng-tracer-objs))' \
		>>"$work/src/src/Kbuild"
	for file in src/lttng-abi.c include/lttng/events-internal.h; do
		sed -i 's/CONFIG_HAVE_SYSCALL_TRACEPOINTS/LTTNG_MM_SYSCALLS/' "$work/src/$file"
	done
}

# run_make ARGS...: runs the kernel's build on the copy.
run_make() {
	# Without debug information, pahole refuses to make BTF of modules.
	make -C "$kernel_dir" M="$work/src/src" CONFIG_LTTNG=m ${core:+CONFIG_DEBUG_INFO_BTF_MODULES=} \
		KCFLAGS="${KCFLAGS-}${core:+ -g0} -ffile-prefix-map=$work/src=lttng-modules" "$@"
}

# Prints the modules that failed according to the build log, one per line: objects that did not
# compile, and modules that need a symbol that the kernel does not export.
failed_modules() {
	sed -n -e 's|^make.*\*\*\* \[.*[:/ ]\(lttng-[a-z0-9_-]*\)\.o\] Error.*|\1|p' \
		-e 's|^ERROR: modpost: .* \[.*/\(lttng-[a-z0-9_-]*\)\.ko\] undefined!.*|\1|p' \
		"$work/build.log" | sort -u
}

# first_error MODULE: prints the reason of its failure in one line.
first_error() {
	reason=$(sed -n "s|^ERROR: modpost: \(.*\) \[.*/$1\.ko\] undefined!.*|the kernel exports no \1|p" \
		"$work/build.log" | head -n 1)
	if [ -z "$reason" ]; then
		object=$1.o
		[ ! -f "$work/src/src/probes/$1.c" ] || object=probes/$object
		run_make -j1 "$object" >"$work/one.log" 2>&1 || :
		reason=$(grep -m 1 -E '(error|fatal error): ' "$work/one.log" ||
			grep -m 1 'Error' "$work/one.log" || echo 'no message')
		reason=$(printf '%s\n' "$reason" | sed "s|^.*/\([^/]*/[^/]*:[0-9]*\):[0-9]*: |\1: |")
	fi
	printf '%s\n' "$reason" | tr -d '\r' | cut -c1-200
}

# skip_probes MODULE...: removes failed probes from the copied Kbuild; any other failure is fatal.
skip_probes() {
	for module in "$@"; do
		error=$(first_error "$module")
		case $module in
		lttng-probe-user | lttng-probe-statedump) ;;
		lttng-probe-*)
			[ -f "$work/src/src/probes/$module.c" ] || die "$module: $error"
			warn "upstream probe ${module#lttng-probe-} skipped: $error"
			printf '%s skipped: %s\n' "${module#lttng-probe-}" "$error" >>"$work/notes"
			# shellcheck disable=SC2016
			printf 'obj-m := $(filter-out %s.o,$(obj-m))\n' "$module" \
				>>"$work/src/src/probes/Kbuild"
			continue
			;;
		esac
		die "lttng-modules $version does not build on $release: $module: $error; \
pass a newer source with LTTNG_MODULES_SRC=DIR"
	done
}

build() {
	round=0
	until run_make -k -j"$jobs" modules >"$work/build.log" 2>&1; do
		round=$((round + 1))
		failed=$(failed_modules)
		if [ -z "$failed" ] || [ "$round" -gt "$max_rounds" ]; then
			cp "$work/build.log" "$out/build-failed.log"
			die "lttng-modules $version does not build on $release: $(grep -m 1 -E \
				'rror: |\*\*\*' "$work/build.log"); the full log is $out/build-failed.log"
		fi
		# shellcheck disable=SC2086
		skip_probes $failed
	done
	if [ ! -f "$work/src/src/Module.symvers" ] || [ ! -f "$work/src/src/lttng-tracer.ko" ]; then
		die "lttng-modules $version on $release: the build produced no lttng-tracer.ko"
	fi
}

# why_not PROBE: prints why Kbuild skipped the probe, from its warnings or conditions.
why_not() {
	why=$(sed -n "s/.*Kbuild:[0-9]*: \(.*\) Probe \"${1%%-x86*}\".*is disabled.*/\1/p" \
		"$work/build.log" | head -n 1 | sed "s|$kernel_src/||; s|\.\$||")
	if [ -n "$why" ]; then
		printf '%s (requires the full kernel source)\n' "$why"
		return
	fi
	while read -r probe kind what; do
		[ "$probe" = "$1" ] || continue
		case $kind in
		config)
			grep -q "^$what=" "$kernel_dir/include/config/auto.conf" && continue
			printf '%s is not set in this kernel\n' "$what"
			return
			;;
		file)
			[ -e "$kernel_src/$what" ] && continue
			printf '%s is not in this kernel\n' "$what"
			return
			;;
		version)
			echo 'not for this kernel version'
			return
			;;
		esac
	done <"$work/conditions"
	echo 'upstream does not build it'
}

# Prints one line for each upstream probe. Sample:
#   kmem                  skipped   File mm/slab.h not found (requires the full kernel source)
#   timer                 built     fixed: hrtimer_start has a third argument on this kernel
write_table() {
	printf 'lttng-modules %s for %s%s\n' "$version" "$release" "${core:+, without probes and system calls}"
	[ -z "$core" ] || return 0
	awk -f "$here/conditions.awk" "$work/src/src/probes/Kbuild" >"$work/conditions"
	for file in "$work"/src/src/probes/lttng-probe-*.c; do
		probe=${file##*/lttng-probe-}
		probe=${probe%.c}
		case $probe in
		user | *.mod) continue ;;	# part of lttng-tracer; created by the build
		esac
		note=$(sed -n "s/^$probe \(skipped: \)\{0,1\}//p" "$work/notes" | head -n 1)
		if [ -f "${file%.c}.ko" ]; then
			printf '  %-22s built     %s\n' "$probe" "$note"
		else
			printf '  %-22s skipped   %s\n' "$probe" "${note:-$(why_not "$probe")}"
		fi
	done | sed 's/ *$//'
}

install_modules() {
	dir=${modules_dir%/}/lib/modules/$release/updates
	mkdir -p "$dir" 2>/dev/null ||
		die "$dir: cannot be created; run as root or choose another --modules-dir"
	new=$dir/.lttng-modules.$$
	rm -rf -- "$new"
	mkdir "$new"
	find "$work/src/src" -name '*.ko' | while IFS= read -r module; do
		strip --strip-debug -o "$new/${module##*/}" "$module"
	done
	[ -f "$new/lttng-tracer.ko" ] || die "$new: the modules could not be written; is the disk full?"
	rm -rf -- "$dir/lttng-modules"
	mv "$new" "$dir/lttng-modules"
}

main() {
	parse_options "$@"
	check_environment
	mkdir -p "$out" 2>/dev/null || die "$out: cannot be created; choose another --out"
	out=$(CDPATH='' cd -- "$out" && pwd -P)
	work=$(mktemp -d "$out/.build.XXXXXX" 2>/dev/null) ||
		die "$out: cannot be written; choose another --out"
	trap cleanup EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	: >"$work/notes"
	find_source
	copy_source
	fix_hrtimer_start
	[ -z "$core" ] || reduce_to_core
	build
	write_table >"$work/table.txt"
	printf '%s\n' "$version" >"$work/version"
	printf '%s\n' "$release" >"$work/kernel-release"
	[ -z "$modules_dir" ] || install_modules
	remove_objects "$work/src" modules
	rm -rf -- "$out/src" "$out/build-failed.log"
	mv "$work/src" "$out/src"
	mv "$work/table.txt" "$work/version" "$work/kernel-release" "$out/"
	cat "$out/table.txt"
}

main "$@"
