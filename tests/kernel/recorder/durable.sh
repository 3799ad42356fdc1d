# SPDX-License-Identifier: LGPL-2.1-only
# Tests which snapshots survive a power failure, and the limits of the recorder's folder. Shutting
# down the filesystem without its journal simulates the power failure. Sourced by run-all.sh after
# serve.sh and snapshot.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets work

# durable_is NAME EXPECTED ACTUAL
durable_is() {
	is "durable: $1" "$2" "$3"
}

# durable_cut: cuts the power. All unwritten data is lost. The file `unwritten` proves this: its
# name may survive, but not its contents.
durable_cut() {
	echo 'not on the disk' >"$disk/unwritten"
	xfs_io -x -c shutdown "$disk" >"$work/durable.cut" 2>&1 || diag <"$work/durable.cut"
}

# durable_restart DEVICE: mounts the disk again, as after a restart of the machine.
durable_restart() {
	wait_for 60 umount "$disk" && mount "$1" "$disk" && [ ! -s "$disk/unwritten" ] &&
		rm -f "$disk/unwritten"
}

# durable_whole: prints the snapshots on the disk that are incomplete or damaged.
durable_whole() {
	for durable_path in "$disk"/snapshot-20*; do
		[ -d "$durable_path" ] || continue
		lttng-mm info --all --require-complete "$durable_path" >"$work/durable.info" 2>&1 ||
			echo "info $durable_path: $(tail -n 1 "$work/durable.info")"
		lttng-mm verify "$durable_path" 2>&1 | grep -q 'Findings: 0 damaged' ||
			echo "verify $durable_path"
		[ -s "$durable_path/sysinfo/system.json" ] && [ -s "$durable_path/state/metadata" ] ||
			echo "$durable_path lacks files"
	done
}

# durable_after DEVICE HOW: cuts the power after the path of a snapshot was printed. The snapshot
# must survive.
durable_after() {
	# The first snapshot takes longer than the others: do not measure it.
	rm -rf "$(lttng-mm snapshot --output "$disk" 2>"$work/durable.err")"
	durable_began=$(date +%s%N)
	path=$(lttng-mm snapshot --output "$disk" 2>"$work/durable.err")
	durable_took=$((($(date +%s%N) - durable_began) / 1000000))
	durable_cut
	durable_is "$2: a snapshot is taken" 0 "$([ -n "$path" ]; echo $?)"
	check_function "$2: the power fails" durable_restart "$1"
	durable_is "$2: ... after its path was printed" "${path##*/}" \
		"$(find "$disk" -mindepth 1 -maxdepth 1 -name 'snapshot-*' -printf '%f\n')"
	durable_is "$2: ... it is whole" '' "$(durable_whole)"
	rm -rf "$disk"/snapshot-*
	sync "$disk"
}

# durable_during DEVICE HOW: cuts the power at ten different times during a snapshot, in tenths of
# its usual duration. Some cuts come too early for the snapshot to survive, and others after its
# end.
durable_during() {
	printed=0 left=0
	: >"$work/durable.wrong"
	for durable_tenths in 1 3 5 6 7 8 9 10 14 25; do
		lttng-mm snapshot --output "$disk" >"$work/durable.path" 2>/dev/null &
		durable_pid=$!
		sleep "$(awk -v ms=$((durable_took * durable_tenths / 10)) 'BEGIN { print ms / 1000 }')"
		durable_cut
		wait $durable_pid
		durable_restart "$1" || echo 'the power does not fail' >>"$work/durable.wrong"
		durable_whole >>"$work/durable.wrong"
		path=$(cat "$work/durable.path")
		[ -z "$path" ] || [ -d "$path" ] || echo "$path is lost" >>"$work/durable.wrong"
		[ -z "$path" ] || printed=$((printed + 1))
		[ ! -d "$(echo "$disk"/snapshot-20*)" ] || left=$((left + 1))
		rm -rf "$disk"/snapshot-* "$disk"/.lttng-mm-*
		sync "$disk"
	done
	echo "# $2: 10 snapshots that take $durable_took ms: $left exist, and $printed were reported as written"
	durable_is "$2: the power fails during a snapshot: it is whole, or not there" '' "$(cat "$work/durable.wrong")"
	durable_is "$2: ... some are there, and some are not" yes "$([ $left -gt 0 ] && [ $left -lt 10 ] && echo yes)"
}

durable_kib() {
	du -sk "$1" | cut -f1
}

# durable_names: prints the snapshots in the recorder's folder, the oldest first.
durable_names() {
	find "$disk/kept" -mindepth 1 -maxdepth 1 -name 'keep-*' -printf '%f\n' | cut -d- -f1-2 | sort | xargs
}

