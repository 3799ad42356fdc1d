#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests vm/run.sh: exit status, output, /in and /out, crashes, the time limit, and two concurrent
# guests.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

suite=${SUITE:-trixie}

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
is 'standard error, separately' 'to the error stream' "$(cat "$work/stderr")"
is '/out is copied back' 'from the guest' "$(cat "$work/out/result" 2>/dev/null)"
is "the kernel's messages are kept" 1 "$(grep -c 'Command line: BOOT_IMAGE' "$work/dmesg")"

# A guest may write any archive. Only files and folders may be unpacked, and only below the target
# folder.
mkdir -p "$work/guest/folder"
cd "$work/guest" || exit 2
echo data >file
echo more >'folder/a  file
of two lines'
ln -s /etc link
ln file hard
mkfifo pipe
cp file special
cp file ../outside
chmod 4755 special
# unpack ARG...: makes an archive by tar with these arguments. Prints the status of unpacking it,
# and the result.
unpack() {
	rm -rf "$work/unpacked"
	mkdir "$work/unpacked"
	tar -P -cf "$work/guest.tar" "$@" 2>"$work/tar.err" || return
	"$top/vm/unpack.sh" "$work/guest.tar" "$work/unpacked" 2>"$work/unpack.err"
	echo "$? $(cd "$work/unpacked" && find . -type f -printf x | wc -c) $(sed 's/.*: refused, nothing was unpacked: //' "$work/unpack.err")"
}
is 'files and folders are unpacked' '0 2 ' "$(unpack file folder)"
is '... with their contents' 'data more' "$(cat "$work/unpacked/file") $(cat "$work/unpacked/folder"/*)"
is 'a name outside the folder' '1 0 ../outside: a name outside the folder' "$(unpack file ../outside)"
is '... later' '1 0 folder/../../outside: a name outside the folder' \
	"$(unpack file folder/../../outside)"
is '... or at its end' '1 0 folder/../: a name outside the folder' "$(unpack --no-recursion file folder/..)"
is 'an absolute name' "1 0 $work/outside: an absolute name" "$(unpack file "$work/outside")"
is 'a link' '1 0 link: neither a plain file nor a folder' "$(unpack file link)"
is 'a hard link' '1 0 hard: neither a plain file nor a folder' "$(unpack file hard)"
is 'a pipe' '1 0 pipe: neither a plain file nor a folder' "$(unpack file pipe)"
is 'a program with special permissions' '1 0 special: neither a plain file nor a folder' "$(unpack special)"
unpack file >"$work/plain"
is 'a compressed archive: a small one may fill the disk' '1 0' "$(gzip -c "$work/guest.tar" >"$work/zipped.tar"
	rm -rf "$work/unpacked"
	mkdir "$work/unpacked"
	"$top/vm/unpack.sh" "$work/zipped.tar" "$work/unpacked" 2>"$work/unpack.err"
	echo "$? $(find "$work/unpacked" -type f | wc -l)")"
is '... is reported as such' 1 "$(grep -c 'zipped.tar: .*compressed' "$work/unpack.err")"
is 'no archive' 1 "$(echo nonsense >"$work/guest.tar"
	"$top/vm/unpack.sh" "$work/guest.tar" "$work/unpacked" 2>"$work/unpack.err" || echo $?)"
is 'an empty archive' 1 "$(truncate -s 1M "$work/empty.tar"
	"$top/vm/unpack.sh" "$work/empty.tar" "$work/unpacked" 2>"$work/unpack.err" || echo $?)"
cd "$top" || exit 2

# The root of this guest writes an archive and a filesystem with file names outside the folder.
cat >"$work/in/hand-over" <<'SCRIPT'
mkdir -p /tmp/a/b
cd /tmp/a/b
echo evil >../file
tar -P -cf /tmp/archive ../file
for d in /sys/block/vd*; do
	[ "$(cat "$d/serial")" != archive ] || cat /tmp/archive >"/dev/${d##*/}"
	[ "$(cat "$d/serial")" != out ] || device=/dev/${d##*/}
done
umount /out
# Omits metadata checksums, which would reveal that a name is replaced below.
mke2fs -q -F -t ext4 -O ^metadata_csum "$device" 64M
mount "$device" /out
echo evil >/out/ZqZ-file
sync
umount /out
# Replaces the name in the folder's block by another name of the same length.
offset=$(head -c 64M "$device" | grep -obUa ZqZ-file | head -n 1 | cut -d: -f1)
printf ../-file | dd of="$device" bs=1 seek="$offset" conv=notrunc 2>/dev/null
sync
for p in /sys/class/virtio-ports/*; do
	[ "$(cat "$p/name")" != status ] || echo 'exit 0' >"/dev/${p##*/}"
done
sleep 1
busybox poweroff -f
SCRIPT
run --in "$work/in" --out "$work/handed/over" --cpus 1 -- sh /in/hand-over >"$work/stdout" 2>"$work/stderr"
is 'a guest that writes a name outside the folder: status' 125 $?
is '... and nothing is copied' '' "$(find "$work/handed" -name '*file')"
is '... and the runner reports the reason' 1 "$(grep -c '\.\./file: a name outside' "$work/stderr")"
run --out "$work/linked" --cpus 1 -- sh -c 'cd /out && echo data >file && ln -s /etc link' 2>"$work/stderr"
is 'a link in /out: status' 0 $?
is '... it is not copied' 'file ' "$(find "$work/linked" -mindepth 1 -printf '%P ')"
is '... and that is reported' 1 "$(grep -c 'not copied: /out/./link' "$work/stderr")"

