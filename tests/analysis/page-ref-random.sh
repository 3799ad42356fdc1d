#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests report page-ref on traces of random page references. Its figures must equal the figures that
# another program computes from babeltrace2's text. They must not depend on the reader or on the
# number of threads.
#
# LTTNG_MM_SEEDS="FROM TO" tests other traces (default "1 6").
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
export TZ=UTC0
seeds=${LTTNG_MM_SEEDS:-1 6}

# reported TRACE [OPTION...]: prints the report like page-ref-reference.awk.
reported() {
	reported_trace=$1
	shift
	"$mm" report page-ref --json "$@" "$reported_trace" | jq -r '
		(.metrics[] | .name |= sub("^pageref."; "") |
			select(.name | IN("pages", "most_pages", "written_bytes", "huge_bytes",
				"working_set_bytes", "most_working_set_bytes", "resident_bytes", "cold_bytes",
				"most_cold_bytes")) | [.name, .labels[], .value] | map(tostring) | join(" ")),
		(.tables.mappings[] | "file \(.mapping) \(.touches) \(.pages) \(.most_bytes / 4096) \(.written_bytes / 4096) \(.resident_bytes / 4096)"),
		(.tables.processes[] | "process \(.pid) \(.working_set_bytes) \(.most_working_set_bytes)")'
}

# time_at SCRIPT PERCENT: prints a clock value just after the event at PERCENT of the script.
time_at() { awk -v part="$2" '/^[0-9]/ { at[++count] = $1 } END { printf "%.0f\n", at[1 + int(part * count / 100)] + 500 }' "$1"; }
# option NAME CLOCK: prints the option --NAME with the time of a clock value of the script.
option() { echo "$2" | awk -v name="$1" '{ printf "--%s=%.0f.%09.0f\n", name, 1700000000 + int($1 / 1e9), $1 % 1e9 }'; }

seed=${seeds% *}
while [ "$seed" -le "${seeds#* }" ]; do
	awk -v seed="$seed" -f "$top/tests/utils/make-page-ref-random.awk" >"$seed.trace"
	make_profile page-ref "$seed.trace" "$seed"
	babeltrace2 --clock-cycles "$seed" | awk -f "$top/tests/utils/page-ref-reference.awk" | sort >reference
	reported "$seed" | sort >reported
	is "seed $seed: as computed from babeltrace2's text" '' "$(diff reference reported)"
	is '... the trace has every case' 0 "$(grep -c ' 0$' reference | awk '{ print ($1 > 12) }')"
	"$mm" report page-ref --json "$seed" >one
	for variant in --reader=babeltrace2 --jobs=1 --jobs=4; do
		"$mm" report page-ref --json "$variant" "$seed" >other
		is "... the same with $variant" '' "$(diff one other)"
	done
	# Choose a time range, as percentages of the events.
	case $((seed % 3)) in
	0) range='30 100' ;;
	1) range='60 85' ;;
	*) range='0 70' ;;
	esac
	first=$(time_at "$seed.trace" "${range% *}")
	last=$(time_at "$seed.trace" "$((${range#* } - 1))")
	babeltrace2 --clock-cycles "$seed" |
		awk -v begin="$first" -v end="$last" -f "$top/tests/utils/page-ref-reference.awk" | sort >reference
	reported "$seed" "$(option begin "$first")" "$(option end "$last")" | sort >reported
	is "... the range from $range %" '' "$(diff reference reported)"
	seed=$((seed + 1))
done
tap_end
