#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Finds a QEMU that reliably runs each emulated CPU in its own thread (10 or later), and prints the
# folder of its qemu-system-x86_64: vm/qemu.sh
#
# If this machine's version is older, unpacks Debian 13's QEMU into the cache. Installs nothing on
# the machine: the unpacked QEMU runs with the dynamic linker, libraries, modules and firmware of
# its own tree.
set -eu
# shellcheck source=vm/lib.sh
. "$(dirname -- "$0")/lib.sh"

wanted=10 suite=trixie

# major PROGRAM: prints the major version of that QEMU, or 0 if it reports none.
major() {
	version=$("$1" --version 2>/dev/null | sed -n 's/^QEMU emulator version \([0-9][0-9]*\)\..*/\1/p')
	echo "${version:-0}"
}

# mirror: prints the Debian mirror that apt uses on this machine.
mirror() {
	# shellcheck disable=SC2016
	apt-get indextargets --format '$(SITE) $(RELEASE)' 'Created-By: Packages' |
		awk '$2 !~ /-(security|updates|backports)$/ { print $1; exit }'
}

unpack() {
	keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	[ -r "$keyring" ] ||
		die "no $keyring; install it with: apt-get install debian-archive-keyring" 4
	site=${LTTNG_MM_MIRROR:-$(mirror)}
	[ -n "$site" ] || die 'apt uses no Debian mirror; set one: LTTNG_MM_MIRROR=URL' 4
	# Unpacks only, without running package scripts.
	as_root mmdebstrap --mode=root --variant=extract --include=qemu-system-x86 \
		"$suite" "$1/root" "deb [signed-by=$keyring] $site $suite main"
}

# wrap FOLDER ROOT: writes a program that starts the QEMU in ROOT. It uses exec, so that killing the
# process kills QEMU.
wrap() {
	mkdir -p "$1/bin"
	cat >"$1/bin/qemu-system-x86_64" <<-SCRIPT
		#!/bin/sh
		root=\$(CDPATH='' cd -- "\$(dirname -- "\$0")/../root" && pwd)
		libraries=\$root/usr/lib/x86_64-linux-gnu
		export QEMU_MODULE_DIR="\$libraries/qemu"
		exec "\$libraries/ld-linux-x86-64.so.2" --library-path "\$libraries" \\
		 	"\$root/usr/bin/qemu-system-x86_64" -L "\$root/usr/share/qemu" \\
		 	-L "\$root/usr/share/seabios" -L "\$root/usr/lib/ipxe/qemu" "\$@"
	SCRIPT
	chmod 755 "$1/bin/qemu-system-x86_64"
}

if own=$(command -v qemu-system-x86_64) && [ "$(major "$own")" -ge "$wanted" ]; then
	dirname -- "$own"
	exit
fi
[ "$(uname -m)" = x86_64 ] || die "this machine has no QEMU $wanted or later, and Debian has none for it" 4

tree=$cache/qemu/$suite-$(key "$0")
mkdir -p "$cache/qemu" "$cache/log"
exec 9>"$cache/qemu/.lock"
flock 9
if [ ! -e "$tree/bin" ]; then
	new=$cache/qemu/.new
	trap 'as_root rm -rf "$new"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	as_root rm -rf "$new"
	mkdir -p "$new"
	step "$cache/log/qemu.log" "QEMU of $suite (mmdebstrap)" unpack "$new" 9>&-
	wrap "$new"
	[ "$(major "$new/bin/qemu-system-x86_64")" -ge "$wanted" ] ||
		die "the QEMU of $suite does not run on this machine: $("$new/bin/qemu-system-x86_64" --version 2>&1 |
			head -n 1)" 4
	for old in "$cache/qemu/$suite-"*; do
		[ ! -e "$old" ] || as_root rm -rf "$old"
	done
	mv "$new" "$tree"
fi
echo "$tree/bin"
