# SPDX-License-Identifier: LGPL-2.1-only
# Compares recorded page references with the list that the recorded program itself prints. Sourced
# by run-all.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets tests, tracing and work
# shellcheck source=tests/kernel/lib.sh

pageref_device=/dev/lttng-mm-pageref

# pageref_is NAME EXPECTED ACTUAL
pageref_is() {
	if [ "$2" = "$3" ]; then
		ok "pageref: $1"
	else
		not_ok "pageref: $1"
		printf '# expected: %s\n# actual:   %s\n' "$2" "$3"
	fi
}

# pageref_session NAME: creates and starts a session that keeps everything.
pageref_session() {
	format=
	if lttng_has_formats; then
		format=--trace-format=ctf-1.8
	fi
	# shellcheck disable=SC2086
	lttng create "$1" --output="$out/$1" $format && lttng enable-channel --kernel --session="$1" \
		--subbuf-size=1M --num-subbuf=8 all &&
		lttng enable-event --kernel --session="$1" --channel=all 'pageref_*' && lttng start "$1"
}

pageref_text() {
	babeltrace2 --clock-seconds "$out/$1" >"$out/$1.txt" 2>"$out/$1.err"
}

# pageref_control COMMAND: writes it to the control file, which descriptor 7 is.
pageref_control() {
	echo "$1" >&7
}

# pageref_counter NAME
pageref_counter() {
	awk -v name="$1" '$1 == name { print $2 }' <&7
}

# True if a thread of the program waits for input. Pages are marked only then, so that the program
# does not touch them meanwhile.
pageref_is_waiting() {
	cat /proc/"$pageref_pid"/task/*/syscall | grep -q '^0 0x0 '
}
pageref_wait() {
	wait_for 30 pageref_is_waiting
}

# pageref_step on|off: reads what the program prints up to the next step, marks all pages if on,
# and lets it go on. Fails after the last step.
pageref_step() {
	while read -r line <&9; do
		echo "$line" >>"$out/expected"
		case $line in
		'arm end') return 1 ;;
		arm*)
			pageref_wait || return 1
			[ "$1" = off ] || pageref_control arm || return 1
			echo go >&8
			return 0
			;;
		esac
	done
	return 1
}

# pageref_program PROGRAM ARGUMENT...: starts the program with its input in descriptor 8 and its
# output in 9.
pageref_program() {
	rm -f "$out/in" "$out/out"
	mkfifo "$out/in" "$out/out"
	: >"$out/expected"
	"$@" <"$out/in" >"$out/out" 7>&- 8>&- 9>&- &
	pageref_pid=$!
	exec 8>"$out/in" 9<"$out/out"
}

# Prints the references, disappeared and unseen pages of the regions, in the form of the program's
# lines.
pageref_recorded() {
	awk 'FNR == NR { if ($1 == "region") { start[++n] = $(NF - 1); end[n] = $NF } ; next }
		function value(name, t) {
			t = $0
			if (!sub(".*[{ ]" name " = ", "", t)) return ""
			sub(/^\( "/, "", t)
			sub(/[",} ].*/, "", t)
			return tolower(t) ~ /^0x/ ? tolower(t) : t
		}
		# Hexadecimal numbers of the same length compare like their text.
		function inside(address, i, a) {
			for (i = 1; i <= n; i++)
				if (length(address) == length(start[i]) && address >= start[i] && address < end[i])
					return 1
			return 0
		}
		/ pageref_touch: / {
			address = value("address")
			if (inside(address)) {
				sub(/...$/, "000", address)
				print "touch", value("tid"), address, value("write"), value("user"), value("kind"), value("huge")
			}
		}
		function number(address, i, sum) {
			for (i = 3; i <= length(address); i++)
				sum = sum * 16 + index("0123456789abcdef", substr(address, i, 1)) - 1
			return sum
		}
		function print_gone() {
			if (gone != "")
				print "gone", gone, pages, cause
			gone = ""
		}
		# A range that crosses a multiple of 2 MiB is reported in two events, one per table.
		/ pageref_gone: / && inside(value("address")) {
			address = value("address")
			if (gone != "" && cause == value("cause") && address ~ /[02468ace]00000$/ &&
			    number(gone) + pages * 4096 == number(address)) {
				pages += value("pages")
			} else {
				print_gone()
				gone = address
				pages = value("pages")
				cause = value("cause")
			}
		}
		/ pageref_unseen: / {
			address = value("address")
			if (inside(address))
				print "unseen", address, value("pages")
		}
		END { print_gone() }' "$out/expected" "$out/$1.txt"
}

