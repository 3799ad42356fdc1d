#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Reads damaged traces by tests/utils/damage-ctf.c: every token of the metadata and every byte of
# packet headers and indexes is truncated, flipped or enlarged, and files are missing or not
# regular. Each command must end within seconds, within bounded memory and with status 0, 2 or 3,
# and report the damage and its place.
#
# LTTNG_MM_DAMAGE=N tests only every N-th damage. With 1, it tests all, which takes minutes.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# Limit of the address space in KiB. A sanitizer's shadow memory alone exceeds this limit.
limit=2000000 step=31
# dash and bash support `ulimit -v`.
# shellcheck disable=SC3045
if ! (ulimit -v "$limit" && "$mm" --version) >/dev/null 2>&1; then
	limit=unlimited step=199
fi
step=${LTTNG_MM_DAMAGE:-$step}

# run COMMAND...: runs COMMAND within the limits. Writes its output to out and err, and sets status.
run() {
	(
		# shellcheck disable=SC3045
		ulimit -v "$limit"
		exec timeout -k 1 20 "$mm" "$@"
	) >out 2>err </dev/null
	status=$?
}

# complaint COMMAND...: prints how the program failed to handle the damage, or nothing.
complaint() {
	run "$@" damaged
	case $status in
	0 | 3) ;;
	2)
		if [ ! -s err ] && [ "$1" != verify ]; then
			echo 'status 2 without a word'
		elif grep -q -v '^lttng-mm: ' err; then
			echo "not a message: $(grep -v '^lttng-mm: ' err | head -n 3)"
		elif ! cat out err | grep -a -q -F -e "$base" -e damaged; then
			echo "does not name $base: $(head -n 3 err)"
		fi
		;;
	*) echo "status $status: $(tail -n 3 err)" ;;
	esac
}

# damages NAME: reads the trace with each damage, with `verify` and one other command.
damages() {
	number=0 count=0 bad=0
	while :; do
		rm -rf damaged
		what=$("$tests/damage-ctf" trace damaged "$number") || break
		base=${what%%:*}
		base=${base##*/}
		base=${base%.idx}
		case $((count % 5)) in
		0) other=info ;;
		1) other=print ;;
		2) other='print --format babeltrace' ;;
		3) other='report dax --all' ;;
		4) other='verify --jobs 1' ;;
		esac
		for command in verify "$other"; do
			# shellcheck disable=SC2086
			why=$(complaint $command)
			[ -n "$why" ] || continue
			bad=$((bad + 1))
			[ "$bad" -gt 20 ] || not_ok "$1: $command, damage $number, $what" "$why"
		done
		count=$((count + 1))
		number=$((number + step))
	done
	if [ "$count" = 0 ]; then
		not_ok "$1: damages" "there are none"
	elif [ "$bad" = 0 ]; then
		ok "$1: $count damages"
	fi
}

# prefixes: checks that print shows exactly the events before the end of each truncated stream.
prefixes() {
	run print --format babeltrace trace
	cp out whole
	file=$(cd trace && echo channel*)
	size=$(wc -c <"trace/$file")
	length=$size bad=0 most=0
	while [ "$length" -gt 0 ]; do
		length=$((length * 7 / 8))
		rm -rf damaged
		cp -r trace damaged
		head -c "$length" "trace/$file" >"damaged/$file"
		run print --format babeltrace damaged
		head -c "$(wc -c <out)" whole | cmp -s - out || {
			bad=$((bad + 1))
			not_ok "$1: truncated to $length of $size bytes: print shows the events before" "$(tail -n 1 out)"
		}
		[ "$most" -gt "$(wc -l <out)" ] || most=$(wc -l <out)
	done
	if [ "$most" -lt $(($(wc -l <whole) / 2)) ]; then
		not_ok "$1: truncated by an eighth: print shows at least half" "$most lines"
	elif [ "$bad" = 0 ]; then
		ok "$1: truncated stream: print shows the events before"
	fi
}

for trace in '5 ctf1' '6 ctf1' '5 ctf2'; do
	rm -rf trace
	make_ctf --seed "${trace% *}" --format "${trace#* }" --index trace
	run verify trace
	case $status in
	0 | 3) damages "seed ${trace% *}, ${trace#* }" ;;
	*) not_ok "seed ${trace% *}, ${trace#* }: is sound" "$(cat out err)" ;;
	esac
done

# Uses the first four seeds that give a trace of one stream with several packets.
found=0 seed=1
while [ "$found" -lt 4 ] && [ "$seed" -lt 300 ]; do
	rm -rf trace
	make_ctf --seed "$seed" --index trace
	set -- trace/channel*
	if [ $# = 1 ] && [ "$(wc -c <"trace/index/${1##*/}.idx")" -gt 200 ]; then
		found=$((found + 1))
		prefixes "seed $seed"
	fi
	seed=$((seed + 1))
done
[ "$found" = 4 ] || not_ok 'traces of one stream' "$found of 4"

# Tests that an unreadable part is not omitted silently. Root can read every file, unless it has no
# capabilities.
rm -rf trace
mkdir trace
make_ctf --seed 5 --absolute trace/a
make_ctf --seed 6 --absolute trace/b
chmod 0 trace/b
drop=
[ "$(id -u)" != 0 ] || drop='setpriv --bounding-set=-all --inh-caps=-all'
# shellcheck disable=SC2086
if $drop "$mm" verify trace >out 2>err; then
	not_ok 'an unreadable folder is reported' 'status 0'
elif [ "$(cat err)" = "lttng-mm: trace: trace/b: cannot be read: Permission denied; read the trace \
as the user who recorded it, or give a folder that you may read" ]; then
	ok 'an unreadable folder is reported'
else
	not_ok 'an unreadable folder is reported' "$(cat out err)"
fi
chmod 755 trace/b

# Tests strings that are much longer than their data in the trace. The program must not have more
# strings in memory at once than fit in the memory limit.
rm -rf trace
mkdir trace
cat >trace/metadata <<'END'
/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := u8;
trace { major = 1; minor = 8; byte_order = le; };
event { name = "bytes"; fields := struct { u8 b[65536]; }; };
END
head -c 16777216 /dev/zero >trace/stream
[ "$limit" = unlimited ] || limit=150000
run print --format babeltrace --jobs 1 trace
if [ "$status $(wc -l <out)" = '0 256' ]; then
	ok 'long texts are printed within the memory limit'
else
	not_ok 'long texts are printed within the memory limit' "status $status: $(cat err)"
fi
tap_end
