#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests streams that lack their first or last packets. No pair may span the time of these packets.
# If nothing lists the packets of a stream, it may be such a stream.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
# shellcheck source=tests/losses.sh
. "$top/tests/losses.sh"

# Nothing states which packets a shorter stream lacks, so its first packets may be missing. equal
# NAME ANALYSIS: checks that both readers and the sink give the same report, byte by byte.
equal() {
	"$mm" report "$2" --json t >out.fast
	"$mm" report "$2" --json --reader=babeltrace2 t >out
	same "$1: the same report by both readers" out.fast out
	with_plugin babeltrace2 t -c "sink.lttng-mm.$2" -p json=yes >out 2>err
	same "$1: the same report by the sink" out.fast out
}
# without_first FILE NUMBER: removes NUMBER packets from the start of the file.
without_first() {
	tail -c +$(($(packet_end "$1" $(($2 - 1))) + 1)) "$1" >shorter && mv shorter "$1"
}
# pairing: prints the outcomes of objects in the report.
pairing() {
	outcomes <out | sed -n 's/^Outcomes: //p'
}

# CPU 1 starts late, and its packet ends long after its last event.
cat >gap.trace <<'EVENTS'
cpu 0
1000 slab_kmalloc tid=5 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
1900 slab_kfree tid=5 call_site=0x210 ptr=0x1000
1950 slab_kmalloc tid=5 call_site=0x110 ptr=0x2000 bytes_req=60 size_class=6
4000 slab_kmalloc tid=5 call_site=0x110 ptr=0x3000 bytes_req=60 size_class=6
4500 slab_kfree tid=5 call_site=0x210 ptr=0x2000
7000 slab_kfree tid=5 call_site=0x210 ptr=0x3000
7100 slab_kmalloc tid=5 call_site=0x110 ptr=0x4000 bytes_req=60 size_class=6
9500 slab_kfree tid=5 call_site=0x210 ptr=0x4000
cpu 1
500 slab_kmalloc tid=6 call_site=0x110 ptr=0x7000 bytes_req=60 size_class=6
packet
begin 3000
3000 slab_kmalloc tid=6 call_site=0x110 ptr=0x8000 bytes_req=60 size_class=6
5000 slab_kfree tid=6 call_site=0x210 ptr=0x8000
end 8000
packet
9000 slab_kmalloc tid=6 call_site=0x110 ptr=0x9000 bytes_req=60 size_class=6
9600 slab_kfree tid=6 call_site=0x210 ptr=0x9000
EVENTS
# gap: makes a snapshot. CPU 1 may have freed objects that CPU 0 allocated before 3000 ns.
gap() {
	rm -rf t
	mkdir -p t/sysinfo
	make_slab --no-state gap.trace t/kernel
	"$tests/test-sysinfo-traces" t >t/sysinfo/traces.json || exit 2
}
gap
"$mm" report slab --all --wide t >out
is 'all packets: pairs' 'paired 6, live 0, before trace 0, freed untraced 0, anomalies 0, undetermined 1' "$(pairing)"
without_first t/kernel/channel_1 1
for reader in fast babeltrace2; do
	"$mm" report slab --all --wide --reader=$reader t >out
	is "without its first packet, $reader: nothing pairs before the next one" \
		'paired 4, live 0, before trace 0, freed untraced 0, anomalies 0, undetermined 2' "$(pairing)"
	for window in --begin=1700000000.000002 --end=1700000000.000009; do
		"$mm" report slab --json --reader=$reader $window t >"out.$reader.$window"
	done
done
for window in --begin=1700000000.000002 --end=1700000000.000009; do
	same "without its first packet, $window: the same by both readers" "out.fast.$window" "out.babeltrace2.$window"
done
equal 'without its first packet' slab
"$mm" report slab --json --begin=1700000000.0000035 --end=1700000000.000005 t >out
is 'without its first packet: none of the time in between' 0 "$(
	jq '.coverage.packets_lost' out)"
loses 'without its first packet' 0 1
# packet_size exceeds the file. All events exist, but the header is damaged.
gap
printf '\001' | dd of=t/kernel/channel_1 bs=1 seek=61 conv=notrunc status=none
rm -rf t/sysinfo
is 'a wrong packet_size: report, info and verify agree' '2 false 1 2 false 1 2' "$(
	for command in 'report slab' info; do
		# shellcheck disable=SC2086 # words
		"$mm" $command --json t >out 2>err
		printf '%s ' "$? $(jq -r '.coverage | "\(.complete) \(.packets_damaged)"' out)"
	done
	"$mm" verify t >out
	echo $?
)"
gap
truncate -s "$(packet_end t/kernel/channel_1 1)" t/kernel/channel_1
for reader in fast babeltrace2; do
	"$mm" report slab --all --wide --reader=$reader t >out
	is "without its last packet, $reader: pairs up to the end of the previous one" \
		'paired 4, live 0, before trace 0, freed untraced 0, anomalies 0, undetermined 2' "$(pairing)"
