# SPDX-License-Identifier: LGPL-2.1-only
# Tests a module that is loaded again. With the same symbols, it must get its previous code range.
# With other symbols, it must get a separate range, so that the new symbols do not name call sites
# of the first build. Called by slab-probe.sh, sourced by run-all.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh and slab-probe.sh set tests, work and out
# shellcheck source=tests/kernel/lib.sh

# rebuilt_reload FILE: replaces the loaded module by the build in FILE.
rebuilt_reload() {
	! grep -q '^slab_rebuilt ' /proc/modules || rmmod slab_rebuilt || return
	insmod "$1"
}

# rebuilt_ranges SNAPSHOT: prints start and alive of each range of the module in the last state
# dump.
rebuilt_ranges() {
	babeltrace2 "$1/state" | sed -n 's/.*callsite_statedump_range: .* start = \(0x[0-9A-F]*\), .* alive = \([01]\), name = "slab_rebuilt" }/\1 \2/p' |
		awk '{ alive[$1] = $2 } END { for (code in alive) print code, alive[code] }' | sort
}

# rebuilt_sites SNAPSHOT: prints the number of objects that each call site of the module allocated.
rebuilt_sites() {
	lttng-mm report slab --json "$1" | tr -d '\n' | sed 's/{/\n{/g' |
		sed -n 's/.*"call_site": "\([^"]*slab_rebuilt[^"]*\)".*"call_site_number": \([0-9]*\), *"kind": "kmalloc-128", *"of": "kmalloc", *"allocations": \([0-9]*\),.*/\1 \2 \3/p' |
		sed 's/+0x[0-9a-f]*//' | awk '$NF > 0 { $(NF - 1) = ""; print }' | tr -s ' ' | sort
}

# rebuilt_other FILE: writes another build of the module. It has another build id and another name
# for one function. The names have the same length, so that sizes and offsets do not change.
rebuilt_other() {
	# shellcheck disable=SC2016  # the program is Perl
	perl -e '
		local $/;
		sub content { open(my $file, "<:raw", $_[0]) or die "$_[0]: $!\n"; <$file> }
		my $id = substr(content("/sys/module/slab_rebuilt/notes/.note.gnu.build-id"), -20);
		my $module = content($ARGV[0]);
		my $other = ~$id;
		$module =~ s/\Q$id\E/$other/g or die "no build id\n";
		$module =~ s/slab_rebuilt_first_call/slab_rebuilt_other_call/g or die "no such function\n";
		open(my $out, ">:raw", $ARGV[1]) or die "$ARGV[1]: $!\n";
		print $out $module;
		close($out) or die "$ARGV[1]: $!\n";
	' "$tests/slab-rebuilt.ko" "$1"
}

slab_rebuilt() {
	other=$work/slab-rebuilt-other.ko
	check 'slab: lttng-mm record slab, for a module that is loaded again' 60 lttng-mm record slab
	check 'slab: rebuilt: the first build is loaded' 30 insmod "$tests/slab-rebuilt.ko"
	check_function 'slab: rebuilt: another build is made' rebuilt_other "$other"
	check_function 'slab: rebuilt: the other build replaces it' rebuilt_reload "$other"
	snapshot=$(lttng-mm snapshot --output "$out" --name rebuilt)
	rebuilt_ranges "$snapshot" >"$work/rebuilt.txt"
	slab_is 'rebuilt: each build has a separate range, and one range is alive' '0 1' \
		"$(awk '{ print $2 }' "$work/rebuilt.txt" | xargs)"
	slab_is 'rebuilt: allocations of one build are not named by the symbols of the other' \
		'slab_rebuilt 10 slab_rebuilt_other_call [slab_rebuilt] 10' "$(rebuilt_sites "$snapshot" | xargs)"
	check_function 'slab: rebuilt: the first build is loaded again' rebuilt_reload "$tests/slab-rebuilt.ko"
	snapshot=$(lttng-mm snapshot --output "$out" --name rebuilt-again)
	slab_is 'rebuilt: the first build has the same range as before' "$(awk '{ print $1, 1 - $2 }' "$work/rebuilt.txt" | xargs)" \
		"$(rebuilt_ranges "$snapshot" | xargs)"
	slab_is 'rebuilt: its symbols name all its allocations, and no others' \
		'slab_rebuilt 10 slab_rebuilt_first_call [slab_rebuilt] 20' "$(rebuilt_sites "$snapshot" | xargs)"
	rmmod slab_rebuilt
	check 'slab: rebuilt: lttng-mm stop slab' 60 lttng-mm stop slab
}