# pageref_start: reads what the program prints before its first step, has it recorded, marks its
# pages, and lets it go on.
pageref_start() {
	pageref_control 'interval 3600000' || return 1
	while read -r line <&9; do
		echo "$line" >>"$out/expected"
		case $line in arm*) break ;; esac
	done
	pageref_wait && pageref_control "pid $pageref_pid" && pageref_control arm && echo go >&8
}

# Lets the program go on after its last step, and waits for its end.
pageref_finish() {
	exec 7>&-
	echo go >&8
	wait "$pageref_pid"
	pageref_status=$?
	exec 8>&- 9>&-
	rm -f "$out/in" "$out/out"
	return "$pageref_status"
}

# pageref_truth NAME [MS]: records the program of known references to the session NAME. Calls the
# function $pageref_before when the session runs, and $pageref_during when pages are marked.
pageref_before=: pageref_during=:
pageref_truth() {
	check_function "pageref: $1: a session starts" pageref_session "$1" || return
	"$pageref_before"
	pageref_program "$tests/page-references" "$out" ${2:+"$2"}
	exec 7<>"$pageref_device"
	check_function "pageref: $1: the program is recorded, and its pages are marked" pageref_start
	"$pageref_during"
	while pageref_step on; do :; done
	pageref_is "$1: every end of a fault was hooked" 0 "$(pageref_counter missed_ends)"
	check_function "pageref: $1: the program ends well" pageref_finish
	check_function "pageref: $1: the session stops" lttng destroy "$1"
	pageref_text "$1"
	pageref_recorded "$1" >"$out/recorded"
	grep -E '^(touch|gone)' "$out/expected" | sort >"$out/expected.sorted"
	sort "$out/recorded" >"$out/recorded.sorted"
}

# pageref_agrees NAME: compares what pageref_truth has recorded.
pageref_agrees() {
	pageref_is "$1: exactly the known references are recorded, none was unseen" '' \
		"$(diff "$out/expected.sorted" "$out/recorded.sorted" | head -n 20)"
	pageref_is '... in their order' '' \
		"$(grep '^touch' "$out/recorded" >"$out/touches"; grep '^touch' "$out/expected" | diff - "$out/touches" | head -n 20)"
	pageref_is '... of each kind' 'ARMED COPY DEMAND' \
		"$(awk '$1 == "touch" { print $6 }' "$out/recorded" | sort -u | paste -sd' ')"
	pageref_is '... and no page moved to another node' 'placed 500' "$(grep '^placed' "$out/expected")"
}

pageref_busy() {
	exec 7<>"$pageref_device"
	pageref_is 'a second process cannot open the control file' 1 \
		"$( (exec 6<>"$pageref_device") 2>&1 | grep -c 'busy')"
	exec 7>&-
}

