# SPDX-License-Identifier: LGPL-2.1-only
# Compares recorded reads and writes of files with the list that the recorded program itself prints.
# Sourced by run-all.sh after pageref-command.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets tests and work, pageref.sh the others
# shellcheck source=tests/kernel/lib.sh

# file_io_recorded TRACE FOLDER: prints the events about files in FOLDER in the form of the
# program's lines. The first process is the program, every other one a child.
file_io_recorded() {
	babeltrace2 "$1" 2>/dev/null | awk -v folder="$2/" '
		function value(name, t) {
			t = $0
			if (!sub(".*[{ ]" name " = ", "", t)) return ""
			if (sub(/^"/, "", t)) sub(/".*/, "", t)
			else sub(/[,} ].*/, "", t)
			return t
		}
		function file() {
			return value("dev_major") ":" value("dev_minor") ":" value("ino")
		}
		/ pageref_file: / { paths[file()] = value("path") }
		/ pageref_file_io: / {
			path = paths[file()]
			if (index(path, folder) != 1) next
			if (mm == "") mm = value("mm")
			print substr(path, length(folder) + 1), value("write"), value("offset"),
				value("length"), value("result"), value("mm") != mm
		}'
}

# file_io_others FOLDER: reads and writes a file in FOLDER until it is killed.
file_io_others() {
	while :; do
		echo text >>"$1/others"
		cat "$1/others" >/dev/null
	done
}

# file_io_filesystem NAME FOLDER: records the program with files in FOLDER.
file_io_filesystem() {
	file_io_others "$2" &
	file_io_pid=$!
	pageref_record "$1" --file-io -- "$tests/file-io" "$2"
	sed 's/^/# /' "$out/$1.err"
	kill "$file_io_pid"
	wait "$file_io_pid" 2>/dev/null
	cp "$out/$1.out" "$out/$1.expected"
	file_io_recorded "$out/$1" "$2" >"$out/$1.recorded"
	pageref_is "file I/O on $1: the program ends well" '0 yes' \
		"$status $([ -s "$2/others" ] && echo yes)"
	pageref_is "... exactly its reads and writes are recorded" '' \
		"$(diff "$out/$1.expected" "$out/$1.recorded" | head -n 20)"
}

# file_io_disk NAME DEVICE COMMAND...: makes a filesystem with COMMAND, which gets the device.
file_io_disk() {
	file_io_name=$1 file_io_device=$2
	shift 2
	mkdir -p "$out/mnt-$file_io_name"
	check "file I/O: a filesystem of type $file_io_name" 60 "$@" "$file_io_device" || return
	check "file I/O: $file_io_name: mount" 60 \
		mount -t "$file_io_name" "$file_io_device" "$out/mnt-$file_io_name" || return
	file_io_filesystem "$file_io_name" "$out/mnt-$file_io_name"
	check "file I/O: $file_io_name: umount" 60 umount "$out/mnt-$file_io_name"
}

# pageref_file_io DEVICE: overwrites DEVICE.
pageref_file_io() {
	out=$work/pageref-file-io
	rm -rf "$out"
	mkdir -p "$out/mnt-tmpfs"
	check_function 'pageref: no session daemon runs' daemon_stop
	check 'file I/O: tmpfs: mount' 60 mount -t tmpfs tmpfs "$out/mnt-tmpfs"
	file_io_filesystem tmpfs "$out/mnt-tmpfs"
	file_io_disk ext4 "$1" mkfs.ext4 -q -F
	file_io_disk xfs "$1" mkfs.xfs -q -f
	# btrfs is a module that is loaded after the probe.
	if command -v mkfs.btrfs >/dev/null; then
		file_io_disk btrfs "$1" mkfs.btrfs -q -f
	fi
	exec 7<>"$pageref_device"
	pageref_is 'file I/O: the end of every call was hooked' 0 "$(pageref_counter missed_io)"
	exec 7>&-
	pageref_record without -- "$tests/file-io" "$out/mnt-tmpfs"
	pageref_is 'without --file-io, no read or write is recorded' '0 0' \
		"$status $(babeltrace2 "$out/without" 2>/dev/null | grep -c pageref_file)"
	check 'file I/O: tmpfs: umount' 60 umount "$out/mnt-tmpfs"
	check_function 'pageref: the session daemon ends' daemon_stop
	check 'pageref: the probe can be removed' 60 rmmod lttng-probe-pageref
}
