#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests that event names agree everywhere. The headers of instrumentation/events/ declare the
# events, and the program's list is generated from these headers. Profiles, documents, sources and
# tests write event names by hand: a header must declare each of these, and doc/events.md and the
# profiles must contain all events that a header declares.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

script=$top/instrumentation/event-names.sh
"$script" >names || exit 2
providers=$(sed 's/_.*//' names | sort -u | xargs)

# Guests captured the metadata, so these names are the ones that the modules gave to LTTng.
sed -n 's/^[[:blank:]]*name = "\([a-z0-9_]*\)";$/\1/p' "$top"/tests/metadata/*.tsdl |
	grep -E "^($(echo "$providers" | tr ' ' '|'))_" | sort -u >captured
same 'the headers declare exactly the events that guests captured' captured names

"$mm" record "--events=$(paste -sd , names)" --dry-run >dry 2>err
is 'the program knows all events' '0 ' "$? $(cat err)"
is '... and enables them' '' \
	"$(sed -n "s/.*enable-event.*'\(.*\)'\$/\1/p" dry | sort -u | comm -13 - names | xargs)"

# The patterns of the profiles. The only special character of a pattern is *.
sed -n 's/^\(record\|state\) = //p' "$top"/profiles/*.conf | tr -d ' ' | tr , '\n' |
	sed 's/[*]/.*/g; s/.*/^&$/' >patterns
is 'each event is in a profile' '' "$(grep -v -f patterns names | xargs)"

