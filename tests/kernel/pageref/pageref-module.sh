# SPDX-License-Identifier: LGPL-2.1-only
# Special cases of the probe of page references, with its control file and plain LTTng commands:
# which pages are reported as gone or unseen, concurrent faults, missed ends, a process whose mmap
# lock is held for long, mappings that are left out, DAX. Sourced by run-all.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets tests and work
# shellcheck source=tests/kernel/lib.sh

module_device=/dev/lttng-mm-pageref

# module_is NAME EXPECTED ACTUAL
module_is() {
	if [ "$2" = "$3" ]; then
		ok "page-ref-module: $1"
	else
		not_ok "page-ref-module: $1"
		printf '# expected: %s\n# actual:   %s\n' "$2" "$3"
	fi
}

# module_session NAME: creates and starts a session that keeps everything.
module_session() {
	format=
	if lttng_has_formats; then
		format=--trace-format=ctf-1.8
	fi
	# shellcheck disable=SC2086
	lttng create "$1" --output="$out/$1" $format && lttng enable-channel --kernel --session="$1" \
		--subbuf-size=1M --num-subbuf=4 all &&
		lttng enable-event --kernel --session="$1" --channel=all 'pageref_*' && lttng start "$1"
}

# module_counter NAME: prints a counter of the control file, which descriptor 7 is.
module_counter() {
	awk -v name="$1" '$1 == name { print $2 }' <&7
}

# module_until WORD FILE: moves what the program prints, up to the line WORD, to FILE.
module_until() {
	while read -r line <&9; do
		[ "$line" != "$1" ] || return 0
		echo "$line" >>"$2"
	done
	return 1
}

# module_start NAME CASE ARG...: starts a session and the program with its input in descriptor 8 and
# its output in 9, waits for its first step, and marks its pages.
module_start() {
	session=$1
	shift
	check_function "page-ref-module: $session: a session starts" module_session "$session" || return
	exec 7<>"$module_device"
	echo 'interval 3600000' >&7
	[ -z "$module_dax" ] || echo 'dax 1' >&7
	[ -z "$module_sample" ] || echo "sample $module_sample" >&7
	module_run "$session" "$@"
	echo "pid $program" >&7
	echo arm >&7
}

# module_run NAME CASE ARG...
module_run() {
	rm -f "$out/in" "$out/out"
	mkfifo "$out/in" "$out/out"
	: >"$out/$1.expected"
	name=$1
	shift
	"$tests/pageref-cases" "$@" <"$out/in" >"$out/out" 7>&- &
	program=$!
	exec 8>"$out/in" 9<"$out/out"
	module_until step "$out/$name.expected"
}

# module_end NAME: ends the session while the program still exists, and then the program. Writes the
# events of the program's regions to NAME.recorded, in the form of the program's lines.
module_end() {
	module_until end "$out/$1.expected"
	module_counter missed_ends >"$out/$1.missed"
	module_is "$1: the session stops" 0 "$(lttng destroy "$1" >"$out/$1.log" 2>&1; echo $?)"
	exec 7>&-
	echo go >&8
	wait "$program"
	module_is "$1: the program ends well" 0 $?
	exec 8>&- 9>&-
	babeltrace2 --clock-seconds "$out/$1" >"$out/$1.txt" 2>"$out/$1.err"
	grep '^region' "$out/$1.expected" >"$out/$1.regions"
	module_recorded "$out/$1.regions" "$out/$1.txt" >"$out/$1.recorded"
}

