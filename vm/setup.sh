#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Installs the Debian packages that are missing on this machine: vm/setup.sh LIST...
set -eu
# shellcheck source=vm/lib.sh
. "$(dirname -- "$0")/lib.sh"

missing() {
	for package in $packages; do
		dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null | grep -q 'ok installed' ||
			echo "$package"
	done
}

install_packages() {
	# The package lists of a fresh machine may be outdated or missing.
	as_root apt-get -q update
	# shellcheck disable=SC2086
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends $wanted
}

command -v apt-get >/dev/null 2>&1 ||
	die 'this is not a Debian machine (no apt-get); see README for the requirements' 4
packages=$(cat -- "$@" | sed '/^#/d')
wanted=$(missing)
[ -z "$wanted" ] && exit 0
mkdir -p "$cache/log"
step "$cache/log/setup.log" "packages for this machine ($(echo "$wanted" | wc -l))" install_packages
