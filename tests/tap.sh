# SPDX-License-Identifier: LGPL-2.1-only
# What the host's test scripts share: TAP lines. Sourced.
# shellcheck shell=sh
n=0 failed=0

# is NAME EXPECTED ACTUAL
is() {
	n=$((n + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $n - $1"
	else
		failed=$((failed + 1))
		printf 'not ok %d - %s\n# expected: %s\n# actual:   %s\n' "$n" "$1" "$2" "$3"
	fi
}
