#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests that messages show the user's text as it was given. A backslash must remain one backslash,
# however many messages quote each other. Control characters must be escaped once.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# shows NAME TEXT COUNT ARG...: checks that the program fails with a message that contains TEXT and
# COUNT backslashes.
shows() {
	shows_name=$1 shows_text=$2 shows_count=$3
	shift 3
	"$mm" "$@" >out 2>err
	is "$shows_name: it fails" 1 "$(($? > 0))"
	is "$shows_name: the text as given" 1 "$(grep -c -F -e "$shows_text" err)"
	is "$shows_name: no other backslash" "$shows_count" "$(head -n 1 err | tr -d -c '\134' | wc -c)"
}

shows 'a trace' "trace: a\\b: No such file" 1 info 'a\b'
shows 'a function' "'\\'" 2 fn add 'do_exit(co\de)' --dry-run
shows 'a filter' "'filename == \"a\\tb\"'" 1 trigger add x --dry-run --on 'syscall:openat if filename == "a\tb"'
shows 'a regular expression' "'a\\.b['" 1 trigger add x --dry-run --on 'file /tmp/x a\.b['
shows 'a control character' 'trace: a\x1bb: No such file' 1 info "$(printf 'a\033b')"
# Tests a message about a damaged stream that is part of another message, in a report.
mkdir 'back\slash'
make_ctf --shape slab --events 2000 'back\slash/t'
set -- 'back\slash/t'/channel*
file=${1##*/}
head -c 64 /dev/zero | tr '\0' '\377' |
	dd of="back\\slash/t/$file" bs=1 seek=5000 conv=notrunc status=none
for command in print verify; do
	"$mm" $command 'back\slash/t' >out 2>err
	is "$command: a path is shown as given" '1 0' "$(cat out err | grep -F "$file" | grep -c -F 'back\slash' |
		sed 's/^[1-9][0-9]*$/1/') $(cat err out | grep -c -F 'back\\slash')"
done
# A value in a table must be escaped once. Its text must not look like an escape sequence.
"$mm" report slab --all 'back\slash/t' >out 2>err
is 'report: a path in a table is escaped once' '1 0' "$(grep -c -F "back\\\\slash/t/$file: packet" out) $(
	cat err out | grep -c -F 'back\\\\slash')"
tap_end
