#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Checks the probes with this machine's sparse, against the kernel of a suite: vm/sparse.sh SUITE
# Prints sparse's messages about this project's files. Exits with 1 if there are any.
set -eu
# shellcheck source=vm/lib.sh
. "$(dirname -- "$0")/lib.sh"

[ $# = 1 ] || die 'usage: vm/sparse.sh SUITE'
suite=$1
check_suite "$suite"
command -v sparse >/dev/null || die 'sparse is missing; run: apt-get install sparse' 4
"$top/vm/build.sh" --backend "$suite"
release=$(kernel_release "$suite")
tools=$top/build/$suite/sparse
rm -rf "$tools"
mkdir -p "$tools"
# The suite may lack sparse and the libraries of this machine's sparse.
cp "$(command -v sparse)" "$tools/"
ldd "$tools/sparse" | sed -n 's/^.*=> \(\/[^ ]*\) .*/\1/p; s/^[[:blank:]]*\(\/[^ ]*\) (.*/\1/p' |
	xargs -I FILE cp FILE "$tools/"
loader=$(cd "$tools" && echo ld-linux*.so*)
# sparse 0.6.4 does not know __has_include. The tested headers exist.
"$top/vm/sysroot.sh" "$suite" sh /src/probes/build.sh --kernel-dir "/lib/modules/$release/build" \
	--kernel-release "$release" --lttng-modules /backend/src --out /build/sparse/out --check \
	"/build/sparse/$loader --library-path /build/sparse /build/sparse/sparse -fmax-warnings=unlimited '-D__has_include(header)=1'"
