#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests that the files outside the list of subsystems name all subsystems and no others. These are
# man pages, documents, the build of the probes, the systemd unit, and messages.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# is_one LIST NAME: prints a message if the list lacks the name.
is_one() {
	case " $1 " in *" $2 "*) ;; *) echo 'the list lacks this name' ;; esac
}
names=$("$mm" record --help | tr '\n' ' ' | sed -n 's/.*Profiles: \([a-z, -]*\)\..*/\1/p' | tr -d ,)
is 'record --help lists the profiles' yes "$([ -n "$names" ] && echo yes)"
analyses=$("$mm" report --help | tr '\n' ' ' | sed -n 's/.*Analyses: \([a-z, -]*\)\..*/\1/p' | tr -d ,)
# Each profile has an analysis. `why` has no profile, because it reads the events of other profiles.
for name in $names; do
	nothing "report --help lists $name" "$(is_one "$analyses" "$name")"
done
nothing '... and why, which has no profile' "$(is_one "$analyses" why)"
man=$top/doc/man
for name in $analyses; do
	nothing "$name: the report has a man page" \
		"$([ -e "$man/lttng-mm-report-$name.1" ] || echo "there is no lttng-mm-report-$name.1")"
	nothing "$name: lttng-mm-report.1 names it" "$(grep -qw -- "$name" "$man/lttng-mm-report.1" || echo missing)"
	nothing "$name: doc/metrics.md has its report" \
		"$(grep -qx "## Report $name" "$top/doc/metrics.md" ||
			echo 'missing: replace the part from "## Coverage" on by the output of lttng-mm metrics')"
done
for name in $names; do
	nothing "$name: lttng-mm-record.1 names it" "$(grep -qw -- "$name" "$man/lttng-mm-record.1" || echo missing)"
	module=$("$mm" record "$name" --dry-run | sed -n 's/^modprobe //p')
	nothing "$name: its probe $module is built" \
		"$(grep -qw -- "$module" "$top/probes/Kbuild" || echo 'not by probes/Kbuild')"
	nothing "$name: doc/events.md describes the events of $module" \
		"$(grep -q "^|.*\`$module\`" "$top/doc/events.md" || echo missing)"
done
for page in "$man"/lttng-mm-report-*.1; do
	name=$(basename "$page" .1)
	name=${name#lttng-mm-report-}
	nothing "lttng-mm-report-$name.1 belongs to a subsystem" \
		"$(is_one "$analyses" "$name")"
done
grep -rhoE 'lttng_mm\.profile=[a-z0-9-]+' "$top/packaging" "$man" "$top/README.md" | sort -u |
	sed 's/.*=//' >profiles
while read -r name; do
	nothing "lttng_mm.profile=$name, as documented, exists" \
		"$(is_one "$names" "$name")"
done <profiles
nothing 'no source file has a list of its own' \
	"$(cd "$top" && grep -rnE "\"[^\"]*$(echo "$names" | sed 's/ /, /')" analysis cli lttng-session plugin regress)"
# Code for all subsystems must not name any of them in strings. There are four exceptions: examples
# in descriptions of columns; the prefix of functions' events, which `report why` pairs and the
# recorder parses; the default profile of a boot session; and parameters of the kernel.
any=$(echo "$names" | sed 's/ *$//; s/ /|/g')
is 'code for all subsystems names none, except in these files' \
	'analysis/why/schema.c analysis/why/why.c lttng-session/profile/functions.c lttng-session/recorder/boot.c lttng-session/system/cmdline.c' \
	"$(cd "$top/" && find analysis/run analysis/registry analysis/subsystem analysis/why reader regress lttng-session \
		util plugin -path lttng-session/fn -prune -o -name '*.c' -print | LC_ALL=C sort |
		xargs grep -nE "\"([^\"]*[^a-z_\"])?($any)_|(report|record) ($any)\\>|= \"($any)\"" |
		grep -vE '^[^:]*:[0-9]*:[[:blank:]]*(/\*|\* )' | cut -d: -f1 | uniq | paste -sd ' ')"
tap_end
