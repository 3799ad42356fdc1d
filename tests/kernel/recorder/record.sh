# SPDX-License-Identifier: LGPL-2.1-only
# Tests the probe library with a test probe, record-test.ko. Records of 48 bytes in 12 fields go
# through the ring-buffer fast path and the general path, in channels of 30 and of more than 1,000
# event classes. Also tests events that are described at run time, and strings. Sourced by
# run-all.sh.
# shellcheck shell=sh disable=SC2034,SC2154  # run-all.sh sets tests, tracing and work
# shellcheck source=tests/kernel/lib.sh
# shellcheck source=tests/kernel/slab/slab-probe.sh

# Each round fires each event twice (see record-test.c).
record_rounds=1000
record_texts=100
record_parameters=/sys/module/record_test/parameters

# record_is NAME EXPECTED ACTUAL
record_is() {
	if [ "$2" = "$3" ]; then
		ok "record: $1"
	else
		not_ok "record: $1"
		printf '# expected: %s\n# actual:   %s\n' "$2" "$3"
	fi
}

# record_more SESSION EVENTS [OPTION...]: enables more events in a session.
record_more() {
	more_session=$1 more_events=$2
	shift 2
	lttng enable-event -k -s "$more_session" -c ring "$more_events" "$@"
}

# Creates sessions. One has 30 event classes, the maximum for LTTng's compact header, and one has
# more. One has a filter that accepts all events, one has a context, and others have filters that
# accept some events.
record_sessions() {
	slab_session compact recordtest_packed,recordtest_fast,recordtest_general,recordtest_text &&
		record_more compact 'recordclass_000*' && record_more compact 'recordclass_001*' &&
		record_more compact recordclass_0020,recordclass_0021,recordclass_0022 &&
		record_more compact recordclass_0023,recordclass_0024,recordclass_0025 &&
		slab_session large 'recordtest_*' && record_more large 'recordclass_*' &&
		slab_session filtered recordtest_packed --filter 'last != 0' &&
		record_more filtered recordtest_text --filter 'name == "number-7" && empty == ""' &&
		slab_session context recordtest_packed && record_more context 'callsite_*' &&
		record_more context recordtest_text && record_more context recordclass_0000 &&
		record_more context recordtest_long && slab_session long recordtest_long &&
		record_more filtered recordtest_long --filter 'f31 > 5000' &&
		lttng add-context -k -s context -c ring -t procname
}

record_fire() {
	echo "$record_rounds" >"$record_parameters/fire" &&
		echo "$record_texts" >"$record_parameters/fire_text" &&
		echo 1 >"$record_parameters/fire_classes"
}

# record_bodies EVENT FILE: prints only the fields, in the order of the trace.
record_bodies() {
	sed -n "s/^.* $1: .*}, \({ number = .* }\)\$/\1/p" "$2"
}

record_count() {
	grep -c " $1: " "$2"
}

# Prints the expected records of each round, by the expressions of record-test.h.
record_expected() {
	awk -v rounds="$record_rounds" -v site="$1" 'BEGIN {
		split("ZERO ONE TWO", kind, " ")
		for (twice = 0; twice < 2; twice++)
			for (n = 1; n <= rounds; n++)
				printf "{ number = %d, call_site = %s, product = %.0f, address = 0x7F%010X, negative = %d, low = %d, hex = 0x%X, kind = ( \"%s\" : container = %d ), level = %d, small = %d, half = %d, last = 0xFFFFFFFFFFFF%04X }\n",
					n, site, n * 1000003, n * 4096, -n, n % 65536, n % 65536, kind[n % 3 + 1], n % 3,
					n % 251, -(n % 1000), int(n / 2), 65535 - n
	}'
}

# record_agrees SESSION EVENT: checks that the events have the expected fields.
record_agrees() {
	record_bodies "$2" "$out/$1.txt" >"$out/$1.$2"
	if cmp -s "$out/expected" "$out/$1.$2"; then
		ok "record: $1: every field of every $2"
	else
		not_ok "record: $1: every field of every $2"
		diff "$out/expected" "$out/$1.$2" | diag
	fi
}

