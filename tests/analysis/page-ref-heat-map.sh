#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests the heat map of page references, in the terminal and as a picture.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
export TZ=UTC0

# Two processes. Each second, the first one touches the next page of its heap; the second one
# touches all pages of its program at once, after 6 s.
awk 'BEGIN {
	print "1000 pageref_mm mm=1 pid=50 name=sweep"
	print "1100 pageref_mapping mm=1 start=0x10000 end=0x20000 readable=1 writable=1 name=[heap]"
	print "1200 pageref_mm mm=2 pid=60 name=burst"
	print "1300 pageref_mapping mm=2 start=0x400000 end=0x410000 dev_major=254 dev_minor=1 ino=0x1003 name=program"
	for (i = 0; i < 8; i++) {
		printf "%.0f pageref_pass mm=1\n%.0f pageref_pass mm=1 end=1 left_out=2\n", i * 1e9 + 2000, i * 1e9 + 3000
		printf "%.0f pageref_touch tid=50 mm=1 address=0x%x kind=ARMED\n", i * 1e9 + 4000, 65536 + i * 4096
		for (j = 0; i == 6 && j < 4; j++)
			printf "%.0f pageref_touch tid=60 mm=2 address=0x%x kind=DEMAND\n", i * 1e9 + 5000 + j, 4194304 + j * 4096
	}
}' >two.trace
make_profile page-ref two.trace two

# In virtual time, each touch has a column of its own.
cat >expected <<'MAP'
Page touches: 12 by 2 processes in 7.0 s with 8 passes
burst (pid 60)        program           |          @ |
                                        |         @  |
                                        |        @   |
                                        |       @    |
sweep (pid 50)        [heap]            |           @|
                                        |      @     |
                                        |     @      |
                                        |    @       |
                                        |   @        |
                                        |  @         |
                                        | @          |
                                        |@           |
                                        +------------+
                                         0    5    10
                                         touches so far
A character is 1 touch x 4.0 KiB. Pages of 4 KiB touched in it: '@' 1.
Addresses rise from bottom to top; ranges without touches are left out.
Not shown: further touches of a page before the next pass marks it; read() and write(); 2 pages that are never marked.
MAP
for reader in $readers; do
	"$mm" report page-ref --heat-map --axis=touches --reader=$reader two >out 2>err
	is "a sweep and a burst by touches, reader $reader" '0 0' "$? $(wc -c <err)"
	is '... the whole map' "$(cat expected)" "$(cat out)"
	is '... by time: a column is 125.8 ms' '47 47 47 47 55 47 39 31 23 15 7 0' \
		"$("$mm" report page-ref --heat-map --reader=$reader two | awk -F'|' '/\|$/ { printf "%s%d", n++ ? " " : "", index($2, "@") - 1 }')"
	is '... one process' '12 1' "$("$mm" report page-ref --heat-map --reader=$reader two | grep -c '|$') $(
		"$mm" report page-ref --heat-map --pid=60 --reader=$reader two | grep -c '^Page touches: 4 by 1 process in 7.0 s with 8 passes$')"
	is '... a time range, with the mapping from before' 'burst (pid 60) program' \
		"$("$mm" report page-ref --heat-map --reader=$reader --begin=1700000006.000004500 --end=1700000006.5 two |
			awk '/\|$/ { print $1, $2, $3, $4; exit }')"
done

# none OPTION... TRACE: prints the message of an empty map, which must state why it is empty.
none() {
	"$mm" report page-ref --heat-map "$@" 2>err | tail -n 1
}
is 'a process without touches' 'There are no touches by process 70 in this time range, but 12 touches by other processes (lttng-mm report page-ref --by=process lists the processes).' \
	"$(none --pid=70 two)"
grep -v pageref_touch two.trace >untouched.trace
make_profile page-ref untouched.trace untouched
is 'passes, and no touch' 'There are no touches in this time range, although 8 passes marked pages: the recorded processes did not run, or used only memory that is never marked.' \
	"$(none untouched)"
echo '1000 pageref_mm mm=1 pid=50 name=a' >unpassed.trace
make_profile page-ref unpassed.trace unpassed
is 'no pass' 'There are no touches and no passes in this time range: no process was recorded, or it ended before the first pass.' \
	"$(none unpassed)"

# Discarded events are marked on the axis, and huge pages count as all their pages.
sed 's/^3000002000/packet discarded=2\n&/; s/^4000002000/packet\n&/' two.trace >lost.trace
make_profile page-ref lost.trace lost
for reader in $readers; do
	"$mm" report page-ref --heat-map --reader=$reader lost >out 2>err
	is "losses, reader $reader" '1 1' "$(grep -c '+-*!!*-*+' out) $(grep -c 'lost events (marked with !)\.$' out)"
done
{ sed 2q two.trace && echo '5000 pageref_touch tid=50 mm=1 address=0x200000 kind=ARMED huge=1' &&
	echo '6000 pageref_touch tid=50 mm=1 address=0x200000 kind=ARMED'; } >huge.trace
make_profile page-ref huge.trace huge
is 'a huge page' '2 32' "$("$mm" report page-ref --heat-map huge | awk 'NR == 1 { n = $3 } /\|$/ { rows++ } END { print n, rows }')"

# Pictures: PNG files, written only on success, and never over a file.
type=$(printf '\211PNG')
"$mm" report page-ref --image=two.png two >out 2>err
is 'a picture: nothing on standard output' '0 0 0' "$? $(wc -c <out) $(wc -c <err)"
is '... a PNG file' "$type" "$(head -c 4 two.png)"
"$mm" report page-ref --image=touches.png --axis=touches two
is '... another one by touches' 1 "$(cmp -s two.png touches.png; echo $?)"
"$mm" report page-ref --image=again.png --reader=babeltrace2 two
is '... the same one by the other reader' 0 "$(cmp two.png again.png; echo $?)"
cp two.png before.png
fails '... not over a file' 2 'report page-ref: --image: two.png: the file exists; remove it, or choose another name' report page-ref --image=two.png two
is '... which is as before' 0 "$(cmp two.png before.png; echo $?)"
fails '... not in a folder that does not exist' 2 '--image: none/a.png: No such file or directory' report page-ref --image=none/a.png two
fails '... not of a trace that does not exist' 2 '/none' report page-ref --image=none.png "$work/none"
is '... and there is no file then' 0 "$(find . -name none.png | wc -l)"
"$mm" report page-ref --image=empty.png untouched
is 'nothing to see: a picture that says so' "0 $type" "$? $(head -c 4 empty.png)"

fails '--axis without a map' 2 '^lttng-mm: report page-ref: --axis needs --heat-map or --image=FILE' report page-ref --axis=time two
fails '--by with a map' 2 'omit --by and --first-touch' report page-ref --heat-map --by=file two
fails '--json with a map' 2 'cannot be combined with --json' report page-ref --heat-map --json two

printf '1000 pageref_mm mm=1 pid=50 name=a\\x1b[31m\n1100 pageref_mapping mm=1 start=0x1000 end=0x2000 dev_minor=7 ino=9 name=\\x1b]0;x\n2000 pageref_touch tid=50 mm=1 address=0x1000 kind=ARMED\n' >hostile.trace
make_profile page-ref hostile.trace hostile
is 'control characters are escaped' 0 "$("$mm" report page-ref --heat-map hostile | grep -c "$(printf '\033')")"
tap_end
