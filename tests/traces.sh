# SPDX-License-Identifier: LGPL-2.1-only
# Creates the traces of tests with the writers of tests/utils. Requires top, tests and work.
# Sourced.
# shellcheck shell=sh

# make_ctf OPTION... FOLDER: makes a synthetic trace by the writer that shares no code with the
# readers.
make_ctf() {
	"${tests:?}/make-ctf" "$@" || exit 2
}

# make_profile PROFILE [--state | --no-state] SCRIPT FOLDER: makes the trace of a script with the
# metadata of the profile's events.
make_profile() {
	profile_metadata=${top:?}/tests/metadata/$1.tsdl
	shift
	"$tests/make-trace" "$profile_metadata" --flush "$@" || exit 2
}
# lttng_threads SCRIPT: prints the script with LTTng's own thread event in its state dump.
lttng_threads() {
	sed 's/\<process_statedump_thread\>/lttng_statedump_process_state/' "$1"
}
# make_dax / make_slab [OPTION...] SCRIPT FOLDER: makes the trace of a script with the metadata of
# DAX or slab events. make_dax writes events that are not packed, with process names in the context
# procname. Options of make_slab: --big-endian or --32-bit, the layout of such a machine;
# --other-kernel, metadata of another kernel; --callstack, events with the context callstack-kernel.
# If $slab_checksums is set, packets get checksums. Without checksums, reports omit packets whose
# events look damaged to verify.
make_dax() {
	dax_metadata=${work:?}/.dax-unpacked.tsdl
	[ -e "$dax_metadata" ] || awk -f "${top:?}/tests/utils/unpacked-dax.awk" \
		"$top/tests/metadata/dax.tsdl" >"$dax_metadata" || exit 2
	"$tests/make-trace" "$dax_metadata" --flush "$@" || exit 2
}
# make_dax_packed [--state | --no-state] SCRIPT FOLDER: makes DAX events as the probe records them:
# packed, with wide variants and events that name threads.
make_dax_packed() {
	make_profile dax "$@"
}
make_slab() {
	slab_big='' slab_narrow='' slab_other='' slab_stack=''
	while :; do
		case $1 in
		--big-endian) slab_big=1 ;;
		--32-bit) slab_narrow=1 ;;
		--other-kernel) slab_other=1 ;;
		--callstack) slab_stack=1 ;;
		*) break ;;
		esac
		shift
	done
	slab_metadata=$top/tests/metadata/slab.tsdl
	if [ -n "$slab_big$slab_narrow" ]; then
		slab_metadata=${work:?}/.slab$slab_big-$slab_narrow.tsdl
		[ -e "$slab_metadata" ] || awk -v big="$slab_big" -v narrow="$slab_narrow" \
			-f "$top/tests/utils/layout.awk" "$top/tests/metadata/slab.tsdl" >"$slab_metadata" || exit 2
	fi
	if [ -n "$slab_other" ]; then
		slab_metadata=${work:?}/.slab-other.tsdl
		[ -e "$slab_metadata" ] || awk -f "$top/tests/utils/other-kernel.awk" \
			"$top/tests/metadata/slab.tsdl" >"$slab_metadata" || exit 2
	fi
	if [ -n "$slab_stack" ]; then
		awk -f "$top/tests/utils/callstack.awk" "$slab_metadata" >"${work:?}/.slab-stack.tsdl" || exit 2
		slab_metadata=$work/.slab-stack.tsdl
	fi
	"$tests/make-trace" "$slab_metadata" "$@" || exit 2
	[ -n "${slab_checksums-}" ] || return 0
	for slab_made; do :; done
	"$tests/add-checksums" "$slab_made" || exit 2
}

# dax_halves: prints a script of two faults. Each fault starts on one CPU and ends on the other.
dax_halves() {
	set -- 'dev_major=259 ino=0x1003 vm_end=0x10c00000 address=0x10505000 pgoff=0x305'
	echo "cpu 0
1000 dax_pmd_fault procname=big tid=1441 pid=1441 $1
2000 dax_pmd_fault_done procname=other tid=1442 pid=1442 $1 result=0x100
cpu 1
1500 dax_pmd_fault procname=other tid=1442 pid=1442 $1
2500 dax_pmd_fault_done procname=big tid=1441 pid=1441 $1 result=0x100"
}

