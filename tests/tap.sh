# SPDX-License-Identifier: LGPL-2.1-only
# TAP output of shell tests, on the host and in guests: one numbered line for each check. Sourced.
#
# A test ends with tap_end, which prints the plan and fails unless there were tests and all passed.
# A test that ends earlier, for whatever reason, also fails: it has no plan.
# shellcheck shell=sh
tap_n=0 tap_failed=0

# ok NAME / not_ok NAME [DETAIL] / skip NAME WHY: prints one line. The lines of DETAIL follow as
# comments.
ok() {
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $1"
}
not_ok() {
	tap_n=$((tap_n + 1))
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_n - $1"
	[ -z "${2:-}" ] || printf '%s\n' "$2" | diag
}
skip() {
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $1 # SKIP $2"
}

# diag: prints at most 40 lines of its input as TAP comments.
diag() {
	cut -c 1-400 | sed -e 's/^#* */# /' | head -n 40
}

# is NAME EXPECTED ACTUAL: passes if the values are equal.
is() {
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1"
		printf '# expected: %s\n# actual:   %s\n' "$2" "$3"
	fi
}

# nothing NAME FINDINGS: passes if FINDINGS is empty.
nothing() {
	if [ -z "$2" ]; then ok "$1"; else not_ok "$1" "$2"; fi
}

# same NAME FILE FILE: passes if the files are equal and not empty.
same() {
	if [ -s "$2" ] && cmp -s "$2" "$3"; then
		ok "$1"
	else
		not_ok "$1"
		{
			[ -s "$2" ] || echo "$2 is empty or missing"
			cmp "$2" "$3" 2>&1
			diff -u "$2" "$3" 2>&1
		} | diag
	fi
}

# gives NAME EXPECTED COMMAND...: passes if COMMAND succeeds and prints EXPECTED.
gives() {
	tap_name=$1 tap_expected=$2
	shift 2
	if ! tap_actual=$("$@"); then
		not_ok "$tap_name" "fails: $*"
	else
		is "$tap_name" "$tap_expected" "$tap_actual"
	fi
}

# json NAME EXPECTED FILTER FILE: compares the output of jq. Invalid JSON fails.
json() {
	gives "$1" "$2" jq -r "$3" "$4"
}

# tap_end: prints the plan and exits with the status of the test.
tap_end() {
	echo "1..$tap_n"
	[ "$tap_n" -gt 0 ] || echo '# no test ran'
	if [ "$tap_failed" = 0 ] && [ "$tap_n" -gt 0 ]; then
		exit 0
	fi
	exit 1
}

# tap_check FILE STATUS: checks FILE, the output of a test that exited with STATUS. Prints the error
# if the plan does not match, numbers are out of sequence, or the status contradicts the lines.
tap_check() {
	awk -v status="$2" '
		/^(not )?ok / {
			n++
			number = $0
			sub(/^(not )?ok /, "", number)
			if (!wrong && number !~ "^" n "([^0-9]|$)")
				wrong = "line " n " has another number: " $0
			failed += /^not /
		}
		/^Bail out!/ { bail = $0 }
		/^1\.\.[0-9]+$/ {
			if (plans++ && !wrong)
				wrong = "two plans"
			plan = substr($0, 4) + 0
		}
		END {
			if (!n)
				why = "ran no test"
			else if (bail)
				why = bail
			else if (!plans)
				why = "ended before its plan"
			else if (plan != n)
				why = "planned " plan " tests and ran " n
			else if (wrong)
				why = wrong
			else if (status == 0 && failed)
				why = "passed in spite of a failure"
			else if (status != 0 && !failed)
				why = "passed all its tests"
			if (why)
				print why ", status " status
		}' "$1"
}
