# SPDX-License-Identifier: LGPL-2.1-only
# Shared by the test scripts on the host: the programs to test, a working folder, traces, and checks
# of the output of commands. A script below tests/ sources it and then runs in a temporary folder.
#
# Sets mm, the program; tests, the folder of the test programs; top and here, the tree and the
# script's folder in it; work, the working folder. LTTNG_MM and O name the program and the build to
# test.
# shellcheck shell=sh
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 2
top=${here%/tests/*}
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
built=${O:-$top/build/host}
# shellcheck disable=SC2034 # for those that source this
mm=${LTTNG_MM:-$built/bin/lttng-mm} tests=$built/tests

# No test may depend on or start a session daemon of this machine. The script therefore runs again
# in a mount namespace, where LTTng's folder is empty and the daemon's program is /dev/null. If the
# user is not root, this requires a user namespace. In it, the user is not in the group tracing and
# cannot start root's daemon.
lib_daemon=$(command -v lttng-sessiond)
lib_alone=
if [ "$(id -u)" != 0 ]; then
	lib_alone='unshare --user --map-current-user --keep-caps'
	{ [ -e /run/lttng ] && $lib_alone true 2>/dev/null; } || LIB_ALONE=1
elif [ -n "$lib_daemon" ] || [ -e /run/lttng ]; then
	lib_alone=unshare
else
	LIB_ALONE=1
fi
if [ -z "${LIB_ALONE:-}" ]; then
	export LIB_ALONE=1
	# shellcheck disable=SC2016,SC2086 # the inner shell expands these; words
	exec $lib_alone --mount sh -c '
		mount --make-rprivate / && mkdir -p /run/lttng && mount -t tmpfs none /run/lttng || exit 2
		[ -z "$1" ] || mount --bind /dev/null "$1" || exit 2
		shift
		[ "$(id -u)" = 0 ] || exec setpriv --ambient-caps=-all --inh-caps=-all "$@"
		exec "$@"' sh "$lib_daemon" "$0" "$@"
fi

# The ids of processes that are killed when the script exits.
pids=
lib_exit() {
	lib_status=$?
	# shellcheck disable=SC2086
	[ -z "$pids" ] || kill $pids 2>/dev/null
	wait
	cd / && rm -rf "$work"
	exit "$lib_status"
}
work=$(mktemp -d) || exit 2
trap lib_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
cd "$work" || exit 2

# shellcheck source=tests/traces.sh
. "$top/tests/traces.sh"

# fails NAME STATUS PATTERN ARG...: checks that the program exits with STATUS, prints one line with
# the reason on standard error, and prints nothing on standard output.
fails() {
	fails_name=$1 fails_status=$2 fails_pattern=$3
	shift 3
	"$mm" "$@" >"$work/out" 2>"$work/err"
	is "$fails_name: exit status" "$fails_status" $?
	is "$fails_name: nothing on standard output" '' "$(cat "$work/out")"
	is "$fails_name: one line with the reason" 1 "$(grep -c -e "$fails_pattern" "$work/err")"
}

# flat_json: reads the JSON report on standard input. Prints one object per line, without blanks and
# without the kinds of columns; labels are in <>.
# shellcheck disable=SC2120
flat_json() {
	tr -d '\n' | sed 's/  *//g; s/"labels":{\([^}]*\)}/"labels":<\1>/g; s/"columns":{.*"series":/"series":/; s/},*/&\n/g'
}

# The two ways to read a folder.
# shellcheck disable=SC2034 # for those that source this
readers='fast babeltrace2'

# Additional plugin folders, and libraries to preload.
lib_plugins='' lib_preload=''

# with_plugin COMMAND...: runs babeltrace2 with the plugin of the build. If the plugin is sanitized
# and the program is not, preloads the sanitizers' libraries. Ignores memory that babeltrace2 itself
# never frees.
with_plugin() {
	if [ -z "$lib_preload" ]; then
		lib_preload=' '
		for lib_library in libasan libubsan; do
			! readelf -d "$built/lib/babeltrace2/plugins/babeltrace-plugin-lttng-mm.so" | grep -q "$lib_library" ||
				lib_preload="$lib_preload $(${CC:-gcc} -print-file-name="$lib_library.so")"
		done
	fi
	env BABELTRACE_PLUGIN_PATH="$built/lib/babeltrace2/plugins${lib_plugins:+:$lib_plugins}" \
		ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" LD_PRELOAD="$lib_preload" "$@"
}

# graph ARG...: runs babeltrace2, or the program that BABELTRACE2 names, with the plugin. Writes its
# log to err.
graph() {
	with_plugin "${BABELTRACE2:-babeltrace2}" "$@" 2>err
}

# second_channel METADATA EVENT LINE FOLDER: adds a channel `rare` to the trace in FOLDER, with the
# event on CPUs 0 and 1.
second_channel() {
	sed -e '/^stream {/,/^}/s/id = 0;/id = 1;/' -e 's/stream_id = 0;/stream_id = 1;/' "$1" >rare.tsdl
	printf 'declare %s\ncpu 0\nbegin 1040\n1050 %s\ncpu 1\nbegin 1040\n1060 %s\n' "$2" "$3" "$3" >rare.trace
	rm -rf rare
	"$tests/make-trace" rare.tsdl rare.trace rare || exit 2
	for cpu in 0 1; do
		cp rare/channel_$cpu "$4/rare_$cpu"
	done
	sed -n '/^stream {/,$p' rare/metadata >>"$4/metadata"
}
