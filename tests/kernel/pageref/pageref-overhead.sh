# SPDX-License-Identifier: LGPL-2.1-only
# Tests samples of the pages: the commands of the control file, a fixed sample, a sample that
# --max-overhead chooses, and --from. Sourced by run-all.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets tests and work
# shellcheck source=tests/kernel/lib.sh

overhead_all=16777216
overhead_device=/dev/lttng-mm-pageref

# overhead_is NAME EXPECTED ACTUAL
overhead_is() {
	if [ "$2" = "$3" ]; then
		ok "page-ref-overhead: $1"
	else
		not_ok "page-ref-overhead: $1"
		printf '# expected: %s\n# actual:   %s\n' "$2" "$3"
	fi
}

# overhead_within NAME LOW HIGH NUMBER
overhead_within() {
	overhead_is "$1" yes "$(awk -v low="$2" -v high="$3" -v n="${4:-nothing}" \
		'BEGIN { print (n + 0 == n && n >= low && n <= high) ? "yes" : n " is not from " low " to " high }')"
}

# overhead_value NAME: prints a line of the control file, which descriptor 7 is.
overhead_value() {
	awk -v name="$1" '$1 == name { print $2 }' <&7
}

# overhead_metric FOLDER NAME [LABELS]: prints a metric of the report.
overhead_metric() {
	[ -s "$out/$1.json" ] || lttng-mm report page-ref --json "$out/$1" 2>"$out/$1.report.err" |
		tr -d ' \n' >"$out/$1.json"
	sed -n "s/.*\"name\":\"pageref.$2\",\"labels\":{${3:-}},[^{}]*\"value\":\([^,}]*\).*/\1/p" "$out/$1.json"
}

# overhead_record FOLDER OPTION... -- COMMAND...: records to $out/FOLDER.
overhead_record() {
	overhead_folder=$out/$1
	shift
	# shellcheck disable=SC2016 # the inner shell expands these
	check "page-ref-overhead: ${overhead_folder##*/} is recorded" 300 sh -c \
		'folder=$1; shift; lttng-mm record page-ref --output="$folder" --num-subbuf=8 "$@" \
			>"$folder.out" 2>"$folder.err"' sh "$overhead_folder" "$@"
	sed 's/^/# /' "$overhead_folder.err"
	babeltrace2 "$overhead_folder" 2>/dev/null | grep ' pageref_pass: ' >"$overhead_folder.passes"
}

# overhead_samples FOLDER: prints the thresholds in the order of their first passes.
overhead_samples() {
	sed -n 's/.* sample = \([0-9]*\).*/\1/p' "$out/$1.passes" | uniq
}

overhead_refuses() {
	if echo "$1" >&7; then
		not_ok "page-ref-overhead: the control file refuses '$1'"
	else
		ok "page-ref-overhead: the control file refuses '$1'"
	fi 2>/dev/null
}

overhead_control() {
	exec 7<>"$overhead_device"
	for command in 'sample 0' 'sample 16777217' 'sample -1' 'sample x' 'sample' 'sample 1 2' \
		'sample 99999999999999999999' 'max-overhead 10001' 'max-overhead -1' 'max-overhead 5%' \
		'from 65535' 'from 70368744177665' 'from -1' 'from 1M' 'from 99999999999999999999'; do
		overhead_refuses "$command"
	done
	overhead_is 'refused commands change nothing' "$overhead_all 0 0" \
		"$(overhead_value sample) $(overhead_value max-overhead) $(overhead_value from)"
	echo 'max-overhead 500' >&7
	echo 'from 1048576' >&7
	overhead_is 'settings are kept' '500 1048576' "$(overhead_value max-overhead) $(overhead_value from)"
	echo 'sample 1048576' >&7
	overhead_is 'a sample replaces the limit' 0 "$(overhead_value max-overhead)"
	exec 7>&-
	exec 7<>"$overhead_device"
	overhead_is 'closing the file resets all settings' "$overhead_all 0 0" \
		"$(overhead_value sample) $(overhead_value max-overhead) $(overhead_value from)"
	exec 7>&-
}

