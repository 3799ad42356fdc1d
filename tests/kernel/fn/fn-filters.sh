# SPDX-License-Identifier: LGPL-2.1-only
# Tests filters on function events: on arguments, strings, results and bytes, and filters with
# arithmetic. Sourced by run-all.sh; functions of fn.sh call these.
# shellcheck shell=sh disable=SC2034,SC2154  # run-all.sh sets tests, tracing and work
# shellcheck source=tests/kernel/lib.sh
# shellcheck source=tests/kernel/fn/fn.sh
# shellcheck source=tests/kernel/slab/slab-probe.sh

# Filters on an argument, a string, a byte and a result.
fn_filters() {
	check_function 'fn: filtered: sessions start' eval \
		'slab_session number fn_small_entry --filter "c == 300" &&
		slab_session string fn_text_entry --filter "text == \"number-7\"" &&
		slab_session result fn_wide_exit --filter "ret < -150000" &&
		slab_session byte fn_bytes_call --filter "data[3] == 28 || maybe[1] == 2"'
	for session in number string result byte; do
		lttng start $session >/dev/null
	done
	fn_run
	for session in number string result byte; do
		lttng stop $session >/dev/null
		slab_text $session
	done
	fn_is 'filtered: a number' '100' "$(fn_bodies small_entry "$out/number.txt" | sed 's/.*a = \([0-9]*\).*/\1/')"
	fn_is 'filtered: a string' 'number-7' "$(fn_bodies text_entry "$out/string.txt" | sed 's/.*, text = "\([^"]*\).*/\1/')"
	# data[3] is n + 21. maybe[1] is n ^ 1, but can be read only if n is a multiple of 3.
	fn_is 'filtered: bytes' '3 7' "$(sed -n 's/^.* fn_bytes_call: .* n = \([0-9]*\),.*/\1/p' "$out/byte.txt" | xargs)"
	fn_is 'filtered: a result' 10 "$(fn_bodies wide_exit "$out/result.txt" | wc -l)"
	lttng destroy -a >/dev/null
}

# Filters with arithmetic: EVENT,FILTER, or EVENT,FILTER;EXPRESSION if the shell needs another
# expression. The fields are computed from n, which counts from 0 (fn-truth-expect.c).
fn_expressions() {
	cat <<'END'
small_entry,a == 100
small_entry,a != 100
small_entry,b < -3
small_entry,b >= 0 && c > 30
small_entry,a < 10 || d < -700
small_entry,!e
small_entry,e == 1 && (a & 6) == 2
small_entry,(a | 1) == 7
small_entry,(a ^ 5) < 4
small_entry,~a == -8
small_entry,(a << 3) > 1000
small_entry,(c >> 4) == 9
small_entry,-d == 500
small_entry,+b == 112
small_entry,b <= -100 && d <= -600
small_entry,a == 3 || b == -4 || c == 15 || d == -30
small_entry,(a > 5 && b > -20) || (c > 300 && !e)
small_entry,f == 5;a % 3 == 2
small_entry,a == d || -a == b
small_entry,(a >> 64) == 0;0
text_entry,unread == 2;1
text_call,(unread & 1) != 0;0
wide_call,c > 100000000000;n * 4886718345 > 100000000000
wide_exit,ret < -100000 && unread == 0;n * -1003 < -100000
pointers_entry,error < -100;-1 - n < -100
small_entry,$ctx.cpu_id < 64 && a == 9;a == 9
END
}

# fn_computed: prints, for each expression, how many of the calls match it, as the shell computes.
fn_computed() {
	fn_expressions | while IFS= read -r expression; do
		expression=${expression#*,}
		expression=${expression##*;} n=0 count=0
		while [ $n -lt "$fn_calls" ]; do
			# shellcheck disable=SC2034  # the expression has them
			a=$n b=$((n <= 128 ? -n : 256 - n)) c=$((3 * n)) d=$((-5 * n)) e=$((n & 1))
			# shellcheck disable=SC2004 # its text is the expression
			count=$((count + (($expression) != 0)))
			n=$((n + 1))
		done
		echo $count
	done | xargs
}

# Creates a session with one channel per filter, and two more channels: an event with two filters,
# and an event with two rules, one of them disabled.
fn_filtered_channels() {
	# shellcheck disable=SC2046 # an option, or none
	lttng create many --snapshot --output="$out/unused-many" $(lttng_has_formats && echo --trace-format=ctf-1.8) || return
	channel=100
	fn_expressions | sed 's/;.*//' >"$out/filters"
	while IFS=, read -r event filter; do
		fn_filtered_channel && fn_filtered "fn_$event" "$filter" || return
	done <"$out/filters"
	fn_filtered_channel && fn_filtered fn_small_entry 'a == 1' &&
		fn_filtered fn_small_entry 'a == 2 || a == 1' || return
	fn_filtered_channel && fn_filtered fn_small_entry 'a == 1' && fn_filtered 'fn_small_e*' 'a < 9' &&
		lttng disable-event -k -s many -c channel$channel 'fn_small_e*'
}

fn_filtered_channel() {
	channel=$((channel + 1))
	lttng enable-channel -k -s many --overwrite --subbuf-size=16384 --num-subbuf=4 channel$channel
}

fn_filtered() {
	lttng enable-event -k -s many -c "channel$channel" "$1" --filter "$2"
}

# fn_counted FOLDER: prints the number of events in each channel.
fn_counted() {
	lttng-mm info --events --json "$1" | tr -d ' \n' |
		grep -o '"stream":"channel[0-9]*_[0-9]*","path"[^}]*"events":[0-9]*' |
		sed 's/"stream":"channel\([0-9]*\)_.*:\([0-9]*\)$/\1 \2/' |
		awk '{ count[$1] += $2 } END { for (channel in count) print channel, count[channel] }' |
		sort -n | cut -d' ' -f2 | xargs
}

fn_computes() {
	check_function 'fn: filters: a channel for each filter is created' fn_filtered_channels
	interpreted=$(cat /sys/module/lttng_mm_lib/parameters/interpreted)
	lttng start many >/dev/null
	fn_run
	lttng stop many >/dev/null
	# One filter uses a context, which the probe library does not evaluate itself.
	fn_is "filters: only the filter with a context runs in LTTng's interpreter" "$fn_calls" \
		$(($(cat /sys/module/lttng_mm_lib/parameters/interpreted) - interpreted))
	lttng snapshot record --session=many "file://$out/many" >/dev/null
	fn_is 'filters: each accepts as many calls as the shell computes' "$(fn_computed) 2 1" "$(fn_counted "$out/many")"
	lttng destroy many >/dev/null
}
