#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests the order of lists and their restriction to a cache, a call site or a process.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# Add checksums. Without them, the impossible values of some events would count as damage.
slab_checksums=1

make_slab "$here/slab/outcomes.trace" trace
mkdir trace/sysinfo
cp "$here/slab/symbols.txt" "$here/slab/slab-aliases.json" trace/sysinfo/

# column TABLE KEY OPTION...: prints the values of a column in the order of the rows.
column() {
	column_of=$1 column_key=$2
	shift 2
	"$mm" report slab --json "$@" trace | jq -r ".tables[\"$column_of\"][] |
		if has(\"$column_key\") then .$column_key else error(\"no such column\") end" | tr '\n' ' '
}
# sum TABLE KEY OPTION...: prints the sum of a column.
sum() {
	sum_of=$1 sum_key=$2
	shift 2
	"$mm" report slab --json "$@" trace | jq "[.tables[\"$sum_of\"][] |
		if has(\"$sum_key\") then .$sum_key else error(\"no such column\") end] | add // 0"
}

# Tests the order of rows.
is 'numbers are descending' "$(column caches allocations | tr ' ' '\n' | sort -nr | xargs) " \
	"$(column caches allocations --sort=allocations)"
is 'a minus reverses' "$(column caches allocations | tr ' ' '\n' | sort -n | xargs) " \
	"$(column caches allocations --sort=-allocations)"
is 'names are ascending' 'buffer_head dentry gone ' "$(column caches cache --sort=cache)"
is 'a second key decides where the first is equal' \
	"$("$mm" report slab --json trace | jq -r '.tables["call-sites"] |
		sort_by([-.allocations, .call_site])[] | .call_site' | tr '\n' ' ')" \
	"$(column call-sites call_site --sort=allocations,call_site)"
is 'a list without the column keeps its order' "$(column cpus cpu)" "$(column cpus cpu --sort=wasted)"
is 'a histogram keeps its order' "$(column lifetimes count)$(column lifetimes kind)" \
	"$(column lifetimes count --sort=count)$(column lifetimes kind --sort=kind)"
is 'the events of an anomaly remain together' "$(column anomalies time_ns)" \
	"$(column anomalies time_ns --sort=time_ns)"
fails 'an unknown key' 2 "report slab: --sort: 'bytes' is not the key of any column; did you mean '.*'? valid: call_site, .*, meaning\$" \
	report slab --sort=bytes trace
nothing 'no valid key is listed twice' "$("$mm" report slab --all --sort=bytes trace 2>&1 |
	sed 's/.*valid: //; s/, /\n/g' | sort | uniq -d)"
fails 'an unknown second key' 2 "'' is not the key of any column; valid: " report slab --sort=live, trace
fails 'an unknown key of another report' 2 "report dax: --sort: 'live' is not the key" \
	report dax --sort=live trace

# Tests which objects count.
for key in allocations paired bytes_allocated live freed_untraced anomalies undetermined; do
	is "call sites: $key of all processes add up to the total" "$(sum call-sites $key)" \
		"$(($(sum call-sites $key --pid=10) + $(sum call-sites $key --pid=20) + \
			$(sum call-sites $key --pid=30) + $(sum call-sites $key --call-site=0x170) - \
			$(sum call-sites $key --call-site=0x170 --pid=20) - \
			$(sum call-sites $key --call-site=0x170 --pid=30)))"
done
is 'a process: its row alone' '20 ' "$(column processes pid --pid=20)"
is 'a process: ... as without the filter' \
	"$("$mm" report slab --json trace | jq -c '.tables.processes[] | select(.pid == 20) | .allocated_percent = 100')" \
	"$("$mm" report slab --json --pid=20 trace | jq -c '.tables.processes[]')"
is 'a cache: its row alone, as without the filter' \
	"$("$mm" report slab --json trace | jq -c '.tables.caches[] | select(.cache == "dentry") | .allocated_percent = 100')" \
	"$("$mm" report slab --json --cache=dentry trace | jq -c '.tables.caches[]')"
is 'a cache: no size class' '' "$(column size-classes class --cache=dentry)"
is 'a cache: call sites of it alone' 'dentry' \
	"$(column call-sites kind --cache=dentry | xargs -n 1 | sort -u)"
is 'a cache by a name that it is merged with' buffer_head \
	"$(column caches cache --cache=merged_one | xargs)"
pages=$(column page-orders allocations '--cache=pages of order 3')
is 'an order of pages: its row alone' 1 "$(echo "$pages" | wc -w)"
for order in order-3 'order 3' 3; do
	is "an order of pages: $order" "$pages" "$(column page-orders allocations --cache="$order")"
done
is 'a size class' kmalloc-64 "$(column size-classes class --cache=kmalloc-64 | xargs)"
is 'a call site by number' 'alloc_thing+0x10' "$(column call-sites call_site --call-site=0x110 | xargs)"
is 'a call site by name' 272 "$(column call-sites call_site_number --call-site=alloc_thing+0x10 | xargs)"
is 'all call sites of a function' "$("$mm" report slab --json trace | jq -r '.tables["call-sites"][].call_site' |
	grep '^alloc_thing+' | xargs)" "$(column call-sites call_site --call-site=alloc_thing | xargs)"
