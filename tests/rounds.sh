# SPDX-License-Identifier: LGPL-2.1-only
# Runs parts of tests/kernel/run-all.sh in guests, for make targets other than `make check`.
# Sourced.
#
# The caller sets top, round_out (an existing folder for the output) and round_timeout (in seconds).
# shellcheck shell=sh disable=SC2154
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"

# round NAME SUITE [OPTION...] -- PART...: runs a guest with these options of vm/run.sh and prints
# one line, followed by the first failures. Leaves the files NAME.tap, NAME.err and NAME.console
# and, if the guest failed, the folder NAME.out.
round() {
	round_log=$round_out/$1 round_name=$1 round_suite=$2
	shift 2
	started=$(date +%s) status=0
	round_options=
	while [ "$1" != -- ]; do
		round_options="$round_options $1"
		shift
	done
	shift
	# Run the guest in the background, so that a signal that ends this shell also ends the
	# guest.
	# shellcheck disable=SC2086 # words
	vm/run.sh --suite "$round_suite" $round_options --timeout "$round_timeout" \
		--console "$round_log.console" --out "$round_log.out" \
		-- sh /usr/lib/lttng-mm/tests/run-all.sh "$@" >"$round_log.tap" 2>"$round_log.err" &
	round_guest=$!
	trap 'kill "$round_guest"; wait "$round_guest"; exit 143' TERM
	trap 'kill "$round_guest"; wait "$round_guest"; exit 130' INT
	wait "$round_guest" || status=$?
	trap - TERM INT
	problem=$(tap_check "$round_log.tap" "$status")
	failed=$(grep -c '^not ok ' "$round_log.tap" || :)
	{
		printf '  %-24s %4d passed, %d failed, %d skipped, status %d  %4d s\n' "$round_name" \
			"$(grep '^ok ' "$round_log.tap" | grep -cvi '# skip' || :)" "$failed" \
			"$(grep -ci '^ok .*# skip' "$round_log.tap" || :)" "$status" $(($(date +%s) - started))
		if [ "$failed" = 0 ] && [ -z "$problem" ]; then
			rm -rf "$round_log.out"
			: >"$round_log.passed"
		else
			[ -z "$problem" ] || echo "      $problem"
			grep -A 12 '^not ok ' "$round_log.tap" | sed 's/^/      /' || :
			tail -n 20 "$round_log.err" | sed 's/^/      # /'
			: >"$round_log.failed"
		fi
	} >"$round_log.summary"
	# Print the summary at once, because several guests may end at the same time.
	cat "$round_log.summary"
}

# round_sums WHAT: prints the last line. Fails unless there were rounds and all passed.
round_sums() {
	round_good=$(find "$round_out" -name '*.passed' | wc -l)
	round_bad=$(find "$round_out" -name '*.failed' | wc -l)
	echo "$round_good $1 passed, $round_bad failed"
	[ "$round_good" -gt 0 ] && [ "$round_bad" = 0 ]
}
