# SPDX-License-Identifier: LGPL-2.1-only
# Tests lttng-probe-slab with a module that makes known allocations and frees in threads, softirqs
# and hardirqs on both CPUs. Compares counts, every field with ftrace's, and every path through
# LTTng with the packed events. Sourced by run-all.sh.
# shellcheck shell=sh disable=SC2034,SC2154  # run-all.sh sets tests, tracing and work
# shellcheck source=tests/kernel/lib.sh

slab_rounds=10
# On each of two CPUs, one thread, one timer and one irq work allocate.
slab_n=$((slab_rounds * 2))
# The module creates this many short-lived caches, and four caches with long names.
slab_reuses=200
slab_long_names=4

# slab_is NAME EXPECTED ACTUAL
slab_is() {
	is "slab: $1" "$2" "$3"
}

# slab_session NAME EVENTS [ENABLE-EVENT-OPTION...]: creates a session in snapshot mode whose
# buffers are large enough to lose nothing.
slab_session() {
	name=$1 events=$2
	shift 2
	format=
	if lttng_has_formats; then
		format=--trace-format=ctf-1.8
	fi
	# shellcheck disable=SC2086
	lttng create "$name" --snapshot --output="$out/unused-$name" $format &&
		lttng enable-channel --kernel --session="$name" --overwrite \
			--subbuf-size="${slab_subbuf:-2M}" --num-subbuf=4 ring &&
		lttng enable-event --kernel --session="$name" --channel=ring "$events" "$@"
}

# slab_text NAME: takes a snapshot of the session and writes it as text to $out/NAME.txt.
slab_text() {
	lttng snapshot record --session="$1" "file://$out/$1" >/dev/null &&
		babeltrace2 --clock-cycles --no-delta "$out/$1" >"$out/$1.txt" 2>"$out/$1.err"
}

# Repeats the state dump in the running session: its dump at the start contains fewer caches.
slab_regenerate() {
	lttng start plain >/dev/null 2>&1
	lttng regenerate statedump --session=plain >/dev/null
	lttng stop plain >/dev/null
}

slab_workload() {
	dmesg -C
	insmod "$tests/slab-workload.ko" "rounds=$slab_rounds"
}

# slab_count FILE EVENT: counts the events with a call site in the test module.
slab_count() {
	grep -F " $2: " "$1" | awk -v event="$2:" -v start="$workload_code" -v size="$workload_size" '
		function number(text,  i, n) {
			n = 0
			text = tolower(substr(text, 3))
			for (i = 1; i <= length(text); i++)
				n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
			return n
		}
		BEGIN { start = number(start) }
		$3 == event && match($0, /call_site = 0x[0-9A-Fa-f]+/) {
			code = number(substr($0, RSTART + 12, RLENGTH - 12))
			if (code >= start && code < start + size)
				n++
		}
		END { print n + 0 }'
}

# slab_bodies EXPRESSION EVENT FILE: prints the sorted fields of each EVENT for which the awk
# EXPRESSION over f[] is true, without contexts and timestamps.
slab_bodies() {
	grep -F " $2: " "$3" | awk -v event="$2:" '
		$3 == event {
			body = $0
			sub(/^.*\}, \{ /, "", body)
			delete f
			count = split(body, word, / *, */)
			for (i = 1; i <= count; i++) {
				split(word[i], side, / = /)
				value = side[2]
				if (match(word[i], /container = [0-9-]+/))
					value = substr(word[i], RSTART + 12, RLENGTH - 12)
				sub(/ .*$/, "", value)
				f[side[1]] = value ~ /^-?[0-9]+$/ ? value + 0 : value
			}
			if ('"$1"')
				print body
		}' | sort
}