# Finds the events in doc/events.md. These are words in backquotes, and wide variants, which are the
# rows with a width in the column `wide variant`.
{
	# shellcheck disable=SC2016 # of Markdown
	grep -o '`[a-z0-9_]*`' "$top/doc/events.md" | tr -d '`'
	awk -F ' *[|] *' '/^[|] event / { has_wide = $(NF - 1) == "wide variant" }
		has_wide && /^[|]/ && $(NF - 1) ~ /^[0-9]+$/ { gsub(/`/, "", $2); print $2 "_wide" }' "$top/doc/events.md"
} | sort -u >described
is 'doc/events.md describes each event' '' "$(comm -13 described names | xargs)"
for provider in $providers; do
	file=$(cd "$top" && grep -l "($provider, ${provider}_" instrumentation/events/*.h)
	# shellcheck disable=SC2016 # of Markdown
	is "doc/events.md has the header of provider $provider and its number of events" \
		"$(grep -c "^${provider}_" names) $file" \
		"$(sed -n 's/^| `'"$provider"'` |.*| \([0-9]*\) | `\(.*\)` |$/\1 \2/p' "$top/doc/events.md")"
done

# Words that look like event names but are none. The first column is the word.
cat >others <<'END'
dax_pmd a huge-page fault in the report of `why`
dax_pte a 4 KiB fault there
page_mkwrite an operation of file systems
page_owner a parameter of the kernel
page_poison the same
page_ref a member of the status
page_reporting a parameter of the kernel
page_size a field
process_vm_readv a system call
process_vm_writev the same
slab_results a struct
slab_truth a test of guests
slab_workload a module of these tests
page_mkwrite a function of filesystems
pageref_at_end a function of a benchmark
pageref_tick a function of a benchmark
process_vm_writev a system call
dax_pmd_falt misspelt, in tests of messages
dax_pmd_falut misspelt
dax_pmd_fallbock misspelt
slab_kfre misspelt
dax_vfs_open_call invented, in tests that need any name
page_x invented
page_xo invented
slab_2 invented
slab_free invented
slab_kprobe invented
slab_x invented
END
# Metrics and columns of reports may look like event names.
# shellcheck disable=SC2016 # of Markdown
"$mm" metrics | sed -n 's/^| `\([a-z_.]*\)` |.*/\1/p' | sed 's/.*[.]//' >metrics

# scan FORM FILE...: prints the event names in files, as FILE:LINE:NAME. For a pattern, NAME is the
# part before its first special character, followed by *. FORM says where a file has event names:
#   all       everywhere
#   strings   in string literals of C
#   commands  in arguments of LTTng and of the program, and in scripts of events (make-trace)
scan() {
	scan_form=$1
	shift
	awk -v "form=$scan_form" -v "providers=$providers" '
	# Returns the text of all string literals.
	function literals(text,   all) {
		while (match(text, /"([^"\\]|\\.)*"/)) {
			all = all " " substr(text, RSTART + 1, RLENGTH - 2)
			text = substr(text, RSTART + RLENGTH)
		}
		gsub(/\\./, " ", all)
		return all
	}
	# Returns the arguments that are event names.
	function arguments(text) {
		if (match(text, /enable-event /))
			return substr(text, RSTART + RLENGTH)
		if (!match(text, /--(events|on)[ =]/))
			return text ~ /^(declare|[0-9]+) [a-z]/ ? text : ""
		text = substr(text, RSTART + RLENGTH)
		if (text ~ /^\047/)
			match(text, /^\047[^\047]*/)
		else
			match(text, /^[^ ]*/)
		return substr(text, 1, RLENGTH)
	}
	BEGIN {
		gsub(/ /, "|", providers)
		name = "(" providers ")_[a-z0-9_]*[*[{?%]?"
	}
	{
		text = $0
		gsub(/\\f[A-Z]/, " ", text)
		if (form == "strings")
			text = literals(text)
		else if (form == "commands")
			text = arguments(text)
		while (match(text, name)) {
			before = RSTART > 1 ? substr(text, RSTART - 1, 1) : ""
			found = substr(text, RSTART, RLENGTH)
			text = substr(text, RSTART + RLENGTH)
			if (before ~ /[A-Za-z0-9_$-]/)
				continue
			sub(/[^a-z0-9_]$/, "*", found)
			sub(/_$/, "_*", found)
			print FILENAME ":" FNR ":" found
		}
	}' "$@"
}
# shellcheck disable=SC2046 # paths without blanks
(
	cd "$top" || exit
	scan all README.md CONTRIBUTING.md $(find doc profiles -type f) $(find tests -name '*.awk')
	scan strings $(find . -name '*.[ch]' ! -path './build/*' ! -path './instrumentation/*' ! -path './probes/*' |
		sed 's|^[.]/||')
	scan commands $(find tests bench vm -name '*.sh') $(find tests -name '*.trace')
) >written
for kind in doc/events.md profiles/dax.conf analysis/dax/ tests/unit/ tests/kernel/ tests/analysis/cases/; do
	is "event names are found in $kind" yes "$(grep -q "^$kind" written && echo yes)"
done
nothing 'each event name in a file is a declared event' "$(awk '
	FILENAME == "names" { is_event[$1] = 1; all = all " " $1 " "; next }
	FILENAME != "written" { is_other[$1] = 1; next }
	{
		name = $0
		sub(/.*:/, "", name)
		is_pattern = sub(/[*]$/, "", name)
		if (is_pattern ? !index(all, " " name) && !(name in is_other) : !(name in is_event) && !(name in is_other))
			print $0 ": no header in instrumentation/events/ declares this event; if the word is no event, add it to the list \"others\" in tests/session/events.sh"
	}' names others metrics written)"
is 'each word of the list of others is in a file' '' \
	"$(sed 's/ .*//' others | while read -r word; do grep -q ":${word}[*]*\$" written || echo "$word"; done | xargs)"

# Tests that the generator refuses a list that it does not understand. broken NAME SCRIPT MESSAGE:
# checks that the headers are refused after a sed script has changed one of them.
broken() {
	rm -rf headers
	cp -R "$top/instrumentation/events" headers
	sed -i "$2" headers/process.h
	"$script" headers >out 2>err
	is "$1" '1 0 1' "$? $(wc -c <out) $(grep -c "^headers/$3" err)"
}
broken 'an event outside of a list' 's/statedump_events(S)/statedump_list(S)/' 'process.h:[0-9]*: an event outside of a list'
broken 'a header without events' '/S(process/d' 'process.h: no list of events'
broken 'an entry of another form' 's/S(process, /S(process,/' \
	'process.h:[0-9]*: not an event: "S(process,process_statedump_thread)"'
broken 'an entry of another macro' 's/S(process, /P(process, /' \
	'process.h:[0-9]*: not an event: "P(process, process_statedump_thread)"'
broken 'an event with the name of another provider' 's/, process_/, slab_/' \
	'process.h:[0-9]*: slab_statedump_thread: an event name starts with the name of its provider, process_'
broken 'two events with the same name' 's/process, process_statedump_thread/slab, slab_kfree/' \
	'slab.h:[0-9]*: slab_kfree: headers/process.h:[0-9]* has an event of this name, too'
tap_end
