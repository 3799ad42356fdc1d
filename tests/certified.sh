# SPDX-License-Identifier: LGPL-2.1-only
# Makes traces with a certificate of coverage from scripts. Requires what tests/lib.sh sets.
# Sourced.
# shellcheck shell=sh disable=SC2154 # lib.sh sets mm, top and tests

origin=1700000000000000000

# busy: prints a script of two CPUs with three adjacent packets each, numbered from 7 on CPU 1.
busy() {
	cat <<'END'
cpu 0
begin 1000
1100 slab_kmalloc tid=1 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
end 2000
packet
begin 2000
2100 slab_kmalloc tid=1 call_site=0x110 ptr=0x2000 bytes_req=60 size_class=6
end 3000
packet
begin 3000
3100 slab_kmalloc tid=1 call_site=0x110 ptr=0x3000 bytes_req=60 size_class=6
end 4000
cpu 1
packet seq=7
begin 1200
1300 slab_kfree tid=1 call_site=0x210 ptr=0x1000
end 2200
packet
begin 2200
2300 slab_kfree tid=1 call_site=0x210 ptr=0x2000
end 3200
packet
begin 3200
3300 slab_kfree tid=1 call_site=0x210 ptr=0x3000
end 4000
END
}

# trace: makes the trace t of the script on standard input, and t/sysinfo/traces.json.
trace() {
	rm -rf t
	mkdir -p t/sysinfo
	make_slab --no-state - t/kernel
	[ ! -e state.trace ] || make_slab --state state.trace t/state
	"$tests/test-sysinfo-traces" t >t/sysinfo/traces.json || exit 2
}
# certified [REQUESTED [FACTS]]: makes the trace of the script on standard input, with the
# certificate of a snapshot that was requested REQUESTED ns after the origin.
certified() {
	trace
	if [ $# -gt 1 ]; then
		echo "$2" | sed "s/'/\"/g" >facts.json
		"$tests/test-certify" t "$((origin + $1))" facts.json >t/snapshot.json || exit 2
	else
		"$tests/test-certify" t "$((origin + ${1-3900}))" >t/snapshot.json || exit 2
	fi
}
# field PATH: prints a value of the only certificate in `info --json`.
field() {
	"$mm" info --json t | jq -r ".tables.snapshots[0].$1"
}