# Without a build, the guest lacks our modules.
mkdir "$work/tree"
cp -R "$top/vm" "$work/tree/"
"$work/tree/vm/run.sh" --suite "$suite" -- true 2>"$work/unbuilt.err"
is 'a suite without a build: status' 4 $?
is '... and the runner names the remedy' 1 "$(grep -c "make guest SUITE=$suite.*--no-build" "$work/unbuilt.err")"

# One guest crashes while another exceeds its time limit. A quoted word must stay one word.
run --timeout 60 -- sh -c 'test ! -e /marker && echo c >/proc/sysrq-trigger; sleep 50' \
	>"$work/crash.out" 2>"$work/crash.err" &
crash=$!
# shellcheck disable=SC2016
run --timeout 3 --console "$work/late.console" -- sh -c 'echo "$1"; sleep 60' sh "it's  one word" \
	>"$work/late.out" 2>"$work/late.err"
is 'a command that takes too long ends with 124' 124 $?
is '... and the runner reports it' 1 "$(grep -c 'guest (.*) ran out of time' "$work/late.err")"
is '... and its console has the reason' 1 "$(grep -c '^vm/run.sh: ran out of time.*its state:' "$work/late.console")"
is '... and what each CPU did' 'yes yes' "$(
	grep -q 'CPU: [01] .*PID' "$work/late.console" && echo yes
) $(grep -q 'NMI backtrace for cpu [01]' "$work/late.console" && echo yes)"
is '... and which tasks were blocked' 1 "$(grep -c 'sysrq: Show Blocked State' "$work/late.console")"
is 'arguments reach the command unchanged' "it's  one word" "$(cat "$work/late.out")"
wait "$crash"
is 'a guest that crashes ends with 125' 125 $?
is '... and the runner reports it' 1 "$(grep -c 'guest (.*) crashed' "$work/crash.err")"
is "... with the console's last lines" 1 \
	"$(grep -c 'Kernel panic - not syncing: sysrq triggered crash' "$work/crash.err")"

# threads VERSION [OPTION...]: prints how the runner starts a QEMU of that version with two vCPUs.
# Only one version can be installed, so a script that exits at once simulates the other versions.
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
is '... unless configured otherwise' thread=single "$(LTTNG_MM_TCG_THREADS=single threads 10.0.2)"
is '... without string instructions that are slow to emulate' max,-erms,-fsrm "$(cat "$work/processor")"
is '... a QEMU of unknown version runs both in one' thread=single "$(threads unknown)"
is '... a QEMU that counts instructions runs both in one' thread=single "$(threads 10.0.2 --icount)"
is '... with all features of the processor' max "$(cat "$work/processor")"
is '... and a QEMU that does not start is reported' 1 "$(grep -c 'did not start: no guest here' "$work/threads.err")"

# The guest's output is opened only long after QEMU has exited.
cat >"$work/bin/cat" <<-'SCRIPT'
	#!/bin/sh
	case ${1-} in */out | */err | '') sleep 1 ;; esac
	exec /bin/cat "$@"
SCRIPT
chmod +x "$work/bin/cat"
# shellcheck disable=SC2016
is 'a QEMU that ends at once leaves no reader waiting' 125 "$(env "PATH=$work/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
	timeout 60 "$top/vm/run.sh" --suite "$suite" --no-build --accel tcg -- true >"$work/late.out" 2>&1; echo $?)"
rm "$work/bin/cat"
cat >"$work/bin/qemu-system-x86_64" <<-SCRIPT
	#!/bin/sh
	echo 'QEMU emulator version 10.0.2'
SCRIPT
is "a QEMU of the machine that is new enough for two threads is used" "$work/bin" \
	"$(paths=$work/bin:/usr/sbin:/usr/bin:/sbin:/bin
		env "PATH=$paths" "$top/vm/qemu.sh")"

run --suite nonsense -- true 2>"$work/bad.err"
is 'an unknown suite is bad usage' 2 $?
is '... and the message names the known ones' 1 "$(grep -c 'known: bookworm trixie forky' "$work/bad.err")"
run --cpus 3 --nodes 2 -- true 2>"$work/bad.err"
is 'nodes with unequal numbers of CPUs are bad usage' 2 $?
is '... and the message gives the reason' 1 "$(grep -c -e '--nodes 2: the CPUs (3) cannot be divided' "$work/bad.err")"
run 2>/dev/null
is 'no command is bad usage' 2 $?
run --disk "$work/none" -- true 2>"$work/bad.err"
is 'a disk that does not exist is bad usage' '2 1' "$? $(grep -c -e "--disk $work/none: no such file" "$work/bad.err")"
truncate -s 16M "$work/disk"
# shellcheck disable=SC2016
kept='for d in /sys/block/vd*; do [ "$(cat $d/serial)" != kept ] || echo /dev/${d##*/}; done'
run --disk "$work/disk" -- sh -c "echo written >\$($kept)"
is 'a disk keeps what a guest wrote' written "$(run --disk "$work/disk" -- sh -c "head -n 1 \$($kept)")"
tap_end