module_recorded() {
	awk 'FNR == NR { start[++n] = $2; end[n] = $3; next }
		function value(name, t) {
			t = $0
			if (!sub(".*[{ ]" name " = ", "", t)) return ""
			sub(/^\( "/, "", t)
			sub(/[",} ].*/, "", t)
			return tolower(t) ~ /^0x/ ? tolower(t) : t
		}
		# Hexadecimal numbers of the same length compare like their text.
		function inside(address, i) {
			for (i = 1; i <= n; i++)
				if (length(address) == length(start[i]) && address >= start[i] && address < end[i])
					return 1
			return 0
		}
		/ pageref_(touch|gone|unseen): / {
			address = value("address")
			if (!inside(address))
				next
			if (/ pageref_gone: /)
				print "gone", address, value("pages"), value("cause")
			if (/ pageref_unseen: /)
				print "unseen", address, value("pages")
			sub(/...$/, "000", address)
			if (/ pageref_touch: /)
				print "touch", address, value("write"), value("kind"), value("huge")
		}' "$1" "$2"
}

# module_same NAME TEST: compares what is expected and recorded, in any order.
module_same() {
	grep -v '^region' "$out/$1.expected" | sort >"$out/$1.expected.sorted"
	sort "$out/$1.recorded" >"$out/$1.recorded.sorted"
	module_is "$1: $2" '' "$(diff "$out/$1.expected.sorted" "$out/$1.recorded.sorted" | head -n 10)"
}

# module_case NAME TEST: a case of one step, after which trace and program agree.
module_case() {
	module_start "$1" "$1" || return
	echo go >&8
	module_end "$1"
	module_same "$1" "$2"
	module_is "$1: the case has expectations" yes "$([ -s "$out/$1.expected.sorted" ] && echo yes)"
}

# While a page becomes part of a huge page, it has no entry.
module_collapse() {
	module_start collapse collapse || return
	echo go >&8
	module_end collapse
	grep -v '^touch' "$out/collapse.recorded" >"$out/collapse.gone"
	mv "$out/collapse.gone" "$out/collapse.recorded"
	module_same collapse 'only discarded pages are gone, not collapsed ones'
}

# module_two_steps NAME: runs a case of two steps, with a pass after the first step.
module_two_steps() {
	module_start "$1" "$1" || return
	echo go >&8
	module_until step "$out/$1.expected"
	echo arm >&7
	echo go >&8
	module_end "$1"
}

# khugepaged collapses pages in the same way, but at unpredictable times.
module_collapsed() {
	module_two_steps collapsed || return
	module_same collapsed 'a huge page that the kernel makes of marked pages is unseen until the next pass'
}

# Pages of huge pages that were touched and then split must not be reported as unseen.
module_split() {
	module_two_steps split || return
	module_same split 'touches of huge pages that the kernel splits are recorded, no page is unseen'
}

# A fault maps all pages of a folio. None of them may be reported as unseen, even if the touched
# page is not in the sample.
module_folios() {
	folios=/sys/kernel/mm/transparent_hugepage
	if [ ! -e $folios/hugepages-64kB ]; then
		skip 'page-ref-module: folios' 'this kernel has no large folios of anonymous memory'
		return
	fi
	echo never >$folios/hugepages-2048kB/enabled
	echo always >$folios/hugepages-64kB/enabled
	module_sample=2097152
	module_two_steps folios
	module_sample=
	echo never >$folios/hugepages-64kB/enabled
	echo inherit >$folios/hugepages-2048kB/enabled
	module_is 'folios: a sample of 1/8 has 40 to 90 of 512 pages that were mapped' yes "$(awk '
		FNR == NR { start = $2; end = $3; next }
		/ pageref_(touch|around): / {
			t = $0
			sub(/.* address = 0x/, "0x", t)
			sub(/,.*/, "", t)
			t = tolower(t)
			if (length(t) != length(start) || t < start || t >= end)
				next
			n += $0 ~ / pageref_touch: / ? 1 : substr($0, index($0, " pages = ") + 9) + 0
		}
		END { print (n >= 40 && n <= 90) ? "yes" : n + 0 }' "$out/folios.regions" "$out/folios.txt")"
	module_is 'folios: ... and none of them is unseen' 0 "$(grep -c '^unseen' "$out/folios.recorded")"
}

# More threads wait in faults at the same time than the probe can hook ends of faults.
module_ends() {
	module_start ends ends 1100 || return
	echo go >&8
	module_until end "$out/ends.expected"
	echo arm >&7
	counted=$(module_counter missed_ends)
	module_is 'ends: faults are counted whose ends were not hooked' yes "$([ "$counted" -gt 0 ] && echo yes)"
	lttng destroy ends >"$out/ends.log" 2>&1
	exec 7>&-
	echo go >&8
	wait "$program"
	exec 8>&- 9>&-
	babeltrace2 --clock-seconds "$out/ends" >"$out/ends.txt" 2>"$out/ends.err"
	module_is 'ends: the passes in the trace report the same number' "$counted" \
		"$(sed -n 's/.* pageref_pass: .* missed_ends = \([0-9]*\).*/\1/p' "$out/ends.txt" | awk '{ n += $1 } END { print n + 0 }')"
}

module_is_held() {
	dmesg | grep -q "hold-mmap-lock: holds the lock of $held\$"
}

# While a module holds the mmap lock of one recorded process, another process must be recorded.
module_hold() {
	module_start hold idle || return
	held=$program
	exec 5>&8 6<&9
	module_run hold-other idle
	echo "pid $program" >&7
	insmod "$tests/hold-mmap-lock.ko" pid="$held" ms=8000 >"$out/hold.insmod" 2>&1 7>&- &
	holder=$!
	wait_for 20 module_is_held
	skipped=$(module_counter skipped)
	echo arm >&7
	module_is 'hold: a pass ends while the lock of one process is held' yes \
		"$(dmesg | grep -q 'hold-mmap-lock: releases the lock$' || echo yes)"
	module_is 'hold: ... and counts it' 1 "$(($(module_counter skipped) - skipped))"
	echo go >&8
	module_until step "$out/hold-other.expected"
	exec 7>&-
	module_is 'hold: closing the control file waits for the lock' yes "$(dmesg | grep -q 'hold-mmap-lock: releases the lock$' && echo yes)"
	hints=$(awk '$1 == "numa_hint_faults" { print $2 }' /proc/vmstat)
	# The held process may have waited for its lock.
	echo go >&8
	echo go >&5
	module_until end "$out/hold-other.expected"
	exec 3<&9 9<&6
	module_until step "$out/hold.expected"
	echo go >&5
	module_until end "$out/hold.expected"
	module_is 'hold: no page is marked then' "$hints" "$(awk '$1 == "numa_hint_faults" { print $2 }' /proc/vmstat)"
	echo go >&5
	echo go >&8
	wait "$program" "$held"
	wait "$holder"
	exec 3>&- 5>&- 6>&- 8>&- 9>&-
	rmmod hold-mmap-lock
	lttng destroy hold >"$out/hold.log" 2>&1
	babeltrace2 --clock-seconds "$out/hold" >"$out/hold.txt" 2>"$out/hold.err"
	module_is 'hold: the pass in the trace says so' 1 \
		"$(grep -c ' pageref_pass: .*skipped = 1' "$out/hold.txt")"
	grep '^region' "$out/hold-other.expected" >"$out/hold.regions"
	module_is 'hold: touches of the other process are recorded' 64 \
		"$(module_recorded "$out/hold.regions" "$out/hold.txt" | grep -c '^touch .* 1 ARMED 0')"
}

# module_left_out NAME REASON: prints the number of pages in the last event.
module_left_out() {
	sed -n "s/.* pageref_left_out: .*reason = ( \"$2\" .*pages = \\([0-9]*\\).*/\\1/p" "$out/$1.txt" | tail -n 1
}

module_none() {
	module_start none none || return
	lttng regenerate statedump --session=none >"$out/none.log" 2>&1
	mappings=$(grep -cv -e ' ---p ' -e '\[vvar' -e '\[vsyscall' "/proc/$program/maps")
	echo go >&8
	module_end none
	module_is 'none: the state dump has all other mappings' "$mappings" \
		"$(grep -c ' pageref_statedump_mapping: ' "$out/none.txt")"
	pages=$(module_left_out none NO_ACCESS)
	module_is 'none: pages without access permissions are counted' yes \
		"$([ "${pages:-0}" -ge 12345 ] && echo yes)"
	module_is 'none: ... and those of the vDSO' yes "$([ "$(module_left_out none DEVICE)" -gt 0 ] && echo yes)"
	module_is 'none: nothing else is' '' "$(module_left_out none DAX)"
}

# module_dax_faults: prints how many of the kernel's events of DAX faults there are, by name.
module_dax_faults() {
	grep -o 'dax_[a-z_]*fault[a-z_]*: .*' "$tracing/trace" | awk '{ print $1, $NF }' | sort | uniq -c
}

# module_dax_file FSTYPE DEVICE: records a DAX file, with and without the request to do so.
module_dax_file() {
	check_function "page-ref-module: $1: a file system with DAX" module_dax_mount "$1" "$2" || return
	for module_dax in '' 1; do
		name=dax-$1${module_dax:+-on}
		rm -f "$out/mnt/file"
		fallocate -l 8M "$out/mnt/file"
		ftrace_start 1024
		module_start "$name" dax "$out/mnt/file"
		echo go >&8
		module_until step "$out/$name.expected"
		echo arm >&7
		echo go >&8
		module_end "$name"
		ftrace_stop
		module_dax_faults >"$out/$name.faults"
	done
	module_is "$1: without the request, DAX mappings are counted" 1088 "$(module_left_out "dax-$1" DAX)"
	module_is "$1: ... and not recorded" 0 "$(wc -l <"$out/dax-$1.recorded")"
	module_is "$1: with the request, none is left out" '' "$(module_left_out "dax-$1-on" DAX)"
	module_same "dax-$1-on" 'exactly the known references are recorded'
	module_is "$1: the kernel's DAX faults are the same" "$(cat "$out/dax-$1.faults")" "$(cat "$out/dax-$1-on.faults")"
	module_is "$1: ... and there are some" yes "$(grep -q dax_pmd_fault "$out/dax-$1.faults" && echo yes)"
	check "page-ref-module: $1: umount" 30 umount "$out/mnt"
}

module_dax_mount() {
	pmem_mkfs "$1" "$2" && pmem_mount "$2" "$out/mnt"
}

pageref_module() {
	out=$work/pageref-module module_dax='' module_sample=
	rm -rf "$out"
	mkdir -p "$out"
	check_function 'page-ref-module: the session daemon starts' daemon_start
	check 'page-ref-module: the probe loads' 60 modprobe lttng-probe-pageref || return
	module_collapse
	module_collapsed
	module_split
	module_folios
	module_case holes 'pages that were there are gone, holes are not'
	module_case threads 'a touch of two threads at the same time is recorded once'
	module_ends
	module_hold
	module_none
	module_dax_file ext4 "$1"
	module_dax_file xfs "$1"
	module_dax=
	check 'page-ref-module: a command is recorded' 60 \
		lttng-mm record page-ref --output="$out/captured" --file-io -- true
	check_captured page-ref "$out/captured"
	rm -f "$out/in" "$out/out"
	check_function 'page-ref-module: the session daemon ends' daemon_stop
	check 'page-ref-module: the probe can be removed' 60 rmmod lttng-probe-pageref
}