# Threads check their data while their pages are marked every 10 ms.
pageref_stress() {
	check_function 'pageref: stress: a session starts' pageref_session stress || return
	mkdir -p "$out/files"
	pageref_hints=$(pageref_vmstat numa_hint_faults)
	"$tests/pageref-stress" "$out/files" "${PAGEREF_STRESS_S:-20}" >"$out/stress.out" 2>&1 7>&- &
	pageref_pid=$!
	exec 7<>"$pageref_device"
	check_function 'pageref: stress: passes follow each other quickly' pageref_control 'interval 10'
	check_function 'pageref: stress: the program is recorded' pageref_control "pid $pageref_pid"
	while kill -0 "$pageref_pid" 2>/dev/null; do
		echo 1 >/proc/sys/vm/compact_memory
		sleep 1
	done
	wait "$pageref_pid"
	pageref_is 'stress: the program finds all its data, and every thread works' 0 "$?"
	sed 's/^/# /' "$out/stress.out"
	pageref_stress_counters stress "$pageref_hints"
	exec 7>&-
	check_function 'pageref: stress: the session stops' lttng destroy stress
}

# pageref_vmstat NAME
pageref_vmstat() {
	awk -v name="$1" '$1 == name { print $2 }' /proc/vmstat
}

# Records which threads move pages to another node because of NUMA hints. (numa_pages_migrated also
# counts pages of other processes that the kernel marked before balancing was switched off.)
pageref_migrations_start() {
	echo 0 >"$tracing/tracing_on"
	echo >"$tracing/trace"
	echo 1 >"$tracing/events/migrate/mm_migrate_pages/enable" && echo 1 >"$tracing/tracing_on"
}

# pageref_migrations PROGRAM: prints how often the program did so, and stops recording it.
pageref_migrations() {
	echo 0 >"$tracing/events/migrate/mm_migrate_pages/enable"
	grep -c "$1-.*numa_misplaced" "$tracing/trace"
}

# pageref_stress_counters NAME HINTS: HINTS is numa_hint_faults before the stress. A mark that the
# hook does not restore is restored by the kernel, which counts it, or disappears with its mapping.
# Without NUMA balancing, the kernel makes no marks of its own.
pageref_stress_counters() {
	cat <&7 >"$out/counters"
	sed 's/^/# /' "$out/counters"
	pageref_kernel=$(($(pageref_vmstat numa_hint_faults) - $2))
	pageref_restored=$(awk '$1 == "restored" { print $2 }' "$out/counters")
	pageref_passes=$(awk '$1 == "passes" { print $2 }' "$out/counters")
	awk -v kernel="$pageref_kernel" -v own="${pageref_restored:-0}" -v passes="$pageref_passes" 'BEGIN {
		printf "# restored by the kernel: %d, %.4f %% of %d touches, %.3f per pass\n",
			kernel, 100 * kernel / (own + 1), own, kernel / (passes + 1) }'
	pageref_is "$1: there were many marks" yes "$([ "${pageref_restored:-0}" -gt 10000 ] && echo yes)"
	# After the hook has restored a page, a pass can mark the page again before the kernel sees
	# it: at most once for each CPU and pass.
	pageref_is "$1: the kernel restored at most one for each CPU and pass" yes \
		"$([ "$pageref_kernel" -le $((pageref_passes * $(nproc))) ] && echo yes)"
	pageref_is "$1: every end of a fault was hooked" 0 "$(awk '$1 == "missed_ends" { print $2 }' "$out/counters")"
}

# pageref_part_begin FOLDER / pageref_part_end: does the common work at the start / end of a part.
pageref_part_begin() {
	out=$work/$1
	rm -rf "$out"
	mkdir -p "$out"
	check_function 'pageref: the session daemon starts' daemon_start
	check 'pageref: the probe loads' 60 modprobe lttng-probe-pageref
}

pageref_part_end() {
	check_function 'pageref: the session daemon ends' daemon_stop
	check 'pageref: the probe can be removed' 60 rmmod lttng-probe-pageref
}

pageref() {
	pageref_part_begin pageref || return
	pageref_is 'only root may open the control file' 600 "$(stat -c %a "$pageref_device")"
	pageref_busy
	pageref_truth truth
	pageref_agrees truth
	pageref_stress
	pageref_part_end
}
