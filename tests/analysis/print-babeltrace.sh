#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Holds `print --format babeltrace` against babeltrace2, byte for byte, on traces made up from
# seeds: LTTNG_MM_SEEDS="FROM TO" (default "1 150"), each as it is and with one set of options.
set -u

mm=${LTTNG_MM:?the lttng-mm program to test}
make_ctf=${O:?the folder of the build}/tests/make-ctf
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
seeds=${LTTNG_MM_SEEDS:-1 150}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0 failed=0

ok() {
	n=$((n + 1))
	echo "ok $n - $1"
}

# not_ok NAME DETAIL: DETAIL's lines as comments.
not_ok() {
	n=$((n + 1))
	failed=$((failed + 1))
	printf 'not ok %d - %s\n' "$n" "$1"
	printf '%s\n' "$2" | sed 's/^/# /'
}

# difference: where the two outputs part, and some of both lines from there on.
difference() {
	line=$(cmp "$work/expected" "$work/actual" 2>&1 | sed -n 's/.* line //p')
	[ -n "$line" ] || line=$(($(wc -l <"$work/actual") + 1))
	expected=$(sed -n "${line}p" "$work/expected")
	actual=$(sed -n "${line}p" "$work/actual")
	printf 'line %s\n%s\n%s\n' "$line" "$expected" "$actual" | LC_ALL=C awk '
		NR == 1 { print; next }
		NR == 2 { expected = $0; next }
		{
			for (at = 1; at <= length($0); at++)
				if (substr($0, at, 1) != substr(expected, at, 1))
					break
			at = at > 60 ? at - 60 : 1
			print "expected: ... " substr(expected, at, 160)
			print "actual:   ... " substr($0, at, 160)
		}'
	grep -v 'events were lost here' "$work/errors" | head -n 3
}

# compare NAME OPTION...: both programs on the current trace.
compare() {
	name=$1
	shift
	"$work/reference" "$@" "$work/trace" >"$work/expected" 2>"$work/reference.err"
	status=$?
	if [ "$status" != 0 ]; then
		not_ok "$name: the reference reads the trace" "status $status: $(grep -a -v '^CAUSED' \
			"$work/reference.err" | tail -n 2)"
		return
	fi
	timeout 60 "$mm" print --format babeltrace "$@" "$work/trace" >"$work/actual" 2>"$work/errors"
	status=$?
	if ! cmp -s "$work/expected" "$work/actual"; then
		not_ok "$name" "$(difference)"
	elif [ "$status" != 0 ]; then
		not_ok "$name" "status $status: $(head -n 3 "$work/errors")"
	else
		ok "$name"
	fi
}

# options N: one set of options.
options() {
	case $(($1 % 14)) in
	0) echo --clock-cycles ;;
	1) echo --clock-seconds ;;
	2) echo --clock-date ;;
	3) echo --clock-gmt ;;
	4) echo --no-delta ;;
	5) echo --names=all ;;
	6) echo --names=none ;;
	7) echo --names=scope,header ;;
	8) echo --fields=all ;;
	9) echo --fields=trace,loglevel ;;
	10) echo --fields=emf,trace:vpid --names=context ;;
	11) echo --clock-offset=5 --clock-offset-ns=-1000000001 ;;
	12) echo --clock-date --clock-gmt --no-delta ;;
	13) echo --clock-seconds --fields=all --names=all ;;
	esac
}

"$here/../utils/reference.sh" "$work/reference" || {
	not_ok 'a reference is there' 'see the error output'
	exit 1
}
unset TZ
seed=${seeds% *}
while [ "$seed" -le "${seeds#* }" ]; do
	rm -rf "$work/trace"
	if ! "$make_ctf" --seed "$seed" "$work/trace" 2>"$work/errors"; then
		not_ok "seed $seed: a trace" "$(cat "$work/errors")"
	else
		case $((seed % 3)) in
		0) unset TZ ;;
		1) export TZ=America/St_Johns ;;
		2) export TZ=Asia/Kolkata ;;
		esac
		compare "seed $seed"
		# shellcheck disable=SC2046
		compare "seed $seed $(options "$seed")" $(options "$seed")
	fi
	seed=$((seed + 1))
done
[ "$failed" = 0 ]
