#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests report page-ref on traces of random page references: its figures are what another program
# computes from babeltrace2's text, and do not depend on the reader or on the number of threads.
#
# LTTNG_MM_SEEDS="FROM TO" tests other traces (default "1 6").
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
export TZ=UTC0
seeds=${LTTNG_MM_SEEDS:-1 6}

# reported TRACE: prints the report like page-ref-reference.awk.
reported() {
	"$mm" report page-ref --json "$1" | jq -r '
		(.metrics[] | .name |= sub("^pageref."; "") |
			select(.name | IN("pages", "most_pages", "written_bytes", "huge_bytes",
				"working_set_bytes", "most_working_set_bytes", "resident_bytes", "cold_bytes",
				"most_cold_bytes")) | [.name, .labels[], .value] | map(tostring) | join(" ")),
		(.tables.mappings[] | "file \(.mapping) \(.touches) \(.pages) \(.most_bytes / 4096) \(.written_bytes / 4096) \(.resident_bytes / 4096)"),
		(.tables.processes[] | "process \(.pid) \(.working_set_bytes) \(.most_working_set_bytes)")'
}

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
	seed=$((seed + 1))
done
tap_end