# Tests events that only the fast path records. It refuses the first record, and records at the end
# of a sub-buffer.
record_fast() {
	some=$(($(record_count recordtest_fast "$out/compact.txt") + $(record_count recordtest_fast "$out/large.txt")))
	fast_written=$(cat "$record_parameters/written")
	fast_refused=$(cat "$record_parameters/refused")
	echo "# the fast path wrote $fast_written and left $fast_refused"
	record_is 'the fast path writes both headers, and the traces have what it wrote' "$fast_written" "$some"
	record_is 'the fast path was called for every event of the two sessions' $((4 * record_rounds)) \
		$((fast_written + fast_refused))
	record_is 'the fast path refused only records at the ends of sub-buffers' yes \
		"$([ "$fast_refused" -le 8 ] && echo yes)"
	for name in compact large; do
		record_bodies recordtest_fast "$out/$name.txt" | sort | uniq >"$out/$name.fast"
		record_is "$name: the fast path wrote the expected values" '' "$(sort "$out/expected" | uniq | comm -13 - "$out/$name.fast")"
	done
}

record_texts_agree() {
	awk -v count="$record_texts" 'BEGIN {
		for (n = 1; n <= count; n++)
			printf "{ number = %d, name = \"number-%d\", empty = \"\", cut = \"0123456789abcde\" }\n", n, n
	}' >"$out/texts"
	for name in compact large context; do
		record_bodies recordtest_text "$out/$name.txt" >"$out/$name.texts"
		record_is "$name: strings are recorded, empty and truncated ones too" '' "$(diff "$out/texts" "$out/$name.texts")"
	done
	record_is 'a filter reads a string between other strings' 'number-7' \
		"$(record_bodies recordtest_text "$out/filtered.txt" | sed 's/.*name = "\([^"]*\)".*/\1/')"
}

# Tests the largest record: by the fast path with both headers, by the general path, and with a
# filter on its last field.
record_longs() {
	awk -v count="$record_texts" 'BEGIN {
		for (n = 1; n <= count; n++)
			for (i = 0; i < 32; i++)
				printf "%sf%02d = %d%s", i ? ", " : "{ ", i, 1000 * n + i, i < 31 ? "" : " }\n"
	}' >"$out/longs"
	for name in long large context; do
		sed -n 's/^.* recordtest_long: .*}, \({ f00 = .* }\)$/\1/p' "$out/$name.txt" >"$out/$name.longs"
		same "record: $name: all 32 fields of a 128-byte record are correct" "$out/longs" "$out/$name.longs"
	done
	record_is 'a filter reads the last of 32 fields' "$((record_texts - 4))" \
		"$(record_count recordtest_long "$out/filtered.txt")"
	long_written=$(cat "$record_parameters/long_written")
	echo "# the fast path wrote $long_written records of 128 bytes, of $((2 * record_texts))"
	record_is 'the fast path writes 128-byte records, except at the ends of sub-buffers' yes \
		"$([ "$long_written" -ge $((2 * record_texts - 8)) ] && [ "$long_written" -le $((2 * record_texts)) ] && echo yes)"
}

# Checks the events that are described at run time: each must be recorded, with the fields that the
# general path writes.
record_classes() {
	sed -n 's/^.* \(recordclass_[0-9]*\): .*/\1/p' "$out/large.txt" | sort -u >"$out/large.classes"
	record_is 'each of 1,000 classes described at run time is recorded' "1000 recordclass_0000 recordclass_0999" \
		"$(wc -l <"$out/large.classes") $(sed -n '1p;$p' "$out/large.classes" | xargs)"
	record_is '26 of these classes are in the channel of 30 classes' 26 "$(grep -c ' recordclass_[0-9]*: ' "$out/compact.txt")"
	record_is 'all with the same values' 1 "$(record_bodies 'recordclass_[0-9]*' "$out/large.txt" |
		sort -u | wc -l)"
	record_is '... with the fields that the general path writes' "$(record_bodies recordclass_0000 "$out/context.txt")" \
		"$(record_bodies recordclass_0000 "$out/large.txt")"
	for name in compact large; do
		record_is "$name: the header" "event_header_$name" \
			"$(find "$out/$name" -type d -name kernel -exec babeltrace2 --output-format=ctf-metadata {} \; |
				sed -n 's/.*event.header := struct \(event_header_[a-z]*\);/\1/p' | xargs)"
	done
}

