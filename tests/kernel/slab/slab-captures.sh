# SPDX-License-Identifier: LGPL-2.1-only
# Compares the fields of lttng-probe-slab's packed events that triggers capture with the fields that
# a trace contains. Sourced by run-all.sh; slab_probe calls it.
# shellcheck shell=sh disable=SC2154  # slab-probe.sh sets out, workload_code and others
# shellcheck source=tests/kernel/lib.sh

captures_kmalloc=tid,call_site,ptr,bytes_req,size_class,gfp_flags
captures_kfree=tid,call_site,ptr
captures_cache_alloc=tid,call_site,ptr,cache,gfp_flags,accounted
captures_cache_free=tid,call_site,ptr,cache
captures_page_alloc=tid,pfn,order,migrate_type,gfp_flags
captures_page_alloc_bulk=tid,pfn,order,migrate_type,gfp_flags,call_site
captures_page_free=tid,pfn,order

# captures_fields EVENT: prints the event's fields.
captures_fields() {
	case $1 in
	slab_kmalloc) echo "$captures_kmalloc" ;;
	slab_kfree) echo "$captures_kfree" ;;
	slab_cache_alloc) echo "$captures_cache_alloc" ;;
	slab_cache_free) echo "$captures_cache_free" ;;
	page_alloc) echo "$captures_page_alloc" ;;
	page_alloc_bulk) echo "$captures_page_alloc_bulk" ;;
	page_free) echo "$captures_page_free" ;;
	esac
}

# captures_traced EVENT: prints the trace's events of that name that pass the filter, in the form of
# trigger-captures.
captures_traced() {
	grep -F " $1: " "$out/captures.txt" | awk -v event="$1" -v fields="$(captures_fields "$1")" -v start="$captures_start" \
		-v end="$captures_end" '
		function number(text,  i, n) {
			if (text !~ /^0x/)
				return text + 0
			n = 0
			text = tolower(substr(text, 3))
			for (i = 1; i <= length(text); i++)
				n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
			return n
		}
		BEGIN { count = split(fields, name, ",") }
		$3 == event ":" {
			body = $0
			sub(/^.*\}, \{ /, "", body)
			delete f
			words = split(body, word, / *, */)
			for (i = 1; i <= words; i++) {
				split(word[i], side, / = /)
				value = side[2]
				if (match(word[i], /container = [0-9-]+/))
					value = substr(word[i], RSTART + 12, RLENGTH - 12)
				sub(/ .*$/, "", value)
				f[side[1]] = number(value)
			}
			if (("call_site" in f) ? f["call_site"] < start || f["call_site"] >= end : f["order"] != 2)
				next
			line = event
			for (i = 1; i <= count; i++)
				line = line sprintf(" %s=%.0f", name[i], f[name[i]])
			print line
		}' | sort
}

captures_listen() {
	lttng create captures --snapshot --output="$out/unused-captures" &&
		lttng enable-channel -k -s captures --overwrite --subbuf-size=2M --num-subbuf=4 ring &&
		lttng enable-event -k -s captures -c ring 'slab_*' &&
		lttng enable-event -k -s captures -c ring 'page_*' && lttng start captures || return 1
	by="call_site >= $captures_start && call_site < $captures_end"
	"$tests/trigger-captures" slab_kmalloc "$by" "$captures_kmalloc" slab_kfree "$by" "$captures_kfree" \
		slab_cache_alloc "$by" "$captures_cache_alloc" slab_cache_free "$by" "$captures_cache_free" \
		page_alloc_bulk "$by" "$captures_page_alloc_bulk" \
		page_alloc 'order == 2' "$captures_page_alloc" page_free 'order == 2' "$captures_page_free" \
		>"$out/captured.txt" 2>"$out/captured.err" &
	listener=$!
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		! grep -q '^ready' "$out/captured.err" || return 0
		kill -0 "$listener" || break
		sleep 0.5
	done
	cat "$out/captured.err"
	return 1
}

# captures_agree EVENT: checks that each of the module's events is captured. Each captured event,
# also of other programs, must be in the trace with the same fields.
captures_agree() {
	captures_traced "$1" >"$out/traced.$1"
	grep "^$1 " "$out/captured.txt" | sort >"$out/captured.$1"
	for tid in $captures_threads; do grep " tid=$tid " "$out/traced.$1"; done | sort >"$out/acted.$1"
	some=$(wc -l <"$out/acted.$1")
	if [ "$some" -gt 0 ] && [ -z "$(comm -23 "$out/acted.$1" "$out/captured.$1")" ] &&
		[ -z "$(comm -13 "$out/traced.$1" "$out/captured.$1")" ]; then
		ok "slab: captures of $1 equal the fields in the trace"
	else
		not_ok "slab: captures of $1 equal the fields in the trace"
		echo "# $some events of the module, $(wc -l <"$out/captured.$1") captured"
		diff "$out/traced.$1" "$out/captured.$1" | diag
	fi
}

slab_captures() {
	captures_start=$((workload_code))
	captures_end=$((workload_code + workload_size))
	check_function 'slab: triggers with captures on each packed event are added' captures_listen || return
	dmesg -C
	check 'slab: the module runs under triggers' 60 insmod "$tests/slab-workload.ko" rounds=1
	captures_threads=$(dmesg | sed -n 's/.*slab-workload: thread //p')
	kill "$listener"
	wait "$listener"
	slab_is 'no notification was dropped, and no value is missing' 0 $?
	rmmod slab-workload
	check_function 'slab: captures: babeltrace2 reads the trace' slab_text captures
	lttng destroy captures >/dev/null
	for event in slab_kmalloc slab_kfree slab_cache_alloc slab_cache_free page_alloc \
		page_alloc_bulk page_free; do
		captures_agree "$event"
	done
}
