#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Creates a suite's guest image in the cache, if it is missing: vm/image.sh SUITE
# With --root, only its file tree, in which guest modules and tools are built, is created.
#
# Result, in the folder that `vm/image.sh --where SUITE` prints:
#   root/            the suite's file tree; the sysroot of vm/sysroot.sh
#   root.img         the same as an ext4 image
#   vmlinuz initrd   Debian's kernel, and an initramfs that mounts root.img below a tmpfs
#   kernel-release   as uname -r prints it
#   packages.txt     the installed packages with their versions
set -eu
# shellcheck source=vm/lib.sh
. "$(dirname -- "$0")/lib.sh"

# Drivers that no virtual machine here uses; without them the image is half as large.
unused_drivers='drivers/gpu drivers/media drivers/net drivers/infiniband drivers/scsi sound'

bootstrap() {
	suite=$1
	out=$2
	packages=$(sed '/^#/d' "$top/vm/guest-packages" | paste -sd, -)
	set --
	for drivers in $unused_drivers; do
		set -- "$@" --dpkgopt="path-exclude=*/lib/modules/*/kernel/$drivers/*"
	done
	for path in doc man locale info lintian; do
		set -- "$@" --dpkgopt="path-exclude=/usr/share/$path/*"
	done
	# The package lttng-modules-dkms is only unpacked, because installing it would build the
	# modules for every kernel.
	suite_sources "$suite" >"$out/sources.list"
	# shellcheck disable=SC2016
	# INITRD=No: the kernel's package creates no initramfs, because it would be removed below.
	# dpkg does not wait for the disk, because the image is created again after a crash.
	as_root env INITRD=No mmdebstrap --mode=root --variant=essential --include="$packages" \
		--aptopt='Acquire::Check-Valid-Until "false"' \
		--dpkgopt=force-unsafe-io "$@" \
		--customize-hook='cd "$1/usr/src" &&
			APT_CONFIG=$MMDEBSTRAP_APT_CONFIG apt-get -q download lttng-modules-dkms' \
		--customize-hook='rm -f "$1"/boot/initrd* "$1/etc/apt/sources.list"' \
		--customize-hook='mkdir -p "$1/in" "$1/out" "$1/src" "$1/build" "$1/backend"' \
		--customize-hook='for d in "$1"/usr/lib/modules/*; do mkdir -p "$d/updates"; done' \
		"$suite" "$out/root" - <"$out/sources.list"
	rm -f "$out/sources.list"
	set -- "$out"/root/boot/vmlinuz-*
	[ $# = 1 ] || die "expected one kernel in $out/root/boot, found $#" 4
	as_root cat "$1" >"$out/vmlinuz"
	as_root chroot "$out/root" dpkg-query -W >"$out/packages.txt"
	echo "${1##*/vmlinuz-}" >"$out/kernel-release"
}

# The initramfs: a static busybox, the modules that the root needs, and vm/initramfs-init.
make_initrd() {
	out=$1
	release=$2
	tree=$out/initramfs
	rm -rf "$tree"
	mkdir -p "$tree/bin" "$tree/modules" "$tree/dev" "$tree/proc" "$tree/sys" "$tree/root"
	cp "$out/root/usr/bin/busybox" "$tree/bin/busybox" 2>/dev/null ||
		cp "$out/root/bin/busybox" "$tree/bin/busybox"
	cp "$top/vm/initramfs-init" "$tree/init"
	chmod 755 "$tree/init"
	for module in virtio_pci virtio_blk crc32c ext4 overlay; do
		as_root chroot "$out/root" modprobe -S "$release" --show-depends "$module"
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' >"$out/modules.list"
	while read -r path; do
		path=$out/root$path
		name=$(basename -- "$path" | sed 's/\.ko.*/.ko/')
		case $path in
		*.xz) xz -dc "$path" >"$tree/modules/$name" ;;
		*.zst) zstd -qdc "$path" >"$tree/modules/$name" ;;
		*) cp "$path" "$tree/modules/$name" ;;
		esac
		echo "$name" >>"$tree/modules/order"
	done <"$out/modules.list"
	(cd "$tree" && find . | cpio --quiet -o -H newc -R 0:0 >"$out/initrd") ||
		die 'cannot create the initramfs; is cpio installed? (make setup)' 4
	rm -rf "$tree" "$out/modules.list"
}

# Creates root.img last, because an image with this file is complete.
pack() {
	out=$1
	make_initrd "$out" "$(cat "$out/kernel-release")"
	# The root is mounted read-only, so it needs neither a journal nor free space.
	size=$(as_root du -sm "$out/root" | cut -f1)
	as_root mke2fs -q -t ext4 -O '^has_journal' -m 0 -N 120000 -L lttng-mm-root \
		-d "$out/root" "$out/root.img.new" "$((size * 5 / 4 + 128))M"
	as_root chown "$(id -u):$(id -g)" "$out/root.img.new"
	mv "$out/root.img.new" "$out/root.img"
}

if [ "${1:-}" = --where ]; then
	check_suite "${2:-}"
	image_dir "$2"
	exit
fi

only_root=
if [ "${1:-}" = --root ]; then
	only_root=1
	shift
fi
[ $# = 1 ] || die 'usage: vm/image.sh [--where | --root] SUITE'
suite=$1
check_suite "$suite"
image=$(image_dir "$suite")
mkdir -p "$cache/images" "$cache/log"

# Only one process creates the image. Others wait for the lock, and then find the image.
exec 9>"$cache/images/.$suite.lock"
flock 9

create_root() {
	new=$cache/images/.$suite.new
	trap 'as_root rm -rf "$new"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	as_root rm -rf "$new"
	mkdir -p "$new"
	step "$cache/log/bootstrap-$suite.log" "$suite: packages of the guest (mmdebstrap)" \
		bootstrap "$suite" "$new" 9>&-
	# Remove older images of this suite.
	for old in "$cache/images/$suite-"*; do
		[ -e "$old" ] && as_root rm -rf "$old"
	done
	mv "$new" "$image"
}

image_root_ready "$suite" || create_root
if [ -z "$only_root" ] && [ ! -e "$image/root.img" ]; then
	step "$cache/log/pack-$suite.log" "$suite: image and initramfs" pack "$image" 9>&-
fi
