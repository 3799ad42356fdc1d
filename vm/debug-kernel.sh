#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Creates the image of the suite `debug` in the cache, if it is missing: vm/debug-kernel.sh [--root]
# debug
#
# The suite is trixie with a kernel that checks itself (vm/debug-kernel.config), built from Debian's
# package linux-source-6.12. The result has the files that vm/image.sh describes. The build takes
# half an hour; --root is accepted for vm/build.sh, and changes nothing.
set -eu
# shellcheck source=vm/lib.sh
. "$(dirname -- "$0")/lib.sh"

source=linux-source-6.12
[ "${1:-}" != --root ] || shift
if [ $# != 1 ] || [ "$1" != debug ]; then
	die 'usage: vm/debug-kernel.sh [--root] debug'
fi
"$top/vm/image.sh" trixie
base=$(image_dir trixie)
image=$(image_dir debug)

exec 9>"$cache/images/.debug.lock"
flock 9
! image_root_ready debug || exit 0

# Unpacks the source, and the programs that the kernel's build needs, into a copy of trixie's tree.
unpack() {
	suite_sources trixie >"$new/sources.list"
	as_root mmdebstrap --mode=root --variant=extract --include="bison,flex,$source" trixie \
		"$new/packages" - <"$new/sources.list"
	as_root cp -a "$base/root" "$new/root"
	as_root cp -an "$new/packages/." "$new/root/" || :
	as_root rm -rf "$new/packages" "$new/sources.list"
	as_root tar -C "$new/root/usr/src" -xf "$new/root/usr/src/$source.tar.xz"
}

# configure: fails if the kernel's configuration lacks an option of ours.
configure() {
	as_root cp "$top/vm/debug-kernel.config" "$new/root/usr/src/debug.config"
	as_root chroot "$new/root" make -C "/usr/src/$source" KCONFIG_ALLCONFIG=/usr/src/debug.config allnoconfig
	sed -n 's/=[my]$//p' "$top/vm/debug-kernel.config" | while read -r option; do
		grep -q "^$option=[my]" "$new/root/usr/src/$source/.config" || echo "$option"
	done >"$new/missing"
	[ ! -s "$new/missing" ] ||
		die "vm/debug-kernel.config: $source does not set $(paste -sd' ' "$new/missing")"
}

compile() {
	jobs=$(getconf _NPROCESSORS_ONLN)
	as_root chroot "$new/root" make -C "/usr/src/$source" -j"$jobs" bzImage modules
	as_root chroot "$new/root" make -C "/usr/src/$source" modules_install
	release=$(cat "$new/root/usr/src/$source/include/config/kernel.release")
	as_root mkdir -p "$new/root/usr/lib/modules/$release/updates"
	cp "$new/root/usr/src/$source/arch/x86/boot/bzImage" "$new/vmlinuz"
}

# Guests boot from trixie's disk and initramfs: all drivers are in the kernel. kernel-release is
# written last, because an image with this file is complete.
finish() {
	for file in root.img initrd packages.txt; do
		ln "$base/$file" "$new/$file"
	done
	echo "$release" >"$new/kernel-release"
}

new=$cache/images/.debug.new
trap 'as_root rm -rf "$new"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
as_root rm -rf "$new"
mkdir -p "$new"
step "$cache/log/debug-packages.log" 'debug: source of the kernel' unpack 9>&-
step "$cache/log/debug-config.log" 'debug: configuration of the kernel' configure 9>&-
step "$cache/log/debug-kernel.log" 'debug: kernel' compile 9>&-
release=$(cat "$new/root/usr/src/$source/include/config/kernel.release")
finish
for old in "$cache/images/debug-"*; do
	[ ! -e "$old" ] || as_root rm -rf "$old"
done
mv "$new" "$image"
