# SPDX-License-Identifier: LGPL-2.1-only
# Tests marked pages with swap, KSM, reclaim, migration and processes that run out of memory. Also
# counts the unseen pages of usual programs. Sourced by run-all.sh after pageref-effects.sh and
# pageref-command.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets tests, work and device
# shellcheck source=tests/kernel/lib.sh

pageref_cgroups=/sys/fs/cgroup

# A cgroup for the program, and one with little memory for its victims.
pageref_cgroups_make() {
	mountpoint -q "$pageref_cgroups" || mount -t cgroup2 cgroup2 "$pageref_cgroups" || return 1
	echo +memory >"$pageref_cgroups/cgroup.subtree_control" &&
		mkdir -p "$pageref_cgroups/pageref" "$pageref_cgroups/pageref-victims" &&
		echo 16M >"$pageref_cgroups/pageref-victims/memory.max" &&
		echo 4M >"$pageref_cgroups/pageref-victims/memory.swap.max"
}

pageref_cgroups_remove() {
	rmdir "$pageref_cgroups/pageref" "$pageref_cgroups/pageref-victims"
}

pageref_ksm_start() {
	echo 5 >/sys/kernel/mm/ksm/sleep_millisecs && echo 2000 >/sys/kernel/mm/ksm/pages_to_scan &&
		echo 1 >/sys/kernel/mm/ksm/run
}

# Reclaims memory of the program, and compacts, until it ends.
pageref_press() {
	while kill -0 "$pageref_pid" 2>/dev/null; do
		echo 1 >/proc/sys/vm/compact_memory
		echo 4M >"$pageref_cgroups/pageref/memory.reclaim"
		cat /sys/kernel/mm/ksm/pages_sharing >>"$out/ksm"
		sleep 1
	done 2>/dev/null
}

pageref_pressure_run() {
	check_function 'pageref: pressure: a session starts' pageref_session pressure || return
	pageref_hints=$(pageref_vmstat numa_hint_faults)
	pageref_swapped=$(pageref_vmstat pswpin)
	# shellcheck disable=SC2016 # the inner shell expands these
	sh -c 'echo 0 >"$1/pageref/cgroup.procs"; exec "$2/pageref-stress" "$3" "$4" "$1/pageref-victims"' sh \
		"$pageref_cgroups" "$tests" "$out/mnt" "${PAGEREF_PRESSURE_S:-90}" >"$out/stress.out" 2>&1 7>&- &
	pageref_pid=$!
	exec 7<>"$pageref_device"
	check_function 'pageref: pressure: passes follow each other quickly' pageref_control 'interval 20'
	check_function 'pageref: pressure: the program is recorded' pageref_control "pid $pageref_pid"
	pageref_press
	wait "$pageref_pid"
	pageref_is 'pressure: the program finds all its data, and every thread works' 0 "$?"
	sed 's/^/# /' "$out/stress.out"
	pageref_stress_counters pressure "$pageref_hints"
	exec 7>&-
	check_function 'pageref: pressure: the session stops' lttng destroy pressure
	pageref_above 'pressure: pages were read from swap' 100 \
		$(($(pageref_vmstat pswpin) - pageref_swapped))
	pageref_above 'pressure: KSM shared pages' 10 "$(sort -n "$out/ksm" | tail -n 1)"
	pageref_above 'pressure: processes ran out of memory' 0 \
		"$(awk '$1 == "oom_kill" { print $2 }' "$pageref_cgroups/pageref-victims/memory.events")"
}

pageref_pressure() {
	pageref_part_begin pageref-pressure || return
	echo 0 >/proc/sys/kernel/numa_balancing
	check_function 'pageref: pressure: a filesystem' pmem_mkfs ext4 "$device"
	mkdir -p "$out/mnt"
	check_function 'pageref: pressure: the filesystem is mounted' mount "$device" "$out/mnt"
	fallocate -l 200M "$out/mnt/swap"
	check_function 'pageref: pressure: swap' pageref_swap_on "$out/mnt/swap"
	check_function 'pageref: pressure: cgroups' pageref_cgroups_make
	check_function 'pageref: pressure: KSM starts' pageref_ksm_start
	echo 8 >/proc/sys/vm/nr_hugepages
	pageref_pressure_run
	echo 0 >/proc/sys/vm/nr_hugepages
	echo 2 >/sys/kernel/mm/ksm/run
	check_function 'pageref: pressure: swap ends' pageref_swap_off
	check_function 'pageref: pressure: the cgroups are removed' wait_for 30 pageref_cgroups_remove
	check_function 'pageref: pressure: the filesystem is unmounted' umount "$out/mnt"
	pageref_part_end
}

