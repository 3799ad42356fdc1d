#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Runs the kernel tests in one guest: vm/run.sh --cpus 2 --pmem 1G -- sh run-all.sh [PART...]
#
# Default parts, which `all` selects too: boot traces session plan freeze dax-ext4 dax-xfs live
# reload record fn pageref page-ref-module page-ref-command page-ref-file-io page-ref-recorder slab
# truth.
#
# Parts that take minutes: certify channels durable excluded faults fn-record fn-scale fn-why gate
# gate-found on-call page-ref-effects page-ref-overhead page-ref-pressure page-ref-tracers
# page-ref-unseen repair restart serve snapshot soak starve status stress trigger trigger-add
# trigger-chain watch.
#
# Parts that need options of vm/run.sh: gate-icount (--icount), nodes and page-ref-nodes
# (--nodes 2), service (--systemd), poweroff (--systemd --disk), poweroff-after (--disk). boot must
# be first and needs --append 'lttng_mm.enable=1 lttng_mm.profile=slab lttng_mm.subbufs=4'.
set -u
tests=$(cd -- "$(dirname -- "$0")" && pwd)
work=${TMPDIR:-/tmp}/lttng-mm-tests
# shellcheck source=tests/kernel/lib.sh
. "$tests/lib.sh"
# shellcheck source=tests/kernel/boot.sh
. "$tests/boot.sh"
# shellcheck source=tests/kernel/recorder/certify.sh
. "$tests/certify.sh"
# shellcheck source=tests/kernel/recorder/channels.sh
. "$tests/channels.sh"
# shellcheck source=tests/kernel/dax/dax-faults.sh
. "$tests/dax-faults.sh"
# shellcheck source=tests/kernel/dax/dax-wide.sh
. "$tests/dax-wide.sh"
# shellcheck source=tests/kernel/fn/fn.sh
. "$tests/fn.sh"
# shellcheck source=tests/kernel/fn/fn-filters.sh
. "$tests/fn-filters.sh"
# shellcheck source=tests/kernel/fn/fn-many.sh
. "$tests/fn-many.sh"
# shellcheck source=tests/kernel/fn/fn-record.sh
. "$tests/fn-record.sh"
# shellcheck source=tests/kernel/fn/fn-scale.sh
. "$tests/fn-scale.sh"
# shellcheck source=tests/kernel/fn/fn-why.sh
. "$tests/fn-why.sh"
# shellcheck source=tests/kernel/recorder/freeze.sh
. "$tests/freeze.sh"
# shellcheck source=tests/kernel/regress/gate.sh
. "$tests/gate.sh"
# shellcheck source=tests/kernel/regress/gate-found.sh
. "$tests/gate-found.sh"
# shellcheck source=tests/kernel/dax/live.sh
. "$tests/live.sh"
# shellcheck source=tests/kernel/on-call.sh
. "$tests/on-call.sh"
# shellcheck source=tests/kernel/pageref/pageref.sh
. "$tests/pageref.sh"
# shellcheck source=tests/kernel/pageref/pageref-command.sh
. "$tests/pageref-command.sh"
# shellcheck source=tests/kernel/pageref/pageref-file-io.sh
. "$tests/pageref-file-io.sh"
# shellcheck source=tests/kernel/pageref/pageref-recorder.sh
. "$tests/pageref-recorder.sh"
# shellcheck source=tests/kernel/pageref/pageref-effects.sh
. "$tests/pageref-effects.sh"
# shellcheck source=tests/kernel/pageref/pageref-nodes.sh
. "$tests/pageref-nodes.sh"
# shellcheck source=tests/kernel/pageref/pageref-overhead.sh
. "$tests/pageref-overhead.sh"
# shellcheck source=tests/kernel/pageref/pageref-pressure.sh
. "$tests/pageref-pressure.sh"
# shellcheck source=tests/kernel/pageref/pageref-tracers.sh
. "$tests/pageref-tracers.sh"
# shellcheck source=tests/kernel/pageref/pageref-module.sh
. "$tests/pageref-module.sh"
# shellcheck source=tests/kernel/recorder/plan.sh
. "$tests/plan.sh"
# shellcheck source=tests/kernel/recorder/record.sh
. "$tests/record.sh"
# shellcheck source=tests/kernel/dax/reload.sh
. "$tests/reload.sh"
# shellcheck source=tests/kernel/recorder/restart.sh
. "$tests/restart.sh"
# shellcheck source=tests/kernel/recorder/excluded.sh
. "$tests/excluded.sh"
# shellcheck source=tests/kernel/recorder/serve.sh
. "$tests/serve.sh"
# shellcheck source=tests/kernel/recorder/repair.sh
. "$tests/repair.sh"
# shellcheck source=tests/kernel/recorder/durable.sh
. "$tests/durable.sh"
# shellcheck source=tests/kernel/recorder/faults.sh
. "$tests/faults.sh"
# shellcheck source=tests/kernel/recorder/service.sh
. "$tests/service.sh"
# shellcheck source=tests/kernel/recorder/starve.sh
. "$tests/starve.sh"
# shellcheck source=tests/kernel/recorder/poweroff.sh
. "$tests/poweroff.sh"
# shellcheck source=tests/kernel/recorder/session.sh
. "$tests/session.sh"
# shellcheck source=tests/kernel/slab/slab-captures.sh
. "$tests/slab-captures.sh"
# shellcheck source=tests/kernel/slab/slab-odd.sh
. "$tests/slab-odd.sh"
# shellcheck source=tests/kernel/slab/slab-probe.sh
. "$tests/slab-probe.sh"
# shellcheck source=tests/kernel/slab/slab-truth.sh
. "$tests/slab-truth.sh"
# shellcheck source=tests/kernel/slab/slab-rebuilt.sh
. "$tests/slab-rebuilt.sh"
# shellcheck source=tests/kernel/recorder/snapshot.sh
. "$tests/snapshot.sh"
# shellcheck source=tests/kernel/recorder/status.sh
. "$tests/status.sh"
# shellcheck source=tests/kernel/dax/stress.sh
. "$tests/stress.sh"
# shellcheck source=tests/kernel/traces.sh
. "$tests/traces.sh"
# shellcheck source=tests/kernel/triggers/trigger.sh
. "$tests/trigger.sh"
# shellcheck source=tests/kernel/triggers/trigger-add.sh
. "$tests/trigger-add.sh"
# shellcheck source=tests/kernel/triggers/trigger-chain.sh
. "$tests/trigger-chain.sh"
# shellcheck source=tests/kernel/triggers/watch.sh
. "$tests/watch.sh"

