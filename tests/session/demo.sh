#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests the parts of `make demo` that need no guest: steps that run side by side, which build of
# lttng-modules it uses, and what it prints of the snapshots.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
# shellcheck source=tests/traces.sh
. "$top/tests/traces.sh"

# with_lib SCRIPT: runs it in a shell that has sourced vm/lib.sh of this tree.
with_lib() {
	# shellcheck disable=SC2016 # the inner shell expands it
	sh -c 'set -eu; . "$1/vm/lib.sh"; eval "$2"' "$top/vm/test" "$top" "$1"
}

with_lib 'work() { echo "$1"; sleep 0.3; return "$2"; }
	begin_step one.log first work a 0
	begin_step two.log second work b 3
	end_step one.log
	status=0
	end_step two.log || status=$?
	echo "status $status"' >out 2>err
is 'steps side by side: the status of each' 'status 3' "$(cat out)"
is '... lines in the order in which they are asked for' 'first second' "$(sed -n 's/^  \([a-z]*\) .*/\1/p' err | xargs)"
is '... the output of each in its log' 'a b' "$(cat one.log two.log | xargs)"
is '... and that of one that failed is shown' 1 "$(grep -c '^    b$' err)"
with_lib 'trap cancel_steps EXIT
	sleeps() { sleep 4711.25 & wait; }
	begin_step one.log first sleeps
	sleep 0.5
	exit 5' >out 2>err
is 'a script that fails: its own status' 5 $?
is '... and nothing of it remains' '' "$(pgrep -f '^sleep 4711[.]25$')"

# dir VARIABLE... -- the folder of lttng-modules, without that of the cache.
backend() { LTTNG_MM_CACHE=$work/cache LTTNG_MM_GUEST=$1 with_lib 'backend_dir trixie' | sed "s|$work/cache/lttng-modules/||"; }
full=$(backend '')
is "the demo has a build of lttng-modules of its own" "$full-demo" "$(backend demo)"
mkdir -p "$work/cache/lttng-modules/$full"
is '... also while a complete one is being made' "$full-demo" "$(backend demo)"
: >"$work/cache/lttng-modules/$full/version"
is '... but uses a complete one' "$full" "$(backend demo)"
is "the demo's build folder is its own" "$top/build/trixie-demo" \
	"$(LTTNG_MM_GUEST=demo with_lib 'build_dir trixie')"

# The snapshots of a guest.
mkdir -p demo
dax_halves >dax.script
make_dax dax.script demo/dax-1
make_slab_load 2000 demo/slab-1
echo dax-1 >demo/snapshot-dax
echo slab-1 >demo/snapshot-slab
"$top/vm/demo-print.sh" demo "$mm" >out 2>err
is 'without the triggered snapshot: status' 4 $?
is '... one line that names it' 1 "$(grep -c 'the guest has written no snapshot-triggered' err)"
echo dax-1 >demo/snapshot-triggered
"$top/vm/demo-print.sh" demo "$mm" >out 2>err
is 'what is printed of the snapshots: status' '0 ' "$? $(cat err)"
is '... the command of each report, to be repeated' 2 "$(grep -c '^\$ .* report [a-z]* demo/' out)"
is '... a command that shows more of each snapshot' 'report dax --all demo/dax-1 report slab --leaks demo/slab-1 info --all demo/dax-1' \
	"$(sed -n 's/^  .*: *[^ ]* \(report\|info\) \([^|]*[^ |]\).*/\1 \2/p' out | xargs)"
is '... the reports: recorded when, on what' 2 "$(grep -c '^Recorded: ' out)"
is '... everything is in files' yes "$([ "$(wc -l <demo/dax.txt)" -gt 5 ] &&
	[ "$(wc -l <demo/slab.txt)" -gt 5 ] && jq -e .metrics demo/dax.json >/dev/null && echo yes)"
# Its guest has no other probe of lttng-modules than those that its profiles need.
is 'the events of lttng-modules that the profiles record are built' sched "$(sed -n 's/^record = //p' \
	"$top/profiles/dax.conf" "$top/profiles/slab.conf" | tr -s ', ' '\n' |
	sed '/^dax_/d; /^slab_/d; /^page_/d; s/_.*//' | sort -u | while read -r probe; do
		grep -q "obj-m := .*lttng-probe-$probe\.o" "$top/probes/backend/build.sh" && echo "$probe"
	done)"
# With reports of as many lines as the first screen may have, ten lines are left for the steps.
# shellcheck disable=SC2016 # of the script
printf '#!/bin/sh\n[ "$1" = info ] || seq 28\nprintf "All is well.\\nCertificate: complete\\n"\n' >fake
chmod +x fake
"$top/vm/demo-print.sh" demo "$work/fake" >out 2>err
is 'at most 70 lines' "0 yes " "$? $([ "$(wc -l <out)" -le 70 ] && echo yes) $(cat err)"
is '... the certificate' 'Certificate: complete' "$(grep '^Cert' out | tail -n 1)"
tap_end