is 'two filters' "$("$mm" report slab --json --pid=20 trace | jq -c '.tables["call-sites"][] | select(.call_site_number == 272) | .allocated_percent = 100')" \
	"$("$mm" report slab --json --pid=20 --call-site=0x110 trace | jq -c '.tables["call-sites"][]')"
is 'leak candidates' "$("$mm" report slab --json trace | jq -c '[.tables.leaks[], .tables["leaks-uncertain"][]] |
	map(select(.kind == "dentry"))')" "$("$mm" report slab --json --cache=dentry trace |
	jq -c '.tables.leaks + .tables["leaks-uncertain"]')"
# Every figure must include only what matches the filter.
"$mm" report slab --all --cache=dentry trace >restricted
is 'the text form states its restriction' 1 "$(grep -c '^All figures of allocations and frees are restricted by --cache=dentry: ' restricted)"
is 'totals: of the row alone' "$("$mm" report slab --json trace | jq -c '.tables.caches[] | select(.cache == "dentry") |
	[.allocations, .live, .bytes_allocated]')" \
	"$("$mm" report slab --json --cache=dentry trace | jq -c '.tables.totals[] | [.allocations, .live, .bytes_allocated]')"
is 'the peak: of the row alone' "$("$mm" report slab --json trace | jq '.tables.caches[] | select(.cache == "dentry") | .peak_bytes')" \
	"$("$mm" report slab --json --cache=dentry trace | jq '.metrics[] | select(.name == "slab.peak_bytes") | .value')"
is 'the answer: of the row alone' 'Most allocated (freed memory included): dentry, 1.9 KiB of 1.9 KiB of slab objects (100 %), ' \
	"$(sed -n 's/^\(Most allocated (freed memory included): .* (100 %), \).*/\1/p' restricted)"
is 'the anomalies: of the cache alone' dentry "$("$mm" report slab --json --cache=dentry trace | jq -r '.tables.anomalies[].kind' | sort -u)"
is 'the other size classes are not there' '' "$("$mm" report slab --json --cache=dentry trace | jq -r '.tables["size-classes"][].class')"
is 'what does not depend on a filter is not shown' 0 "$(grep -c '^Untraced allocation and free paths' restricted)"
for filter in --cache=nosuch --call-site=nosuch --pid=4711 '--cache=dentry --call-site=0x110'; do
	# shellcheck disable=SC2086 # words
	"$mm" report slab --all $filter trace >nothing
	is "$filter matches nothing: status" 0 $?
	is "$filter matches nothing: it is reported" 1 \
		"$(grep -c "^Nothing in the trace matches $filter: the lists are empty" nothing)"
done
fails 'a process id that is not a number' 2 "'x' is not a process id" report slab --pid=x trace
fails 'filters of another report' 2 'cache is for slab only' report dax --cache=dentry trace
"$mm" report slab --all --cache dentry --top 3 trace >after
"$mm" report --all --cache dentry --top 3 slab trace >before
same 'options may stand before the analysis' after before

# The recorder's own allocations must be omitted here, too.
make_slab "$here/slab/recorder.trace" trace-recorder
mkdir trace-recorder/sysinfo
cp "$here/slab/recorder.sysinfo"/* "$here/slab/symbols.txt" trace-recorder/sysinfo/
"$mm" report slab --json trace-recorder | jq -r '.tables.processes[].pid | values' | sort >others
"$mm" report slab --json --include-recorder trace-recorder |
	jq -r '.tables.processes[].pid | values' | sort >all
recorder=$(comm -13 others all | head -n 1)
is "the recorder's process alone: it is said" 1 "$("$mm" report slab --all --pid="$recorder" trace-recorder |
	grep -c "^Only the recorder's own processes match --pid=$recorder,")"
is "the recorder's process, if requested" "$recorder" \
	"$("$mm" report slab --json --include-recorder --pid="$recorder" trace-recorder |
		jq '.tables.processes[].pid')"
# --pid is given a thread that is not a process. The message must name its process.
cp -R trace of-threads
mkdir -p of-threads/sysinfo
echo '[{"tid": 4710, "pid": 4710, "comm": "db"}, {"tid": 4711, "pid": 4710, "comm": "writer"}]' >of-threads/sysinfo/processes.json
is '--pid: a thread' 1 "$("$mm" report slab --wide --all --pid=4711 of-threads |
	grep -cxF 'Nothing in the trace matches --pid=4711: the lists are empty; 4711 is a thread of process 4710 (db): use --pid=4710.')"
# If a name matches nothing, a similar name must be suggested, unless there are other filters.
for filter in "--call-site=alloc_thign|; did you mean 'alloc_thing'?" "--call-site=alloc_thin|; did you mean 'alloc_thing'?" \
	"--cache=dentyr|; did you mean 'dentry'?" '--cache=nothing_like_it|.' '--cache=dentyr --pid=20|.'; do
	# shellcheck disable=SC2086
	"$mm" report slab --wide --all ${filter%|*} trace >nothing
	is "${filter%|*}: nothing matches" 1 "$(grep -cxF -e "Nothing in the trace matches ${filter%|*}: the lists are empty${filter#*|}" nothing)"
done
tap_end
