#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Runs all tests, from unit tests to guests. The last line is: N passed, N failed, N skipped.
#
# SUITES names the guests to test in; if it is empty, only the host's tests run. Every test prints
# TAP. The full output is in build/check/.
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$top"
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
suites=${SUITES-bookworm trixie}
# With forky among the suites, the test is longer: it runs everything in each guest, and tests more
# builds of the programs.
case " $suites " in *' forky '*) every_suite=1 ;; *) every_suite= ;; esac
out=$top/build/check
jobs=$(getconf _NPROCESSORS_ONLN)
# The limit detects guests that hang. On a slow or busy host, a guest takes twice as long as on a
# quiet host.
guest_timeout=${LTTNG_MM_GUEST_TIMEOUT:-2700}
passed=0 failed=0 skipped=0

rm -rf "$out"
mkdir -p "$out"
background=
# shellcheck disable=SC2086 # process numbers
trap '[ -z "$background" ] || kill $background 2>/dev/null || :; wait' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# log_of NAME: prints the name of the test's TAP file.
log_of() {
	echo "$out/$(printf '%s' "$1" | tr '/ ' '__').tap"
}

# count FILE STATUS NAME ERRORS SECONDS: adds the TAP lines of a test to the sums and prints its
# failures with the lines after them, and the first and last lines of its standard error.
count() {
	file_passed=$(grep -c '^ok ' "$1" || :)
	file_skipped=$(grep -ci '^ok .*# skip' "$1" || :)
	file_failed=$(grep -c '^not ok ' "$1" || :)
	problem=$(tap_check "$1" "$2")
	if [ -n "$problem" ]; then
		echo "not ok - $3 $problem" >>"$1"
		file_failed=$((file_failed + 1))
	fi
	passed=$((passed + file_passed - file_skipped))
	skipped=$((skipped + file_skipped))
	failed=$((failed + file_failed))
	printf '  %-44s %4d passed, %d failed, %d skipped  %4d s\n' "$3" \
		$((file_passed - file_skipped)) "$file_failed" "$file_skipped" "$5"
	[ "$file_failed" = 0 ] || {
		grep -A 12 '^not ok ' "$1" | sed 's/^/      /'
		if [ "$(wc -l <"$4")" -gt 40 ]; then
			head -n 20 "$4"
			echo '...'
			tail -n 20 "$4"
		else
			cat "$4"
		fi | sed 's/^/      # /'
	}
	[ "$file_skipped" = 0 ] || grep -i '^ok .*# skip' "$1" | sed 's/^/      /'
}

# run NAME COMMAND...: runs and counts one test program or script.
run() {
	name=$1
	shift
	log=$(log_of "$name")
	started=$(date +%s)
	status=0
	"$@" >"$log" 2>"$log.err" || status=$?
	count "$log" "$status" "$name" "$log.err" $(($(date +%s) - started))
}

# run_uncounted NAME COMMAND...: runs a test. Call count_run NAME later to count its results.
run_uncounted() {
	log=$(log_of "$1")
	shift
	started=$(date +%s)
	status=0
	"$@" >"$log" 2>"$log.err" &
	command=$!
	trap 'kill "$command"; wait "$command"; exit 143' TERM
	wait "$command" || status=$?
	echo "$status $(($(date +%s) - started))" >"$log.ended"
}

count_run() {
	log=$(log_of "$1")
	read -r status seconds 2>/dev/null <"$log.ended" || status=1 seconds=0
	touch "$log" "$log.err"
	count "$log" "$status" "$1" "$log.err" "$seconds"
}

# parts_of SUITE: prints the parts of tests/kernel/run-all.sh for the guest of the suite. Parts that
# test mostly user space run on only one of the default kernels, unless every suite is tested.
parts_of() {
	case "$every_suite $suites,$1" in
	1*) echo all ;;
	*'bookworm trixie,bookworm')
		echo boot traces session freeze dax-ext4 dax-xfs live fn "$pageref_parts" page-ref-command slab truth
		;;
	*'bookworm trixie,trixie')
		echo boot traces plan dax-ext4 dax-xfs reload record fn "$pageref_parts" slab truth
		;;
	*) echo all ;;
	esac
}
pageref_parts='pageref page-ref-module page-ref-file-io'

