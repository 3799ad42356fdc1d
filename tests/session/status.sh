#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests `status` without LTTng: its options, and its output forms for a plan whose sessions are
# gone. Checks OpenMetrics with a strict checker and with doc/metrics.md. Also tests the options of
# `record --window`.
# shellcheck disable=SC2016 # programs of sed
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# No daemon of this machine may answer the tested program.
LTTNG_HOME=$work/home LTTNG_MM_ROOT=$work/root
export LTTNG_HOME LTTNG_MM_ROOT
mkdir -p "$LTTNG_HOME" "$LTTNG_MM_ROOT/run/lttng-mm" "$LTTNG_MM_ROOT/proc/sys/kernel/random"

fails 'two forms' 2 '--json and --openmetrics cannot be combined' status --json --openmetrics
fails 'an interval' 2 "--watch: '0' is not a number of seconds" status --watch=0
fails 'an invalid interval' 2 "--watch: '2x' is not a number of seconds" status --watch=2x
fails '--watch with --openmetrics' 2 '--watch and --openmetrics cannot be combined' status --watch --openmetrics
for option in --budget=64M --subbuf-size=64k --num-subbuf=4; do
	fails "record --window with $option" 2 '--window chooses the sub-buffers; omit --budget' \
		record slab --window=30s $option
done
fails 'record --window without a unit' 2 '--window: 30: not a duration' record slab --window=30
fails 'a short window' 2 "--window: '20ms' is less than 1s" record slab --window=20ms
fails 'record --window --dry-run' 2 '--window has to record to measure the rate; omit --dry-run' \
	record slab --window=30s --dry-run

echo now >"$LTTNG_MM_ROOT/proc/sys/kernel/random/boot_id"
cat >"$LTTNG_MM_ROOT/run/lttng-mm/recorder.json" <<'END'
{ "version": 1, "boot_id": "now", "recorders": [ { "name": "lttng-mm", "budget_bytes": null, "window_ns": 30000000000,
  "sessions": [ { "name": "lttng-mm-dax", "role": "events", "profiles": ["dax"], "since": 1795000000,
    "callstack": false, "kaslr_safe": true, "channels": [ { "name": "lttng-mm", "subbuf_bytes": 1048576,
    "subbuf_count": 8, "events": ["dax_*"], "contexts": [] } ],
    "triggers": [ { "name": "fallback" }, { "name": "oom" } ] } ] } ] }
END
chmod 644 "$LTTNG_MM_ROOT/run/lttng-mm/recorder.json"
cat >"$LTTNG_MM_ROOT/run/lttng-mm/repairs.json" <<'END'
[ { "session": "lttng-mm-dax", "what": "stopped by another program", "from_ns": null,
    "until_ns": 1795000000000000000 } ]
END
chmod 644 "$LTTNG_MM_ROOT/run/lttng-mm/repairs.json"
"$mm" status >brief 2>err
is 'in short: exit status' 0 $?
if [ "$(id -u)" = 0 ]; then
	sentence='Nothing is being recorded: lttng-mm-dax is gone.'
else
	sentence="It is unknown whether 1 of 1 session still records: LTTng shows root's sessions to root only."
fi
is 'in short: the sentence is first' "$sentence" "$(head -n 1 brief)"
is 'in short: recorders, sessions and repairs are listed, and --all is suggested' '1 1 1 1 0' \
	"$(grep -c '^recorder lttng-mm: dax since 20[-0-9T:+Z]*$' brief) $(grep -c '^lttng-mm-dax: profile dax, ' brief) $(
	grep -c '^repaired: lttng-mm-dax: ' brief) $(grep -c '^More: --all shows ' brief) $(grep -c 'triggers of the profile' brief)"
"$mm" status --all >text 2>err
status=$?
is '--all: the sentence is first, too' "$sentence" "$(head -n 1 text)"
# LTTng shows root's sessions only to root.
if [ "$(id -u)" = 0 ]; then
	is 'status' '0 1' "$status $(grep -c '^lttng-mm-dax: profile dax, gone: ' text)"
else
	is 'status for a user says that the state of the sessions is unknown' '0 1 1' \
		"$status $(grep -c '^lttng-mm-dax: profile dax, started ' text) $(grep -c 'it is unknown whether they are stopped or gone' text)"
fi
is 'the triggers of the profile are shown' 1 "$(grep -c '^  triggers of the profile: fallback, oom; ' text)"
is 'the reason for missing rates is shown' 1 "$(grep -c '^rates and windows are unknown: ' text)"
is 'a repair' 1 "$(grep -c '^repaired: lttng-mm-dax: stopped by another program; there are no events from its start to 20' text)"
"$mm" status --json >json 2>err
is '--json' 0 $?
is '--json: the sentence' "$sentence" "$(jq -r .summary json)"
is '--json: a repair' 'lttng-mm-dax null 1 1795000000' \
	"$(jq -r '[.repairs[0].session, .repairs[0].from_ns, .repair_count, .last_repair] | map(tostring) | join(" ")' json)"