durable_free() {
	df -k --output=avail "$disk" | tail -n 1
}

# durable_take FIRST LAST: takes snapshots named after these numbers.
durable_take() {
	for i in $(seq "$1" "$2"); do
		lttng-mm snapshot --output "$disk/kept" --name "keep-$i" >/dev/null 2>>"$work/durable.err" ||
			not_ok "durable: snapshot $i"
	done
}

durable_record() {
	check "durable: record $*" 120 lttng-mm record slab --subbuf-size=64k --num-subbuf=4 \
		--output="$disk/kept" "$@"
}

# Tests that the folder keeps as many snapshots as --max-disk permits.
durable_max_disk() {
	mkdir -p "$disk/kept"
	chmod 755 "$disk" "$disk/kept"
	durable_record --max-disk=1G
	durable_take 1 1
	kib=$(durable_kib "$(echo "$disk"/kept/keep-1-*)")
	check 'durable: stop' 60 lttng-mm stop
	durable_record --max-disk=$((kib * 7 / 2))k
	touch "$(echo "$disk"/kept/keep-1-*)/pin"
	mkdir "$disk/kept/keep-foreign"
	durable_take 2 6
	sed 's/^/# /' "$work/durable.err"
	durable_is '--max-disk keeps the newest snapshots, pinned ones and foreign folders' \
		'keep-1 keep-5 keep-6 keep-foreign' "$(durable_names)"
	check 'durable: stop again' 60 lttng-mm stop
}

# Tests that the folder keeps as many snapshots as leave --min-free of the filesystem free.
durable_min_free() {
	durable_record --min-free=20%
	total=$(df -k --output=size "$disk" | tail -n 1)
	# Leaves room for one and a half more snapshots.
	fallocate -l $(($(durable_free) - total / 5 - kib * 3 / 2))K "$disk/filler"
	sync
	durable_take 7 9
	sed 's/^/# /' "$work/durable.err"
	durable_is '--min-free deletes the oldest snapshots, but no pinned ones' yes \
		"$(durable_names | grep -q '^keep-1 .*keep-9 keep-foreign$' && echo yes)"
	durable_is '... and no more than necessary' 4 "$(find "$disk/kept" -name 'keep-[0-9]*' | wc -l)"
	sync
	durable_is '... and leaves the requested space free' yes "$([ "$(durable_free)" -ge $((total / 5)) ] && echo yes)"
	for path in "$disk"/kept/keep-[0-9]*; do
		touch "$path/pin"
	done
	fallocate -l $(($(durable_free) - total / 10))K "$disk/more"
	echo "# $(durable_free) of $total KiB are free"
	before=$(durable_names)
	lttng-mm snapshot --output "$disk/kept" --name refused >"$work/durable.path" 2>"$work/durable.err"
	durable_is '--min-free with pinned snapshots only: one line with the remedy' '4 0 1 1' \
		"$? $(wc -c <"$work/durable.path") $(wc -l <"$work/durable.err") $(grep -c 'min-free' "$work/durable.err")"
	sed 's/^/# /' "$work/durable.err"
	durable_is '... no snapshot is deleted or added' "$before" "$(durable_names)"
	durable_is '... no unfinished snapshot is left' '' "$(find "$disk/kept" -mindepth 1 -maxdepth 1 -name '.*' -o -name 'refused*')"
	durable_is '... recording continues' 1 "$(lttng-mm status --all | grep -c '^lttng-mm-slab: profile slab, recording')"
	check 'durable: stop at the end' 60 lttng-mm stop
}

durable() {
	disk=$work/durable
	rm -rf "$disk"
	mkdir -p "$disk"
	check_function 'durable: the session daemon starts' daemon_start
	check 'durable: the module loads' 60 modprobe lttng-mm-freeze
	mkfs.ext4 -qF -m 0 "$1"
	mount "$1" "$disk"
	check 'durable: record slab' 120 lttng-mm record slab --no-daemon --subbuf-size=64k --num-subbuf=4 || return
	durable_after "$1" 'without the daemon'
	durable_during "$1" 'without the daemon'
	check_function 'durable: the recorder daemon starts' serve_start
	durable_after "$1" 'with the daemon'
	durable_during "$1" 'with the daemon'
	check 'durable: stop slab' 60 lttng-mm stop
	durable_max_disk
	durable_min_free
	kill -TERM "$(serve_pid)"
	wait_for 30 serve_gone
	check_function 'durable: the session daemon ends' daemon_stop
	wait_for 30 umount "$disk"
	check 'durable: the module can be removed' 10 rmmod lttng-mm-freeze
}
