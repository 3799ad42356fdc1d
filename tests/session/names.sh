#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests messages about unknown names: they must suggest the nearest names if these are similar.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# says NAME TEXT ARG...: checks for exit status 2 and a message whose first line is TEXT.
says() {
	says_name=$1 says_text=$2
	shift 2
	"$mm" "$@" >out 2>err
	is "$says_name" "2 $says_text" "$? $(head -n 1 err)"
}

# listed COMMAND WORD: prints the names that the command's help lists after WORD.
listed() {
	"$mm" "$1" --help | tr -s '\n ' ' ' | sed -n "s/.*$2: \([a-z, -]*\)\..*/\1/p"
}
analyses=$(listed report Analyses) profiles=$(listed record Profiles)

says 'a command' "lttng-mm: unknown command 'reprot'; did you mean 'report'? \`lttng-mm help\` lists the commands" reprot
says 'a command that resembles no other' "lttng-mm: unknown command 'frobnicate'; \`lttng-mm help\` lists the commands" frobnicate
says 'a command after help' "lttng-mm: unknown command 'snap'; did you mean 'snapshot'? \`lttng-mm help\` lists the commands" help snap
says 'an analysis as a command' "lttng-mm: 'dax' is an analysis, not a command; run \`lttng-mm report dax TRACE\` (\`lttng-mm help report dax\` describes it)" dax x
says 'a time without its option' "lttng-mm print: there is no option '-10s'; to start at a time before the end of the trace, use --begin=-10s" print -10s x
says '... of a command without times' "lttng-mm stop: invalid option -- '1'" stop -10s
says 'times in the wrong order' 'lttng-mm report: --end=30 is before --begin=40; swap the times' report dax --end 30 --begin 40 x
says '... in one option' 'lttng-mm report: --timerange: 40,30: ends before it begins' report dax --timerange 40,30 x
says 'a third trace' 'lttng-mm report: c: too many traces; give one, or two with --compare, and put names that have spaces in quotes' report dax a b c
says 'an option' "lttng-mm print: there is no option '--clok'; did you mean '--clock'?" print --clok=wall x
says 'an option of the small program' \
	"lttng-mm snapshot: there is no option '--otuput'; did you mean '--output'?" snapshot --otuput x
says 'an option of a child parser' "lttng-mm report: there is no option '--beign'; did you mean '--begin'?" report dax --beign 3 x
says 'an option of one report' "lttng-mm report: there is no option '--leask'; did you mean '--leaks'?" report slab --leask x
says 'an option of another report is not suggested' "lttng-mm report: there is no option '--leask'" report dax --leask x
says 'an analysis' "lttng-mm: report: unknown analysis 'salb'; did you mean 'slab'? known: $analyses" report salb x
says 'a profile with a similar name' "lttng-mm: record: unknown profile 'dacks'; did you mean 'dax'? known: $profiles" record dacks
says 'a profile' "lttng-mm: record: unknown profile 'dxa'; did you mean 'dax'? known: $profiles" record dxa
"$mm" report slab --sort alocations x >out 2>err
is 'a sort key' "2 lttng-mm: report slab: --sort: 'alocations' is not the key of any column; did you mean 'allocations'? valid: " \
	"$? $(sed 's/\(valid: \).*/\1/' err)"
"$mm" trigger add x --on 'kernel-message oom' >out 2>err
is 'a trigger without a recorder' '4 0 1' "$? $(wc -c <out) $(grep -c 'start a recorder: .lttng-mm record' err)"
mkdir -p copied/bin
cp "$mm" copied/bin/lttng-mm
copied/bin/lttng-mm info x >out 2>err
is 'a copied program names the program that it lacks' '4 1' "$? $(grep -c 'copied/lib/lttng-mm/lttng-mm: this part of the program is missing' err)"
is 'there are analyses and profiles' '1 1' "$(echo "$analyses" | grep -c slab) $(echo "$profiles" | grep -c dax)"
for analysis in $(echo "$analyses" | tr -d ,); do
	"$mm" report "$analysis" --help | sed '1,/^Examples:$/d' >out
	is "help of report $analysis ends with its own examples, the member examples of its struct mm_analysis" "$(wc -l <out)" "$(grep -c "^  \$ lttng-mm report $analysis " out)"
	is "... at least three" 1 "$(($(wc -l <out) >= 3))"
done
for command in record snapshot status stop trigger fn report mrc export metrics check diff run gate print info verify serve doctor; do
	"$mm" help $command >out 2>err
	is "help $command" "0 0 Usage: lttng-mm $command" "$? $(wc -c <err) $(head -n 1 out | cut -d ' ' -f -3)"
done
for option in --leaks --since --cache --call-site; do
	is "help report $option: only slab's help has it" '1 0 0' \
		"$(for analysis in slab dax ''; do "$mm" report $analysis --help | grep -c -e "^ *$option\b"; done | tr '\n' ' ' | sed 's/ $//')"
done
is 'help report says how to see the options of an analysis' 1 \
	"$("$mm" report --help | grep -c 'lttng-mm report ANALYSIS --help. lists the options')"
is 'an analysis may follow its options' "$("$mm" report slab --help)" "$("$mm" report --cache dax -n 3 slab --help)"
says 'an option of another report before the analysis' 'lttng-mm: report dax: --leaks is for slab only; omit it' report --leaks dax x
says '... whose value is the name of an analysis' 'lttng-mm: report dax: --cache is for slab only; omit it' report --cache slab dax x
with_top=$(for analysis in $(echo "$analyses" | tr -d ,); do
	! "$mm" report "$analysis" --help | grep -q -e --top || printf '%s, ' "$analysis"
done)
says '... a letter' "lttng-mm: report why: --top is for ${with_top%, } only; omit it" report why -n 3 x
says '... abbreviated' 'lttng-mm: report slab: --graph is for fn only; omit it' report slab --gra x
says 'an option of a report without an analysis' "lttng-mm report: no analysis given for /; known: $analyses" report --leaks /
is 'help report slab: the help of the analysis' "$("$mm" report slab --help)" "$("$mm" help report slab)"
is 'help: the list of commands' "$("$mm" --help)" "$("$mm" help)"
tap_end