slab_counts() {
	text=$out/plain.txt
	slab_is 'kmalloc() of a size class is counted' $((27 * slab_n)) "$(slab_count "$text" slab_kmalloc)"
	slab_is 'kmalloc() that exceeds the packed event' $((5 * slab_n)) \
		"$(slab_count "$text" slab_kmalloc_wide)"
	slab_is 'kmalloc() that fails' "$slab_n" "$(slab_count "$text" slab_kmalloc_failed)"
	slab_is 'kfree(), not of NULL nor of a zero-size pointer' $((31 * slab_n)) \
		"$(slab_count "$text" slab_kfree)"
	slab_is 'kmem_cache_alloc()' $((6 * slab_n + slab_reuses + slab_long_names)) "$(slab_count "$text" slab_cache_alloc)"
	slab_is 'kmem_cache_alloc_node()' "$slab_n" "$(slab_count "$text" slab_cache_alloc_wide)"
	slab_is 'kmem_cache_free()' $((7 * slab_n + slab_reuses + slab_long_names)) "$(slab_count "$text" slab_cache_free)"
	nolock=0
	if grep -q ' _\{0,1\}kmalloc_nolock_noprof$' /proc/kallsyms; then nolock=$slab_n; fi
	slab_is 'kmem_cache_alloc_bulk() and kmalloc_nolock()' $((16 * slab_n + nolock)) \
		"$(slab_count "$text" slab_alloc_bulk)"
	slab_is 'kmem_cache_free_bulk() and kfree_nolock()' $((16 * slab_n + nolock)) \
		"$(slab_count "$text" slab_free_bulk)"
	slab_is 'pages in bulk, without those already in the array' $((16 * slab_n)) \
		"$(slab_count "$text" page_alloc_bulk)"
	slab_is 'kfree_rcu()' "$slab_n" "$(slab_count "$text" slab_kfree_rcu)"
	slab_is 'krealloc() in place' "$slab_n" "$(slab_count "$text" slab_krealloc_in_place)"
	slab_is 'nothing was lost' 0 "$(grep -ci 'discarded\|lost' "$out/plain.err")"
}

# Tests the state dump: caches, size classes, code ranges and paths.
slab_tables() {
	text=$out/plain.txt
	slab_is 'the state dump has the released cache of the test' yes "$(grep 'slab_statedump_cache' \
		"$text" | grep -q 'object_size = 200, size = 256, align = 64, accounted = 1, alive = 0, name = "slab-workload-object"' &&
			echo yes)"
	number=$(sed -n 's/.*slab_statedump_cache.*{ cache = \([0-9]*\),.*"slab-workload-object".*/\1/p' "$text" |
		head -n 1)
	slab_is 'its events have its number' $((7 * slab_n)) \
		"$(slab_bodies "f[\"cache\"] == $number" slab_cache_free "$text" | wc -l)"
	slab_is 'a name merged into another cache is reported' yes \
		"$(grep -q 'slab_statedump_alias:.*name = "slab-workload-merged"' "$text" && echo yes)"
	slab_is 'size classes up to 8 KiB' yes \
		"$(grep -q 'slab_statedump_kmalloc:.*bytes_alloc = 8192, bytes_req_min = 4097, bytes_req_max = 8192' \
			"$text" && echo yes)"
	slab_is 'a class between powers of two' yes \
		"$(grep -q 'slab_statedump_kmalloc:.*kmalloc-96".*bytes_alloc = 96, bytes_req_min = 65,' \
			"$text" && echo yes)"
	slab_is 'node 0 has pages' yes \
		"$(grep -q 'page_statedump_node:.*node = 0, pfn_start = 0x.*, page_size = 4096 }' "$text" && echo yes)"
	for cpu in 0 1; do
		slab_is "CPU $cpu is on a node" yes \
			"$(grep -q "page_statedump_cpu:.* cpu = $cpu, node = [01] }" "$text" && echo yes)"
	done
	for path in ALLOC_BULK FREE_BULK KFREE_RCU KREALLOC CACHE_RELEASE CACHE_ALIAS; do
		slab_is "path $path is hooked" yes "$(grep 'slab_statedump_path' "$text" |
			grep -q "\"$path\".*hooked = 1, missed = 0" && echo yes)"
	done
	slab_is 'no kernel address in the trace' 0 "$(kernel_addresses "$text")"
}

# The module creates and destroys caches repeatedly, mostly at the same address.
slab_cache_numbers() {
	slab_is 'more than 64 caches use one address' yes "$([ "$reused" -gt 64 ] && echo yes)"
	slab_is 'each cache has a different number' "$slab_reuses" \
		"$(sed -n 's/.*slab_statedump_cache.*{ cache = \([0-9]*\),.*"slab-workload-reuse".*/\1/p' \
			"$out/first.txt" | sort -u | wc -l)"
	slab_is 'every event names its cache by number' 0 \
		"$(grep -E 'slab_cache_(alloc|free)' "$out/first.txt" | grep -c ' cache = 0,\| cache = 0 }')"
	# The names have 60 and 200 characters and differ in the last one. A name of 200 characters
	# is recorded with a hash of its end.
	slab_is 'long names are distinguished' "$slab_long_names" \
		"$(sed -n 's/.*slab_statedump_cache.* name = \("slab-workload-long-[^"]*"\).*/\1/p' \
			"$out/first.txt" | sort -u | wc -l)"
	slab_is '... a name of 60 characters is complete' 2 \
		"$(sed -n 's/.*slab_statedump_cache.* name = "\(slab-workload-long-x*[01]\)".*/\1/p' \
			"$out/first.txt" | sort -u | awk 'length($0) == 60' | wc -l)"
}