done
equal 'without its last packet' slab
loses 'without its last packet' 0 1

# Tests DAX faults. The missing packets may contain the entry or the exit of a fault, or both in
# between.
fault() {
	echo "$1 dax_pmd_fault$4 procname=$2 tid=$3 pid=$3 dev_major=259 ino=0x1003 vm_end=0x10c00000 address=0x10505000 pgoff=0x305 result=0x100"
}
{ echo 'cpu 0'; fault 1000 exit_lost 1 ''; fault 1600 both 3 ''; fault 1700 both 3 _done
	echo '1900 dax_writeback_range procname=sync tid=6 pid=6 dev_major=259 ino=0x1003 start_index=0 end_index=4'
	fault 2000 between 4 ''; fault 4000 between 4 _done
	echo '4100 dax_writeback_range_done procname=sync tid=6 pid=6 dev_major=259 ino=0x1003 start_index=5 end_index=4'
	fault 5000 later 5 ''; fault 5100 later 5 _done
	echo 'cpu 1'; fault 1200 entry_lost 2 ''; fault 1500 exit_lost 1 _done; fault 2100 between 4 _done; fault 2200 between 4 ''
	echo 'packet seq=1 discarded=0'; echo '3000 other_event procname=other tid=7'; fault 3500 entry_lost 2 _done
	echo '9000 other_event procname=other tid=7'; } >dax.trace
rm -rf t
mkdir -p t/sysinfo
make_dax dax.trace t/kernel
"$tests/test-sysinfo-traces" t >t/sysinfo/traces.json || exit 2
is 'DAX, all packets: all pair' 1 "$("$mm" report dax --all --wide t | grep -c '^Pairing: unpaired entries 0, unpaired exits 0, undetermined by loss 0')"
without_first t/kernel/channel_1 1
for reader in fast babeltrace2; do
	"$mm" report dax --json --reader=$reader t >out
	is "DAX without a first packet, $reader: pairs before and after, not across" '2 0 0 3 0' "$(jq -r '[
		(.metrics[] | select(.name == "dax.pmd_faults").value),
		(.tables.pairing[] | select(.what != "nested").count),
		(.metrics[] | select(.name == "dax.writeback.ranges").value)] | join(" ")' out)"
done
equal 'DAX without a first packet' dax

# Nothing lists the packets, so a stream that starts later or ends earlier than the trace may lack
# some. An entry and an exit around that time may belong to two faults.
{ echo 'cpu 0'; fault 1000 early 1 ''; fault 2000 early 1 _done; fault 2000000000 middle 1 ''; fault 2000000100 middle 1 _done
	fault 5000000000 final 1 ''; fault 5000000100 final 1 _done
	echo 'cpu 1'; fault 500 other 2 ''; fault 600 other 2 _done
	echo 'packet'; fault 1900000000 other 2 ''; fault 2100000000 other 2 _done
	echo 'packet'; fault 4900000000 other 2 ''; fault 4900000100 other 2 _done; } >cut.trace
