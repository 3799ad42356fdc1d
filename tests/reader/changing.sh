#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Reads traces while tests/utils/flip-bytes.c changes their stream and index files byte by byte. Any
# result is accepted, but no command may crash, hang or read outside the files.
#
# LTTNG_MM_ROUNDS=N reads each trace N times with each command (default 2).
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

rounds=${LTTNG_MM_ROUNDS:-2}

# complaint TRACE COMMAND...: prints how COMMAND failed, or nothing.
complaint() {
	trace=$1
	shift
	timeout -k 1 60 "$mm" "$@" "$trace" >out 2>err </dev/null
	status=$?
	case $status in
	0 | 2 | 3) ;;
	*) echo "$*: status $status: $(grep -m 1 -E 'ERROR|runtime error' err || head -n 1 err)" ;;
	esac
}

# survives TRACE: reads the trace while a writer changes each of its files.
survives() {
	pids=
	seed=1
	for file in "$1"/* "$1"/index/*; do
		[ "${file##*/}" != metadata ] || continue
		[ -f "$file" ] || continue
		"$tests/flip-bytes" "$seed" "$file" &
		pids="$pids $!"
		seed=$((seed + 1))
	done
	why=
	round=0
	while [ "$round" -lt "$rounds" ] && [ -z "$why" ]; do
		why=$(
			complaint "$1" verify
			complaint "$1" print
			complaint "$1" print --format=babeltrace
			complaint "$1" print --begin=0 --end=2000000000
			complaint "$1" info --all --events
			complaint "$1" report slab
			complaint "$1" report dax --all
		)
		round=$((round + 1))
	done
	# shellcheck disable=SC2086
	kill $pids
	# shellcheck disable=SC2086
	wait $pids 2>/dev/null
	pids=
	nothing "$2, $rounds rounds" "$(printf '%s\n' "$why" | head -n 5)"
}

make_ctf --seed 7 --events 300 --index indexed
survives indexed 'streams and index files that change'
make_ctf --seed 11 --events 300 --format ctf2 fields
survives fields 'streams of fields of all kinds that change'
make_ctf --shape slab --events 20000 --streams 2 slab
survives slab 'streams of slab events that change'
make_ctf --shape dax --events 5000 dax
survives dax 'streams of DAX events that change'
tap_end