# guests SUITE [PART...]: runs the guests of the suite with these additional parts, without counting
# their results.
guests() {
	suite=$1
	shift
	# shellcheck disable=SC2046 # words
	set -- $(parts_of "$suite") "$@"
	run_uncounted "$suite guest" vm/run.sh --suite "$suite" --pmem 1G --timeout "$guest_timeout" \
		--out "$out/$suite" --console "$out/$suite.console" --dmesg "$out/$suite.dmesg" \
		--append 'lttng_mm.enable=1 lttng_mm.profile=slab lttng_mm.subbufs=4' \
		-- sh /usr/lib/lttng-mm/tests/run-all.sh "$@"
	run_uncounted "$suite guest of two nodes" vm/run.sh --suite "$suite" --nodes 2 --pmem 256M \
		--timeout "$guest_timeout" --out "$out/$suite-nodes" --console "$out/$suite-nodes.console" \
		--dmesg "$out/$suite-nodes.dmesg" -- sh /usr/lib/lttng-mm/tests/run-all.sh nodes ${every_suite:+page-ref-nodes}
}

# Shells and nohup(1) make background processes ignore some of the signals that tests send.
signals=--default-signal=HUP,INT,QUIT

# Sanitizers change what these scripts test: memory limits and the program's libraries. These
# scripts therefore also test the plain program. All other scripts test it only if every suite is
# tested.
plain_scripts='tests/reader/damage.sh tests/reader/hostile.sh tests/reader/out-of-memory.sh tests/session/build.sh tests/session/install.sh'
[ -z "$every_suite" ] || plain_scripts=

# is_wanted LABEL SCRIPT: true if SCRIPT must test the programs with LABEL, which is `plain` or
# another label.
is_wanted() {
	[ "$1" != plain ] || [ -z "$plain_scripts" ] || case " $plain_scripts " in *" $2 "*) ;; *) false ;; esac
}

