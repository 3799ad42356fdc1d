#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Runs a command in a suite's sysroot, with the compiler and libraries of the suite:
#   vm/sysroot.sh SUITE COMMAND...
#
# The project is at /src (read-only), the suite's build folder at /build, its lttng-modules cache at
# /backend. The mounts are in a separate namespace and disappear with the command.
set -eu
# shellcheck source=vm/lib.sh
. "$(dirname -- "$0")/lib.sh"

[ $# -ge 2 ] || die 'usage: vm/sysroot.sh SUITE COMMAND...'
suite=$1
shift
check_suite "$suite" debug
root=$(image_dir "$suite")/root
[ -d "$root" ] || die "no image of $suite; create it with: vm/build.sh $suite" 4
build=$(build_dir "$suite")
# vm/build.sh sets LTTNG_MM_BACKEND, because backend_dir may print another folder during its build.
backend=${LTTNG_MM_BACKEND:-$(backend_dir "$suite")}
mkdir -p "$build" "$backend"

# Arguments in the namespace: $1 root, $2 project, $3 build, $4 backend, $5 uid, $6 gid, then the
# command.
# shellcheck disable=SC2016
as_root unshare --mount --propagation private sh -c '
	set -e
	root=$1 src=$2 build=$3 backend=$4 uid=$5 gid=$6
	shift 6
	mount --bind "$root" "$root"
	mount --bind "$src" "$root/src"
	mount -o remount,bind,ro "$root/src"
	mount --bind "$build" "$root/build"
	mount --bind "$backend" "$root/backend"
	# Installs modules that are already built, because depmod must see them.
	for updates in "$root"/usr/lib/modules/*/updates; do
		staged=$build/stage/${updates#"$root/"}
		[ ! -d "$staged" ] || mount --bind "$staged" "$updates"
	done
	mount -t proc proc "$root/proc"
	mount --bind /dev "$root/dev"
	mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
	exec chroot --userspec="$uid:$gid" "$root" /usr/bin/env -i \
		PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LANG=C.UTF-8 "$@"
' sh "$root" "$top" "$build" "$backend" "$(id -u)" "$(id -g)" "$@"
