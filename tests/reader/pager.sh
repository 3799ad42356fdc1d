#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests that --all uses the pager on a terminal, which script(1) provides, and nowhere else.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
export TZ=UTC0

make_ctf --shape slab trace
mkdir bin
cat >bin/less <<'LESS'
#!/bin/sh
echo "less $*"
cat
LESS
chmod +x bin/less
export PATH="$work/bin:$PATH" mm

# terminal COMMAND: prints its output on a terminal, without carriage returns. Sets terminal_status.
terminal() {
	script -qec "$1" /dev/null </dev/null >terminal.out 2>&1
	terminal_status=$?
	tr -d '\r' <terminal.out
}
"$mm" report slab --all trace >whole
is 'the report has enough lines' yes "$([ "$(wc -l <whole)" -gt 10 ] && echo yes)"

export PAGER="sed 's/^/P: /'"
"$mm" report slab --all trace >out
same 'not a terminal: no pager' whole out
terminal '"$mm" report slab --all trace' >out
sed 's/^/P: /' whole >expected
same 'a terminal: all lines are in the pager' expected out
terminal '"$mm" report slab trace' >out
is 'a terminal, without --all: no pager' 0 "$(grep -c '^P: ' out)"
terminal '"$mm" report slab --all --json trace' >out
is 'JSON: no pager' '{' "$(head -n 1 out)"
unset PAGER
terminal '"$mm" report slab --all trace' >out
is 'PAGER is not set: less' 'less -FRX' "$(head -n 1 out)"
for pager in '' cat; do
	export PAGER="$pager"
	terminal '"$mm" report slab --all trace' >out
	same "PAGER is '$pager': no pager" whole out
done
export PAGER=no-such-pager
terminal '"$mm" report slab --all trace' >out
is 'no such pager: the report is printed' "$(tail -n 1 whole)" "$(tail -n 1 out)"
is 'no such pager: the shell names it' yes "$(grep -q 'no-such-pager: .*not found' out && echo yes)"
terminal '"$mm" report slab --all trace >out' >/dev/null
is 'no such pager: status' 0 "$terminal_status"

# 100 file names of 1000 characters are larger than a pipe's buffer, so the pager exits while the
# names are being written.
export PAGER='head -n 1'
{
	echo begin 1000
	for i in $(seq 100); do
		echo "$((1000 + i)) dax_load_hole tid=7 pid=7 dev_major=259 ino=$i"
	done
	echo end 2000
} >files.trace
make_dax files.trace files
mkdir files/sysinfo
{
	echo '[ { "major": 259, "minor": 0, "ino": 0, "path": "/a" }'
	for i in $(seq 100); do
		printf ', { "major": 259, "minor": 0, "ino": %d, "path": "/%01000d" }\n' "$i" "$i"
	done
	echo ']'
} >files/sysinfo/files.json
"$mm" report dax --all --wide --top=100 files >whole
is 'the report is longer than a pipe' yes "$([ "$(wc -c <whole)" -gt 65536 ] && echo yes)"
terminal '"$mm" report dax --all --wide --top=100 files; echo "status $?"' >out
is 'the pager ends early: no error' "$(head -n 1 whole)
status 0" "$(cat out)"
tap_end
