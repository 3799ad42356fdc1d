# SPDX-License-Identifier: LGPL-2.1-only
# Shared by the tests that run in a guest: checks with a time limit, filesystems on pmem, ftrace,
# and the kernel log.
# shellcheck shell=sh

tests=${tests:-/usr/lib/lttng-mm/tests}
tracing=/sys/kernel/tracing
work=${work:-/tmp/lttng-mm-tests}
# shellcheck source=tests/tap.sh
. "$tests/tap.sh"

# Guests without hardware virtualization can take seconds to answer.
export LTTNG_MM_STATUS_WAIT_MS=30000

# On Debian 12, mount is a separate package.
command -v mount >/dev/null || mount() { busybox mount "$@"; }
command -v umount >/dev/null || umount() { busybox umount "$@"; }

# Prints the time that a check took if it exceeds 5 s.
slow_check() {
	check_took=$(($(date +%s) - check_began))
	[ "$check_took" -lt 5 ] || echo "# that took $check_took s"
}

# The time limits of checks detect hangs. They suit an emulated guest on a quiet machine; a busy
# machine takes several times as long.
patience=4

# check NAME SECONDS COMMAND...: passes if COMMAND succeeds within SECONDS, otherwise prints its
# output.
check() {
	check_name=$1 check_limit=$(($2 * patience)) check_began=$(date +%s)
	shift 2
	if timeout "$check_limit" "$@" >"$work/check.log" 2>&1; then
		ok "$check_name"
		slow_check
	else
		check_status=$?
		not_ok "$check_name"
		echo "# exit status $check_status of: $*"
		diag <"$work/check.log"
		return 1
	fi
}

# check_function NAME FUNCTION ARG...: like check, for a shell function and without a time limit.
check_function() {
	function_name=$1 check_began=$(date +%s)
	shift
	if "$@" >"$work/check.log" 2>&1; then
		ok "$function_name"
		slow_check
	else
		not_ok "$function_name"
		diag <"$work/check.log"
		return 1
	fi
}

# wait_for SECONDS COMMAND...: waits until COMMAND succeeds. Guests are too slow for fixed delays.
wait_for() {
	# Use the uptime, because a test may set the time of day.
	read -r wait_now _ </proc/uptime
	wait_end=$((${wait_now%.*} + $1 * patience))
	shift
	until "$@" >/dev/null 2>&1; do
		read -r wait_now _ </proc/uptime
		[ "${wait_now%.*}" -lt "$wait_end" ] || return 1
		sleep 0.3
	done
}

# prints TEXT COMMAND...: true if COMMAND prints TEXT and nothing else.
prints() {
	prints_text=$1
	shift
	[ "$("$@")" = "$prints_text" ]
}

# process_gone PID
process_gone() {
	! kill -0 "$1" 2>/dev/null
}

# Prints the kernel version, such as 6.1.
kernel_series() {
	uname -r | cut -d. -f1-2 | cut -d- -f1
}

# pmem_mkfs FSTYPE DEVICE: creates a filesystem whose extents are aligned to 2 MiB.
pmem_mkfs() {
	wipefs -qa "$2" 2>/dev/null
	case $1 in
	ext4) mkfs.ext4 -q -F -b 4096 -E stride=512,stripe_width=512 "$2" ;;
	xfs) mkfs.xfs -q -f -d su=2m,sw=1 -m reflink=0 "$2" ;;
	*) return 2 ;;
	esac
}

# pmem_mount DEVICE FOLDER
pmem_mount() {
	mkdir -p "$2" && mount -o dax=always "$1" "$2"
}

# ftrace_start KB: enables every event of $ftrace_group, on the clock that LTTng uses.
ftrace_group=fs_dax
ftrace_start() {
	echo 0 >"$tracing/tracing_on"
	echo mono >"$tracing/trace_clock"
	echo "$1" >"$tracing/buffer_size_kb"
	echo >"$tracing/trace"
	echo 1 >"$tracing/events/$ftrace_group/enable"
	echo 1 >"$tracing/tracing_on"
}

ftrace_stop() {
	echo 0 >"$tracing/tracing_on"
	echo 0 >"$tracing/events/$ftrace_group/enable"
}

# ftrace_save FOLDER: saves the pages of the ring buffers and the formats of the events.
ftrace_save() {
	mkdir -p "$1/formats"
	for event in "$tracing/events/$ftrace_group"/*/format; do
		name=${event%/format}
		cat "$event" >"$1/formats/${name##*/}"
	done
	for cpu in "$tracing"/per_cpu/cpu*; do
		# dd fails with EAGAIN when the buffer is empty.
		dd if="$cpu/trace_pipe_raw" of="$1/${cpu##*/}.raw" bs=4096 iflag=nonblock \
			2>/dev/null || :
	done
}

