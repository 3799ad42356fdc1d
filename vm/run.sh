#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Boots the Debian kernel of a suite under QEMU, runs COMMAND in it as root, and returns its exit
# status.
set -eu
# shellcheck source=vm/lib.sh
. "$(dirname -- "$0")/lib.sh"

usage() {
	cat <<USAGE
Usage: vm/run.sh [OPTION...] -- COMMAND [ARG...]

  --suite S          bookworm (Linux 6.1), trixie (6.12; default), forky (7.x) or debug (a 6.12 that
                     checks itself)
  --cpus N           virtual CPUs (default 2)
  --memory M         memory, in QEMU's syntax (default 2G)
  --nodes N          NUMA nodes, each with the same share of memory and CPUs (default 1)
  --pmem SIZE        an NVDIMM of SIZE with an fsdax namespace, /dev/pmem0; repeat for /dev/pmem1 ...
  --disk FILE        a disk image, which the guest may change: a virtio disk of serial number "kept"
  --icount           one CPU, whose time-stamp counter counts instructions
  --accel A          auto (default: KVM if a guest boots with it), kvm or tcg
  --append ARGS      additions to the kernel command line; may be repeated
  --in DIR           make the contents of DIR available in /in
  --out DIR          copy the files and folders in /out to DIR when the command ends
  --console FILE     save the console log
  --dmesg FILE       save the kernel messages
  --timeout S        time limit of the command in seconds (default 600)
  --systemd          systemd is init, and runs the command as a service (its boot takes a minute)
  --no-build         Debian's packages only, without build/<suite> (make guest SUITE=<suite>)

Environment: LTTNG_MM_TCG_THREADS=multi or single: a thread for each emulated CPU, or one for all.
LTTNG_MM_GUEST=demo or gate: the guest that vm/build.sh --demo or --gate has built;
LTTNG_MM_KERNEL=DEB: with the kernel of this Debian package.

Exit status: the status of COMMAND; 124 time limit exceeded; 125 the guest crashed, hung or wrote an
invalid archive of /out; 2 bad usage; 4 the host lacks something.

Examples:
  vm/run.sh --no-build -- uname -r
  vm/run.sh --suite bookworm --pmem 512M -- sh -c 'modprobe lttng-probe-dax && lsmod | grep lttng'
USAGE
}

suite=trixie cpus=2 memory=2G nodes=1 pmem='' disk='' icount='' accel=auto append='' in='' out=''
console='' dmesg='' timeout=600 with_build=1 systemd=''

need() { [ $# -ge 2 ] || die "option $1 requires a value; see vm/run.sh --help"; }
while [ $# -gt 0 ]; do
	case $1 in
	--suite) need "$@"; suite=$2; shift 2 ;;
	--cpus) need "$@"; cpus=$2; shift 2 ;;
	--memory) need "$@"; memory=$2; shift 2 ;;
	--nodes) need "$@"; nodes=$2; shift 2 ;;
	--pmem) need "$@"; pmem="$pmem $2"; shift 2 ;;
	--disk) need "$@"; disk=$2; shift 2 ;;
	--icount) icount=1; shift ;;
	--accel) need "$@"; accel=$2; shift 2 ;;
	--append) need "$@"; append="$append${append:+ }$2"; shift 2 ;;
	--in) need "$@"; in=$2; shift 2 ;;
	--out) need "$@"; out=$2; shift 2 ;;
	--console) need "$@"; console=$2; shift 2 ;;
	--dmesg) need "$@"; dmesg=$2; shift 2 ;;
	--timeout) need "$@"; timeout=$2; shift 2 ;;
	--systemd) systemd=1; shift ;;
	--no-build) with_build=''; shift ;;
	--help | -h) usage; exit 0 ;;
	--) shift; break ;;
	*) die "unknown option '$1'; see vm/run.sh --help" ;;
	esac
done
[ $# -gt 0 ] || die "no command after --; see vm/run.sh --help"
boot_timeout=${LTTNG_MM_BOOT_TIMEOUT:-$([ -z "$systemd" ] && [ "$suite" != debug ] && echo 120 || echo 300)}
check_suite "$suite" debug
for number in "$cpus" "$nodes" "$timeout"; do
	case $number in '' | *[!0-9]* | 0?*) die '--cpus, --nodes and --timeout require integers' ;; esac
done
[ -z "$icount" ] || cpus=1
[ "$cpus" -ge 1 ] || die '--cpus 0: a guest requires at least one CPU'
if [ "$nodes" -lt 1 ] || [ $((cpus % nodes)) != 0 ]; then
	die "--nodes $nodes: the CPUs ($cpus) cannot be divided equally"