mkdir -p "$work"
device=${DEVICE:-/dev/pmem0}
# `traces` must precede the parts that leave the slab probe loaded. On 6.1, in a QEMU with a thread
# for each vCPU, a session with every kernel event once made no progress after slab and truth.
pageref_parts='pageref page-ref-module page-ref-command page-ref-file-io page-ref-recorder'
all="boot traces session plan freeze dax-ext4 dax-xfs live reload record fn $pageref_parts slab truth"
[ $# -gt 0 ] || set -- all
if [ "$1" = all ]; then
	shift
	# shellcheck disable=SC2086 # words
	set -- $all "$@"
fi

if [ ! -b "$device" ]; then
	not_ok "an fsdax device at $device"
	tap_end
fi
echo "# $(uname -sr), $(nproc) CPUs"
for part; do
	began=$(date +%s)
	case $part in
	boot) boot ;;
	certify) certify ;;
	channels) channels ;;
	service) service "$device" ;;
	session) session "$device" ;;
	dax-ext4) dax_faults ext4 "$device" ;;
	dax-xfs) dax_faults xfs "$device" ;;
	excluded) excluded ;;
	durable) durable "$device" ;;
	faults) faults "$device" ;;
	fn) fn ;;
	fn-record) fn_record ;;
	fn-why) fn_why_part ;;
	fn-scale) fn_scale ;;
	freeze) freeze ;;
	gate) gate ;;
	gate-found) gate_found "$device" ;;
	gate-icount) gate_icount ;;
	live) live "$device" ;;
	nodes)
		check 'nodes: there are two' 10 grep -qx 0-1 /sys/devices/system/node/online
		slab_truth
		;;
	on-call) on_call "$device" ;;
	pageref) pageref ;;
	page-ref-command) pageref_command ;;
	page-ref-file-io) pageref_file_io "$device" ;;
	page-ref-recorder) pageref_recorder ;;
	page-ref-effects) pageref_effects ;;
	page-ref-nodes) pageref_nodes ;;
	page-ref-overhead) pageref_overhead ;;
	page-ref-pressure) pageref_pressure ;;
	page-ref-tracers) pageref_tracers ;;
	page-ref-unseen) pageref_usual ;;
	page-ref-module) pageref_module "$device" ;;
	plan) plan "$device" ;;
	poweroff) poweroff ;;
	poweroff-after) poweroff_after ;;
	record) record ;;
	reload) reload ext4 "$device" ;;
	repair) repair ;;
	restart) restart ;;
	serve) serve "$device" ;;
	slab) slab_probe ;;
	snapshot) snapshot ;;
	soak) soak ;;
	starve) starve ;;
	status) status "$device" ;;
	stress) stress ext4 "$device" ;;
	truth) slab_truth ;;
	traces) traces ;;
	trigger) trigger "$device" ;;
	trigger-add) trigger_add ;;
	trigger-chain) trigger_chain "$device" ;;
	watch) watch "$device" ;;
	*) not_ok "no such part: $part" ;;
	esac
	echo "# $part took $(($(date +%s) - began)) s"
done
check_dmesg 'the kernel log has no complaints'

# Keep the results of the tests for analysis on the host.
if [ -d /out ]; then
	cp -R "$work"/dax-* "$work"/pageref* "$work"/record "$work"/slab "$work"/slab-truth "$work"/traces /out/ 2>/dev/null || :
fi
tap_end
