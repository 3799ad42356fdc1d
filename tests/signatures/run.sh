#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Compares the arguments that `lttng-mm fn` records for a suite's kernel and modules with their
# debug information: run.sh SUITE
#
# Downloads the suite's debug package (about 1 GB) into the cache and unpacks it there (about 7 GB)
# while the comparison runs. Uses the package of the guest image's kernel if the archive still
# contains that package, otherwise the newest kernel's package. Types, symbols and debug information
# all come from this package, so they match.
set -eu
# shellcheck source=vm/lib.sh
. "$(dirname -- "$0")/../../vm/lib.sh"
# Set top, because vm/lib.sh is written for the scripts of vm/.
top=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)

[ $# = 1 ] || die 'usage: tests/signatures/run.sh SUITE'
suite=$1
check_suite "$suite"
folder=$cache/debug/$suite
build=build/host
cd "$top"
mkdir -p "$folder/lists/partial" "$folder/archives/partial" "$cache/log"
exec 9>"$folder/.lock"
flock 9

# suite_apt COMMAND...: runs apt with the package lists of $suite only, which may differ from this
# machine's lists.
suite_apt() {
	tool=$1
	shift
	"$tool" -q -o "Dir::Etc::sourcelist=$folder/sources.list" -o Dir::Etc::sourceparts=- \
		-o "Dir::State::lists=$folder/lists" -o "Dir::Cache=$folder" \
		-o Dir::State::status=/dev/null -o Acquire::Check-Valid-Until=false \
		-o Acquire::Languages=none -o APT::Sandbox::User=root "$@"
}

has_package() {
	suite_apt apt-cache show "$1" >/dev/null 2>&1
}

# Prints the name of the debug package, such as linux-image-6.12.118+deb13-amd64-dbg.
choose_package() {
	image=$(image_dir "$suite")
	if [ -e "$image/kernel-release" ]; then
		package=linux-image-$(cat "$image/kernel-release")-dbg
		if has_package "$package"; then
			echo "$package"
			return
		fi
		warn "the archive no longer has $package; the newest kernel is compared instead"
	fi
	suite_apt apt-cache show linux-image-amd64-dbg |
		sed -n 's/^Depends: .*\(linux-image-[0-9][^ ,]*-dbg\).*/\1/p' | head -n 1
}

download() {
	suite_sources "$suite" >"$folder/sources.list"
	suite_apt apt-get update
	package=$(choose_package)
	[ -n "$package" ] || die "$suite has no debug package of its kernel" 4
	(cd "$folder" && suite_apt apt-get download "$package")
	for old in "$folder"/*.deb; do
		case ${old##*/} in
		"$package"_*) ;;
		*) rm -f -- "$old" ;;
		esac
	done
}

unpack() {
	dpkg-deb -x "$folder"/*.deb "$folder/unpacked"
}

cleanup() { rm -rf -- "$folder/unpacked" "$folder/machine"; }
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
cleanup
step "$cache/log/debug-$suite.log" "$suite: debug package (1 GB)" download 9>&-
free=$(df -Pk -- "$folder" | awk 'NR == 2 { print int($4 / 1048576) }')
[ "$free" -ge 10 ] || die "$folder: 10 GB are needed to unpack the debug package, and $free are free" 4
step "$cache/log/debug-$suite.log" "$suite: debug package, unpacked" unpack 9>&-
step "$cache/log/check-signatures.log" 'check-signatures' make --no-print-directory -f tools.mk \
	O=$build -j"$(getconf _NPROCESSORS_ONLN)" $build/tests/check-signatures 9>&-
mkdir -p "$folder/machine"
basename -- "$folder"/*.deb .deb
$build/tests/check-signatures "$folder/unpacked" "$folder/machine" 9>&-