fi
case $accel in auto | kvm | tcg) ;; *) die "unknown accelerator '$accel'; known: auto kvm tcg" ;; esac
[ -z "$in" ] || [ -d "$in" ] || die "--in $in: no such folder"
[ -z "$disk" ] || [ -f "$disk" ] || die "--disk $disk: no such file"
command -v qemu-system-x86_64 >/dev/null ||
	die 'qemu-system-x86_64 is not installed; install it with: make setup' 4

guest_image=$(build_dir "$suite")/guest.img
if [ -n "$with_build" ] && [ ! -e "$guest_image" ]; then
	die "$suite: nothing is built for this guest; run make guest SUITE=$suite, or use --no-build" 4
fi
image=$(image_dir "$suite")
[ -e "$image/root.img" ] || make_image "$suite"

work=$(mktemp -d "${TMPDIR:-/tmp}/lttng-mm-vm.XXXXXX")
qemu_pid='' cat_pids=''
# shellcheck disable=SC2317
cleanup() {
	[ -z "$qemu_pid" ] || kill -9 "$qemu_pid" 2>/dev/null || :
	# shellcheck disable=SC2086
	[ -z "$cat_pids" ] || kill $cat_pids 2>/dev/null || :
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# kvm_boots: does a guest boot with KVM? On some machines, /dev/kvm exists but guests hang. Boots a
# guest to find out, once per boot of the machine.
kvm_boots() {
	[ -w /dev/kvm ] || return 1
	verdict=$cache/kvm-$(cat /proc/sys/kernel/random/boot_id)
	if [ ! -e "$verdict" ]; then
		rm -f "$cache"/kvm-*
		if timeout -k 1 4 qemu-system-x86_64 -nodefaults -display none -no-reboot \
			-machine pc -accel kvm -cpu host -m 256M -kernel "$image/vmlinuz" \
			-initrd "$image/initrd" -append 'quiet panic=-1 lttng_mm.probe' \
			>/dev/null 2>&1; then
			echo yes >"$verdict"
		else
			echo no >"$verdict"
		fi
	fi
	[ "$(cat "$verdict")" = yes ]
}

# qemu_major: prints the major version of QEMU, or 0 if it reports none.
qemu_major() {
	version=$(qemu-system-x86_64 --version | sed -n 's/^QEMU emulator version \([0-9][0-9]*\)\..*/\1/p')
	echo "${version:-0}"
}

if [ "$accel" = auto ]; then
	accel=tcg
	if [ -z "$icount" ] && kvm_boots; then accel=kvm; fi
fi
case $accel in
kvm) accel_options='-accel kvm -cpu host' ;;
tcg)
	# With a thread per vCPU, QEMU 7.2 may still execute its translation of an int3 after the
	# kernel has removed the int3. (The kernel inserts it to patch tracepoints and static
	# calls.) The kernel then crashes, in tests within five rounds of adding and removing
	# triggers. QEMU 10.0 passed 65 rounds.
	threads=single
	[ "$(qemu_major)" -lt 10 ] || threads=multi
	threads=${LTTNG_MM_TCG_THREADS:-$threads}
	# A kernel that uses fast string instructions clears pages byte by byte, which is slow in
	# emulation. Clearing by words takes a fifth of the time.
	processor=max,-erms,-fsrm
	if [ -n "$icount" ]; then threads=single processor=max; fi
	accel_options="-accel tcg,thread=$threads -cpu $processor"
	;;
esac
if [ -n "$icount" ]; then
	accel_options="$accel_options -icount shift=0,sleep=off"
	# `lttng-mm run` notes that times count instructions, which the guest cannot find out.
	append="tsc=reliable lttng_mm.clock=instructions $append"
fi

# The command line of a Debian machine, and parameters that are needed to watch a guest.
command_line="BOOT_IMAGE=/boot/vmlinuz-$(cat "$image/kernel-release") root=/dev/vda ro quiet"
command_line="$command_line console=ttyS0 panic=-1 oops=panic sysrq_always_enabled $append"
# On a busy host, an emulated timer may tick too late for the kernel's check, which panics.
[ "$accel" = kvm ] || command_line="$command_line no_timer_check"

mkdir "$work/guest"
cp "$top/vm/guest-init" "$work/guest/guest-init"
[ -z "$pmem" ] || : >"$work/guest/pmem"
[ -z "$systemd" ] || : >"$work/guest/systemd"
# The command, with each word quoted.
for word in "$@"; do
	printf "'%s' " "$(printf '%s\n' "$word" | sed "s/'/'\\\\''/g")"
