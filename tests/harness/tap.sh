#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests the harness of all other tests, in shell and in C. It must detect a test that fails, ends
# early, has no plan or runs a failing command.
# shellcheck disable=SC2016 # what tests expand
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# verdict: prints the errors of a test with the output `out` and the exit status $status.
verdict() {
	tap_check out "$status"
}

# shell TEXT: runs TEXT as a test script.
mkdir -p tree/tests/x
cp "$top/tests/tap.sh" "$top/tests/lib.sh" "$top/tests/traces.sh" tree/tests/
shell() {
	printf '%s\n' 'set -u' '. "$(dirname -- "$0")/../lib.sh"' "$1" >tree/tests/x/script.sh
	status=0
	env -u O -u LTTNG_MM sh tree/tests/x/script.sh >out 2>err || status=$?
}

# accepts WHAT TEXT: checks that the test TEXT passes. refuses WHAT WHY TEXT: checks that it fails
# for the reason WHY.
accepts() {
	shell "$2"
	is "shell: $1" '' "$(verdict)$(grep '^not ok' out)"
	is "shell: $1: status" 0 "$status"
}
refuses() {
	shell "$3"
	is "shell: $1" "$2" "$(verdict)$(grep '^not ok' out)"
	is "shell: $1: status" yes "$([ "$status" != 0 ] && echo yes)"
}

accepts 'checks that hold' 'echo x >a; cp a b; ok one; is two 1 1; nothing three ""; same four a b; gives five x cat a; tap_end'
accepts 'a skipped check' 'skip one "no such thing here"; tap_end'
accepts 'JSON' 'echo "{ \"a\": [ 1, 2 ] }" >a; json one 2 ".a | length" a; tap_end'
refuses 'no test' 'ran no test, status 1' 'tap_end'
refuses 'a script that ends before its plan' 'ended before its plan, status 7' 'ok one; exit 7'
refuses 'a script that is killed' 'ended before its plan, status 143' 'ok one; kill $$; ok two'
refuses 'a variable that is not set' 'ended before its plan, status 2' 'ok one; is two 1 "$nowhere"; tap_end'
refuses 'a setup that fails' 'ended before its plan, status 2' 'ok one; make_ctf nothing; tap_end'
refuses 'values that differ' 'not ok 1 - one' 'is one 1 2; tap_end'
refuses 'a failure among others' 'not ok 2 - two' 'ok one; is two 1 2; ok three; tap_end'
refuses 'a finding' 'not ok 1 - one' 'nothing one why; tap_end'
refuses 'files that differ' 'not ok 1 - one' 'echo x >a; echo y >b; same one a b; tap_end'
refuses 'files that are empty' 'not ok 1 - one' ': >a; : >b; same one a b; tap_end'
refuses 'missing files' 'not ok 1 - one' 'same one a b; tap_end'
refuses 'a command that prints the expected text and fails' 'not ok 1 - one' 'gives one "" false; tap_end'
refuses 'a missing command' 'not ok 1 - one' 'gives one "" ./none; tap_end'
refuses 'invalid JSON' 'not ok 1 - one' 'echo "{" >a; json one "" .x a; tap_end'
refuses 'a missing JSON file' 'not ok 1 - one' 'json one "" .x none; tap_end'
refuses 'the status of a failing program' 'not ok 1 - one: exit status' \
	'mm=./mm; printf "#!/bin/sh\necho why >&2\n" >mm; chmod +x mm; fails one 2 why; tap_end'

# Tests results that contradict each other: a script may continue after a failure, hide a status in
# a pipe, or count its tests wrongly.
shell 'ok one; exit 0'
is 'shell: an early end with status 0' 'ended before its plan, status 0' "$(verdict)"
printf 'ok 1 - one\nnot ok 2 - two\n1..2\n' >out
status=0
is 'a failure with status 0' 'passed in spite of a failure, status 0' "$(verdict)"
printf 'ok 1 - one\n1..2\n' >out
is 'a test that is planned and did not run' 'planned 2 tests and ran 1, status 0' "$(verdict)"
printf 'ok 1 - one\nok 1 - two\n1..2\n' >out
is 'a duplicate number' 'line 2 has another number: ok 1 - two, status 0' "$(verdict)"
status=0
printf 'ok 1 - one\n1..1\n1..1\n' >out
is 'two plans' 'two plans, status 0' "$(verdict)"
printf 'ok 1 - one\n1..1\n' >out
status=3
is 'a status without a failed test' 'passed all its tests, status 3' "$(verdict)"

# Tests that the end of a test removes its working folder and kills its background processes.
shell 'sleep 30 & pids=$!; sleep 0.3; echo "# $work $pids"; ok one; tap_end'
read -r _ folder process <out
is 'the folder is removed' '' "$(ls -d "$folder" 2>/dev/null)"
is 'background processes have ended' no "$(kill -0 "$process" 2>/dev/null && echo yes || echo no)"

# c TEXT: runs TEXT as a test in C.
c() {
	printf '%s\n' '#include "tests/tap.h"' "int main(void) { $1 }" >test.c
	status=2
	: >out
	${CC:-gcc} -std=gnu11 -Wall -Wextra -Werror -I"$top" -o checked test.c || return
	status=0
	./checked >out || status=$?
}
c 'tap(true, "one"); tap_skip("two", "not here"); return tap_status();'
is 'C: checks that pass' ' 0' "$(verdict) $status"
c 'tap(true, "one"); tap(1 > 2, "%d", 2); return tap_status();'
is 'C: a failure' ' 1' "$(verdict) $status"
c 'return tap_status();'
is 'C: no test' 'ran no test, status 1' "$(verdict)"
c 'tap(true, "one"); exit(0);'
is 'C: an early end' 'ended before its plan, status 0' "$(verdict)"
c 'tap(true, "one"); tap_shell("exit 3"); return tap_status();'
is 'C: a setup that fails' 'Bail out! exit 3, status 1' "$(verdict)"
c 'tap(true, "one"); abort();'
is 'C: a crash' 'ended before its plan, status 134' "$(verdict)"
c 'tap_compare("here", "this", 1, 1); return tap_verdict("values", tap_compared);'
is 'checker: as expected' '0 # 1 values compared, 0 differences' "$status $(cat out)"
c 'tap_compare("here", "this", 1, 2); return tap_verdict("values", tap_compared);'
is 'checker: a difference' '1 # here: this: expected 1, found 2' "$status $(head -n 1 out)"
c 'return tap_verdict("values", tap_compared);'
is 'checker: nothing to compare' '1 # no values to compare' "$status $(head -n 1 out)"
tap_end
