#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests vm/run.sh: exit status, output, /in and /out, crash, time limit, two guests at once.
set -u

top=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
suite=${SUITE:-trixie}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/tap.sh
. "$(dirname -- "$0")/../tap.sh"

run() { "$top/vm/run.sh" --suite "$suite" --no-build "$@"; }

mkdir "$work/in"
echo 'from the host' >"$work/in/a file"
run --in "$work/in" --out "$work/out" --dmesg "$work/dmesg" --pmem 256M --cpus 1 -- sh -c '
	cat "/in/a file"
	echo "to the error stream" >&2
	echo "from the guest" >/out/result
	test -b /dev/pmem0 && echo pmem
	nproc
	touch /marker
	exit 7' >"$work/stdout" 2>"$work/stderr"
is "the command's exit status is the runner's" 7 $?
is 'standard output' "$(printf 'from the host\npmem\n1')" "$(cat "$work/stdout")"
is 'standard error, apart from it' 'to the error stream' "$(cat "$work/stderr")"
is '/out comes back' 'from the guest' "$(cat "$work/out/result" 2>/dev/null)"
is "the kernel's messages are kept" 1 "$(grep -c 'Command line: BOOT_IMAGE' "$work/dmesg")"

# A guest that crashes and one that takes too long, at the same time; a quoted word stays one word.
run --timeout 60 -- sh -c 'test ! -e /marker && echo c >/proc/sysrq-trigger; sleep 50' \
	>"$work/crash.out" 2>"$work/crash.err" &
crash=$!
# shellcheck disable=SC2016
run --timeout 3 --console "$work/late.console" -- sh -c 'echo "$1"; sleep 60' sh "it's  one word" \
	>"$work/late.out" 2>"$work/late.err"
is 'a command that takes too long ends with 124' 124 $?
is '... and the runner says so' 1 "$(grep -c 'guest (.*) ran out of time' "$work/late.err")"
is '... and its console why' 1 "$(grep -c '^vm/run.sh: ran out of time.*what it does:' "$work/late.console")"
is '... what each CPU did' 'yes yes' "$(
	grep -q 'CPU: [01] .*PID' "$work/late.console" && echo yes
) $(grep -q 'NMI backtrace for cpu [01]' "$work/late.console" && echo yes)"
is '... and which tasks were blocked' 1 "$(grep -c 'sysrq: Show Blocked State' "$work/late.console")"
is 'arguments reach the command as they are' "it's  one word" "$(cat "$work/late.out")"
wait "$crash"
is 'a guest that crashes ends with 125' 125 $?
is '... and the runner says so' 1 "$(grep -c 'guest (.*) crashed' "$work/crash.err")"
is "... with the console's last lines" 1 \
	"$(grep -c 'Kernel panic - not syncing: sysrq triggered crash' "$work/crash.err")"

# threads VERSION [OPTION...]: how a QEMU of that version is asked to run two vCPUs. Only one version can be installed: the
# others are a script that ends at once.
mkdir "$work/bin"
unset LTTNG_MM_TCG_THREADS
threads() {
	version=$1
	shift
	cat >"$work/bin/qemu-system-x86_64" <<-SCRIPT
		#!/bin/sh
		[ "\$1" != --version ] || { echo 'QEMU emulator version $version'; exit; }
		printf '%s\n' "\$@" | sed -n 's/^tcg,//p' >"$work/threads"
		printf '%s\n' "\$@" | sed -n '/^-cpu$/{n;p}' >"$work/processor"
		echo 'no guest here' >&2
		exit 1
	SCRIPT
	chmod +x "$work/bin/qemu-system-x86_64"
	rm -f "$work/threads"
	(PATH=$work/bin:$PATH && run --accel tcg "$@" -- true) 2>"$work/threads.err"
	cat "$work/threads"
}
is 'QEMU before 10 runs both vCPUs in one thread' thread=single "$(threads '7.2.22 (Debian 1:7.2+dfsg-7)')"
is '... later ones in two' thread=multi "$(threads 10.0.2)"
is '... unless told otherwise' thread=single "$(LTTNG_MM_TCG_THREADS=single threads 10.0.2)"
is '... and none has string instructions that are slow to emulate' max,-erms,-fsrm "$(cat "$work/processor")"
is '... one whose version nobody can tell in one' thread=single "$(threads unknown)"
is '... one that counts instructions in one' thread=single "$(threads 10.0.2 --icount)"
is '... with all that the processor has' max "$(cat "$work/processor")"
is '... and a QEMU that does not start is told of' 1 "$(grep -c 'did not start: no guest here' "$work/threads.err")"

cat >"$work/bin/qemu-system-x86_64" <<-SCRIPT
	#!/bin/sh
	echo 'QEMU emulator version 10.0.2'
SCRIPT
is "a QEMU of the machine's own that is new enough for two threads is taken" "$work/bin" \
	"$(PATH=$work/bin:$PATH "$top/vm/qemu.sh")"

run --suite nonsense -- true 2>"$work/bad.err"
is 'an unknown suite is bad usage' 2 $?
is '... and the message names the known ones' 1 "$(grep -c 'known: bookworm trixie forky' "$work/bad.err")"
run --cpus 3 --nodes 2 -- true 2>"$work/bad.err"
is 'nodes with unequal numbers of CPUs are bad usage' 2 $?
is '... and the message says why' 1 "$(grep -c -e '--nodes 2: the CPUs (3) cannot be shared' "$work/bad.err")"
run 2>/dev/null
is 'no command is bad usage' 2 $?
[ "$failed" = 0 ]
