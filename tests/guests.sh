#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Runs guest parts that take minutes: `guests.sh recorder`, `guests.sh functions`, `guests.sh
# pageref`. The last line is: N guests passed, N failed.
#
# SUITES names the kernels, and GUESTS the sets of parts (see below). Each set runs in its own
# guest. JOBS is the number of concurrent guests. Their output is in build/check-recorder/,
# build/check-functions/ or build/check-pageref/.
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$top"
# shellcheck source=tests/rounds.sh
. "$top/tests/rounds.sh"
suites=${SUITES-bookworm trixie forky}
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}

usage() {
	echo "tests/guests.sh: $1" >&2
	exit 2
}

# parts_of GUEST: prints the parts of tests/kernel/run-all.sh that the guest runs.
case ${1-} in
recorder)
	known='requests faults triggers certificates gate icount service boot poweroff'
	timeout=3000
	parts_of() {
		case $1 in
		requests) echo serve channels status snapshot on-call ;;
		faults) echo repair restart faults durable stress starve ;;
		triggers) echo trigger trigger-add trigger-chain watch ;;
		certificates) echo certify excluded fn-record ;;
		gate) echo gate gate-found ;;
		icount) echo gate-icount ;;
		# service is last, because it ends with uninstalling the program.
		service) echo starve service ;;
		boot) echo service ;;
		poweroff) echo poweroff ;;
		*) return 1 ;;
		esac
	}
	;;
functions)
	known='calls scale'
	timeout=7200
	parts_of() {
		case $1 in
		calls) echo fn fn-why fn-record ;;
		scale) echo fn-scale ;;
		*) return 1 ;;
		esac
	}
	;;
pageref)
	known='truth recorder overhead tracers pressure unseen nodes'
	timeout=1800
	parts_of() {
		case $1 in
		truth) echo pageref page-ref-effects ;;
		recorder) echo page-ref-recorder ;;
		overhead | tracers | pressure | unseen) echo "page-ref-$1" ;;
		nodes) echo page-ref-nodes page-ref-effects page-ref-pressure ;;
		*) return 1 ;;
		esac
	}
	;;
*) usage "'${1-}' is not known; known: recorder functions pageref" ;;
esac
guests=${GUESTS:-$known}
round_out=$top/build/check-$1
round_timeout=${LTTNG_MM_GUEST_TIMEOUT:-0}
[ "$round_timeout" -ge "$timeout" ] || round_timeout=$timeout

[ -n "$suites" ] || usage 'SUITES names no kernel; known: bookworm trixie forky'
for guest in $guests; do
	parts_of "$guest" >/dev/null || usage "GUESTS=$guest: not known; known: $known"
done
for suite in $suites; do
	vm/build.sh "$suite"
done
rm -rf "$round_out"
mkdir -p "$round_out"

# poweroff SUITE: powers off a guest that records, and checks its disk in a second guest.
poweroff() {
	truncate -s 256M "$round_out/$1-poweroff.disk"
	round "$1-poweroff" "$1" --pmem 64M --systemd --disk "$round_out/$1-poweroff.disk" -- poweroff
	round "$1-poweroff-after" "$1" --pmem 64M --disk "$round_out/$1-poweroff.disk" -- poweroff-after
	rm "$round_out/$1-poweroff.disk"
}

background=
# shellcheck disable=SC2086 # process numbers
trap '[ -z "$background" ] || kill $background 2>/dev/null || :; wait' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
running=0
for suite in $suites; do
	for guest in $guests; do
		options=
		case $guest in
		service) options=--systemd ;;
		nodes) options='--nodes 2' ;;
		icount) options=--icount ;;
		boot) options='--systemd --append lttng_mm.enable=1 --append lttng_mm.profile=slab --append lttng_mm.subbufs=4' ;;
		esac
		if [ "$guest" = poweroff ]; then
			poweroff "$suite" &
		else
			# shellcheck disable=SC2046,SC2086 # words
			round "$suite-$guest" "$suite" --pmem 1G $options -- $(parts_of "$guest") &
		fi
		background="$background $!" running=$((running + 1))
		if [ $((running % jobs)) = 0 ]; then
			wait
			background=
		fi
	done
done
wait
background=
round_sums guests
