#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Compares `print --format babeltrace` with babeltrace2 2.1, byte by byte. LTTNG_MM_SEEDS="FROM TO"
# (default "1 150") selects synthetic traces. Each is printed without options and with one set of
# options. Some traces get other options and --begin and --end. Larger traces resemble the traces of
# LTTng's kernel tracer.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

seeds=${LTTNG_MM_SEEDS:-1 150}

# difference: prints the first difference between the two outputs, with the rest of both lines.
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
	grep -v 'lost here' "$work/errors" | head -n 3
}

# compare NAME OPTION...: runs both programs on the current trace and compares their output.
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

# compare_again NAME: compares with the previous output of the reference.
compare_again() {
	timeout 60 "$mm" print --format babeltrace "$work/trace" >"$work/actual" 2>"$work/errors"
	if cmp -s "$work/expected" "$work/actual"; then
		ok "$1"
	else
		not_ok "$1" "$(difference)"
	fi
}

# window NAME: compares the middle of the current trace, between the times of two lines.
window() {
	"$work/reference" --clock-seconds "$work/trace" 2>"$work/errors" |
		sed -n 's/^\[\([0-9.]*\)\].*/\1/p' >"$work/times"
	count=$(wc -l <"$work/times")
	begin=$(sed -n "$((count / 3 + 1))p" "$work/times")
	end=$(sed -n "$((count * 2 / 3 + 1))p" "$work/times")
	compare "$1 from $begin to $end" "--begin=$begin" "--end=$end"
	compare "$1 from $begin" "--begin=$begin"
	compare "$1 to $end" --clock-gmt "--end=$end"
}

# options N: prints one set of options.
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
	not_ok 'a reference exists' 'see the error output'
	exit 1
}
unset TZ
seed=${seeds% *}
while [ "$seed" -le "${seeds#* }" ]; do
	rm -rf "$work/trace"
	if ! "$tests/make-ctf" --seed "$seed" "$work/trace" 2>"$work/errors"; then
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
unset TZ

# Tests packets with many events.
for seed in 21 22 23 24; do
	rm -rf "$work/trace"
	make_ctf --seed "$seed" --events 3000 "$work/trace"
	compare "packets of up to 3000 events, $seed"
	window "packets of up to 3000 events, $seed"
done

# Tests several traces at once. All their clocks count from the Epoch.
for seed in 1 2 3 4 5 6 7 8; do
	rm -rf "$work/trace"
	mkdir "$work/trace"
	for part in a b c; do
		make_ctf --absolute --seed "$seed$(printf '%d' "'$part")" "$work/trace/$part"
	done
	compare "three traces, $seed" --clock-seconds --fields=all
done

# babeltrace2 2.1 aborts on packets without timestamps. The events of such packets must equal the
# events of the same trace with packet timestamps. Traces without any clock are only verified.
for seed in 1 2 3 4 5 6 7 8 9 10; do
	rm -rf "$work/trace"
	make_ctf --seed "$seed" --wide "$work/trace"
	"$work/reference" --clock-seconds "$work/trace" >"$work/expected" 2>/dev/null
	rm -rf "$work/trace"
	make_ctf --seed "$seed" --untimed "$work/trace"
	"$mm" print --format babeltrace --clock-seconds "$work/trace" >"$work/actual" 2>"$work/errors"
	if [ -s "$work/expected" ] && cmp -s "$work/expected" "$work/actual"; then
		ok "packets without timestamps, $seed"
	else
		not_ok "packets without timestamps, $seed" "$(difference)"
	fi
	rm -rf "$work/trace"
	make_ctf --seed "$seed" --clockless "$work/trace"
	"$mm" verify "$work/trace" >"$work/errors" 2>&1
	case $? in
	0 | 3) ok "without a clock, $seed" ;;
	*) not_ok "without a clock, $seed" "$(head -n 3 "$work/errors")" ;;
	esac
done

# Tests one trace in two folders, as from a host with 32-bit and 64-bit programs.
for seed in 11 12 13 14 15 16 17 18; do
	rm -rf "$work/trace"
	mkdir -p "$work/trace/b"
	make_ctf --absolute --seed "$seed" "$work/trace/a"
	cp "$work/trace/a/metadata" "$work/trace/b"
	mv "$work/trace/a/"channel*_1* "$work/trace/b" 2>/dev/null
	rm -rf "$work/trace/a/index"
	compare "one trace in two folders, $seed" --fields=all
done

# Tests traces behind links, deeply nested traces, and a link that leads back up.
rm -rf "$work/trace" "$work/aside"
mkdir -p "$work/aside" "$work/trace/1/2/3/4/5/6/7/8/9"
make_ctf --absolute --seed 21 "$work/aside/a"
make_ctf --absolute --seed 23 "$work/trace/1/2/3/4/5/6/7/8/9/c"
ln -s ../aside/a "$work/trace/link"
ln -s ../none "$work/trace/1/dangling"
compare 'links and deep folders'
ln -s .. "$work/trace/1/up"
compare_again 'a link that leads back up'

# A packet ends after the next packet starts. Events of the next packet must be printed after the
# end of the first one. The end timestamp follows the packet header of 24 bytes and timestamp_begin.
number_at() { od -A n -t d8 -j "$2" -N 8 "$1" | tr -d ' '; }
rm -rf "$work/trace"
make_ctf --shape slab --events 70000 --streams 2 "$work/trace"
stream=$work/trace/channel0_0
second=$(($(od -A n -t d8 -j 48 -N 8 "$stream") / 8))
ends=$(($(number_at "$stream" $((second + 24))) + 40000))
for byte in 0 8 16 24 32 40 48 56; do
	# shellcheck disable=SC2059
	printf "\\$(printf %o $((ends >> byte & 255)))"
done | dd of="$stream" bs=1 seek=32 conv=notrunc 2>/dev/null
compare 'a packet that ends after the next one begins'

for shape in 'slab --events 20000 --streams 3' 'slab --events 70000 --streams 1' \
	'dax --events 5000 --streams 4'; do
	rm -rf "$work/trace"
	# shellcheck disable=SC2086
	make_ctf --shape $shape "$work/trace"
	compare "shape $shape"
	window "shape $shape"
done
tap_end