# host_tests RUN LABEL O ASAN_OPTIONS: runs the unit tests and the scripts with the programs in O,
# by `run` or `run_once`. The scripts' programs get ASAN_OPTIONS.
host_tests() {
	for test in "$3"/tests/test-*; do
		[ ! -x "$test" ] || "$1" "$2 ${test##*/}" env "$signals" "$test"
	done
	for script in tests/reader/*.sh tests/analysis/*.sh tests/session/*.sh; do
		[ ! -e "$script" ] || ! is_wanted "$2" "$script" || "$1" "$2 $script" env "$signals" \
			"LTTNG_MM=$top/$3/bin/lttng-mm" "O=$top/$3" "ASAN_OPTIONS=$4" "$script"
	done
}

# run_once NAME COMMAND...: like run_uncounted, but does nothing if another lane has started NAME.
run_once() {
	! mkdir "$(log_of "$1").taken" 2>/dev/null || run_uncounted "$@"
}

# Libraries keep some allocations until the process exits. lsan.supp names the functions that make
# them. A leak can be attributed to a function only if plugins stay loaded. The default unwinder
# finds the functions of lsan.supp. The unwinder without frame pointers is more precise, but up to
# ten times slower.
sanitized_tests() {
	LIBBABELTRACE2_NO_DLCLOSE=1 \
		LSAN_OPTIONS=suppressions=$top/tests/lsan.supp:print_suppressions=0 \
		host_tests "$1" 'sanitized' build/host-asan fast_unwind_on_malloc=1
}

echo 'Tests on this machine:'
make --no-print-directory -f tools.mk O=build/host -j"$jobs" units >"$out/build.log" 2>&1 || {
	tail -n 30 "$out/build.log"
	echo "tests/run.sh: the tools do not build; the full log is $out/build.log" >&2
	exit 2
}
make --no-print-directory -f tools.mk O=build/host-asan SANITIZE=address,undefined CFLAGS='-O1 -g1' \
	-j"$jobs" units >"$out/build-asan.log" 2>&1 || {
	tail -n 30 "$out/build-asan.log"
	echo "tests/run.sh: the sanitizer build fails; the full log is $out/build-asan.log" >&2
	exit 2
}
# Tests the threads of --jobs with ThreadSanitizer, on partitioned traces and concurrent packets.
# The build takes minutes, so only a test of every suite includes this.
tsan=build/host-tsan
build_tsan() {
	make --no-print-directory -f tools.mk O=$tsan SANITIZE=thread CFLAGS='-O1 -g1' -j"$jobs" \
		$tsan/bin/lttng-mm $tsan/tests/make-ctf $tsan/tests/make-trace \
		$tsan/tests/make-slab-load >"$out/build-tsan.log" 2>&1 || {
		tail -n 30 "$out/build-tsan.log"
		echo "tests/run.sh: the build for ThreadSanitizer fails; the full log is $out/build-tsan.log" >&2
		exit 2
	}
}
[ -z "$every_suite" ] || build_tsan
# Runs three groups of tests concurrently: the plain tests, the sanitized tests, and the tests that
# mostly wait, for timeouts and intervals. When the plain tests are done, the first group helps with
# the sanitized tests.
waiting='test-engine test-engine-limits test-jobs test-server test-watch'
is_waiting() {
	case " $waiting " in *" ${1##* } "*) return 0 ;; esac
	return 1
}
run_waiting() { ! is_waiting "$1" || run_once "$@"; }
run_plain() { is_waiting "$1" || run "$@"; }
count_waiting() { ! is_waiting "$1" || count_run "$1"; }
{
	host_tests run_waiting 'plain' build/host ''
	sanitized_tests run_waiting
} &
background=$!
sanitized_tests run_once &
background="$background $!"
host_tests run_plain 'plain' build/host ''
if [ -n "$every_suite" ]; then
	# With strong address randomization, ThreadSanitizer cannot map its shadow memory.
	fixed=
	$tsan/bin/lttng-mm --version >/dev/null 2>&1 || fixed="setarch $(uname -m) -R"
	# shellcheck disable=SC2086 # a command, or nothing
	run 'thread-sanitized tests/reader/jobs.sh' $fixed env "LTTNG_MM=$top/$tsan/bin/lttng-mm" \
		"O=$top/$tsan" tests/reader/jobs.sh
fi

run 'tests/harness/tap.sh' tests/harness/tap.sh

# Fuzzes new inputs for a minute. (tests/reader/fuzz-seeds.sh runs the seeds.)
run 'tests/fuzz/run.sh' tests/fuzz/run.sh "${FUZZ_S:-60}"

sanitized_tests run_once &
background="$background $!"
# shellcheck disable=SC2086 # process numbers
wait $background || :
background=
host_tests count_waiting 'plain' build/host ''
sanitized_tests count_run

# The test of the guest runner needs no particular suite and none of the builds above, so it runs
# only once, while the guests are built.
runner=
for suite in ${suites%% *}; do
	if ! vm/image.sh "$suite"; then
		failed=$((failed + 1))
		echo "  not ok - the image of $suite failed"
		continue
	fi
	run_uncounted 'tests/vm/runner.sh' env "$signals" "SUITE=$suite" tests/vm/runner.sh &
	runner=$! background=$!
done
built=
for suite in $suites; do
	echo "Build for the $suite guest:"
	if vm/build.sh "$suite"; then
		built="$built $suite"
	else
		failed=$((failed + 1))
		echo "  not ok - the build for $suite failed"
	fi
done
if [ -n "$runner" ]; then
	wait "$runner" || :
	background=
	echo 'Tests of the guest runner:'
	count_run 'tests/vm/runner.sh'
fi
# An emulated guest usually uses only one CPU (vm/run.sh), so guests of several suites run
# concurrently.
running=0
soak=soak
for suite in $built; do
	# Add a minute of `make soak`, but on one kernel only.
	guests "$suite" $soak &
	soak=
	background="$background $!" running=$((running + 1))
	if [ $((running % jobs)) = 0 ]; then
		wait
		background=
	fi
done
wait
background=
for suite in $built; do
	echo "Tests in the $suite guest:"
	count_run "$suite guest"
	count_run "$suite guest of two nodes"
	run "$suite traces" env "LTTNG_MM=$top/build/host/bin/lttng-mm" \
		tests/kernel/compare-traces.sh "$suite" "$out/$suite/traces"
	run "$suite cut traces" env "LTTNG_MM=$top/build/host/bin/lttng-mm" \
		tests/kernel/slab/cut-slab-truth.sh "$suite" "$out/$suite/slab-truth"
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
