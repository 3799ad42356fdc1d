#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Says in guests whether a command became worse: with another kernel, or since a base file was
# written.
set -eu
# shellcheck source=vm/lib.sh
. "$(dirname -- "$0")/lib.sh"

usage() {
	cat <<USAGE
Usage: vm/gate.sh --base-kernel A.deb --kernel B.deb --profile P [OPTION...] -- COMMAND [ARG...]
       vm/gate.sh --base FILE [--accept] --profile P [OPTION...] -- COMMAND [ARG...]

Runs COMMAND in guests, records it, and says whether it became worse: see lttng-mm-gate(1).

With two kernels, both run in turn: five times two runs with A, and one run with B. If a metric is
worse, five more guests with B must confirm that. A.deb and B.deb are linux-image packages, as \`make
bindeb-pkg\` writes them; the linux-headers package of the same version must be in the same folder.
With a base file, one guest with the suite's kernel runs \`lttng-mm gate\`.

  --base-kernel A.deb --kernel B.deb   the kernels to compare
  --base FILE        the base file; with --accept, write it
  --profile P[,P]    what to record
  --rules FILE       rules that each run (of B.deb) must meet
  --icount           one CPU, whose clock counts instructions: times are judged, too
  --setup TEXT       shell commands that prepare each guest, such as mounting a filesystem
  --in DIR           make the contents of DIR available in /in, such as COMMAND
  --output DIR, -o   keep the runs and their traces in DIR, which must not exist
  --bisect           use statuses for \`git bisect run\`: 125 inconclusive or failed, 128 bad input
  --all, --subbuf-size SIZE, --num-subbuf N   as in lttng-mm-run(1)
  --suite S          bookworm, trixie (default) or forky
  --cpus N, --memory M, --nodes N, --pmem SIZE, --accel A, --append ARGS   as in vm/run.sh
  --timeout S        time limit of each guest in seconds (default 3600)

Exit status: 0 pass; 1 fail: a rule fails, or a metric is worse; 2 bad usage or bad input; 3
inconclusive; 4 the host lacks something, or COMMAND failed.

Examples:
  vm/gate.sh --base-kernel linux-image-6.12.1-old.deb --kernel linux-image-6.12.1-new.deb \\
             --profile slab --in work -- /in/benchmark
  vm/gate.sh --base gate.base --icount --profile fn --setup 'lttng-mm fn add handle_mm_fault' \\
             --in work -- /in/benchmark
USAGE
}

# Numbers of runs in each round; there are five rounds.
rounds='1 2 3 4 5'

suite=trixie base_kernel='' kernel='' base='' accept='' profile='' rules='' in='' output='' setup=''
bisect='' timeout=3600
run_options='' guest_options=''

# A failure has another status for git bisect, which takes it for a bad commit otherwise.
concluded=''
finish() {
	concluded=1
	if [ -n "$bisect" ]; then
		case $1 in
		2) exit 128 ;;
		3 | 4) exit 125 ;;
		esac
	fi
	exit "$1"
}
refuse() {
	warn "$1"
	finish "${2:-2}"
}

# An administrator's values contain no blanks, so lists of words are plain text.
word() {
	case $2 in
	'' | *[!A-Za-z0-9_.,:=%+-]*) refuse "$1: '$2' is not valid" ;;
	esac
}
need() { [ $# -ge 2 ] || refuse "option $1 requires a value; see vm/gate.sh --help"; }
parse() {
	while [ $# -gt 0 ]; do
		case $1 in
		--help | -h) usage; exit 0 ;;
		--) return ;;
		--accept) accept=1; shift; continue ;;
		--bisect) shift; continue ;;
		--all) run_options="$run_options --all"; shift; continue ;;
		--icount) guest_options="$guest_options --icount"; shift; continue ;;
		esac
		need "$@"
		case $1 in
		--base-kernel) base_kernel=$2 ;;
		--kernel) kernel=$2 ;;
		--base) base=$2 ;;
		--profile) profile=$2 ;;
		--rules) rules=$2 ;;
		--setup) setup=$2 ;;
		--in) in=$2 ;;
		--output | -o) output=$2 ;;
		--suite) suite=$2 ;;
		--timeout) timeout=$2 ;;
		--subbuf-size | --num-subbuf) word "$1" "$2"; run_options="$run_options $1=$2" ;;
		--cpus | --memory | --nodes | --pmem | --accel | --append)
			word "$1" "$2"
			guest_options="$guest_options $1 $2"
			;;
		*) refuse "unknown option '$1'; see vm/gate.sh --help" ;;
		esac
		shift 2
	done
}

readable() {
	if [ ! -f "$2" ] || [ ! -r "$2" ]; then refuse "$1 $2: no such file"; fi
}

check() {
	(check_suite "$suite") || finish 2
	[ -n "$profile" ] || refuse 'no profile is given; use --profile, such as --profile slab'
	word --profile "$profile"
	case ,$profile,:$guest_options in
	*,dax,*:*--pmem*) ;;
	*,dax,*) refuse '--profile dax: the guest has no persistent memory; add --pmem 1G, and make a filesystem on /dev/pmem0 and mount it with --setup' ;;
	esac
	[ -z "$rules" ] || readable --rules "$rules"
	[ -z "$in" ] || [ -d "$in" ] || refuse "--in $in: no such folder"
	[ -z "$output" ] || [ ! -e "$output" ] || refuse "--output $output: it exists; remove it, or name another folder"
	if [ -n "$base" ]; then
		[ -z "$base_kernel$kernel" ] || refuse '--base and kernels cannot be combined: two kernels need no base file'
		[ -n "$accept" ] || readable --base "$base"
		[ -z "$accept" ] || [ -d "$(dirname -- "$base")" ] || refuse "--base $base: its folder does not exist"
		[ -z "$accept$bisect" ] || [ "$accept$bisect" = 1 ] || refuse '--accept and --bisect cannot be combined'
		return
	fi
	[ -z "$accept" ] || refuse '--accept writes a base file; give --base FILE'
	if [ -z "$base_kernel" ] || [ -z "$kernel" ]; then
		refuse 'nothing to compare with: give --base-kernel and --kernel, or --base FILE'
	fi
	readable --base-kernel "$base_kernel"
	readable --kernel "$kernel"
}

check_host() {
	lacking=''
	for pair in qemu-system-x86_64:qemu-system-x86 mmdebstrap:mmdebstrap mke2fs:e2fsprogs cpio:cpio dpkg-deb:dpkg; do
		command -v "${pair%:*}" >/dev/null 2>&1 || lacking="$lacking ${pair#*:}"
	done
	[ -z "$lacking" ] || refuse "guests need Debian packages that are missing; run: apt-get install$lacking" 4
}

# build_guest DEB: builds the guest with a kernel; empty: with the suite's.
build_guest() {
	LTTNG_MM_KERNEL=$1 "$top/vm/build.sh" --gate "$suite" || refuse "the guest of $suite cannot be built${1:+ for $1}" 4
}

# in_guest DEB IN OUT COMMAND...: runs COMMAND in a guest. IN and OUT may be empty.
in_guest() {
	guest_kernel=$1 guest_in=$2 guest_out=$3
	shift 3
	# shellcheck disable=SC2086 # words
	LTTNG_MM_KERNEL=$guest_kernel LTTNG_MM_GUEST=gate "$top/vm/run.sh" --suite "$suite" --timeout "$timeout" \
		$guest_options ${guest_in:+--in "$guest_in"} ${guest_out:+--out "$guest_out"} -- "$@"
}

# A part of the next two scripts: exits with status 2 if the guest does not have the program $1.
# shellcheck disable=SC2016 # the guest's shell expands these
in_guest_program='
	program=$(command -v -- "$1") || program=
	if [ ! -f "$program" ] || [ ! -x "$program" ]; then
		echo "vm/gate.sh: COMMAND $1: the guest has no such program, or cannot execute it; put an executable file into the folder of --in, and call it /in/NAME" >&2
		exit 2
	fi'
# The guest's scripts. Arguments: the commands of --setup, then those of each script. Their status
# for "fail" is 10, because 1 is also that of many failures.
# shellcheck disable=SC2016 # the guest's shell expands these
in_guest_record='
	setup=$1 profile=$2 options=$3 runs=$4
	shift 4
	eval "$setup" || exit 4'"$in_guest_program"'
	# The first run in a guest reads files that later ones find in memory.
	"$@" >/dev/null 2>&1 || :
	exec lttng-mm run --profile "$profile" $options -o /out/runs --runs "$runs" -- "$@"'
# shellcheck disable=SC2016
in_guest_gate='
	setup=$1 options=$2
	shift 2
	eval "$setup" || exit 4'"$in_guest_program"'
	# The first run in a guest reads files that later ones find in memory.
	"$@" >/dev/null 2>&1 || :
	lttng-mm gate $options -- "$@"
	status=$?
	[ $status != 1 ] || exit 10
	exit $status'
# shellcheck disable=SC2016
in_guest_compare='
	status=0
	cd /in || exit 4
	if [ -e rules ]; then
		lttng-mm check rules new
		status=$?
	fi
	[ $status -le 1 ] || [ $status = 3 ] || exit $status
	if [ -e again ]; then set -- -- again; fi
	lttng-mm diff --wide base -- new "$@"
	diff=$?
	case $status$diff in
	0* | 3[!0]) status=$diff ;;
	esac
	[ $status != 1 ] || exit 10
	exit $status'

# record SIDE DEB RUNS COMMAND...: records runs in one guest, and adds them to $runs/SIDE.
record() {
	side=$1 record_kernel=$2 count=$3
	shift 3
	rm -rf "$work/out"
	recorded=0
	in_guest "$record_kernel" "$in" "$work/out" sh -c "$in_guest_record" sh "$setup" "$profile" "$run_options" "$count" "$@" || recorded=$?
	case $recorded in
	0) ;;
	2) refuse "the command was not recorded with ${record_kernel##*/}" 2 ;;
	*) refuse "the command was not recorded with ${record_kernel##*/}" 4 ;;
	esac
	mkdir -p "$runs/$side"
	n=1
	while [ -e "$work/out/runs/run-$n" ]; do
		have=$(($(find "$runs/$side" -mindepth 1 -maxdepth 1 | wc -l) + 1))
		[ -n "$output" ] || rm -rf "$work/out/runs/run-$n"/trace-*
		mv "$work/out/runs/run-$n" "$runs/$side/run-$have"
		n=$((n + 1))
	done
	[ "$n" -gt "$count" ] || refuse "the guest with ${record_kernel##*/} returned $((n - 1)) of $count runs" 4
}

# set_status GUEST_STATUS: sets status from the status of one of the guest's scripts.
set_status() {
	case $1 in
	1) status=4 ;;
	10) status=1 ;;
	*) status=$1 ;;
	esac
}

# compare: compares the runs in a guest, whose program has recorded them. Sets status.
compare() {
	rm -rf "$work/reports"
	mkdir "$work/reports"
	tar -C "$runs" -cf "$work/reports.tar" --exclude='trace-*' . || refuse "$runs: cannot be packed" 4
	tar -C "$work/reports" -xf "$work/reports.tar" || refuse "$work: the reports cannot be unpacked" 4
	[ -z "$rules" ] || cp -- "$work/rules" "$work/reports/rules" || refuse "$work: the rules cannot be copied" 4
	compared=0
	in_guest "$kernel" "$work/reports" '' sh -c "$in_guest_compare" || compared=$?
	set_status "$compared"
}

gate_kernels() {
	# guest_name() identifies a package by its path.
	base_kernel=$(realpath -- "$base_kernel")
	kernel=$(realpath -- "$kernel")
	# The runs take hours, in which the file may change.
	[ -z "$rules" ] || cp -- "$rules" "$work/rules" || refuse "$rules: cannot be copied" 4
	build_guest "$base_kernel"
	build_guest "$kernel"
	keep_used
	for round in $rounds; do
		warn "round $round of 5"
		record base "$base_kernel" 2 "$@"
		record new "$kernel" 1 "$@"
	done
	compare
	if [ "$status" = 1 ]; then
		warn 'something is worse; five more runs must confirm that'
		for round in $rounds; do
			record again "$kernel" 1 "$@"
		done
		compare
	fi
	case $status in
	0) echo 'gate: pass' ;;
	1) echo 'gate: fail' ;;
	3) echo 'gate: inconclusive' ;;
	esac
}

gate_base() {
	mkdir "$work/in"
	[ -z "$in" ] || cp -a -- "$in/." "$work/in/"
	mkdir -p "$work/in/.lttng-mm"
	options="--profile $profile$run_options"
	[ -z "$output" ] || options="$options -o /out/runs"
	if [ -n "$rules" ]; then
		cp -- "$rules" "$work/in/.lttng-mm/rules"
		options="$options --rules /in/.lttng-mm/rules"
	fi
	if [ -n "$accept" ]; then
		options="$options --accept --base /out/base"
	else
		cp -- "$base" "$work/in/.lttng-mm/base"
		options="$options --base /in/.lttng-mm/base"
	fi
	build_guest ''
	judged=0
	in_guest '' "$work/in" "$work/out" sh -c "$in_guest_gate" sh "$setup" "$options" "$@" || judged=$?
	set_status "$judged"
	if [ -n "$accept" ] && [ "$status" = 0 ]; then
		cp -- "$work/out/base" "$base" || refuse "--base $base: cannot be written" 4
	fi
	[ -z "$output" ] || [ ! -d "$work/out/runs" ] || mv -- "$work/out/runs" "$output" ||
		refuse "--output $output: cannot be written" 4
}

# Guests with a kernel of their own: images, lttng-modules and builds.
kernel_guests() {
	for folder in "$cache/images/$suite+"* "$cache/lttng-modules/$suite+"* "$(dirname -- "$(build_dir "$suite")")/$suite+"*; do
		[ ! -e "$folder" ] || printf '%s\n' "$folder"
	done
}

# Marks the guests of both kernels as used, so that no other gate removes them.
keep_used() {
	kernel_guests | while IFS= read -r folder; do
		for used in "$base_kernel" "$kernel"; do
			case ${folder##*/} in "$(LTTNG_MM_KERNEL=$used && guest_name "$suite")"-*) as_root touch -- "$folder" ;; esac
		done
	done
}

# Removes guests of kernels that have not been used for a week.
remove_unused() {
	kernel_guests | while IFS= read -r folder; do
		[ -z "$(find "$folder" -maxdepth 0 -mtime +7)" ] || as_root rm -rf -- "$folder"
	done
}

# Even a wrong option must not make a commit bad.
for given; do
	case $given in
	--) break ;;
	--bisect) bisect=1 ;;
	esac
done
work=
# A command that fails ends the script with status 1, which must not look like the verdict "fail".
leave() {
	ended=$?
	[ -z "$work" ] || rm -rf "$work"
	[ "$ended" != 1 ] || [ -n "$concluded" ] || finish 4
}
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
parse "$@"
while [ $# -gt 0 ] && [ "$1" != -- ]; do shift; done
[ $# -gt 1 ] || refuse 'no command is given; put it at the end, after --'
shift
check
work=$(mktemp -d "${TMPDIR:-/tmp}/lttng-mm-gate.XXXXXX")
runs=${output:-$work/runs}
check_host
# The functions set it. A guest that crashes or takes too long has a status above 4.
status=0
if [ -n "$base" ]; then
	gate_base "$@"
else
	mkdir -- "$runs" || refuse "--output $runs: cannot be made" 4
	gate_kernels "$@"
	(remove_unused) || warn 'guests of unused kernels were not removed'
fi
[ "$status" -le 4 ] || status=4
finish "$status"