# pageref_metric NAME METRIC: prints a metric of the report of a recording.
pageref_metric() {
	tr -d ' \n' <"$out/$1.json" | awk -v name="\"pageref.$2\"" '{
		metric = substr($0, index($0, name))
		print match(metric, /"value":[0-9]+/) ? substr(metric, RSTART + 8, RLENGTH - 8) : 0
	}'
}

# pageref_moved: prints how often the kernel has collapsed, split and migrated pages. Each of these
# removes marks.
pageref_moved() {
	awk '/^(thp_(collapse_alloc|split_pmd|fault_fallback)|pgmigrate_success|compact_success) / {
		printf "%s %s ", $1, $2 }' /proc/vmstat
}

# pageref_explain NAME: prints the passes and the unseen pages of a recording.
pageref_explain() {
	babeltrace2 "$out/$1" 2>/dev/null | grep -E ' pageref_(pass|unseen): ' | head -n 60 | sed 's/^/# /'
}

# pageref_unseen NAME COMMAND...: records the command, and adds its marked pages to pageref_all. A
# huge page that khugepaged makes meanwhile, of this program or of another one, may be unseen.
pageref_unseen() {
	pageref_name=$1
	shift
	echo "# $pageref_name: before: $(pageref_moved)"
	pageref_collapsed=$(pageref_vmstat thp_collapse_alloc)
	# In a slow guest, a process needs more than a short interval to touch all its pages again.
	pageref_record "$pageref_name" --interval=1000 --max-overhead=none -- "$@"
	pageref_is "unseen: $pageref_name is recorded" '0 0' "$status $(grep -c discarded "$out/$pageref_name.err")"
	# shellcheck disable=SC2016 # the inner shell expands these
	check "pageref: unseen: $pageref_name: the report" 240 \
		sh -c 'lttng-mm report page-ref --json "$1" >"$1.json"' sh "$out/$pageref_name"
	pageref_armed=$(pageref_metric "$pageref_name" armed_pages)
	pageref_missed=$(pageref_metric "$pageref_name" unseen_pages)
	echo "# $pageref_name: passes $(pageref_metric "$pageref_name" passes), marked $pageref_armed, unseen $pageref_missed"
	echo "# $pageref_name: after: $(pageref_moved)"
	pageref_missed=$((pageref_missed - 512 * ($(pageref_vmstat thp_collapse_alloc) - pageref_collapsed)))
	pageref_is "unseen: $pageref_name: at most 1 % of the marked pages, and those of new huge pages" yes \
		"$([ $((pageref_missed * 100)) -le "$pageref_armed" ] && echo yes)"
	[ $((pageref_missed * 100)) -le "$pageref_armed" ] || pageref_explain "$pageref_name"
	pageref_all=$((pageref_all + pageref_armed))
}

pageref_usual() {
	out=$work/pageref-unseen
	rm -rf "$out"
	mkdir -p "$out"
	check_function 'pageref: no session daemon runs' daemon_stop
	awk 'BEGIN { for (i = 0; i < 150; i++) printf "int f%d(int x) { return x %% %d ? f%d(x / 2) : x; }\n", i, i + 2, i }' \
		>"$out/many.c"
	head -n 40000 /proc/kallsyms >"$out/symbols"
	pageref_all=0
	pageref_unseen gcc gcc -O1 -w -c "$out/many.c" -o "$out/many.o"
	pageref_unseen sort sort -k3 "$out/symbols" -o "$out/sorted"
	pageref_unseen xz xz -T1 -1 -k "$out/symbols"
	# shellcheck disable=SC2016
	pageref_unseen awk awk '{ seen[$3]++ } END { for (name in seen) n += seen[name]; print n }' "$out/symbols"
	pageref_unseen babeltrace2 babeltrace2 "$out/awk" -o dummy
	# A fast machine ends some of these programs before the second pass.
	pageref_above 'unseen: marked pages of all programs' 1000 "$pageref_all"
	check_function 'pageref: the session daemon ends' daemon_stop
	check 'pageref: the probe can be removed' 60 rmmod lttng-probe-pageref
}