done >"$work/guest/command"
tar -C "$work/guest" -cf "$work/guest.tar" .
truncate -s %512 "$work/guest.tar"

machine=pc memory_options="$memory" nvdimm_options='' node_options=''
processors=$cpus
if [ "$nodes" -gt 1 ]; then
	# Without at least one socket per node, the kernel warns.
	processors=$cpus,sockets=$nodes
	share=$((cpus / nodes))
	# QEMU counts a number without a unit in MiB.
	case $memory in *[!0-9]*) size=$memory ;; *) size=${memory}M ;; esac
	size=$(numfmt --from=iec "$size" 2>/dev/null) || die "--memory $memory: not a size, such as 2G"
	[ $((size % (nodes << 20))) = 0 ] ||
		die "--memory $memory: cannot be divided equally among $nodes nodes"
	n=0
	while [ "$n" -lt "$nodes" ]; do
		node_options="$node_options -object memory-backend-ram,id=node$n,size=$((size / nodes))"
		node_options="$node_options -numa node,nodeid=$n,memdev=node$n"
		node_options="$node_options,cpus=$((share * n))-$((share * (n + 1) - 1))"
		n=$((n + 1))
	done
fi
n=0
for size in $pmem; do
	nvdimm_options="$nvdimm_options -object memory-backend-ram,id=pmem$n,size=$size"
	nvdimm_options="$nvdimm_options -device nvdimm,memdev=pmem$n,id=nvdimm$n"
	n=$((n + 1))
done
if [ "$n" -gt 0 ]; then
	machine=pc,nvdimm=on
	memory_options="$memory,slots=$((n + 1)),maxmem=64G"
fi

set -- -drive "file=$image/root.img,format=raw,if=none,id=root,readonly=on,file.locking=off" \
	-device virtio-blk-pci,drive=root,serial=root \
	-drive "file=$work/guest.tar,format=raw,if=none,id=guest,readonly=on" \
	-device virtio-blk-pci,drive=guest,serial=guest
if [ -n "$with_build" ]; then
	set -- "$@" -device virtio-blk-pci,drive=build,serial=build -drive \
		"file=$guest_image,format=raw,if=none,id=build,readonly=on,file.locking=off"
fi
if [ -n "$disk" ]; then
	# When the guest is killed, the data that it has not written to the disk is lost.
	set -- "$@" -device virtio-blk-pci,drive=kept,serial=kept \
		-drive "file=$disk,format=raw,if=none,id=kept,cache=writeback"
fi
if [ -n "$in" ]; then
	size=$(du -sm -- "$in" | cut -f1)
	# One inode per block, so that a folder of many small files fits.
	mke2fs -q -t ext4 -O '^has_journal' -m 0 -i 4096 -d "$in" "$work/in.img" \
		"$((size * 3 / 2 + 16))M" >/dev/null || die "--in $in: cannot be packed" 4
	set -- "$@" -device virtio-blk-pci,drive=in,serial=in \
		-drive "file=$work/in.img,format=raw,if=none,id=in,readonly=on"
fi
if [ -n "$out" ]; then
	mkdir -p -- "$out"
	mke2fs -q -t ext4 -O '^has_journal' -m 0 "$work/out.img" 8G >/dev/null || die "$work/out.img: cannot be made" 4
	set -- "$@" -device virtio-blk-pci,drive=out,serial=out \
		-drive "file=$work/out.img,format=raw,if=none,id=out,cache=unsafe"
	# The guest can write anything to that filesystem, so the host does not mount it. The host
	# reads an archive instead, which the guest makes.
	truncate -s 8G "$work/out.tar"
	set -- "$@" -device virtio-blk-pci,drive=archive,serial=archive \
		-drive "file=$work/out.tar,format=raw,if=none,id=archive,cache=unsafe"
fi

: >"$work/console"
for stream in out err monitor.in monitor.out; do mkfifo "$work/$stream"; done
# Keeps the pipes open for writing, because cat would wait forever if QEMU exited before it opened
# them. Keeps them open for reading, too, because QEMU may write before cat starts.
exec 7<>"$work/out" 8<>"$work/err"
exec 5<"$work/out" 6<"$work/err"
cat <&5 6<&- 7>&- 8>&- &
cat_pids=$!
cat <&6 >&2 5<&- 7>&- 8>&- &
cat_pids="$cat_pids $!"
exec 5<&- 6<&-