is '--json: the triggers of its profile' 'fallback oom' "$(jq -r '.sessions[0].triggers | join(" ")' json)"
is '--json: values that only the recorder daemon knows are null' 'null null null' \
	"$(jq -r '[.rescues, .problem, .problem_found] | map(tostring) | join(" ")' json)"
# The manual page must name every JSON key.
documented=$(sed -n '/^\.SH JSON/,/^\.SH EXIT/p' "$top/doc/man/lttng-mm-status.1" | tr -c 'a-z_\n' '\n')
for key in $(jq -r '[paths | .[-1] | strings] | unique[]' json); do
	is "--json: $key is in the manual page" 1 "$(echo "$documented" | grep -cx "$key" | sed 's/^[1-9].*/1/')"
done
is '--json: rates are not known without the buffers' null "$(jq -c .rates json)"

# check_openmetrics: reads the text format of OpenMetrics 1.0 strictly, and prints errors.
check_openmetrics() {
	awk '
		function bad(why) { print NR ": " why ": " $0 }
		ended { bad("text after # EOF") }
		$0 == "# EOF" { ended = 1; next }
		/^#/ {
			if (!match($0, /^# (TYPE|UNIT|HELP) [a-zA-Z_:][a-zA-Z0-9_:]* [^ ]/)) { bad("not a descriptor"); next }
			name = $3
			if (name != family) {
				if (name in seen) bad("a family in two places")
				seen[name] = 1; family = name; samples = 0; type = unit = help = ""
			}
			if (samples) bad("a descriptor after samples")
			if ($2 == "TYPE") { if (type != "") bad("twice"); type = $4; if (NF != 4 || type !~ /^(gauge|counter)$/) bad("type") }
			if ($2 == "UNIT") { if (unit != "") bad("twice"); unit = $4; if (substr(name, length(name) - length(unit)) != "_" unit) bad("unit is no suffix") }
			if ($2 == "HELP") { if (help != "") bad("twice"); help = $4 }
			next
		}
		{
			sample = $0; sub(/[{ ].*/, "", sample)
			if (sample !~ /^[a-zA-Z_:][a-zA-Z0-9_:]*$/) bad("name")
			if (type == "") bad("without TYPE")
			if (sample != family (type == "counter" ? "_total" : "")) bad("of another family")
			rest = substr($0, length(sample) + 1)
			labels = ""
			if (rest ~ /^{/) {
				if (!match(rest, /^{([a-zA-Z_][a-zA-Z0-9_]*="([^"\\]|\\["\\n])*",)*[a-zA-Z_][a-zA-Z0-9_]*="([^"\\]|\\["\\n])*"}/)) { bad("labels"); next }
				labels = substr(rest, 1, RLENGTH); rest = substr(rest, RLENGTH + 1)
			}
			if (rest !~ /^ -?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?$/) bad("value")
			if (type == "counter" && rest ~ /^ -/) bad("negative counter")
			if ((sample labels) in all) bad("twice")
			all[sample labels] = 1; samples++
		}
		END { if (!ended) print "no # EOF" }'
}
"$mm" status --openmetrics >metrics 2>err
is '--openmetrics' 0 $?
nothing '--openmetrics is valid' "$(check_openmetrics <metrics)"
is '--openmetrics has the repair' 'lttng_mm_repairs 1;lttng_mm_last_repair_timestamp_seconds 1795000000' \
	"$(grep -E '^lttng_mm_(last_)?repair' metrics | paste -sd ';')"
is '--openmetrics has no samples of unknown values' 0 "$(grep -cE '^lttng_mm_(problem|(last_)?rescue)' metrics)"
is '--openmetrics has samples' yes "$([ "$(grep -vc '^#' metrics)" -ge 4 ] && echo yes)"
# The checker must find errors.
n=0
for wrong in 's/^# EOF$//' 's/^\(lttng_mm_repairs\) 1$/\1 one/' 's/^lttng_mm_repairs 1$/lttng_mm_repairs{session="\\x"} 1/' \
	's/^# UNIT lttng_mm_stage_bytes .*/# UNIT lttng_mm_stage_bytes seconds/' 's/^# TYPE lttng_mm_recording .*//' \
	'$s/^/\n/' 's/^lttng_mm_repairs .*/&\n&/'; do
	n=$((n + 1))
	is "the checker refuses wrong text, $n" yes "$([ -n "$(sed "$wrong" metrics | check_openmetrics)" ] && echo yes)"
done
sed -n 's/^# TYPE //p' metrics | sort >families
# shellcheck disable=SC2016 # backquotes of Markdown
sed -n '/^## Status/,/^## Coverage/s/^| `\(lttng_mm_[a-z_]*\)` | \([a-z]*\) |.*/\1 \2/p' "$top/doc/metrics.md" | sort >documented
same 'doc/metrics.md lists exactly the families' families documented

"$mm" status --watch=0.5 >blocks 2>err &
pid=$!
sleep 3
kill -INT $pid
wait $pid
is '--watch: SIGINT ends it with 0' 0 $?
is '--watch: several blocks' yes "$([ "$(grep -c '^lttng-mm-dax: ' blocks)" -ge 2 ] && echo yes)"
is '--watch: no control characters in a pipe' 0 "$(grep -c "$(printf '\033')" blocks)"
tap_end