# slab_same NAME EVENT EXPRESSION OTHER: checks that session OTHER recorded exactly the events of
# session plain for which EXPRESSION is true. These must be some events, but not all. Compares only
# events of the module's threads, because sessions start and end one after the other.
slab_same() {
	slab_bodies "($3) && $acting" "$2" "$out/first.acting" >"$out/expected.txt"
	slab_bodies "$acting" "$2" "$out/$4.acting" >"$out/actual.txt"
	all=$(slab_bodies "$acting" "$2" "$out/first.acting" | wc -l)
	some=$(wc -l <"$out/expected.txt")
	if cmp -s "$out/expected.txt" "$out/actual.txt" && [ "$some" -gt 0 ] &&
		{ [ "$3" = 1 ] || [ "$some" -lt "$all" ]; }; then
		ok "slab: $1"
	else
		not_ok "slab: $1"
		echo "# $some expected of $all, $(wc -l <"$out/actual.txt") recorded"
		diff "$out/expected.txt" "$out/actual.txt" | diag
	fi
}

# slab_digits FIELD LIMIT: prints an awk condition: the hexadecimal field has at most LIMIT digits.
slab_digits() {
	echo "length(f[\"$1\"]) <= $2 + 2"
}

# Tests filters on all fields of each packed event at once.
slab_filters() {
	slab_session filtered slab_kmalloc --filter \
		'tid > 0 && call_site < 268435456 && ptr < 4294967296 && bytes_req == 1000 && size_class == 10 && (gfp_flags & 32) != 0' &&
		lttng enable-event -k -s filtered -c ring slab_kfree --filter \
			'tid > 0 && call_site < 16777216 && ptr < 268435456' &&
		lttng enable-event -k -s filtered -c ring slab_cache_alloc --filter \
			'tid > 0 && call_site > 0 && ptr > 0 && cache > 0 && (gfp_flags & 32) != 0 && accounted == 1' &&
		lttng enable-event -k -s filtered -c ring slab_cache_free --filter \
			'tid > 0 && call_site > 0 && ptr < 268435456 && (cache & 1) == 0' &&
		lttng enable-event -k -s filtered -c ring slab_kmalloc_wide --filter \
			'node == -1 && bytes_req == 100000 && bytes_alloc == 131072 && ptr > 0 && gfp_flags > 0' &&
		lttng enable-event -k -s filtered -c ring page_alloc --filter \
			'tid > 0 && pfn > 15 && order == 2 && migrate_type == 0 && (gfp_flags & 262144) != 0' &&
		lttng enable-event -k -s filtered -c ring page_alloc_bulk --filter \
			'tid > 0 && pfn > 15 && order == 0 && migrate_type == 0 && (gfp_flags & 256) != 0 && call_site > 0' &&
		lttng enable-event -k -s filtered -c ring page_free --filter 'tid > 0 && pfn > 15 && order == 2'
}

