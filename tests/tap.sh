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

# with_plugin COMMAND...: runs babeltrace2 so that it finds the plugin of the build $O. A sanitized plugin needs the sanitizers'
# libraries in a program that was built without them; what babeltrace2 itself never frees is no finding of ours.
with_plugin() {
	tap_preload=
	for tap_library in libasan libubsan; do
		if readelf -d "${O:?}/lib/babeltrace2/plugins/babeltrace-plugin-lttng-mm.so" | grep -q "$tap_library"; then
			tap_preload="$tap_preload $(${CC:-gcc} -print-file-name="$tap_library.so")"
		fi
	done
	env BABELTRACE_PLUGIN_PATH="$O/lib/babeltrace2/plugins" \
		ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" \
		${tap_preload:+LD_PRELOAD="$tap_preload"} "$@"
}