# record_site: sets site, the call site of the module's loop, and checks that it is in the module's
# code range.
record_site() {
	site=$(record_bodies recordtest_packed "$out/context.txt" | sed -n '1s/.*call_site = \(0x[0-9A-F]*\),.*/\1/p')
	range=$(sed -n 's/.*callsite_statedump_range: .*{ start = \(0x[0-9A-F]*\), size = \([0-9]*\), alive = 1, name = "record_test" }/\1 \2/p' \
		"$out/context.txt" | head -n 1)
	first=${range% *} size=${range#* }
	record_is 'the call site is in the range that the state dump gives the module' yes \
		"$([ $((site)) -ge $((first)) ] && [ $((site)) -lt $((first + size)) ] && echo yes)"
	record_is 'the kernel has one range' 1 \
		"$(grep 'callsite_statedump_range: .*name = "kernel"' "$out/context.txt" | sort -u -k 2 | wc -l)"
}

# record_small SESSION EVENT MODE: creates a session with EVENT in a channel of 1,001 event classes
# and sub-buffers of one page. MODE is overwrite or discard.
record_small() {
	format=
	! lttng_has_formats || format=--trace-format=ctf-1.8
	# shellcheck disable=SC2086
	lttng create "$1" --output="$out/$1" $format &&
		lttng enable-channel -k -s "$1" "--$3" --subbuf-size=4k --num-subbuf=64 ring &&
		lttng enable-event -k -s "$1" -c ring "$2" && record_more "$1" 'recordclass_*'
}

# One CPU fires 1,000 records, two in each round. After each pause, the time no longer fits the
# event header and is written in full, which takes 8 more bytes. A packet of 74 records with two
# such times is full to the last byte. Most packets are full even if something else delays a record.
record_fill() {
	for count in 18 19 18 19 18 19 18 19 18 19 18 19 18 19 18 19 18 19 18 19 18 19 18 19 18 19 19; do
		sleep 0.3
		# shellcheck disable=SC2016  # the inner shell expands them
		taskset 1 sh -c 'echo "$1" >"$2/fire"' sh "$count" "$record_parameters" || return
	done
}

# record_packets FILE: prints the packets of a stream with LTTng's large event header, and the
# offset, header length and bytes of each record, without timestamps.
record_packets() {
	od -An -v -tu1 -w1 "$1" | awk '
	function number(at, bytes,   value) {
		value = 0
		while (bytes--)
			value = value * 256 + byte[at + bytes]
		return value
	}
	{ byte[NR - 1] = $1 + 0 }
	END {
		# The packet header has 32 bytes: magic number, UUID, stream class id and stream id.
		# The packet context has 52 bytes: two timestamps, then the sizes.
		for (start = 0; start < NR; start += size) {
			content = number(start + 48, 8) / 8
			size = number(start + 56, 8) / 8
			print "packet", content, size
			if (!size)
				exit
			for (at = 84; at < content; at += header + 48) {
				header = number(start + at, 2) == 65535 ? 14 : 6
				line = at " " header
				for (i = 0; i < 48; i++)
					line = line sprintf(" %02x", byte[start + at + header + i])
				print line
			}
		}
	}'
}

# Tests the ends of sub-buffers. The fast path refuses a record that does not fit, or that fills the
# sub-buffer, and leaves it to the general path. Each record must be where the general path alone
# puts it.
record_ends() {
	for mode in overwrite discard; do
		record_ends_of "$mode"
	done
}
record_ends_of() {
	check_function "record: $1: two sessions with sub-buffers of a page" eval \
		"record_small $1-fast recordtest_packed $1 && record_small $1-general recordtest_general $1" ||
		return
	for name in "$1-fast" "$1-general"; do
		check_function "record: session $name starts" lttng start "$name"
	done
	check_function "record: $1: 1,000 records on one CPU" record_fill
	for name in "$1-fast" "$1-general"; do
		check_function "record: session $name stops" lttng destroy "$name"
		record_packets "$(find "$out/$name" -name ring_0)" >"$out/$name.packets"
	done
	record_is "$1: 1,000 records" 1000 "$(grep -vc packet "$out/$1-fast.packets")"
	# A record has at most 62 bytes.
	record_is "$1: no packet but the last has room for another record" 0 \
		"$(sed -n '/packet/p' "$out/$1-fast.packets" | sed '$d' | awk '$2 + 62 <= $3' | wc -l)"
	record_is "$1: some packets are full to the last byte" yes \
		"$(grep -q 'packet 4096 4096' "$out/$1-fast.packets" && echo yes)"
	record_is "$1: offset and bytes of every record are as the general path writes them" '' \
		"$(diff "$out/$1-general.packets" "$out/$1-fast.packets")"
}

# Tests records without a free sub-buffer, which LTTng discards and counts. Each number must be in
# the trace or counted.
record_discards() {
	format=
	! lttng_has_formats || format=--trace-format=ctf-1.8
	echo 0 >"$record_parameters/written"
	# shellcheck disable=SC2086
	check_function 'record: discards: a session with small buffers starts' eval \
		"lttng create discards --output='$out/discards' $format &&
		lttng enable-channel -k -s discards --discard --subbuf-size=8k --num-subbuf=2 ring &&
		record_more discards recordtest_packed && record_more discards recordtest_fast &&
		lttng start discards" || return
	# shellcheck disable=SC2016  # the inner shell expands them
	taskset 1 sh -c 'echo 20000 >"$1/fire"' sh "$record_parameters"
	check_function 'record: discards: the session stops' lttng destroy discards
	babeltrace2 "$out/discards" >"$out/discards.txt" 2>"$out/discards.err"
	discards_found=$(record_count recordtest_packed "$out/discards.txt")
	discards_counted=$(sed -n 's/.*discarded \([0-9]*\) event.*/\1/p' "$out/discards.err" |
		awk '{ n += $1 } END { print n + 0 }')
	echo "# $discards_found records, $discards_counted discarded"
	record_is 'discards: each of 40,000 records is in the trace or counted' 40000 $((discards_found + discards_counted))
	record_is 'discards: both happened' yes "$([ "$discards_found" -gt 100 ] && [ "$discards_counted" -gt 100 ] && echo yes)"
	record_is 'discards: the trace has what the fast path wrote' "$(cat "$record_parameters/written")" \
		"$(record_count recordtest_fast "$out/discards.txt")"
}

record_refuses_to_unload() {
	for module in record-test lttng-mm-lib; do
		if rmmod "$module" 2>"$work/rmmod.txt"; then
			echo "rmmod $module succeeded under a live session"
			return 1
		fi
	done
}

record() {
	out=$work/record
	rm -rf "$out"
	mkdir -p "$out"
	# Unload the DAX probe, which earlier parts of the tests left loaded: it uses the library.
	! grep -q '^lttng_probe_dax ' /proc/modules || rmmod lttng-probe-dax
	check_function 'record: the session daemon starts' daemon_start
	check 'record: the library loads' 60 modprobe lttng-mm-lib
	check 'record: a probe that uses it loads, and invalid descriptions are refused' 60 insmod "$tests/record-test.ko" || return
	check_function 'record: five sessions are created: with 30 event classes, 1,005, a filter, a context, one class' record_sessions ||
		return
	for name in compact large filtered context long; do
		check_function "record: session $name starts" lttng start "$name"
	done
	check_function 'record: the module fires' record_fire
	for name in compact large filtered context long; do
		check_function "record: session $name stops" lttng stop "$name"
		check_function "record: $name: babeltrace2 reads it" slab_text "$name"
	done
	record_is 'nothing was lost' 0 "$(cat "$out"/*.err | grep -ci 'discarded\|lost')"
	record_site
	record_expected "$site" >"$out/expected"
	for name in compact large filtered context; do
		record_agrees "$name" recordtest_packed
	done
	record_agrees compact recordtest_general
	record_agrees large recordtest_general
	record_fast
	record_texts_agree
	record_longs
	record_classes
	record_ends
	record_discards
	check_function 'record: the modules cannot be unloaded while sessions use them' record_refuses_to_unload
	for name in compact large filtered context long; do lttng destroy "$name" >/dev/null; done
	check_function 'record: the session daemon ends' daemon_stop
	check 'record: the probe and the library unload' 60 rmmod record-test lttng-mm-lib
}
