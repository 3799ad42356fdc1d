#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Creates the image of a suite with another kernel in the cache, if it is missing:
# LTTNG_MM_KERNEL=DEB vm/kernel-image.sh SUITE
#
# DEB is a kernel's Debian package, such as `make bindeb-pkg` makes: linux-image-*.deb. Its headers
# (linux-headers-*.deb, and for Debian's own kernels linux-kbuild-*.deb) must be in the same folder
# and have the same version. The result has the files that vm/image.sh describes, but root.img is
# the suite's own: the guest's disk of vm/build.sh --gate has the kernel's modules.
set -eu
# shellcheck source=vm/lib.sh
. "$(dirname -- "$0")/lib.sh"

# A build needs the option --root elsewhere.
[ "${1:-}" != --root ] || shift
if [ $# != 1 ] || [ -z "${LTTNG_MM_KERNEL:-}" ]; then
	die 'usage: LTTNG_MM_KERNEL=DEB vm/kernel-image.sh SUITE'
fi
suite=$1
check_suite "$suite"
command -v dpkg-deb >/dev/null 2>&1 || die 'dpkg-deb is not installed; install dpkg' 4
image=$(image_dir "$suite")
base=$(unset LTTNG_MM_KERNEL && image_dir "$suite")
(unset LTTNG_MM_KERNEL && "$top/vm/image.sh" "$suite")

exec 9>"$cache/images/.$(guest_name "$suite").lock"
flock 9
! image_root_ready "$suite" || exit 0

# packages: prints the packages of the kernel's version in its folder, the kernel first.
packages() {
	version=$(dpkg-deb -f "$LTTNG_MM_KERNEL" Version)
	echo "$LTTNG_MM_KERNEL"
	for package in "${LTTNG_MM_KERNEL%/*}"/linux-headers-*.deb "${LTTNG_MM_KERNEL%/*}"/linux-kbuild-*.deb; do
		if [ -e "$package" ] && [ "$(dpkg-deb -f "$package" Version)" = "$version" ]; then
			echo "$package"
		fi
	done
}

# Replaces the kernel in a copy of the suite's tree. The copy shares the other files.
replace_kernel() {
	as_root cp -al "$base/root" "$new/root"
	# shellcheck disable=SC2016 # the other shell expands it
	as_root sh -c 'rm -rf "$1"/boot/* "$1"/usr/lib/modules/* "$1"/usr/src/linux-headers-*' \
		sh "$new/root"
	packages | while read -r package; do
		echo "$package"
		as_root dpkg-deb -x "$package" "$new/kernel"
	done
	# In the tree, /lib is a link to usr/lib, which a package must not replace. Files are
	# replaced and not overwritten, because the suite's tree shares them.
	# shellcheck disable=SC2016
	as_root sh -e -c '
		mkdir -p "$1/kernel/usr/lib" "$1/kernel/lib"
		cp -a "$1/kernel/lib/." "$1/kernel/usr/lib/"
		cp -a --remove-destination "$1/kernel/usr/." "$1/root/usr/"
		cp -a --remove-destination "$1/kernel/boot/." "$1/root/boot/"
		rm -rf "$1/kernel"' sh "$new"
	set -- "$new"/root/boot/vmlinuz-*
	[ -e "$1" ] || die "$LTTNG_MM_KERNEL: the package has no kernel (boot/vmlinuz-*); give linux-image-*.deb" 2
	release=${1##*/vmlinuz-}
	as_root chroot "$new/root" test -e "/lib/modules/$release/build/Makefile" ||
		die "$LTTNG_MM_KERNEL: the headers of Linux $release are missing; put linux-headers-*.deb of the same version beside it" 2
	as_root mkdir -p "$new/root/usr/lib/modules/$release/updates"
	as_root chroot "$new/root" depmod "$release"
	as_root cat "$1" >"$new/vmlinuz"
}

# Adds the modules that the root needs to the suite's initramfs: a second archive replaces files of
# the first one.
extend_initrd() {
	mkdir -p "$new/tree/modules"
	: >"$new/tree/modules/order"
	for module in virtio_pci virtio_blk crc32c ext4 overlay; do
		# Not each kernel has each module: a built-in one is printed as such.
		as_root chroot "$new/root" modprobe -S "$release" --show-depends "$module" || :
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' >"$new/modules.list"
	while read -r path; do
		name=$(basename -- "$path" | sed 's/\.ko.*/.ko/')
		case $path in
		*.xz) xz -dc "$new/root$path" ;;
		*.zst) zstd -qdc "$new/root$path" ;;
		*) cat "$new/root$path" ;;
		esac >"$new/tree/modules/$name"
		echo "$name" >>"$new/tree/modules/order"
	done <"$new/modules.list"
	(cd "$new/tree" && find modules | cpio --quiet -o -H newc -R 0:0) >"$new/initrd.modules"
	cat "$base/initrd" "$new/initrd.modules" >"$new/initrd"
	rm -rf "$new/tree" "$new/initrd.modules" "$new/modules.list"
}

# kernel-release is written last, because an image with this file is complete.
create() {
	replace_kernel
	extend_initrd
	ln "$base/root.img" "$base/packages.txt" "$new/"
	echo "$release" >"$new/kernel-release"
}

new=$cache/images/.$(guest_name "$suite").new
trap 'as_root rm -rf "$new"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
as_root rm -rf "$new"
mkdir -p "$new"
step "$cache/log/kernel-$suite.log" "$suite: the kernel of ${LTTNG_MM_KERNEL##*/}" create 9>&-
mv "$new" "$image"
