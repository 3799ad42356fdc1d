#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Fuzzes metadata, packets, system information, plans, profiles, stored reports, rules, base files
# and triggers concurrently with libFuzzer: run.sh SECONDS [coverage].
#
# Prints TAP. Stores failing inputs in build/fuzz/found, and the corpus, with which the next run
# continues, in build/fuzz/corpus. FUZZ_SEED is the seed of the random numbers. With 1 (the default,
# as in `make check`), each run has the same inputs. With 0 (`make fuzz`), each run has other
# inputs. `coverage` reports at the end which lines of the reader the corpus reaches.
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
cd "$top"
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
seconds=${1:?usage: run.sh SECONDS [coverage]}
out=build/fuzz
targets='bases metadata packets plans profiles reports rules system triggers'

if ! command -v clang >/dev/null 2>&1; then
	skip fuzzing 'no clang; vm/setup.sh vm/fuzz-packages installs it'
	tap_end
fi
mkdir -p "$out/found" "$out/seeds"
make --no-print-directory -f tools.mk O="$out" CC=clang LIBFUZZER=1 CFLAGS='-O1 -g1' \
	SANITIZE=fuzzer-no-link,address,undefined -j"$(getconf _NPROCESSORS_ONLN)" fuzzers \
	>"$out/build.log" 2>&1 || {
	tail -n 20 "$out/build.log" >&2
	echo "run.sh: the fuzz targets do not build; the whole log is $top/$out/build.log" >&2
	exit 2
}
"$out/tests/make-seeds" "$out/seeds"

# fuzz TARGET: runs the target with the log $out/TARGET.log.
fuzz() {
	mkdir -p "$out/corpus/$1"
	"$out/tests/fuzz-$1" -max_total_time="$seconds" -seed="${FUZZ_SEED:-1}" -timeout=25 -rss_limit_mb=2048 \
		-max_len=20000 -dict=tests/fuzz/fuzz.dict -artifact_prefix="$out/found/$1-" \
		-print_final_stats=1 "$out/corpus/$1" "$out/seeds/$1" >"$out/$1.log" 2>&1
}

pids=
trap 'kill $pids 2>/dev/null; exit 130' INT TERM HUP
for target in $targets; do
	fuzz "$target" &
	pids="$pids $!"
done
coverage=${2-}
# shellcheck disable=SC2086
set -- $pids
for target in $targets; do
	status=0
	wait "$1" || status=$?
	shift
	# The last line of libFuzzer is "#N DONE cov: N ft: N corp: N/Nb ...".
	reached=$(sed -n 's/^#\([0-9]*\).*DONE *cov: \([0-9]*\).*corp: \([0-9]*\).*/\1 inputs, \2 edges, \3 kept/p' \
		"$out/$target.log" | tail -n 1)
	if [ "$status" = 0 ] && [ -n "$reached" ]; then
		ok "fuzz $target for $seconds s: $reached"
	else
		not_ok "fuzz $target (status $status)"
		grep -E 'ERROR|SUMMARY|runtime error|deadly|Test unit written' "$out/$target.log" | head -n 10 | diag
		echo "# the log is $top/$out/$target.log; run $out/tests/fuzz-$target FILE to see it again"
	fi
done
# Runs the corpus through a build for gcc's gcov, which counts lines.
coverage() {
	make --no-print-directory -f tools.mk O="$out/coverage" CFLAGS='-O0 -g --coverage' \
		LDFLAGS=--coverage -j"$(getconf _NPROCESSORS_ONLN)" fuzzers >"$out/coverage.log" 2>&1
	find "$out/coverage" -name '*.gcda' -exec rm -f {} +
	for target in $targets; do
		find "$out/corpus/$target" "$out/seeds/$target" -type f -print0 |
			xargs -0 -n 500 "$out/coverage/tests/fuzz-$target" --as-is >/dev/null
	done
	echo
	echo 'Lines that the corpus reaches:'
	find "$out/coverage/obj/analysis" -name '*.gcda' -exec gcov -n {} \; 2>/dev/null | awk -F"[':% ]+" '/^File/ { file = $2 }
		/^Lines executed/ && file ~ /^analysis.*\.c$/ && !seen[file]++ {
			printf "  %6.2f %% of %4d  %s\n", $3, $5, file
			all += $5; hit += $3 * $5
		}
		END { if (all) printf "  %6.2f %% of %4d  in all\n", hit / all, all }'
}
[ "$coverage" != coverage ] || coverage
tap_end
