#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Prints the figures of page references in doc/benchmarks.md as JSON lines. Requires vm/build.sh
# SUITE.
#
#   bench/pageref.sh [SUITE [PART...]]
#
# PART is cost, whole or limited (guests with --icount), or stress, phases or memory (guests with
# two CPUs); default: all. What the guests print and record is in build/bench-pageref/SUITE.
#
#   BENCH_SECONDS    seconds of each program in whole (2), limited (10), phases (3) and memory
#                    (30)
#   BENCH_PROGRAMS   programs of these parts (sequential random zipf gcc database)
#   BENCH_SAMPLES=1  runs no guest and prints the figures of existing output
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
# shellcheck source=bench/figure.sh
. "$top/bench/figure.sh"
suite=${1:-trixie}
[ $# = 0 ] || shift
[ $# -gt 0 ] || set -- cost stress whole limited phases memory
programs=${BENCH_PROGRAMS:-sequential random zipf gcc database}
guest_tests=/usr/lib/lttng-mm/tests
folder=$top/build/bench-pageref/$suite
score=$top/build/host/bench/pageref-score
lttng_mm=$top/build/host/bin/lttng-mm
mkdir -p "$folder"
make --no-print-directory -s -C "$top" -f tools.mk O="$top/build/host" "$score" "$lttng_mm" >&2

# guest NAME OPTION... -- COMMAND...: the output of the guest goes to NAME.txt.
guest() {
	guest_name=$1 guest_began=$(date +%s)
	shift
	[ -z "${BENCH_SAMPLES:-}" ] || return 0
	# With --icount, a guest on a busy machine boots slowly.
	LTTNG_MM_BOOT_TIMEOUT=${LTTNG_MM_BOOT_TIMEOUT:-600} "$top/vm/run.sh" --suite "$suite" --timeout 3600 \
		--out "$folder" "$@" >"$folder/$guest_name.txt"
	echo "bench/pageref.sh: $guest_name: the guest took $(($(date +%s) - guest_began)) s" >&2
}

# value FILE NAME: prints the value of a line "NAME VALUE".
value() {
	awk -v name="$2" '$1 == name { print $2 }' "$folder/$1"
}

# quotient FILE NAME NAME DIGITS: prints the quotient of two values.
quotient() {
	awk -v a="$(value "$1" "$2")" -v b="$(value "$1" "$3")" "BEGIN { printf \"%.$4f\", a / b }"
}

# per_entry KIND: prints the difference between the passes over two sizes, per entry.
per_entry() {
	awk -v large="$(value cost.txt "pass_$1_large")" -v small="$(value cost.txt "pass_$1_small")" \
		-v pages="$(value cost.txt pass_pages)" 'BEGIN { printf "%.1f", (large - small) / pages }'
}

print_cost() {
	for access in write read; do
		print_figure "pageref.refault.$access.$suite" "$(value cost.txt refault_$access)" \
			"$(value cost.txt kernel_refault_$access)" "the kernel's NUMA hint" \
			'instructions of a recorded refault, median'
	done
	print_figure "pageref.marking.marked.$suite" "$(per_entry touched)" '' '' 'instructions per marked entry'
	print_figure "pageref.marking.looked-at.$suite" "$(per_entry untouched)" '' '' \
		'instructions per entry that is marked already'
	print_figure "pageref.lock.instructions.$suite" "$(value cost.txt lock_longest)" '' '' \
		'instructions for which a pass holds the mmap lock, at most'
	print_figure "pageref.lock.entries.$suite" "$(quotient cost.txt lock_entries lock_times 0)" '' '' \
		'entries while a pass holds the mmap lock, mean'
	print_figure "pageref.marking.sampled.$suite" "$(per_entry sampled)" '' '' \
		'instructions per entry of a pass over a sample of 1/16, all of which were touched'
	print_figure "pageref.touch.unsampled.$suite" \
		"$(($(value cost.txt touch_unsampled) - $(value cost.txt touch_unrecorded)))" '' '' \
		'instructions added to a touch of a page that is not in the sample, median'
	for kind in sampled unsampled; do
		print_figure "pageref.fault.$kind.$suite" \
			"$(($(value cost.txt fault_$kind) - $(value cost.txt fault_bare)))" '' '' \
			"instructions added to the first fault of a recorded process on a page, $kind, median"
	done
	for state in loaded recording; do
		print_figure "pageref.fault.$state.$suite" \
			"$(($(value cost.txt fault_$state) - $(value cost.txt fault_bare)))" '' '' \
			"instructions added to a fault of another process, $state, median"
	done
}

print_stress() {
	print_figure "pageref.kernel-restores.$suite" "$(quotient stress.txt stress_kernel stress_restored 6)" '' '' \
		'marks that the kernel restored, per mark that the probe restored'
	print_figure "pageref.kernel-restores.pass.$suite" "$(quotient stress.txt stress_kernel stress_passes 4)" '' '' \
		'marks that the kernel restored, per pass'
}

# content_bytes TRACE CHANNEL: prints the bytes of the contents of the packets. LTTng's packets
# start with magic, uuid, stream and instance (32 bytes), two timestamps, content size and packet
# size in bits.
content_bytes() {
	find "$1" -type f -name "$2_*" ! -name '*.idx' | while read -r stream; do
		at=0
		while [ "$at" -lt "$(stat -c %s "$stream")" ]; do
			# shellcheck disable=SC2046 # numbers
			set -- $(od -An -v -tu8 -j $((at + 48)) -N 16 "$stream")
			echo "$1"
			at=$((at + $2 / 8))
		done
	done | awk '{ bytes += $1 / 8 } END { printf "%d\n", bytes }'
}

# took PROGRAM FILE: prints the processor time in ms between the start of phase 2 and the end.
took() {
	awk 'NR == 2 { first = $2 } { last = $2 } END { printf "%.0f\n", (last - first) / 1e6 }' "$folder/$1/$2"
}

# passes_took PROGRAM: prints in ms the total time of the passes before phases 2, 3 and so on. (One
# more pass follows the last phase.)
passes_took() {
	awk -v seconds="$seconds" '/ pageref_pass: / {
			time = $1
			gsub(/[][]/, "", time)
			if (/ end = 0/)
				since = time
			else
				took[++passes] = time - since
		}
		END {
			for (i = passes - seconds; i < passes; i++)
				sum += took[i]
			printf "%.0f\n", sum * 1000
		}' "$folder/$1/record.txt"
}

# score PROGRAM KIND: compares a recording with the truth.
score() {
	case $2 in
	record) "$score" record "$folder/$1" $((seconds + 1)) <"$folder/$1/record.txt" ;;
	truth) "$score" own "$folder/$1" $((seconds + 1)) <"$folder/$1/truth.out" ;;
	*) "$score" damon "$folder/$1" $((seconds + 1)) <"$folder/$1/$2.txt" ;;
	esac >"$folder/$1/$2.score"
}

