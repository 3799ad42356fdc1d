# SPDX-License-Identifier: LGPL-2.1-only
# A module that is loaded again: with the same symbols it has the same code range, and with other
# symbols a separate range, so that these do not name anything of the first. Called by
# slab-probe.sh, sourced by run-all.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh and slab-probe.sh set tests, work and out
# shellcheck source=tests/kernel/lib.sh

# twins_reload FILE: replaces the loaded module by that form.
twins_reload() {
	! grep -q '^slab_twin ' /proc/modules || rmmod slab_twin || return
	insmod "$1"
}

# twins_ranges SNAPSHOT: start and alive of each range of the module in the last state dump.
twins_ranges() {
	babeltrace2 "$1/state" | sed -n 's/.*callsite_statedump_range: .* start = \(0x[0-9A-F]*\), .* alive = \([01]\), name = "slab_twin" }/\1 \2/p' |
		awk '{ alive[$1] = $2 } END { for (code in alive) print code, alive[code] }' | sort
}

# twins_sites SNAPSHOT: the number of objects that each call site of the module allocated.
twins_sites() {
	lttng-mm report slab --json "$1" | tr -d '\n' | sed 's/{/\n{/g' |
		sed -n 's/.*"call_site": "\([^"]*slab_twin[^"]*\)".*"call_site_number": \([0-9]*\), *"kind": "kmalloc-128", *"allocations": \([0-9]*\),.*/\1 \2 \3/p' |
		sed 's/+0x[0-9a-f]*//' | awk '$NF > 0 { $(NF - 1) = ""; print }' | tr -s ' ' | sort
}

# twins_other FILE: the other form of the loaded module: another build id, and another name of one
# function, of the same length, so that sizes and offsets do not change.
twins_other() {
	# shellcheck disable=SC2016  # the program is Perl
	perl -e '
		local $/;
		sub content { open(my $file, "<:raw", $_[0]) or die "$_[0]: $!\n"; <$file> }
		my $id = substr(content("/sys/module/slab_twin/notes/.note.gnu.build-id"), -20);
		my $module = content($ARGV[0]);
		my $other = ~$id;
		$module =~ s/\Q$id\E/$other/g or die "no build id\n";
		$module =~ s/slab_twin_first_act/slab_twin_other_act/g or die "no such function\n";
		open(my $out, ">:raw", $ARGV[1]) or die "$ARGV[1]: $!\n";
		print $out $module;
		close($out) or die "$ARGV[1]: $!\n";
	' "$tests/slab-twin.ko" "$1"
}

slab_twins() {
	other=$work/slab-twin-other.ko
	check 'slab: lttng-mm record slab, for a module that is loaded again' 60 lttng-mm record slab
	check 'slab: twins: one form is loaded' 30 insmod "$tests/slab-twin.ko"
	check_function 'slab: twins: another form is made' twins_other "$other"
	check_function 'slab: twins: another form takes its place' twins_reload "$other"
	snapshot=$(lttng-mm snapshot --output "$out" --name twins)
	twins_ranges "$snapshot" >"$work/twins.txt"
	slab_is 'twins: each has a separate range, and one is alive' '0 1' \
		"$(awk '{ print $2 }' "$work/twins.txt" | xargs)"
	slab_is 'twins: allocations of one are not named by the symbols of the other' \
		'slab_twin 10 slab_twin_other_act [slab_twin] 10' "$(twins_sites "$snapshot" | xargs)"
	check_function 'slab: twins: the first form comes back' twins_reload "$tests/slab-twin.ko"
	snapshot=$(lttng-mm snapshot --output "$out" --name twins-again)
	slab_is 'twins: it has the same range as before' "$(awk '{ print $1, 1 - $2 }' "$work/twins.txt" | xargs)" \
		"$(twins_ranges "$snapshot" | xargs)"
	slab_is 'twins: its symbols name all that it allocated, and nothing else' \
		'slab_twin 10 slab_twin_first_act [slab_twin] 20' "$(twins_sites "$snapshot" | xargs)"
	rmmod slab_twin
	check 'slab: lttng-mm stop slab, of twins' 60 lttng-mm stop slab
}
