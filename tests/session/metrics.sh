#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests that doc/metrics.md lists exactly what the program declares, and that reports contain only
# declared names.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

"$mm" metrics >declared
sed -n '/^## Coverage$/,$p' "$top/doc/metrics.md" | sed '1s/^/\n/' >documented
same 'doc/metrics.md lists exactly what the program declares' documented declared

# shellcheck disable=SC2016 # backquotes of Markdown
tables='s/^Table `\([^`]*\)`.*/\1/p'
# names FILE KIND: prints the names in the first column of the tables of KIND.
names() {
	awk -F '|' -v kind="$2" '/^\|/ && !begun { begun = 1; of = $2 } /^$/ { begun = 0 }
		begun && of == " " kind " " && $2 ~ /`/ { gsub(/[ `]/, "", $2); print $2 }' "$1" | sort -u
}
# Reports of every analysis: all of their contents must be declared.
make_dax "$top/tests/analysis/cases/causes.trace" dax
make_slab "$top/tests/analysis/slab/nodes.trace" slab
"$mm" report dax --json dax >dax.json
"$mm" report slab --json slab >slab.json
"$mm" info --events --json slab >info.json
cat >fn.trace <<'EOF'
declare fn_handle_mm_fault_entry fn_handle_mm_fault_exit fn_d_lookup_entry fn_d_lookup_exit
cpu 0
1000 process_statedump_thread tid=7 pid=7 name=worker
1000 fn_handle_mm_fault_entry tid=7 caller=0x180 vm_start=0x7f0000000000 address=0x7f0000001000 flags=FAULT_FLAG_WRITE|FAULT_FLAG_USER
1200 fn_d_lookup_entry tid=7 parent=0x200000000012345
1300 fn_d_lookup_exit tid=7 ret=0xfffffffffffffffe
1700 fn_handle_mm_fault_exit tid=7 caller=0x180 ret=VM_FAULT_OOM|VM_FAULT_MAJOR
EOF
make_profile fn-calls fn.trace fn
"$mm" report fn --json fn >fn.json
"$mm" report why --json fn >why.json
# Compares two snapshots of the same boot.
sed 's/name = "monotonic";/&\n\tuuid = "11111111-2222-3333-4444-555555555555";/' \
	"$top/tests/metadata/slab.tsdl" >boot.tsdl
for at in 1000 2000; do
	echo "$at slab_kmalloc tid=10 call_site=0x110 ptr=0x$at bytes_req=60 size_class=6" >at.events
	"$tests/make-trace" boot.tsdl at.events at-$at || exit 2
done
"$mm" report slab --compare --json at-1000 at-2000 >compare.json
for report in dax slab fn why compare info; do
	jq -r '.metrics[].name' $report.json | sort -u >names
	is "$report: has metrics" yes "$([ -s names ] && echo yes)"
	nothing "$report: each metric is declared" "$(names declared metric | comm -13 - names)"
	jq -r '.series[].name' $report.json | sort -u >names
	nothing "$report: each time series is declared" "$(names declared 'time series' | comm -13 - names)"
	jq -r '.tables | keys[]' $report.json | sort -u >names
	nothing "$report: each table is declared" "$(sed -n "$tables" declared | sort -u |
		comm -13 - names)"
	jq -r '.coverage | keys_unsorted[]' $report.json >$report.keys
	same "$report: has the declared keys of the coverage" dax.keys $report.keys
done
{ names declared key && sed -n "$tables" declared; } | sort -u >keys
nothing 'each key of the coverage is declared' "$(sort dax.keys | comm -13 keys -)"

# long REPORT OPTION...: prints the lines of the report's tables that exceed 100 columns, and the
# number of lines in tables.
long() {
	"$mm" "$@" | awk -v RS= -F '\n' '$1 != "Notes" {
			for (i = 1; i <= NF; i++)
				if (substr($i, 1, 2) == "  ") {
					lines++
					if (length($i) > 100) print $i
				}
		}
		END { print (lines > 3 ? "a table" : "no table") }'
}
is 'dax: the tables take 100 columns when piped' 'a table' "$(long report dax --all dax)"
is 'slab: the tables take 100 columns when piped' 'a table' "$(long report slab --all slab)"
is 'slab --leaks: the tables take 100 columns when piped' 'a table' "$(long report slab --all --leaks slab)"
is 'slab --compare: the tables take 100 columns when piped' 'a table' "$(long report slab --all --compare at-1000 at-2000)"
is 'fn: the tables take 100 columns when piped' 'a table' "$(long report fn --all fn)"
is 'fn --by: the tables take 100 columns when piped' 'a table' "$(long report fn --all --by=handle_mm_fault.flags fn)"
is 'why: the tables take 100 columns when piped' 'a table' "$(long report why --all fn)"
is 'info --events: the tables take 100 columns when piped' 'a table' "$(long info --events slab)"
is '--wide: the columns are complete' yes "$([ "$(long report dax --all --wide dax | wc -l)" -gt 3 ] && echo yes)"
tap_end
