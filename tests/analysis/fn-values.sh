#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests quantiles, errors, arguments and results in report fn. Also tests how the report counts
# failures that a function passes on to its caller.
# shellcheck disable=SC2016 # texts
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
# shellcheck source=tests/fn-calls.sh
. "$top/tests/fn-calls.sh"
export TZ=UTC0

# Quantiles require a minimum number of calls.
awk 'BEGIN { print "declare fn_handle_mm_fault_call fn_do_mmap_call"; for (i = 0; i < 219; i++) printf "%d fn_%s_call tid=7 duration_ns=%d%s\n", 1000 + 1000 * i,
	i < 200 ? "handle_mm_fault" : "do_mmap", i + 1, i < 200 ? "" : " ret=1 len=1" }' | trace quantiles
is 'quantiles: no p90 of 19 calls, a p99 of 200' 'do_mmap - -;handle_mm_fault 180 ns 198 ns' \
	"$("$mm" report fn --wide quantiles | awk '/^  (do_mmap|handle)/ { print $1, $9 == "-" ? $9 " " $10 : $9 " " $10 " " $11 " " $12 }' | sort | paste -sd ';')"
q 'quantiles: too few calls are not ranked by them' 'handle_mm_fault,do_mmap' quantiles '[.tables.functions[].function] | join(",")' --sort=p90_ns

# Tests errors of a function that returns an unsigned long.
trace unsigned <<'EOF'
1000 fn_do_mmap_call tid=7 len=4096 ret=0x7f0000001000 duration_ns=10
1100 fn_do_mmap_call tid=7 len=0xfffffffffffffff4 ret=0xfffffffffffffff4 duration_ns=20
1200 fn_do_mmap_call tid=7 len=4096 ret=0xfffffffffffff000 duration_ns=30
1300 fn_do_mmap_call tid=7 len=4096 ret=0xfffffffffffff001 duration_ns=40
EOF
q 'unsigned: -4095 to -1 are errors' '-4095 1
-ENOMEM 1' unsigned '[.tables.errors[] | "\(.error) \(.calls)"] | sort[]'
q 'unsigned: errors are printed as negative numbers' '7 40 do_mmap(len=4096) = -4095
7 30 do_mmap(len=4096) = 18446744073709547520
7 20 do_mmap(len=18446744073709551604) = -ENOMEM
7 10 do_mmap(len=4096) = 139637976731648' unsigned "$slowest"
for reader in fast babeltrace2; do
	is "unsigned: print, with the reader $reader" 'len=4096 ret=139637976731648
len=18446744073709551604 ret=-ENOMEM
len=4096 ret=18446744073709547520
len=4096 ret=-4095' "$("$mm" print --reader=$reader unsigned | sed 's/.*tid=7 //; s/ duration.*//')"
done
is 'unsigned: print --format=babeltrace prints plain numbers' 2 \
	"$("$mm" print --format=babeltrace unsigned | grep -c 'ret = 18446744073709551604\|ret = 18446744073709547521')"

# An error that passes through several functions must count as one failure.
trace passed <<EOF
$entries
1000 fn_do_sys_openat2_entry tid=7 dfd=-100
1100 fn_d_lookup_entry tid=7
1150 fn_d_lookup_exit tid=7 ret=0xfffffffffffffffe
1160 fn_do_sys_openat2_exit tid=7 ret=-2
2000 fn_do_sys_openat2_entry tid=7 dfd=-100
2100 fn_d_lookup_entry tid=7
2150 fn_d_lookup_exit tid=7 ret=0xfffffffffffffffe
2151 fn_d_lookup_entry tid=7
2152 fn_d_lookup_exit tid=7 ret=0xfffffffffffffffe
2160 fn_do_sys_openat2_exit tid=7 ret=-2
3000 fn_do_sys_openat2_entry tid=7 dfd=-100
3100 fn_d_lookup_entry tid=7
3150 fn_d_lookup_exit tid=7 ret=0xfffffffffffffffe
3160 fn_do_sys_openat2_exit tid=7 ret=-13
4000 fn_d_lookup_entry tid=7
4050 fn_d_lookup_exit tid=7 ret=0xfffffffffffffffe
4051 fn_do_sys_openat2_entry tid=7 dfd=-100
4060 fn_do_sys_openat2_exit tid=7 ret=-2
5000 fn_do_sys_openat2_entry tid=8 dfd=-100
5100 fn_d_lookup_entry tid=9
5150 fn_d_lookup_exit tid=9 ret=0xfffffffffffffffe
5160 fn_do_sys_openat2_exit tid=8 ret=-2
EOF
findings='.answer[] | select(contains("returned an error"))'
q 'passed on: an error that passes through two functions is one failure' \
	'11 of 11 calls returned an error (100.0 %): 9 failures, because an error that a function passes on to its caller counts once; the most frequent failure (4 of 9): d_lookup() returned -ENOENT.' \
	passed "$findings"