# A fixed sample of 1/8, which plain LTTng commands record.
overhead_fixed() {
	format=
	if lttng_has_formats; then
		format=--trace-format=ctf-1.8
	fi
	# shellcheck disable=SC2086
	check 'page-ref-overhead: a session starts' 60 sh -c "lttng create fixed --output='$out/fixed' $format &&
		lttng enable-channel --kernel --session=fixed --subbuf-size=1M --num-subbuf=8 all &&
		lttng enable-event --kernel --session=fixed --channel=all 'pageref_*' && lttng start fixed"
	exec 7<>"$overhead_device"
	# A list with an error adds no process, so there is nothing to mark.
	overhead_refuses "pid $$,x"
	overhead_refuses "pid $$,4194305"
	overhead_refuses arm
	echo 'sample 2097152' >&7
	"$tests/known-set" 64 8 1000 >"$out/fixed.known" 7>&- &
	program=$!
	echo "pid $program" >&7
	wait "$program"
	before=$(overhead_value marked)
	overhead_within 'a sample of 1/8: pages of other parts are not marked' 1 \
		$(($(overhead_value passes) * 16384 / 4)) "$before"
	exec 7>&-
	check 'page-ref-overhead: the session ends' 60 lttng destroy fixed
	babeltrace2 "$out/fixed" 2>/dev/null >"$out/fixed.txt"
	# The sample applies from the first pass on. awk has no 64-bit arithmetic: the hash is
	# checked by the reports and by a unit test.
	overhead_within 'a sample of 1/8: distinct touched pages' 1792 2304 "$(awk '
		/ pageref_pass: / { sampled = 1 }
		sampled && / pageref_touch: / {
			sub(/.* address = 0x/, ""); sub(/...,.*/, ""); pages[$0] = 1 }
		END { for (page in pages) n++; print n }' "$out/fixed.txt")"
	overhead_is '... no page is unseen' 0 "$(grep -c ' pageref_unseen: ' "$out/fixed.txt")"
	grep ' pageref_unseen: ' "$out/fixed.txt" | sed 's/^/# /'
	overhead_within 'a sample of 1/8: the report scales to the memory' 14746 18022 \
		"$(overhead_metric fixed pages)"
	overhead_is 'a sample of 1/8: the report says so' 0.125 "$(overhead_metric fixed sample)"
}

# --max-overhead samples a program whose working set is known, and estimates it within 10 %. In a
# slow guest on a busy machine, a pass takes up to 40 ms, so passes at the default interval alone
# would exceed the limit.
overhead_limited() {
	overhead_record limited --max-overhead=5% --interval=2000 -- "$tests/known-set" 128 34 4000
	pages=$(awk '$1 == "pages" { print $2 }' "$out/limited.out")
	overhead_within 'the program was fast enough for its working set to be known' 1 9000 \
		"$(awk '$1 == "slowest" { print $2 }' "$out/limited.out")"
	low=$(overhead_metric limited working_set_bytes '"window":"10s","q":"1"')
	high=$(overhead_metric limited most_working_set_bytes '"window":"10s","q":"1"')
	echo "# $(wc -l <"$out/limited.passes") starts and ends of passes; thresholds: $(overhead_samples limited | tr '\n' ' ')"
	echo "# working set of 10 s: $((low / 4096)) to $((high / 4096)) pages, in truth $pages"
	overhead_within 'a sample was recorded' 0.0009 0.99 "$(overhead_metric limited sample)"
	overhead_within 'the working set of 10 s is within 10 % of the truth' $((pages * 9 / 10)) \
		$((pages * 11 / 10)) $(((low + high) / 2 / 4096))
	overhead_is 'the end of recording states the sample' 1 \
		"$(grep -c 'to keep the overhead at 5 %, a sample of at least [0-9.]* % of the pages was recorded' "$out/limited.err")"
	overhead_within 'the probe touches a buffer of its own to measure' 512 530 \
		"$(babeltrace2 "$out/limited" 2>/dev/null | grep -c ' pageref_touch: .* mm = 0, .*ARMED')"
	overhead_within 'a steady load: the sample changes a few times only' 1 8 "$(overhead_samples limited | wc -l)"
}

# Without a limit, each page is recorded.
overhead_none() {
	overhead_record unlimited --max-overhead=none -- "$tests/known-set" 64 6 1000
	overhead_is 'none: one threshold, for all pages' "$overhead_all" "$(overhead_samples unlimited)"
	overhead_within 'none: the report is no estimate' 1 1 "$(overhead_metric unlimited sample)"
	overhead_within 'none: all pages are recorded' 16384 16900 "$(overhead_metric unlimited pages)"
}

# With --from, a pass follows when half of the size was touched, long before the interval ends.
overhead_from() {
	# The program touches 8 MiB per second, so less than 16 MiB are touched between two passes
	# even if a pass is 0.3 s late.
	overhead_record from --max-overhead=none --interval=3600000 --from=16M -- "$tests/known-set" 64 24 8000
	overhead_within 'from: passes follow the touched size' 12 1000 "$(grep -c ' end = 1' "$out/from.passes")"
	check 'page-ref-overhead: from: miss curves' 60 sh -c "lttng-mm mrc --json '$out/from' >'$out/from.mrc'"
	overhead_within 'from: miss curves are valid from the size on' 1 $((16 << 20)) \
		"$(tr -d ' \n' <"$out/from.mrc" |
			sed -n 's/.*"name":"mrc.valid_from_bytes","labels":{},[^{}]*"value":\([0-9]*\).*/\1/p')"
}

pageref_overhead() {
	out=$work/pageref-overhead
	rm -rf "$out"
	mkdir -p "$out"
	check 'page-ref-overhead: the probe can be loaded' 60 modprobe lttng-probe-pageref
	pgrep -x lttng-sessiond >/dev/null || check 'page-ref-overhead: the session daemon starts' 60 lttng-sessiond --daemonize
	overhead_control
	overhead_fixed
	overhead_limited
	overhead_none
	overhead_from
}
