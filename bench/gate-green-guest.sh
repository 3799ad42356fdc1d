#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Compares identical code with base files in a guest, for bench/gate.sh:
#
#   gate-green-guest.sh accept          writes a base file for each profile into /out
#   gate-green-guest.sh GATES           runs this number of gates with the base files in /in
#
# The gates take turns between three profiles: slab (a shell that starts programs, which write files
# and read them), dax (mappings of files on /dev/pmem0) and page-ref (a known working set). Prints
# the last line of each gate; if a gate does not pass, prints all of its output.
set -eu

tests=$(cd -- "$(dirname -- "$0")" && pwd)
work=${TMPDIR:-/tmp}/gate-green
mkdir -p "$work/files" "$work/mnt"
mkfs.ext4 -q -F -b 4096 -E stride=512,stripe_width=512 /dev/pmem0
mount -o dax=always /dev/pmem0 "$work/mnt"

# shellcheck disable=SC2016 # the inner shell expands these
programs='cd "$0" && for i in $(seq 100); do echo $i >file-$i; cat file-$i >/dev/null; done; rm -f file-*'
# gate PROFILE OPTION...: compares the profile's command with the base file, or writes this file.
gate() {
	profile=$1
	shift
	case $profile in
	slab) set -- "$@" -- sh -c "$programs" "$work/files" ;;
	dax) set -- "$@" -- "$tests/dax-workload" --quiet --only pmd-write,pmd-read "$work/mnt" ;;
	page-ref) set -- "$@" -- "$tests/known-set" 8 4 250 ;;
	esac
	lttng-mm gate --profile "$profile" "$@"
}
profiles='slab dax page-ref'
if [ "$1" = accept ]; then
	for name in $profiles; do
		gate "$name" --accept --base "/out/$name.base"
	done
	exit
fi
done=0
while [ "$done" -lt "$1" ]; do
	for name in $profiles; do
		[ "$done" -lt "$1" ] || break
		done=$((done + 1))
		status=0
		gate "$name" --base "/in/$name.base" >"$work/out" 2>"$work/err" || status=$?
		echo "$name: status $status: $(tail -n 1 "$work/out")"
		[ "$status" = 0 ] || cat "$work/out" "$work/err"
	done
done
lttng-mm stop --all >/dev/null
