#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Builds the probe modules of this project for one kernel, against a built lttng-modules tree. Does
# not write to the source tree.
set -eu
LC_ALL=C
export LC_ALL
# The flags of a calling make must not reach the kernel's build.
unset MAKEFLAGS MFLAGS MAKELEVEL GNUMAKEFLAGS

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
kernel_dir='' release='' lttng_modules='' out='' modules_dir='' extra='' check='' probes='' no_debug=''
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)

usage() {
	cat <<'END'
Usage: probes/build.sh --kernel-dir DIR --kernel-release VERSION --lttng-modules DIR --out DIR
                       [--modules-dir DIR] [--jobs N] [--werror] [--check COMMAND]
                       [--probes "NAME..."] [--no-debug]

Builds the probe modules for a kernel.

  --kernel-dir DIR       the kernel's build directory (/lib/modules/VERSION/build)
  --kernel-release V     the kernel's release, as uname -r prints it
  --lttng-modules DIR    a built lttng-modules tree (probes/backend/build.sh's OUT/src)
  --out DIR              where objects and modules go
  --modules-dir DIR      install below DIR/lib/modules/VERSION/updates/lttng-mm
                         (/ for the running system; the caller runs depmod)
  --jobs N               compile N files in parallel (default: number of CPUs)
  --probes "NAME..."     build only these probes and what every recorder needs: "dax slab"
  --no-debug             build without debug information
  --werror               treat warnings as errors
  --check COMMAND        run COMMAND, such as sparse, on each source with the compiler's options;
                         status 1 if it has findings in this project's files
END
}

die() {
	printf 'probes/build.sh: %s\n' "$1" >&2
	exit "${2:-4}"
}

parse_options() {
	while [ $# -gt 0 ]; do
		case $1 in
		-h | --help)
			usage
			exit 0
			;;
		--werror)
			extra="$extra -Werror"
			shift
			continue
			;;
		--no-debug)
			# pahole refuses to generate BTF for modules without debug information.
			extra="$extra -g0" no_debug=1
			shift
			continue
			;;
		--kernel-dir | --kernel-release | --lttng-modules | --out | --modules-dir | --jobs | --check | --probes) ;;
		*) die "unknown option '$1'; see --help" 2 ;;
		esac
		if [ $# -lt 2 ] || [ -z "$2" ]; then
			die "$1 requires a value; see --help" 2
		fi
		case $1 in
		--kernel-dir) kernel_dir=$2 ;;
		--kernel-release) release=$2 ;;
		--lttng-modules) lttng_modules=$2 ;;
		--out) out=$2 ;;
		--modules-dir) modules_dir=$2 ;;
		--jobs) jobs=$2 ;;
		--check) check=$2 ;;
		--probes) probes=$2 ;;
		esac
		shift 2
	done
	[ -n "$kernel_dir" ] || die '--kernel-dir is missing; see --help' 2
	[ -n "$release" ] || die '--kernel-release is missing; see --help' 2
	[ -n "$lttng_modules" ] || die '--lttng-modules is missing; see --help' 2
	[ -n "$out" ] || die '--out is missing; see --help' 2
	case $release in
	*/* | .*) die "--kernel-release: '$release' is not a kernel release" 2 ;;
	esac
	case $jobs in
	'' | *[!0-9]* | 0*) die "--jobs: '$jobs' is not a positive number" 2 ;;
	esac
}

check_environment() {
	if [ ! -f "$kernel_dir/Makefile" ] || [ ! -f "$kernel_dir/include/config/auto.conf" ]; then
		die "$kernel_dir: no kernel build directory; install it: apt-get install linux-headers-$release"
	fi
	[ -f "$lttng_modules/src/Module.symvers" ] || die "$lttng_modules: no built lttng-modules tree; \
make one with probes/backend/build.sh"
	lttng_modules=$(CDPATH='' cd -- "$lttng_modules" && pwd -P)
	built_for=$(cat "$lttng_modules/../kernel-release" 2>/dev/null || echo "$release")
	[ "$built_for" = "$release" ] || die "$lttng_modules was built for kernel $built_for, not \
$release; build it for this one with probes/backend/build.sh"
}

cleanup() {
	status=$?
	[ -z "${work:-}" ] || rm -rf -- "$work"
	exit "$status"
}

# Prints each finding in this project's files once, and ignores findings in the headers of the
# kernel and of LTTng.
report_findings() {
	folders=$(cd "$top/probes" && printf '%s|' */)
	grep -E "^($work/tree/|${folders}[a-z-]*\.c:)" "$work/build.log" | grep -v ': note: ' |
		sed "s|$work/tree/||" | sort -u >"$work/findings"
	[ -s "$work/findings" ] || return 0
	cat "$work/findings"
	exit 1
}

# The kernel's build writes next to the sources, so it uses a copy.
build() {
	mkdir "$work/tree"
	cp -R "$top/instrumentation" "$top/probes" "$work/tree/"
	for probe in $probes; do
		[ -d "$top/probes/$probe" ] || die "--probes: there is no probe $probe" 2
	done
	if [ -n "$probes" ]; then
		# shellcheck disable=SC2086 # names
		printf 'wanted := %s\n' "$(printf 'lttng-probe-%s.o ' $probes)"
		# shellcheck disable=SC2016
		echo 'obj-m := $(filter-out $(filter-out $(wanted),$(filter lttng-probe-%,$(obj-m))),$(obj-m))'
	fi >>"$work/tree/probes/Kbuild"
	if ! make -C "$kernel_dir" M="$work/tree/probes" -j"$jobs" \
		LTTNG_MM_TOP="$work/tree" LTTNG_MODULES_TREE="$lttng_modules" \
		KBUILD_EXTRA_SYMBOLS="$lttng_modules/src/Module.symvers" \
		KCFLAGS="${KCFLAGS-} $extra -ffile-prefix-map=$work/tree=lttng-mm" \
		${no_debug:+CONFIG_DEBUG_INFO_BTF_MODULES=} ${check:+C=2 "CHECK=$check"} modules >"$work/build.log" 2>&1; then
		cp "$work/build.log" "$out/build-failed.log"
		sed "s|$work/tree/||" "$work/build.log" >&2
		die "the probes do not build on $release; the full log is $out/build-failed.log"
	fi
	rm -f "$out/build-failed.log"
	# Pass on the warnings of the compiler and Kbuild, which name skipped probes.
	[ -n "$check" ] || grep -iE 'warning|skipped' "$work/build.log" | sed -e "s|$work/tree/||" \
		-e 's|^.*\(probe [a-z-]* skipped\)|warning: \1|' | sort -u >&2 || :
	[ -z "$check" ] || report_findings
	find "$work/tree/probes" -name 'lttng-probe-*.ko' | grep -q . ||
		die "no probe can be built for $release; see the warnings above"
}

install_modules() {
	dir=${modules_dir%/}/lib/modules/$release/updates
	mkdir -p "$dir" 2>/dev/null ||
		die "$dir: cannot be created; run as root or choose another --modules-dir"
	new=$dir/.lttng-mm.$$
	rm -rf -- "$new"
	mkdir "$new"
	for module in "$work"/tree/probes/*.ko; do
		strip --strip-debug -o "$new/${module##*/}" "$module"
	done
	rm -rf -- "$dir/lttng-mm"
	mv "$new" "$dir/lttng-mm"
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
	build
	[ -z "$modules_dir" ] || install_modules
	rm -rf -- "$out/probes"
	mv "$work/tree/probes" "$out/probes"
}

main "$@"
