# SPDX-License-Identifier: LGPL-2.1-only
# Sessions start and end while events of both probes fire, a CPU goes offline and online, and a
# module is loaded and unloaded. Each snapshot must be readable, and the probes must unload at the
# end. Sourced by run-all.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets tests and work
# shellcheck source=tests/kernel/lib.sh

stress_rounds=2
stress_cpu=/sys/devices/system/cpu/cpu1/online

# Runs until the file "stop" exists.
stress_cpus() {
	while [ ! -e "$out/stop" ]; do
		if echo 0 >$stress_cpu; then echo offline; fi
		sleep 0.3
		echo 1 >$stress_cpu
		sleep 0.4
	done
}
stress_modules() {
	while [ ! -e "$out/stop" ]; do
		insmod "$tests/slab-workload.ko" rounds=2 && rmmod slab-workload && echo loaded
	done
}

# stress_session NAME [ENABLE-EVENT-OPTION...]
stress_session() {
	name=$1
	shift
	format=
	if lttng_has_formats; then
		format=--trace-format=ctf-1.8
	fi
	# shellcheck disable=SC2086
	lttng create "$name" --snapshot --output="$out/unused-$name" $format &&
		for provider in slab page dax callsite; do
			lttng enable-channel -k -s "$name" --overwrite --subbuf-size=64k --num-subbuf=4 $provider &&
				lttng enable-event -k -s "$name" -c $provider "${provider}_*" "$@" || return
		done
}

# stress_snapshot NAME: takes a snapshot, which must have events and be readable.
stress_snapshot() {
	rm -rf "${out:?}/$1"
	lttng snapshot record -s "$1" "file://$out/$1" || return
	babeltrace2 "$out/$1" >"$out/$1.txt" 2>"$out/$1.err" || { cat "$out/$1.err"; return 1; }
	[ "$(wc -l <"$out/$1.txt")" -gt 100 ] || { echo "$1 has only $(wc -l <"$out/$1.txt") events"; return 1; }
	lttng-mm verify "$out/$1" >"$out/$1.verify" 2>&1
	# Losses are allowed; damage is not.
	case $? in
	0 | 3) return 0 ;;
	esac
	# LTTng 2.16 sometimes copies a packet twice while the CPU of its buffer goes offline.
	sed '/^damaged: .*_1: packet [0-9]*, byte [0-9]*: packet_seq_num goes from \([0-9]*\) to \1;/d' \
		"$out/$1.verify" >"$out/$1.others"
	if grep -q '^damaged: ' "$out/$1.verify" && ! grep -q '^damaged: ' "$out/$1.others"; then
		sed -n 's/^damaged: /# &/p' "$out/$1.verify"
		return 0
	fi
	cat "$out/$1.verify"
	return 1
}

stress_round() {
	stress_session fast &&
		stress_session general --filter 'tid >= 0' &&
		lttng add-context -k -s general -c slab -t procname &&
		lttng start fast && lttng start general || return
	sleep 1
	lttng regenerate statedump -s fast && stress_snapshot fast || return
	lttng stop fast && sleep 0.2 && lttng start fast || return
	lttng destroy general && sleep 0.5 && stress_snapshot fast || return
	lttng destroy fast
}

# stress FSTYPE DEVICE
stress() {
	out=$work/stress
	rm -rf "$out"
	mkdir -p "$out"
	mountpoint=$work/mnt-stress
	check_function 'stress: mkfs and mount' pmem_mkfs "$1" "$2" || return
	check_function 'stress: mount -o dax' pmem_mount "$2" "$mountpoint" || return
	check_function 'stress: the session daemon starts' daemon_start
	check 'stress: both probes load' 60 modprobe -a lttng-probe-dax lttng-probe-slab
	stress_cpus >"$out/cpus.txt" 2>&1 &
	cpus=$!
	stress_modules >"$out/modules.txt" 2>&1 &
	modules=$!
	"$tests/dax-workload" --quiet --loop --pause 5 \
		--only pmd-read,pmd-hole-read,pmd-sync,pte-hole,writeback,mapping-misaligned \
		"$mountpoint" >"$out/workload.txt" 2>&1 &
	workload=$!
	n=0
	while [ $n -lt $stress_rounds ]; do
		check_function "stress: round $n: each snapshot can be read" stress_round || break
		n=$((n + 1))
	done
	check 'stress: both probes have recorded' 20 sh -c \
		"grep -q ' slab_kmalloc: ' $out/fast.txt && grep -q ' dax_p[mt][de]_fault: ' $out/fast.txt"
	touch "$out/stop"
	kill "$workload"
	wait "$workload" "$cpus" "$modules" 2>/dev/null
	check 'stress: the CPU was offline' 10 grep -q offline "$out/cpus.txt"
	check 'stress: the module was loaded' 10 grep -q loaded "$out/modules.txt"
	echo "# $(grep -c offline "$out/cpus.txt") times offline, $(grep -c loaded "$out/modules.txt") times loaded"
	lttng destroy --all >/dev/null 2>&1
	check_function 'stress: the session daemon ends' daemon_stop
	for module in lttng_probe_slab lttng_probe_dax; do
		! grep -q "^$module " /proc/modules || check "stress: $module unloads" 60 rmmod "$module"
	done
	check 'stress: umount' 30 umount "$mountpoint"
}