# fix_uuid FILE UUID: replaces the first four bytes of the UUID in all packets.
fix_uuid() {
	fix_at=0 fix_bytes=$(printf '%s' "$2" | sed 's/../\\x&/g')
	while [ "$fix_at" -lt "$(stat -c %s "$1")" ]; do
		# shellcheck disable=SC2059 # the format is the bytes
		env printf "$fix_bytes" | dd of="$1" bs=1 seek=$((fix_at + 4)) conv=notrunc status=none
		fix_at=$((fix_at + $(od -An -t u8 -j $((fix_at + 48)) -N 8 "$1" | tr -d ' ') / 8))
	done
}

# make_slab_load OPTION... EVENTS FOLDER: makes many events of objects that are allocated and freed.
make_slab_load() {
	slab_options=
	while [ $# -gt 1 ]; do
		slab_options="$slab_options $1"
		shift
	done
	# shellcheck disable=SC2086 # words
	"$tests/make-slab-load" $slab_options | make_slab - "$1"
}

# outcomes: prints the outcomes in the slab report on standard input, as sums of objects and pages.
# outcomes_apart: prints OBJECTS+PAGES instead of the sums.
outcomes() {
	outcomes_apart | awk '{ gsub(/[0-9]+\+[0-9]+/, "&="); while (match($0, /[0-9]+\+[0-9]+=/)) {
		split(substr($0, RSTART, RLENGTH - 1), of, "+")
		$0 = substr($0, 1, RSTART - 1) of[1] + of[2] substr($0, RSTART + RLENGTH)
	} print }'
}
outcomes_apart() {
	awk -F '   *' '
		/^Outcomes$/ { table = 1; next }
		/^$/ { table = 0 }
		table && $3 ~ /^[0-9]+$/ {
			name = $2
			sub(/, at most$/, "", name)
			sub(/ at the end$|^allocated | by an untraced path$/, "", name)
			sub(/^before the/, "before", name)
			line = line (line ? ", " : "Outcomes: ") (name == "freed" ? "freed untraced" : name) " " $3 "+" $4
		}
		END { if (line) print line }'
}

# number BYTES VALUE: writes VALUE in little-endian order. With -BYTES, writes it in big-endian
# order.
number() {
	number_i=0
	while [ $number_i -lt "${1#-}" ]; do
		number_at=$number_i
		[ "$1" -gt 0 ] || number_at=$((${1#-} - 1 - number_i))
		# shellcheck disable=SC2059 # the format is the point
		printf "\\$(printf '%03o' $(($2 >> 8 * number_at & 255)))"
		number_i=$((number_i + 1))
	done
}

# packet_field FILE BYTE: prints the 64-bit field at offset BYTE.
packet_field() {
	od -An -v -t u8 -j "$2" -N 8 "$1" | tr -d ' '
}

# packet_end FILE NUMBER: prints the end of packet NUMBER (from 0) in bytes. Byte 48 of each packet
# has its size in bits.
packet_end() {
	packet_at=0
	for _ in $(seq 0 "$2"); do
		packet_at=$((packet_at + $(packet_field "$1" $((packet_at + 48))) / 8))
	done
	echo $packet_at
}

# write_index FILE [BEGIN]: writes the index FOLDER/index/FILE.idx of a stream file as LTTng would
# have done. BEGIN is the offset of timestamp_begin in packets (32, after the stream instance id).
write_index() {
	index_folder=$(dirname -- "$1")/index index_begin=${2:-32} index_at=0 index_number=0
	mkdir -p "$index_folder"
	{
		number -4 0xc1f1dcc1 && number -4 1 && number -4 1 && number -4 72
		while [ $index_at -lt "$(wc -c <"$1")" ]; do
			number -8 $index_at
			# size, content size, start, end and discarded events
			for index_field in 24 16 0 8 40; do
				index_value=$(packet_field "$1" $((index_at + index_begin + index_field)))
				[ $index_field != 24 ] || index_size=$((index_value / 8))
				number -8 "$index_value"
			done
			index_value=0
			[ "$index_begin" = 24 ] || index_value=$(packet_field "$1" $((index_at + 24)))
			number -8 0 && number -8 "$index_value" && number -8 $index_number
			index_at=$((index_at + index_size)) index_number=$((index_number + 1))
		done
	} >"$index_folder/${1##*/}.idx"
}
