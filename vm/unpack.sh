#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Unpacks an archive that a guest wrote: vm/unpack.sh ARCHIVE FOLDER
#
# A guest may write anything. If any entry is not a file or a folder below FOLDER, nothing is
# unpacked.
set -eu
# shellcheck source=vm/lib.sh
. "$(dirname -- "$0")/lib.sh"

[ $# = 2 ] || die 'usage: vm/unpack.sh ARCHIVE FOLDER'
archive=$1 folder=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/lttng-mm-unpack.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# archive OPTION...: runs tar, which prints each name on one line even if the name contains
# newlines. tar reads the archive from standard input, because it then refuses compressed archives,
# whose contents may be arbitrarily large.
archive() {
	LC_ALL=C tar --quoting-style=escape -f - "$@" <"$archive" 2>"$work/error" && return
	die "$archive: $(head -n 1 "$work/error")" 1
}

archive --list --absolute-names >"$work/names"
archive --list --absolute-names --verbose >"$work/types"
[ -s "$work/names" ] || die "$archive: the archive is empty" 1
cut -c1-10 "$work/types" | paste -d ' ' - "$work/names" | LC_ALL=C awk '
	{ mode = substr($0, 1, 10); name = substr($0, 12) }
	mode !~ /^[-d][-r][-w][-x][-r][-w][-x][-r][-w][-x]$/ { print name ": neither a plain file nor a folder" }
	name !~ /^[^\/]/ { print name ": an absolute name" }
	name ~ /(^|\/)\.\.(\/|$)/ { print name ": a name outside the folder" }' >"$work/refused"
[ ! -s "$work/refused" ] || die "$archive: refused, nothing was unpacked: $(head -n 1 "$work/refused")" 1
archive --extract --no-same-owner --no-same-permissions -C "$folder"