# score_damon PROGRAM: prints the F1 of each setting of DAMON, and sets `damon` to the best one.
score_damon() {
	damon='' best=-1
	for file in "$folder/$1"/damon-*.txt; do
		[ -e "$file" ] || continue
		kind=${file##*/}
		kind=${kind%.txt}
		score "$1" "$kind"
		f1=$(value "$1/$kind.score" f1)
		print_figure "pageref.f1.$1.$kind.$suite" "$f1" '' '' 'F1 of the pages of a second, mean'
		if [ "$(printf '%s\n' "$f1" "$best" | sort -g | tail -n 1)" = "$f1" ]; then
			best=$f1
			damon=$kind
		fi
	done
}

# print_phases PROGRAM
print_phases() {
	program=$1
	babeltrace2 --clock-seconds "$folder/$program/trace" >"$folder/$program/record.txt" 2>/dev/null
	score "$program" record
	for name in accessed false unexplained around; do
		print_figure "pageref.$name.$program.$suite" "$(value "$program/record.score" $name)" '' '' \
			"pages in $seconds s"
	done
	print_figure "pageref.recall.$program.$suite" "$(quotient "$program/record.score" found accessed 5)" '' '' \
		'recorded pages per accessed page'
	touches=$(grep -c ' pageref_touch: ' "$folder/$program/record.txt")
	print_figure "pageref.bytes.$program.$suite" \
		"$(awk -v b="$(content_bytes "$folder/$program/trace" all)" -v n="$touches" 'BEGIN { printf "%.2f", b / n }')" \
		'' '' 'bytes of all pageref events per touch'
	if [ "$program" != gcc ] && [ "$program" != database ]; then
		score "$program" truth
		print_figure "pageref.truth.$program.$suite" \
			"$(($(value "$program/truth.score" missed) + $(value "$program/truth.score" false)))" '' '' \
			'pages of the array for which the Accessed bits and the program differ'
	fi
	score_damon "$program"
	print_figure "pageref.f1.$program.$suite" "$(value "$program/record.score" f1)" \
		"${damon:+$(value "$program/$damon.score" f1)}" "$damon" 'F1 of the pages of a second, mean'
	own=$(($(took "$program" record.cpu) - $(took "$program" truth.cpu) + $(took "$program" record.other) + $(passes_took "$program")))
	other=
	[ -z "$damon" ] || other=$(($(took "$program" "$damon.cpu") - $(took "$program" truth.cpu) + $(took "$program" "$damon.other")))
	print_figure "pageref.cpu.$program.$suite" "$own" "$other" "$damon" "ms of processor time for $seconds s"
}

# print_whole PROGRAM
print_whole() {
	recorded=$(awk '{ print $2 }' "$folder/$1/recorded.result")
	print_figure "pageref.instructions.$1.$suite" "$recorded" "$(awk '{ print $2 }' "$folder/$1/untraced.result")" \
		untraced 'instructions, recorded at 500 ms'
	print_figure "pageref.touches.$1.$suite" \
		"$(awk -v n="$(cat "$folder/$1/recorded.touches")" -v ns="$recorded" 'BEGIN { printf "%.0f", n * 1e9 / ns }')" \
		'' '' 'touches per 10^9 instructions, recorded at 500 ms'
}

# print_limited PROGRAM
print_limited() {
	print_figure "pageref.limited.$1.$suite" "$(awk '{ print $2 }' "$folder/$1/recorded.result")" \
		"$(awk '{ print $2 }' "$folder/$1/untraced.result")" untraced \
		"instructions, recorded for $seconds s with --max-overhead=5%"
	print_figure "pageref.limited-sample.$1.$suite" \
		"$(sort -n "$folder/$1/recorded.samples" | awk 'NR == 1 { printf "%.4f", $1 / 16777216 }')" '' '' \
		'lowest part of the pages in the sample'
	# The files are empty or short if events are missing.
	read -r low high <"$folder/$1/recorded.bytes"
	read -r unlimited _ <"$folder/$1/unlimited.bytes"
	print_figure "pageref.limited-bytes.$1.$suite" "$low" "$unlimited" 'recorded without a limit' \
		"bytes with recorded touches in $seconds s"
	print_figure "pageref.limited-bytes.high.$1.$suite" "$high" '' '' \
		"bytes touched in $seconds s, upper bound"
}

# needed PROGRAM REFAULTS: prints the bounds of the memory that the program needs for at most this
# number of refaults in all. A bound that is not known is 0.
needed() {
	"$lttng_mm" mrc --json --rate "$(awk -v n="$2" -v ns="$duration" 'BEGIN { printf "%.9f", (n + 0.5) * 1e9 / ns }')" \
		"$folder/$1/memory.trace" | awk '
		$1 == "\"bound\":" { sub(/,$/, "", $2); bound = $2 }
		$1 == "\"value\":" && bound != "" { value[bound] = $2; bound = "" }
		END { printf "%d %d\n", value["\"low\""], value["\"high\""] }'
}

# print_limits PROGRAM FILE LABEL: compares the refaults under memory.max in FILE with the bounds of
# the miss curve.
print_limits() {
	while read -r size _ anonymous files; do
		[ "$size" != max ] || continue
		measured=$((anonymous + files))
		mib=$(awk -v b="$size" 'BEGIN { printf "%.1f", b / 1048576 }')
		for end in low high; do
			predicted=$("$lttng_mm" mrc --json --sizes "$size" "$folder/$1/memory.trace" |
				awk -v key="\"refaults_$end\":" '$1 == key && $2 ~ /^[0-9]/ { sub(/,/, "", $2); print $2 }')
			print_figure "pageref.refaults$3.$1.$mib-MiB.$end.$suite" "$predicted" "$measured" \
				memory.max "refaults in all, predicted ($end) and measured"
		done
		for bytes in $(needed "$1" "$measured"); do
			print_figure "pageref.needed$3.$1.$mib-MiB.$suite" "$bytes" "$size" memory.max \
				'bytes for this number of refaults: predicted (low, then high), and the limit'
		done
	done <"$folder/$1/$2"
}

print_memory() {
	duration=$("$lttng_mm" mrc --json "$folder/$1/memory.trace" |
		awk '/"mrc.duration_ns"/ { found = 1 } found && $1 == "\"value\":" { print $2; exit }')
	print_width "pageref.needed.width.$1.$suite" "$lttng_mm" "$folder/$1/memory.trace"
	print_limits "$1" limits.txt ''
	print_limits "$1" limits-no-read-ahead.txt .no-read-ahead
}

# each PART: measures each program in a guest.
each() {
	each_options='--memory 3G'
	case $1 in
	phases) ;;
	memory) each_options="$each_options --pmem 512M" ;;
	*) each_options=--icount ;;
	esac
	for program in $programs; do
		# shellcheck disable=SC2086 # words
		guest "$1-$program" $each_options -- sh $guest_tests/pageref-programs-guest.sh "$1" "$seconds" "$program"
		"print_$1" "$program"
	done
}

for part; do
	case $part in
	cost)
		guest cost --icount -- sh $guest_tests/pageref-cost-guest.sh icount
		print_cost
		;;
	stress)
		guest stress -- sh $guest_tests/pageref-cost-guest.sh stress 30
		print_stress
		;;
	whole)
		seconds=${BENCH_SECONDS:-2}
		each whole
		;;
	limited)
		seconds=${BENCH_SECONDS:-10}
		each limited
		;;
	phases)
		seconds=${BENCH_SECONDS:-3}
		each phases
		;;
	memory)
		seconds=${BENCH_SECONDS:-30}
		each memory
		;;
	*) echo "bench/pageref.sh: '$part' is not a part; known: cost stress whole limited phases memory" >&2; exit 2 ;;
	esac
done
