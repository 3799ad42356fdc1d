#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests report fn on traces of random calls. Its tables and stacks must equal the results that
# another program computes from babeltrace2's text. They must not depend on the reader, on the
# number of threads, or on the fast or general path.
#
# LTTNG_MM_SEEDS="FROM TO" tests other traces (default "1 6").
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
export TZ=UTC0
seeds=${LTTNG_MM_SEEDS:-1 6}

# reported TRACE: prints the reports in the form of fn-reference.awk. Quantiles may be too large by
# 1/128.
reported() {
	"$mm" report fn --json --by=deep.depth "$1" | jq -r '
		(.tables.functions[] | select(.calls > 0) | "function \(.function) \(.calls) \(.errors) \(.mean_ns | floor) \(.total_ns) \(.self_ns) \(.max_ns) \(.p50_ns) \(.p90_ns) \(.p99_ns)"),
		(.metrics[] | select(.name == "fn.outcomes" and .value > 0) | "outcome \(.labels.what) \(.value)"),
		(.tables["by-value"][] | "value \(.value) \(.calls) \(.total_ns) \(.self_ns)")'
	"$mm" report fn --folded=ns "$1" | sed 's/^/ns /'
	"$mm" report fn --folded=calls "$1" | sed 's/^/calls /'
}

# differences REFERENCE REPORTED: prints the lines that only one of the two files has.
differences() {
	awk 'NR == FNR { if ($1 == "function") of[$2] = $0; else expected[$0] = 1; next }
		$1 != "function" { if ($0 in expected) delete expected[$0]; else print "+ " $0; next }
		{
			fields = split(of[$2], exact, " ")
			wrong = fields != NF
			for (i = 3; i <= fields; i++)
				wrong += $i < exact[i] || $i > exact[i] * (i > 8 ? 1 + 1 / 128 : 1)
			if (wrong)
				print "+ " $0
			else
				delete of[$2]
		}
		END {
			for (line in expected)
				print "- " line
			for (name in of)
				print "- " of[name]
		}' "$1" "$2" | sort
}

seed=${seeds% *}
while [ "$seed" -le "${seeds#* }" ]; do
	for missing in nothing exits entries; do
		name=$seed-$missing
		awk -v seed="$seed" -v missing="${missing#nothing}" -f "$top/tests/utils/make-fn-random.awk" >"$name.trace"
		make_profile fn-calls "$name.trace" "$name"
		babeltrace2 --clock-cycles "$name" | awk -v declared="$(head -n 1 "$name.trace")" \
			-f "$top/tests/utils/fn-reference.awk" >"$name.reference"
		reported "$name" >"$name.reported"
		is "seed $seed, missing: $missing: as computed from babeltrace2's text" '' \
			"$(differences "$name.reference" "$name.reported")"
		for options in --json '--graph --by-task'; do
			# shellcheck disable=SC2086 # words
			"$mm" report fn $options "$name" >one
			for variant in --reader=babeltrace2 --jobs=1 --jobs=4; do
				# shellcheck disable=SC2086 # words
				"$mm" report fn $options "$variant" "$work/$name/" >two
				cmp -s one two || echo "$options $variant"
			done
		done >differ
		is "seed $seed, missing: $missing: equal with other readers, threads and paths" '' "$(cat differ)"
	done
	seed=$((seed + 1))
done
tap_end
