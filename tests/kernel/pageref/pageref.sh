# SPDX-License-Identifier: LGPL-2.1-only
# Compares recorded page references with those of a program that knows its own. Sourced by
# run-all.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets tests and work
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

# pageref_step: reads what the program prints up to the next step, marks all pages, and lets it go
# on. Fails after the last step.
pageref_step() {
	while read -r line <&9; do
		echo "$line" >>"$out/expected"
		case $line in
		'arm end') return 1 ;;
		arm*)
			[ "$1" = off ] || pageref_control arm || return 1
			echo go >&8
			return 0
			;;
		esac
	done
	return 1
}

# pageref_program: starts the program with its input in descriptor 8 and its output in 9.
pageref_program() {
	rm -f "$out/in" "$out/out"
	mkfifo "$out/in" "$out/out"
	: >"$out/expected"
	"$tests/page-references" "$out" <"$out/in" >"$out/out" 7>&- 8>&- 9>&- &
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
		/ pageref_gone: / {
			address = value("address")
			if (inside(address))
				print "gone", address, value("pages"), value("cause")
		}
		/ pageref_unseen: / {
			address = value("address")
			if (inside(address))
				print "unseen", address, value("pages")
		}' "$out/expected" "$out/$1.txt"
}

# The pages of huge regions are reported with the touched address.
pageref_truth() {
	check_function 'pageref: a session starts' pageref_session truth || return
	pageref_program
	exec 7<>"$pageref_device"
	pageref_is 'a second process cannot open the control file' 1 \
		"$( (exec 6<>"$pageref_device") 2>&1 | grep -c 'busy')"
	# The first line after the regions is "arm read".
	check_function 'pageref: the passes are an hour apart' pageref_control 'interval 3600000'
	while read -r line <&9; do
		echo "$line" >>"$out/expected"
		case $line in arm*) break ;; esac
	done
	check_function 'pageref: the program is recorded' pageref_control "pid $pageref_pid"
	check_function 'pageref: its pages are marked' pageref_control arm
	echo go >&8
	while pageref_step on; do :; done
	pageref_is 'every end of a fault was hooked' 0 "$(pageref_counter missed_ends)"
	exec 7>&-
	echo go >&8
	wait "$pageref_pid"
	pageref_is 'the program ends well' 0 "$?"
	exec 8>&- 9>&-
	check_function 'pageref: the session stops' lttng destroy truth
	pageref_text truth
	pageref_recorded truth >"$out/recorded"
	grep -E '^(touch|gone)' "$out/expected" | sort >"$out/expected.sorted"
	sort "$out/recorded" >"$out/recorded.sorted"
	pageref_is 'exactly the known references are recorded, none was unseen' '' \
		"$(diff "$out/expected.sorted" "$out/recorded.sorted" | head -n 20)"
	pageref_is '... in their order' '' \
		"$(grep '^touch' "$out/recorded" >"$out/touches"; grep '^touch' "$out/expected" | diff - "$out/touches" | head -n 20)"
	pageref_is 'there are references of each kind' 'ARMED COPY DEMAND' \
		"$(awk '$1 == "touch" { print $6 }' "$out/recorded" | sort -u | paste -sd' ')"
}

# Threads check their data while their pages are marked every 10 ms.
pageref_stress() {
	check_function 'pageref: stress: a session starts' pageref_session stress || return
	mkdir -p "$out/files"
	pageref_hints=$(awk '$1 == "numa_hint_faults" { print $2 }' /proc/vmstat)
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
	pageref_stress_counters
	exec 7>&-
	check_function 'pageref: stress: the session stops' lttng destroy stress
}

# Marks that the hook has not restored are restored by the kernel, which counts them, or disappear
# with their mapping. Without NUMA balancing, the kernel makes no marks of its own.
pageref_stress_counters() {
	cat <&7 >"$out/counters"
	sed 's/^/# /' "$out/counters"
	pageref_now=$(awk '$1 == "numa_hint_faults" { print $2 }' /proc/vmstat)
	pageref_restored=$(awk '$1 == "restored" { print $2 }' "$out/counters")
	echo "# restored by the kernel: $((pageref_now - pageref_hints))"
	pageref_is 'stress: there were many marks' yes "$([ "${pageref_restored:-0}" -gt 10000 ] && echo yes)"
	# How many depends on the load of the host: 1 to 2 of 10,000 on a quiet one.
	pageref_is 'stress: the kernel restored at most 1 of 1,000' yes \
		"$([ $(((pageref_now - pageref_hints) * 1000)) -le "${pageref_restored:-0}" ] && echo yes)"
	pageref_is 'stress: every end of a fault was hooked' 0 "$(awk '$1 == "missed_ends" { print $2 }' "$out/counters")"
}

pageref() {
	out=$work/pageref
	rm -rf "$out"
	mkdir -p "$out"
	check_function 'pageref: the session daemon starts' daemon_start
	check 'pageref: the probe loads' 60 modprobe lttng-probe-pageref || return
	pageref_is 'only root may open the control file' 600 "$(stat -c %a "$pageref_device")"
	pageref_truth
	pageref_stress
	check_function 'pageref: the session daemon ends' daemon_stop
	check 'pageref: the probe can be removed' 60 rmmod lttng-probe-pageref
}