q 'passed on: each function keeps all of its errors' 'd_lookup 6
do_sys_openat2 5' passed '[.tables.functions[] | "\(.function) \(.errors)"] | sort[]'
q 'passed on: the metric' 9 passed '.metrics[] | select(.name == "fn.failures").value'
sed '/^[45]/d; /^2150/d; /^2151/d' passed.trace | trace twice
q 'passed on: the functions of the most frequent failure' \
	'6 of 6 calls returned an error (100.0 %): 4 failures, because an error that a function passes on to its caller counts once; the most frequent failure (2 of 4): d_lookup() and do_sys_openat2() returned -ENOENT.' \
	twice "$findings"

# Bytes must be shown as hexadecimal digits.
trace bytes <<EOF
declare fn_digest_entry fn_digest_exit
1000 fn_digest_entry tid=7 unread=missing data=0,127,69,255 missing=0,0
1010 fn_digest_exit tid=7
EOF
q 'bytes' '7 10 digest(data=00 7f 45 ff, missing=?)' bytes "$slowest"
q 'bytes: by their value' '00 7f 45 ff 1' bytes '.tables["by-value"][] | "\(.value) \(.calls)"' --by=digest.data

# Arguments must be shown in the order of the signature. The bits of `unread' have this order, but
# in a record, and in babeltrace2's text, strings and bytes come last.
trace order <<EOF
declare fn_openat_entry fn_openat_exit
1000 fn_openat_entry tid=7 dfd=-100 flags=65 filename=/etc/passwd head=1,255
1010 fn_openat_exit tid=7 ret=0xfffffffffffffffe
1020 fn_openat_entry tid=7 dfd=3 flags=2 unread=filename|head head=0,0
1050 fn_openat_exit tid=7 ret=9
EOF
trace order-calls <<EOF
declare fn_openat_call
1010 fn_openat_call tid=7 dfd=-100 flags=65 filename=/etc/passwd ret=0xfffffffffffffffe duration_ns=10 head=1,255
1050 fn_openat_call tid=7 dfd=3 flags=2 unread=filename|head ret=9 duration_ns=30 head=0,0
EOF
for order in order order-calls; do
	q "$order: in a report" '7 30 openat(filename=?, dfd=3, head=?, flags=2) = 9
7 10 openat(filename="/etc/passwd", dfd=-100, head=01 ff, flags=65) = -ENOENT' $order "$slowest"
	is "$order: --graph" 'openat(.filename="/etc/passwd", .dfd=-100, .head=01 ff, .flags=65)' \
		"$("$mm" report fn --graph $order | grep -o 'openat(.filename="[^)]*)')"
	is "$order: report why" 'openat(filename=?, dfd=3, head=?, flags=2) = 9' \
		"$("$mm" report why --function=openat --json $order | grep -o 'openat(filename=?[^,]*, [^,]*, [^,]*, [^,".]*' | head -n 1)"
done
for reader in fast babeltrace2; do
	is "order: print, with the reader $reader" \
		'tid=7 filename=/etc/passwd dfd=-100 head=[ 0x1, 0xff ] flags=65 unread=NONE
tid=7 ret=-ENOENT
tid=7 filename= dfd=3 head=[ 0x0, 0x0 ] flags=2 unread=filename|head
tid=7 ret=9' "$("$mm" print --reader=$reader order | sed 's/.*: tid/tid/')"
	is "order: print, of single records, with the reader $reader" \
		'tid=7 filename=/etc/passwd dfd=-100 head=[ 0x1, 0xff ] flags=65 unread=NONE ret=-ENOENT duration_ns=10
tid=7 filename= dfd=3 head=[ 0x0, 0x0 ] flags=2 unread=filename|head ret=9 duration_ns=30' \
		"$("$mm" print --reader=$reader order-calls | sed 's/.*: tid/tid/')"
done
is 'order: print --format=babeltrace has the order of the record' 2 \
	"$("$mm" print --format=babeltrace order-calls | grep -c '{ tid = 7, dfd = .*, flags = .*, duration_ns = .*, filename = .*, head = ')"

tap_end