slab_filters_agree() {
	slab_same 'filter on every field of slab_kmalloc' slab_kmalloc "f[\"tid\"] > 0 &&
		$(slab_digits call_site 7) && $(slab_digits ptr 8) && f[\"bytes_req\"] == 1000 &&
		f[\"size_class\"] == 10 && int(f[\"gfp_flags\"] / 32) % 2" filtered
	slab_same 'filter on every field of slab_kfree' slab_kfree \
		"f[\"tid\"] > 0 && $(slab_digits call_site 6) && $(slab_digits ptr 7)" filtered
	slab_same 'filter on every field of slab_cache_alloc' slab_cache_alloc \
		'f["tid"] > 0 && int(f["gfp_flags"] / 32) % 2 && f["accounted"] == 1' filtered
	slab_same 'filter on every field of slab_cache_free' slab_cache_free \
		"f[\"tid\"] > 0 && $(slab_digits ptr 7) && f[\"cache\"] % 2 == 0" filtered
	slab_same 'filter on fields of slab_kmalloc_wide' slab_kmalloc_wide \
		'f["node"] == -1 && f["bytes_req"] == 100000 && f["bytes_alloc"] == 131072' filtered
	slab_same 'filter on every field of page_alloc' page_alloc "f[\"tid\"] > 0 &&
		!($(slab_digits pfn 1)) && f[\"order\"] == 2 && f[\"migrate_type\"] == 0 &&
		int(f[\"gfp_flags\"] / 262144) % 2" filtered
	slab_same 'filter on every field of page_alloc_bulk' page_alloc_bulk "f[\"tid\"] > 0 &&
		!($(slab_digits pfn 1)) && f[\"order\"] == 0 && f[\"migrate_type\"] == 0 &&
		int(f[\"gfp_flags\"] / 256) % 2 && f[\"call_site\"] != \"0x0\"" filtered
	slab_same 'filter on every field of page_free' page_free \
		"f[\"tid\"] > 0 && !($(slab_digits pfn 1)) && f[\"order\"] == 2" filtered
}

# Starts a process that waits before it allocates, so that its id is known beforehand.
slab_tracked_process() {
	mkfifo "$out/go"
	# shellcheck disable=SC2016
	sh -c 'read -r line <"$1"; exec insmod "$2" "rounds=$3"' sh "$out/go" "$tests/slab-workload.ko" \
		"$slab_rounds" &
	tracked=$!
}

slab_ways() {
	slab_session plain 'slab_*' &&
		lttng enable-event -k -s plain -c ring 'page_*' &&
		lttng enable-event -k -s plain -c ring 'callsite_*' &&
		slab_session context 'slab_*' &&
		lttng add-context -k -s context -c ring -t procname &&
		slab_session tracked 'slab_*' &&
		lttng track -k -s tracked --pid="$tracked" &&
		slab_filters || return 1
	# Sessions start one by one, so some lack events from before the start of the last session.
	for name in context tracked filtered plain; do lttng start "$name" || return 1; done
}

# Checks that all sessions have the same events of the module; plain records packed events.
slab_ways_agree() {
	for event in slab_kmalloc slab_kfree slab_cache_alloc slab_cache_free; do
		slab_same "a pid tracker records the same $event" "$event" "f[\"tid\"] == $tracked" tracked
		slab_is "a context gives as many $event of the module" "$(slab_count "$out/first.txt" "$event")" \
			"$(slab_count "$out/context.txt" "$event")"
		slab_bodies "$acting" "$event" "$out/context.acting" >"$out/actual.txt"
		slab_bodies "$acting" "$event" "$out/first.acting" >"$out/expected.txt"
		check '... with the same fields' 20 cmp "$out/expected.txt" "$out/actual.txt"
	done
	slab_is 'the context is recorded' yes \
		"$(grep -q 'slab_kmalloc:.*procname = "slab-workload/0"' "$out/context.txt" && echo yes)"
}

# Tests a trigger on a packed event that captures its fields and takes a snapshot.
slab_trigger() {
	lttng list-triggers >/dev/null 2>&1 || return 2
	lttng create shot --snapshot --output="$out/shot" &&
		lttng enable-event -k -s shot slab_kmalloc && lttng start shot &&
		lttng add-trigger --name=slab --condition=event-rule-matches --type=kernel:tracepoint \
			--name=slab_kmalloc --filter='bytes_req == 8000 && size_class == 13' \
			--capture=tid --capture=call_site --capture=ptr --capture=bytes_req \
			--capture=size_class --capture=gfp_flags \
			--action=snapshot-session shot || return 1
	slab_workload || return 1
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ ! -d "$out/shot" ] || break
		sleep 1
	done
	lttng remove-trigger slab && lttng destroy shot
	rmmod slab-workload
	[ -d "$out/shot" ] || { echo 'no snapshot was taken'; return 1; }
}

# Tests maps, with which LTTng 2.16 and later count events without recording them.
slab_map() {
	if ! lttng --list-commands | grep -q '^add-map-channel'; then
		skip 'slab: a map counts a packed event' 'LTTng before 2.16 has no maps'
		return
	fi
	lttng create counting --snapshot >/dev/null
	lttng add-map-channel --type=kernel --session=counting counts >/dev/null
	lttng add-trigger --name=count --condition=event-rule-matches --type=kernel:tracepoint \
		--name=slab_kmalloc --filter='bytes_req == 1000 && (gfp_flags & 32) != 0' \
		--action=incr-map-value --session=counting --channel=counts --type=kernel \
		--key=total >/dev/null
	lttng start counting >/dev/null
	slab_workload
	slab_is 'a map counts a packed event' $((3 * slab_n)) \
		"$(lttng show-maps --session=counting | sed -n 's/.* total [^0-9]*\([0-9]*\).*/\1/p')"
	lttng remove-trigger count >/dev/null
	lttng destroy counting >/dev/null
	rmmod slab-workload
}

# Tests that a ring buffer that wraps often in all contexts is readable while it is written.
slab_wraps() {
	slab_subbuf=16K
	slab_session wrapped 'slab_*' && lttng enable-event -k -s wrapped -c ring 'page_*' &&
		lttng start wrapped || return 1
	slab_subbuf=
	insmod "$tests/slab-workload.ko" rounds=150 &
	for shot in 1 2 3; do
		sleep 0.3
		lttng snapshot record --session=wrapped "file://$out/wrapped-$shot" >/dev/null || return 1
		babeltrace2 "$out/wrapped-$shot" >"$out/wrapped.txt" 2>"$out/wrapped.err" ||
			{ cat "$out/wrapped.err"; return 1; }
		echo "$shot: $(wc -l <"$out/wrapped.txt") events"
		[ "$(wc -l <"$out/wrapped.txt")" -gt 500 ] || return 1
		# Every pointer and page is in the guest's 2 GiB, and every cache and class exists.
		if grep -E 'ptr = 0x[0-9A-F]{9,}|pfn = 0x[0-9A-F]{6,}|tid = [0-9]{6,}|size_class = \( <unk' \
			"$out/wrapped.txt"; then
			return 1
		fi
	done
	wait
	lttng destroy wrapped
	rmmod slab-workload
}

slab_refuses_to_unload() {
	if rmmod lttng-probe-slab 2>"$work/rmmod.txt"; then
		echo 'rmmod succeeded although a session uses the module'
		return 1
	fi
	grep -Eiq 'in use|busy|temporarily unavailable' "$work/rmmod.txt" && return 0
	cat "$work/rmmod.txt"
	return 1
}

slab_reload() {
	# Parts that ran before leave probes loaded. They use the library too.
	for probe in $(sed -n 's/^\(lttng_probe_\(dax\|fn\|pageref\|slab\)\) .*/\1/p' /proc/modules); do
		rmmod "$probe" || return 1
	done
	! grep -q '^lttng_mm_lib ' /proc/modules || rmmod lttng-mm-lib || return 1
	n=0
	while [ "$n" -lt 10 ]; do
		modprobe lttng-probe-slab || return 1
		# The first probe loads the probe library. It stays loaded until the last probe is
		# unloaded.
		if rmmod lttng-mm-lib 2>/dev/null; then
			echo 'the library was unloaded although a probe uses it'
			return 1
		fi
		rmmod lttng-probe-slab && rmmod lttng-mm-lib || return 1
		n=$((n + 1))
	done
}

slab_ftrace_agrees() {
	# shellcheck disable=SC2086
	check 'slab: every event and field is the same in ftrace and LTTng' 60 "$tests/compare-slab" \
		"$out/ftrace" "$out/first.txt" "$out/modules.txt" \
		"$(awk '$3 == "_stext" { print $1 }' /proc/kallsyms)" "$direct_map" $threads
}

# slab_metric NAME [LABEL]: prints the value of a metric in the recorder's report. LABEL selects one
# of several values.
slab_metric() {
	awk -v name="\"name\": \"$1\"," -v label="${2:+\": \"$2\"}" '
		/"name":/ { found = index($0, name); labelled = label == "" }
		found && label != "" && index($0, label) { labelled = 1 }
		found && labelled && /"value":/ { print $2 + 0; exit }' "$out/recorder.json"
}

# Runs more concurrent threads than the kernel has cached stacks for, so that pages of stacks are
# allocated in bulk.
slab_stacks() {
	slab_sleepers=
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
		sleep 1 &
		slab_sleepers="$slab_sleepers $!"
	done
	# shellcheck disable=SC2086
	wait $slab_sleepers
}

# Checks that the pages of thread stacks are counted at the call in vmalloc(), and that pages that
# worker threads free are paired. On 7.x, vmalloc() splits a block of four pages instead, which is
# freed in parts.
slab_stack_pages() {
	lttng-mm report slab --wide --by call-site --top 100 --include-recorder "$snapshot" >"$out/by-site.txt"
	lttng-mm report slab --wide --by order "$snapshot" >"$out/by-order.txt"
	grep "vmalloc.*pages of order 0" "$out/by-site.txt"
	sed -n '/^Page allocations by order/,/^$/p' "$out/by-order.txt"
	case $(uname -r) in
	6.*) awk '/vmalloc.*pages of order 0/ { pages += $6; freed += $8 }
		END { exit !(pages >= 40 && freed >= 8) }' "$out/by-site.txt" ;;
	*) awk '/^Page allocations by order/ { here = 1 } /^$/ { here = 0 }
		here && $1 == 2 { blocks = $2; pieces = $NF } END { exit !(blocks >= 10 && pieces >= 2) }' \
		"$out/by-order.txt" ;;
	esac
}

slab_busy() {
	while :; do
		/bin/true | cat
	done
}

# Records as users do, with a profile, takes a snapshot with a state dump, and makes a report.
slab_recorder() {
	# The system is busy when recording starts, which must not cause frees without allocations.
	slab_busy & busy=$!
	slab_busy & busier=$!
	check 'slab: lttng-mm record slab' 60 lttng-mm record slab
	kill "$busy" "$busier"
	slab_stacks
	find /usr/share -type f 2>/dev/null | head -n 500 | xargs cat >/dev/null 2>&1
	check 'slab: lttng-mm snapshot' 60 sh -c \
		"lttng-mm snapshot --output '$out' --name recorder >'$out/recorder.txt'"
	check 'slab: lttng-mm stop' 60 lttng-mm stop
	snapshot=$(tail -n 1 "$out/recorder.txt")
	check 'slab: verify finds no errors in the snapshot' 60 lttng-mm verify "$snapshot"
	check 'slab: lttng-mm report slab' 60 sh -c \
		"lttng-mm report slab --json '$snapshot' >'$out/recorder.json'"
	check_metadata 'slab: recorder' "$snapshot"
	check_captured slab "$snapshot"
	slab_is 'the report names caches' yes \
		"$(grep -q '"cache": "filp"' "$out/recorder.json" && echo yes)"
	# A compact event header supports 30 classes.
	slab_is 'the ring buffer has 22 event classes' 22 \
		"$(babeltrace2 -o ctf-metadata "$snapshot/kernel" | grep -c '^event {')"
	check_function 'slab: pages of threads'"'"' stacks have an allocation' slab_stack_pages
	slab_is 'the report names call sites' yes \
		"$(grep -qE '"call_site": "[a-zA-Z_][^"]*[+]0x[0-9a-f]+' "$out/recorder.json" && echo yes)"
	slab_is 'most objects are paired' yes "$(
		[ "$(slab_metric slab.outcomes paired)" -gt 1000 ] && echo yes)"
	slab_is 'a correct kernel has no anomalies' 0 \
		"$(slab_metric slab.outcomes anomalies)"
}

# slab_state_of NAME: tests the names in the report of snapshot NAME.
slab_state_of() {
	slab_is "$1: the state dump is next to the ring buffer" yes \
		"$([ -s "$snapshot/state/metadata" ] && [ -s "$snapshot/kernel/metadata" ] && echo yes)"
	slab_is "$1: the ring buffer has no state" 0 \
		"$(babeltrace2 "$snapshot/kernel" | grep -c '_statedump_')"
	slab_is "$1: babeltrace2 finds both" yes \
		"$(babeltrace2 "$snapshot" 2>&1 | grep -q 'slab_statedump_cache: .*"filp"' && echo yes)"
	lttng-mm report slab --json --top 100 "$snapshot" >"$out/recorder.json"
	slab_is "$1: the report names caches" yes \
		"$(grep -q '"cache": "filp"' "$out/recorder.json" && echo yes)"
	slab_is "$1: ... all of them" 0 "$(grep -c '"cache": "cache [0-9]' "$out/recorder.json")"
	slab_is "$1: the report names call sites" yes \
		"$(grep -qE '"call_site": "[a-z_]+[+]0x[0-9a-f]+ \[slab_workload\]"' "$out/recorder.json" && echo yes)"
	slab_is "$1: the report knows the traced paths" yes \
		"$(grep -q '"path": "FREE_BULK"' "$out/recorder.json" && echo yes)"
}

# Tests a recorder with a tracker. The tracker drops the state dump of the session itself, and the
# tracked threads have exited when the system information is written. The separate state session
# must still name them.
slab_tracked_recorder() {
	check 'slab: lttng-mm record slab, to be tracked' 60 lttng-mm record slab
	mkfifo "$out/go-recorder"
	# shellcheck disable=SC2016
	sh -c 'read -r line <"$1"; exec insmod "$2" "rounds=$3"' slab-tracked "$out/go-recorder" \
		"$tests/slab-workload.ko" "$slab_rounds" &
	tracked=$!
	# Dumps the state while the process is alive, as an earlier snapshot would have done.
	lttng regenerate statedump --session=lttng-mm-slab-state >/dev/null
	check 'slab: a pid tracker is added to the recorder' 60 lttng track -k -s lttng-mm-slab --pid="$tracked"
	lttng clear lttng-mm-slab >/dev/null
	echo go >"$out/go-recorder"
	wait "$tracked"
	slab_is 'the tracked process runs' 0 $?
	slab_is 'status shows one recorder' 1 "$(lttng-mm status --all | grep -c '^lttng-mm-')"
	slab_is 'doctor reports no problem' ok "$(lttng-mm doctor | awk '$2 == "recorders" { print $1 }')"
	snapshot=$(lttng-mm snapshot --output "$out" --name tracked)
	slab_state_of 'tracked recorder'
	slab_is 'tracked recorder: only the tracked process is recorded' "$tracked" \
		"$(babeltrace2 "$snapshot/kernel" | sed -n 's/.*{ tid = \([0-9]*\),.*/\1/p' | sort -u | xargs)"
	slab_is 'tracked recorder: the system information no longer lists it' 0 \
		"$(grep -c "\"tid\": $tracked," "$snapshot/sysinfo/processes.json")"
	slab_is 'tracked recorder: the report still names it' yes "$(lttng-mm report slab --wide --by process \
		"$snapshot" | grep -Eq "^  (sh|insmod) +$tracked " && echo yes)"
	slab_is 'tracked recorder: missing events of other processes cause no anomaly' 0 \
		"$(slab_metric slab.outcomes anomalies)"
	slab_is 'tracked recorder: missing events of other processes cause no leak' '0 1' \
		"$(slab_metric slab.leaks.objects) $(lttng-mm report slab "$snapshot" | grep -c '^Recorded through a tracker')"
	# The lock prevents the daemon from repairing the session before doctor runs.
	slab_is 'doctor reports a missing state session' note \
		"$(flock /run/lttng-mm/recorder.lock \
			sh -c 'lttng destroy lttng-mm-slab-state >/dev/null; lttng-mm doctor' |
			awk '$2 == "recorders" { print $1 }')"
	check 'slab: stop without a state session' 60 lttng-mm stop slab
	rmmod slab-workload
	check 'slab: lttng-mm record slab again' 60 lttng-mm record slab
	check 'slab: lttng-mm stop slab' 60 lttng-mm stop slab
	slab_is 'no session of the recorder is left' 0 "$(lttng list 2>/dev/null | grep -c lttng-mm-)"
}

# slab_marked SNAPSHOT: prints yes if the snapshot is marked as revealing the KASLR layout and
# contains the kernel's address.
slab_marked() {
	grep -q '"kaslr_safe": false' "$1/sysinfo/system.json" &&
		grep -q "\"base\": \"0x$(awk '$3 == "_stext" { print $1 }' /proc/kallsyms)\"" \
			"$1/sysinfo/addresses.json" && echo yes
}

# Tests call stacks: the report must name the functions, and the snapshot must be marked.
slab_callstack() {
	check 'slab: lttng-mm record slab --callstack' 60 lttng-mm record slab --callstack
	slab_is 'call stacks: status says that snapshots are not KASLR-safe' 1 "$(lttng-mm status --all | grep -c 'snapshots are not KASLR-safe')"
	check_function 'slab: call stacks: the module runs' slab_workload
	snapshot=$(lttng-mm snapshot --output "$out" --name stacks 2>"$out/stacks.err")
	slab_is 'call stacks: snapshot says so' 1 "$(grep -c 'not KASLR-safe' "$out/stacks.err")"
	slab_is 'call stacks: the snapshot is marked and has the addresses' yes "$(slab_marked "$snapshot")"
	slab_is 'call stacks: info says so' 1 "$(lttng-mm info --all "$snapshot" | grep -c '^Not KASLR-safe')"
	lttng-mm report slab --json --include-recorder "$snapshot" | tr -s ' \n' ' ' | sed 's/}/&\n/g' |
		grep '"stack": ' >"$out/stacks.table"
	slab_is 'call stacks: stacks list the functions of the module up to its thread' yes "$(
		grep -qE '"call_site": "[a-z_]+\+0x[0-9a-f]+ \[slab_workload\]".*"stack": \[ ?"[a-z_]+\+0x[0-9a-f]+ \[slab_workload\]", .*"kthread\+0x' \
			"$out/stacks.table" && echo yes)"
	slab_is 'call stacks: page allocations have a call site' yes "$(
		grep -qE '"call_site": "[a-z_]+\+0x[^"]*", "call_site_number": null, "kind": "pages of order 0"' \
			"$out/stacks.table" && echo yes)"
	slab_is 'call stacks: ... which is not in the tracer or the page allocator' 0 "$(
		grep '"call_site_number": null' "$out/stacks.table" |
			grep -cE '"stack": \[ ?"(lttng_|__alloc_pages|[^"]* \[lttng_)')"
	check 'slab: call stacks: lttng-mm stop' 60 lttng-mm stop slab
	rmmod slab-workload
	# Another program adds the context.
	lttng-mm record slab --session=plainstacks --dry-run |
		sed 's/^lttng start lttng-mm-plainstacks$/lttng add-context -k -s lttng-mm-plainstacks -c lttng-mm -t callstack-kernel\n&/' \
			>"$out/plainstacks.sh"
	check 'slab: a session with the context from lttng add-context starts' 60 sh -e "$out/plainstacks.sh"
	slab_is 'its snapshot is marked, too' yes \
		"$(slab_marked "$(lttng-mm snapshot --output "$out" --name plainstacks --session=plainstacks 2>/dev/null)")"
	check 'slab: that session stops' 60 lttng-mm stop --session=plainstacks
	check 'slab: a recorder without call stacks starts' 60 lttng-mm record slab
	snapshot=$(lttng-mm snapshot --output "$out" --name unstacked)
	slab_is 'its snapshot reveals no address' '1 0' "$(grep -c '"kaslr_safe": true' "$snapshot/sysinfo/system.json") $(
		cat "$snapshot"/sysinfo/* | grep -ciE '(^|[^0-9a-f])(0x)?ffff[0-9a-f]{12}([^0-9a-f]|$)')"
	check 'slab: lttng-mm stop of that recorder' 60 lttng-mm stop slab
}

slab_probe() {
	out=$work/slab
	rm -rf "$out"
	mkdir -p "$out"
	check_function 'slab: the session daemon starts' daemon_start
	check 'slab: the probe loads' 60 modprobe lttng-probe-slab
	slab_tracked_process
	check_function 'slab: four sessions start: plain, filtered, tracked, with a context' slab_ways || return
	ftrace_group=kmem
	ftrace_start 16384
	echo go >"$out/go"
	wait "$tracked"
	slab_is 'the test module runs' 0 $?
	ftrace_stop
	threads=$(dmesg | sed -n 's/.*slab-workload: thread //p')
	acting="(f[\"tid\"] == $tracked$(for tid in $threads; do printf ' || f["tid"] == %s' "$tid"; done))"
	reused=$(dmesg | sed -n 's/.*slab-workload: \([0-9]*\) of .* at one address$/\1/p')
	direct_map=$(dmesg | sed -n 's/.*slab-workload: direct map at //p')
	for name in plain context tracked filtered; do
		check_function "slab: session $name stops" lttng stop "$name"
	done
	slab_regenerate
	cat /proc/modules >"$out/modules.txt"
	for name in plain context tracked filtered; do
		check_function "slab: $name: babeltrace2 reads it" slab_text "$name"
	done
	cp "$out/plain.txt" "$out/first.txt"
	# Selects events of the module's threads with grep, because a guest's awk is much slower.
	for name in first context tracked filtered; do
		# shellcheck disable=SC2086  # a line each
		grep -E " tid = ($tracked$(printf '|%s' $threads))," "$out/$name.txt" >"$out/$name.acting"
	done
	workload_code=$(sed -n 's/.*callsite_statedump_range.*{ start = \(0x[0-9A-F]*\),.*"slab_workload".*/\1/p' \
		"$out/plain.txt" | head -n 1)
	workload_size=$(sed -n 's/.*callsite_statedump_range.* size = \([0-9]*\),.*"slab_workload".*/\1/p' \
		"$out/plain.txt" | head -n 1)
	check_metadata 'slab' "$out/plain"
	ftrace_save "$out/ftrace"
	slab_is 'ftrace lost nothing' 0 "$(ftrace_lost)"
	slab_counts
	slab_tables
	slab_ftrace_agrees
	ftrace_group=fs_dax
	slab_filters_agree
	slab_ways_agree
	slab_cache_numbers
	rmmod slab-workload
	check_function 'slab: a ring buffer that wraps while it is read stays readable' slab_wraps
	check_function 'slab: unloading with a live session is refused as busy' slab_refuses_to_unload
	for name in plain context tracked filtered; do lttng destroy "$name" >/dev/null; done
	check_function 'slab: a trigger with captures takes a snapshot' slab_trigger
	slab_captures
	slab_odd
	slab_map
	slab_recorder
	slab_callstack
	slab_tracked_recorder
	slab_rebuilt
	check_function 'slab: the session daemon ends' daemon_stop
	check_function 'slab: the probe loads and unloads ten times' slab_reload
}
