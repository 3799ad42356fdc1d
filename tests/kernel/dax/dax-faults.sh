# SPDX-License-Identifier: LGPL-2.1-only
# Records the workload with ftrace and LTTng at the same time, on ext4 and XFS, and compares the
# workload's counts, both recordings and the report. Sourced by run-all.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets tests, tracing and work
# shellcheck source=tests/kernel/lib.sh

# dax_workload_passed STATUS: checks the workload's status; skips causes that it could not provoke.
dax_workload_passed() {
	check "$fs: the workload had the intended effects" 5 test "$1" -eq 0
	if grep -q 'had a huge zero page' "$out/workload.txt"; then
		skip "$fs: hole without a huge zero page" 'the kernel found a huge page each time'
	else
		ok "$fs: a fault on a hole falls back without a huge zero page"
	fi
}

# Starts the recorder as users do. recorder_stop sets trace to the snapshot's folder.
recorder_start() {
	check "$fs: lttng-mm record dax" 60 lttng-mm record dax
}

recorder_stop() {
	check "$fs: lttng-mm snapshot" 60 sh -c "lttng-mm snapshot >'$out/snapshot.txt'"
	check "$fs: lttng-mm stop" 60 lttng-mm stop
	trace=$(tail -n 1 "$out/snapshot.txt")
}

# Checks the flag SEALED. On some kernels, it is bit 63 of vm_flags, which is a separate field with
# its own label. On other kernels, it is a lower bit, whose value the metadata contains. It must be
# set in exactly two events, which belong to one fault.
dax_sealed() {
	bit=$(babeltrace2 --output-format=ctf-metadata "$trace/kernel" |
		awk '/"SEALED" = / { value = $3 + 0 } /_vm_flags;/ && value { print value; exit }
			/ _vm_flag/ { value = 0 }')
	for text in "$out/lttng.txt" "$out/ours.txt"; do
		if [ -n "$bit" ]; then
			count=$(sed -n 's/.*dax_pmd_fault.* vm_flags = ([^)]*container = \([0-9]*\) ).*/\1/p' "$text" |
				awk -v bit="$bit" 'int($1 / bit) % 2 { n++ } END { print n + 0 }')
		else
			count=$(grep -c 'dax_pmd_fault.* vm_flag_63 = ( "SEALED" : container = 1 )' "$text")
		fi
		[ "$count" = 2 ] || { echo "$text: $count events, bit '$bit'"; return 1; }
	done
}

# dax_faults FSTYPE DEVICE: tests one filesystem.
dax_faults() {
	fs=$1 device=$2 mountpoint=$work/mnt-$1 out=$work/dax-$1
	rm -rf "$out"
	mkdir -p "$out"
	if ! { pmem_mkfs "$fs" "$device" && pmem_mount "$device" "$mountpoint"; } >"$out/mkfs.txt" 2>&1; then
		not_ok "$fs: mkfs and mount -o dax on $device"
		diag <"$out/mkfs.txt"
		return
	fi
	if ! recorder_start; then
		umount "$mountpoint"
		return
	fi
	ftrace_start 2048
	timeout 120 "$tests/dax-workload" --expect "$out/expect.json" "$mountpoint" \
		>"$out/workload.txt" 2>&1
	status=$?
	grep FAILED "$out/workload.txt" | diag
	ftrace_stop
	recorder_stop
	ftrace_save "$out/ftrace"
	dax_workload_passed "$status"
	check "$fs: ftrace lost nothing" 5 test "$(ftrace_lost)" -eq 0
	check "$fs: ftrace has the counts that the workload expects" 20 \
		"$tests/check-dax-counts" "$out/expect.json" "$out/ftrace"
	check "$fs: babeltrace2 reads the snapshot" 60 sh -c \
		"babeltrace2 --clock-cycles --no-delta '$trace' >'$out/lttng.txt'"
	check "$fs: lttng-mm prints the snapshot" 60 sh -c \
		"lttng-mm print --format=babeltrace '$trace' >'$out/ours.txt'"
	check_metadata "$fs" "$trace"
	if grep -q ' __[a-z0-9]*_sys_mseal$' /proc/kallsyms; then
		check_function "$fs: each reader shows the flag of a sealed mapping" dax_sealed
	else
		skip "$fs: each reader shows the flag of a sealed mapping" 'this kernel has no mseal()'
	fi
	check "$fs: LTTng has the counts that the workload expects" 20 \
		"$tests/check-dax-counts" "$out/expect.json" "$out/lttng.txt"
	is "$fs: no kernel address in the trace" 0 "$(kernel_addresses "$out/ours.txt")"
	check "$fs: every event and field is the same in ftrace and LTTng" 20 \
		"$tests/compare-ftrace" "$out/ftrace" "$out/lttng.txt"
	check "$fs: lttng-mm report dax --json" 60 sh -c \
		"lttng-mm report dax --json '$trace' >'$out/report.json'"
	check "$fs: the report has the counts that the workload expects, cause by cause" 20 \
		"$tests/check-dax-report" "$out/expect.json" "$out/report.json"
	dax_wide "$mountpoint"
	check "$fs: umount" 30 umount "$mountpoint"
}
