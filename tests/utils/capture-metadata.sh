#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Captures the metadata of a profile's events for make-trace, or checks the captured metadata:
#
#   capture-metadata.sh --guest PROFILE [SUITE]   records in a guest, and writes
#                                                 tests/metadata/PROFILE.tsdl
#   capture-metadata.sh SNAPSHOT                  prints the metadata of a snapshot
#   capture-metadata.sh --compare FILE SNAPSHOT   compares the events that this project's probes
#                                                 declare, and their fields; 1: they differ
#
# Merges the traces of a snapshot and the channels of a trace into one, with all event classes,
# numbered in the order of their names. Removes or equalizes everything that differs between
# recordings: UUIDs, times, the clock's offset, the names of host, session and kernel. A comparison
# ignores the labels of enumerations, which depend on the kernel, and events that one of the two
# kernels lacks.
set -eu
LC_ALL=C
export LC_ALL

usage() {
	sed -n '5,9s/^# *//p' "$0" >&2
	exit 2
}

# raw SNAPSHOT: prints the metadata of the snapshot's traces unchanged.
raw() {
	for trace in "$1"/kernel "$1"/state; do
		[ ! -e "$trace/metadata" ] || babeltrace2 --output-format=ctf-metadata "$trace"
	done
}

# series METADATA: prints the version of the recording kernel, such as 6.12.
series() {
	sed -n 's/.*kernel_release = "\([0-9]*\.[0-9]*\).*/\1/p' "$1" | head -n 1
}

# capture SNAPSHOT: prints the metadata of a snapshot for make-trace.
capture() {
	raw "$1" >"$work/all"
	[ -s "$work/all" ] || { echo "capture-metadata.sh: $1: no trace in it" >&2; exit 2; }
	echo '/* CTF 1.8 */'
	echo "/* Captured on Linux $(series "$work/all") by tests/utils/capture-metadata.sh. */"
	awk '/^event \{/ { exit }
		/^stream \{/ { left_out = streams++ }
		!left_out && !/^\/\* CTF 1.8 \*\// { print }
		/^\};/ { left_out = 0 }' "$work/all" | sed '
		/^trace {/,/^}/s/uuid = ".*"/uuid = "00112233-4455-6677-8899-aabbccddeeff"/
		/^clock {/,/^}/{ /uuid = /d; s/offset = .*/offset = 1700000000000000000;/; }
		/^stream {/,/^}/s/\tid = .*/\tid = 0;/
		s/hostname = ".*"/hostname = "guest"/
		/kernel_release = /d
		/kernel_version = /d
		/trace_name = /d
		/trace_creation_datetime = /d' | cat -s | sed '1{/^$/d}'
	# Prints each event class as one line, its newlines as \001.
	awk '
		/^event \{/ { block = "" ; inside = 1 }
		inside { block = block $0 "\001" }
		inside && /^\};/ {
			inside = 0
			name = block
			sub(/.*\tname = "/, "", name)
			sub(/".*/, "", name)
			print name "\002" block
		}' "$work/all" | sort -u | awk -F '\002' '
		{
			sub(/\001\tid = [0-9]+;/, "\001\tid = " NR - 1 ";", $2)
			sub(/\001\tstream_id = [0-9]+;/, "\001\tstream_id = 0;", $2)
			gsub(/\001/, "\n", $2)
			print $2
		}'
}

# describe: prints a line for each field of this project's events in captured metadata. Omits the
# events of lttng-modules, which a profile records only to name threads.
describe() {
	awk '
		/^\tname = "/ { event = $3; gsub(/[";]/, "", event) }
		/^\tfields := struct/ { inside = event !~ /^(lttng_statedump|sched)_/; next }
		/^\t\};/ { inside = 0 }
		inside && /^\t\tenum/ { type = $0; sub(/ *\{$/, "", type); next }
		inside && /^\t\t\t/ { next }
		inside && /^\t\t\} / { sub(/^\t\t\}/, type) }
		inside { gsub(/^[ \t]+/, ""); print event, $0 }'
}

# compare FILE SNAPSHOT: prints the differences between captured metadata and a snapshot.
compare() {
	capture "$2" >"$work/captured"
	describe <"$1" >"$work/theirs"
	describe <"$work/captured" >"$work/ours"
	[ -s "$work/theirs" ] || { echo "$1: no event of this project's probes in it" >&2; exit 2; }
	captured=$(sed -n 's/.*Captured on Linux \([0-9.]*\) .*/\1/p' "$1")
	if [ "$captured" != "$(series "$work/all")" ]; then
		for side in theirs ours; do cut -d ' ' -f 1 "$work/$side" | sort -u >"$work/$side.events"; done
		comm -12 "$work/theirs.events" "$work/ours.events" >"$work/common"
		for side in theirs ours; do
			awk 'NR == FNR { common[$1] = 1; next } $1 in common' "$work/common" "$work/$side" >"$work/both"
			mv "$work/both" "$work/$side"
		done
	fi
	diff "$work/theirs" "$work/ours" && return
	echo "$1 is not what the probe declares: run tests/utils/capture-metadata.sh --guest $(
		basename "$1" .tsdl)"
	return 1
}

# guest PROFILE SUITE: records in a guest, and writes tests/metadata/PROFILE.tsdl.
guest() {
	top=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
	"$top/vm/build.sh" "$2"
	# shellcheck disable=SC2016  # the guest's shell expands it
	"$top/vm/run.sh" --suite "$2" --pmem 512M --out "$work/out" -- sh -ec '
		mkfs.ext4 -q -F -b 4096 /dev/pmem0
		mkdir -p /mnt/pmem
		mount -o dax=always /dev/pmem0 /mnt/pmem
		# Adds LTTng'"'"'s own thread event, which tests use, too.
		mkdir -p /etc/lttng-mm/profiles
		sed "/^state = .*process_statedump_thread/a state = lttng_statedump_process_state" \
			"/usr/share/lttng-mm/profiles/$1.conf" >"/etc/lttng-mm/profiles/$1.conf"
		# Page references are recorded to a folder, and of a command.
		if [ "$1" = page-ref ]; then
			exec lttng-mm record page-ref --output=/out/captured --file-io -- true
		fi
		lttng-mm record "$1"
		lttng-mm snapshot "$1" --output /out --name captured
		lttng-mm stop "$1"' sh "$1" >"$work/guest.log" 2>&1 ||
		{ cat "$work/guest.log" >&2; exit 1; }
	capture "$work"/out/captured* >"$work/$1.tsdl"
	mv "$work/$1.tsdl" "$top/tests/metadata/$1.tsdl"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case ${1:-} in
--guest)
	case $# in
	2 | 3) guest "$2" "${3:-trixie}" ;;
	*) usage ;;
	esac
	;;
--compare)
	if [ $# != 3 ] || [ ! -d "$3" ]; then usage; fi
	compare "$2" "$3"
	;;
*)
	if [ $# != 1 ] || [ ! -d "$1" ]; then usage; fi
	capture "$1"
	;;
esac