# uncut: makes a trace of cut.trace that nothing lists.
uncut() {
	rm -rf t
	make_dax cut.trace t || exit 2
}
# cut_as NAME UNCERTAIN DAX WHY SENTENCE [OPTION...]: checks three things. report dax must have
# UNCERTAIN and DAX (uncertain and complete pairs). report why must have WHY (listed intervals, and
# intervals that may lack events). The head of each report must have SENTENCE.
cut_as() {
	cut_name=$1 cut_expected="$2 $3" cut_why=$4 cut_sentence=$5
	shift 5
	for reader in fast babeltrace2; do
		"$mm" report dax --json --reader=$reader "$@" t >out
		is "$cut_name, $reader: pairs" "$cut_expected" "$(jq -r '[(.metrics[] |
			select(.name == "dax.pairs_uncertain" or .name == "dax.pmd_faults").value)] | join(" ")' out)"
		is "$cut_name, $reader: the head of the report" "$cut_sentence" \
			"$("$mm" report dax --all --reader=$reader "$@" t | sed -n 's/^Events may be missing: //p')"
		"$mm" report why --all --wide --reader=$reader "$@" t >out
		is "$cut_name, $reader: report why" "$cut_why" "$("$mm" report why --json --reader=$reader "$@" t |
			jq -r '[(.metrics[] | select(.name == "why.uncertain").value), (.tables.intervals | length),
				([.tables.intervals[] | select(.may_lack)] | length)] | join(" ")')"
		is "$cut_name, $reader: the head of report why" "$cut_sentence" "$(sed -n 's/^Events may be missing: //p' out)"
		is "$cut_name, $reader: its first sentence has the condition" "${cut_sentence:+1}" \
			"$(grep -c "^Complete unless .*packets were removed from a stream${cut_sentence:+\|^Undetermined, }" out | sed 's/^0$//')"
	done
}
removed='of the trace, and nothing shows whether packets were removed.'
uncut
cut_as 'not cut' 6 0 '0 6 0' ''
truncate -s "$(packet_end t/channel_1 1)" t/channel_1
cut_as 'a last packet that was cut' 5 1 '1 5 1' "channel_1 has no packet in the last 2.90 s $removed"
equal 'a last packet that was cut' dax
is 'a last packet that was cut: info' 1 \
	"$("$mm" info --wide t | grep -c ', and packets may have been removed from 1 stream, ')"
# The index of the shorter file shows that the file is complete. However, both the file and its
# index may belong to another snapshot.
uncut
truncate -s "$(packet_end t/channel_1 1)" t/channel_1
write_index t/channel_0 && write_index t/channel_1
cut_as 'a last packet of neither file nor index' 5 1 '1 5 1' \
	'channel_1 has no packet in the last 2.90 s of the trace, and only the index of this stream shows that no packets were removed.'
rm t/index/channel_1.idx
cut_as 'a last packet that was cut, and a range before' 3 0 '0 3 0' '' --end=1700000002.05
cut_as 'a last packet that was cut, and a range of that time' 1 1 '1 1 1' \
	"channel_1 has no packet in the last 2.90 s $removed" --begin=1700000003
# A file that ends within a packet was cut there, so any later time range may lack events.
uncut
truncate -s "$(($(packet_end t/channel_1 1) - 1))" t/channel_1
is 'a file that ends in a packet: of a later range, something was lost' 'false 1' "$(
	"$mm" report dax --json --begin=1700000003 t |
		jq -r '.coverage | "\(.complete) \(.packets_truncated)"')"
uncut
without_first t/channel_1 1
cut_as 'a first packet that was cut' 5 1 '1 5 1' "channel_1 has no packet in the first 1.90 s $removed"
# Shortens the gap. The head of the report must mention a gap if figures are uncertain, or if the
# gap exceeds the usual time between the flushes of different streams.
mv cut.trace seconds.trace
awk '$1 ~ /^[0-9]+$/ && $1 > 1000000 { $1 = int($1 / 100) } 1' seconds.trace >cut.trace
uncut
truncate -s "$(packet_end t/channel_1 1)" t/channel_1
cut_as 'a last packet that was cut, 29 ms' 5 1 '1 5 1' "channel_1 has no packet in the last 29.0 ms $removed"
uncut
without_first t/channel_1 1
cut_as 'a first packet that was cut, 19 ms' 5 1 '1 5 1' "channel_1 has no packet in the first 19.0 ms $removed"
for ms in 99 101; do
	{ echo 'cpu 0'; fault 1000 early 1 ''; fault 2000 early 1 _done
		echo "$((ms * 1000000 + 3000)) other_event procname=idle tid=9"
		echo 'cpu 1'; fault 2500 other 2 ''; fault 3000 other 2 _done
		echo 'end 3000'; } >cut.trace
	uncut
	cut_as "an early end by $ms ms, no pair in it" 2 0 '0 2 0' \
		"$([ $ms = 99 ] || echo "channel_1 has no packet in the last 101.0 ms $removed")"
done
mv seconds.trace cut.trace
# The system information lists the packets, so it is known that the stream had no event at that
# time.
uncut
mkdir -p listed/sysinfo
truncate -s "$(packet_end t/channel_1 1)" t/channel_1
mv t listed/kernel && mv listed t
"$tests/test-sysinfo-traces" t >t/sysinfo/traces.json || exit 2
cut_as 'an early end that is listed' 5 0 '0 5 0' ''

tap_end
