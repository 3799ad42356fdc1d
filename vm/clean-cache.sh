#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Removes the cache of images, debug packages, builds and QEMU.
set -eu
# shellcheck source=vm/lib.sh
. "$(dirname -- "$0")/lib.sh"

for folder in build debug images lttng-modules log qemu; do
	[ ! -e "$cache/$folder" ] || as_root rm -rf -- "$cache/$folder"
done
rm -f -- "$cache"/kvm-*
rmdir -- "$cache" 2>/dev/null || :