# ftrace_lost: prints the number of events that ftrace dropped or overwrote on all CPUs.
ftrace_lost() {
	cat "$tracing"/per_cpu/cpu*/stats | awk '/^(overrun|commit overrun|dropped events):/ { n += $NF }
		END { print n + 0 }'
}

# daemon_start: starts a session daemon unless one runs. daemon_stop: ends the running one.
daemon_pid() {
	pid=$(cat /run/lttng/lttng-sessiond.pid 2>/dev/null) && kill -0 "$pid" 2>/dev/null && echo "$pid"
}
daemon_start() {
	daemon_pid || lttng-sessiond --daemonize
}
daemon_stop() {
	pid=$(daemon_pid) || return 0
	kill "$pid"
	# The daemon unloads the probes and waits for an RCU-tasks grace period for each. This took
	# more than 5 s in a busy guest, so the limit only detects a hang.
	wait_for 60 process_gone "$pid" || {
		echo "# the session daemon, $pid, waits here:"
		cat /proc/"$pid"/task/*/stack 2>/dev/null | sort | uniq -c | sed 's/^/# /'
		return 1
	}
}

# lttng_has_formats: true for LTTng 2.15 and later, which can choose the metadata format. (Their
# --help requires man.)
lttng_has_formats() {
	lttng --version | awk '{ split($5, v, "."); exit !(v[1] > 2 || v[2] >= 15) }'
}

# session_start NAME / session_stop NAME: records every DAX event with plain LTTng commands.
session_start() {
	rm -rf "$work/session-$1"
	# LTTng 2.15 and later write CTF 2 by default.
	format=
	if lttng_has_formats; then
		format=--trace-format=ctf-1.8
	fi
	# shellcheck disable=SC2086
	lttng create "$1" --snapshot --output="$work/session-$1" $format &&
		lttng enable-event -k 'dax_*' && lttng start
}
session_stop() {
	lttng destroy "$1"
}

# check_metadata NAME [--events PREFIX,...] FOLDER...: checks that Trace Compass can read every
# integer in the metadata of the traces.
check_metadata() {
	metadata_name=$1
	shift
	check "$metadata_name: no integer in the metadata is above 2^63 - 1" 120 "$tests/check-metadata.sh" "$@"
}

# kernel_addresses FILE...: counts values in the text of events that are kernel addresses: in
# hexadecimal or decimal, from 0xff00000000000000 (with five-level page tables). Negative decimal
# numbers count only below -10^13, because errors and small numbers are closer to 0. All ones mark a
# missing value and do not count.
kernel_addresses() {
	cat "$@" | grep -oiE '(\b(0xff[0-9a-f]{14}|18(37|38|39|4[0-4])[0-9]{16})|-[0-9]{14,17})\b' |
		grep -ciE -v '^(0xfffffffffffff[0-9a-f]{3}|1844674407370955[0-9]{4})$'
}

# check_captured PROFILE SNAPSHOT: checks that the metadata in tests/metadata/ for PROFILE declare
# the events and fields of the freshly recorded snapshot.
check_captured() {
	check "$1: tests/metadata/$1.tsdl declares what the probe does" 120 \
		"$tests/capture-metadata.sh" --compare "$tests/$1.tsdl" "$2"
}

# dmesg_bad: prints kernel messages that a test must not cause. Taint notices for modules that were
# built elsewhere are excluded, and so are backtraces of processes that a test lets run out of
# memory, and the message of a debug kernel that it checks RCU.
dmesg_bad() {
	dmesg | sed -e '/invoked oom-killer/,/Killed process/{/Call Trace:/d;/RIP: /d;/ ? lockdep_/d}' \
		-e '/RCU lockdep checking is enabled/d' | grep -E \
		-e 'WARNING:|BUG:|Oops|kernel BUG at|Kernel panic|general protection fault' \
		-e 'Call Trace:|RIP: 0010|---\[ cut here|unable to handle' \
		-e 'possible (recursive|circular|irq) locking|inconsistent lock state|lockdep' \
		-e 'rcu.*(stall|self-detected|suspicious|illegal)|suspicious RCU usage' \
		-e 'soft lockup|hard LOCKUP|hung task|blocked for more than|Bad page|bad page map' \
		-e 'scheduling while atomic|sleeping function called|refcount_t:|UBSAN|KASAN|KFENCE' \
		-e 'LTTng:.*(error|fail|warn)'
}

# check_dmesg NAME: passes if dmesg_bad prints nothing.
check_dmesg() {
	if dmesg_bad >"$work/dmesg.bad"; then
		not_ok "$1"
		diag <"$work/dmesg.bad"
	else
		ok "$1"
	fi
}
