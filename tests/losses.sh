# SPDX-License-Identifier: LGPL-2.1-only
# Checks that all commands report the same loss of a trace. Requires what tests/lib.sh sets.
# Sourced.
# shellcheck shell=sh disable=SC2154 # lib.sh sets mm

# counts: prints the exit status with --require-complete, and the number of anomalies in the report.
counts() {
	"$mm" report slab --all --wide --require-complete "$@" t >out 2>err
	echo "$? $(outcomes <out | sed -n 's/^Outcomes: .*anomalies \([0-9]*\).*/\1/p')"
}
# loses NAME STREAMS PACKETS: checks that readers, sink and info report these losses, and that
# verify reports a loss.
loses() {
	loses_name=$1 loses_streams=$2 loses_packets=$3
	for reader in fast babeltrace2; do
		is "$loses_name, $reader: a loss, and nothing is inconsistent" '3 0' "$(counts --reader=$reader)"
		"$mm" report slab --json --reader=$reader t >out.$reader
		is "$loses_name, $reader: streams and packets" "$loses_streams $loses_packets false" "$(jq -r '[
			.coverage.packets_lost, .coverage.streams_missing,
			.coverage.complete] | "\(.[1]) \(.[0]) \(.[2])"' out.$reader)"
	done
	"$mm" info --json t >out.info
	is "$loses_name, info: streams and packets" "$loses_streams $loses_packets false" \
		"$(jq -r '.coverage | "\(.streams_missing) \(.packets_lost) \(.complete)"' out.info)"
	is "$loses_name, info: a row for each missing stream" "$loses_streams" \
		"$(jq '[.coverage.losses[] | select(.missing == 1)] | length' out.info)"
	is "$loses_name: the same losses by both readers" \
		"$(jq -c '.coverage.losses, .coverage.missing' out.fast)" \
		"$(jq -c '.coverage.losses, .coverage.missing' out.babeltrace2)"
	with_plugin babeltrace2 t -c sink.lttng-mm.slab -p json=yes >out.sink 2>err
	is "$loses_name: the same losses by the sink" \
		"$(jq -c '.coverage.losses, .coverage.missing' out.fast)" \
		"$(jq -c '.coverage.losses, .coverage.missing' out.sink)"
	"$mm" verify t >out
	is "$loses_name: verify reports it" 3 $?
}