port() {
	printf -- '-chardev %s,id=%s,path=%s -device virtserialport,chardev=%s,name=%s\n' \
		"$2" "$1" "$work/$1" "$1" "$1"
}
# shellcheck disable=SC2046,SC2086
qemu-system-x86_64 -nodefaults -display none -no-reboot -machine "$machine" $accel_options \
	-smp "$processors" -m "$memory_options" $node_options $nvdimm_options \
	-kernel "$image/vmlinuz" -initrd "$image/initrd" -append "$command_line" \
	-chardev "file,id=console,path=$work/console,append=on" -serial chardev:console \
	-device virtio-serial-pci -chardev "pipe,id=monitor,path=$work/monitor" -mon monitor \
	$(port out file) $(port err file) \
	$(port status file) $(port dmesg file) "$@" </dev/null 2>"$work/qemu" 7>&- 8>&- &
qemu_pid=$!

# monitor COMMAND: sends COMMAND to QEMU's monitor and ignores the answer.
monitor() {
	printf '%s\n' "$1" | timeout 2 tee "$work/monitor.in" >/dev/null || :
}

# Prints the state of a hanging guest on the console: each CPU's backtrace, and blocked tasks.
tell_where() {
	printf '\nvm/run.sh: %s; its state:\n' "$verdict" >>"$work/console"
	# Sets loglevel 9 first, because a quiet kernel does not print backtraces.
	for key in 9 l w; do
		monitor "sendkey alt-sysrq-$key"
		sleep 1
	done
}

# Waits for the guest to be ready, then for the command, each with a time limit.
start=$(date +%s)
state=boot
verdict=''
while kill -0 "$qemu_pid" 2>/dev/null; do
	if [ "$state" = boot ] && grep -qs '^ready' "$work/status"; then
		state=run
		start=$(date +%s)
	fi
	elapsed=$(($(date +%s) - start))
	if [ "$state" = boot ] && [ "$elapsed" -ge "$boot_timeout" ]; then
		verdict="hung: not up after $boot_timeout s (on a busy machine, allow more: LTTNG_MM_BOOT_TIMEOUT=600)"
		break
	fi
	if [ "$state" = run ] && [ "$elapsed" -ge "$timeout" ] && ! grep -qs '^exit' "$work/status"; then
		verdict="ran out of time: the command took more than $timeout s (on a busy machine, allow more: for demos and make check, LTTNG_MM_GUEST_TIMEOUT=3600)"
		break
	fi
	# The command's output is complete. Services have ten minutes to stop.
	if [ "$state" = run ] && grep -qs '^exit' "$work/status"; then
		state=exit
		start=$(date +%s)
	fi
	if [ "$state" = exit ] && [ "$elapsed" -ge 600 ]; then
		kill -9 "$qemu_pid" 2>/dev/null || :
		break
	fi
	sleep 0.1
done
if [ -n "$verdict" ]; then
	tell_where
	kill -9 "$qemu_pid" 2>/dev/null || :
fi
wait "$qemu_pid" 2>/dev/null || :
qemu_pid=''
exec 7>&- 8>&-
# shellcheck disable=SC2086
wait $cat_pids 2>/dev/null || :
cat_pids=''

# Ignore the status of a command that ended after its time limit.
status=
[ -n "$verdict" ] || status=$(sed -n 's/^exit \([0-9][0-9]*\).*/\1/p' "$work/status" 2>/dev/null || :)
# A log that cannot be saved must not hide the command's status.
[ -z "$console" ] || cp "$work/console" "$console" || warn "cannot save the console log"
[ -z "$dmesg" ] || [ ! -e "$work/dmesg" ] || cp "$work/dmesg" "$dmesg" ||
	warn "cannot save the kernel messages"
if [ -n "$status" ]; then
	[ -z "$out" ] || "$top/vm/unpack.sh" "$work/out.tar" "$out" || exit 125
	exit "$status"
fi

if [ -z "$verdict" ]; then
	if grep -q 'Kernel panic\|Oops\|BUG:' "$work/console"; then
		verdict='crashed'
	elif [ "$state" = run ] && [ -s "$work/qemu" ]; then
		verdict="ended before the command: $(head -n 1 "$work/qemu")"
	elif [ -s "$work/qemu" ]; then
		verdict="did not start: $(head -n 1 "$work/qemu")"
	else
		verdict='powered off before the command ended'
	fi
fi
{
	echo "vm/run.sh: the $suite guest ($accel) $verdict; the last lines of the console:"
	tr -d '\r' <"$work/console" | tail -n 60 | sed 's/^/    /'
} >&2
case $verdict in
ran*) exit 124 ;;
*) exit 125 ;;
esac
