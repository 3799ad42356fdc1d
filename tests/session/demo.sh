#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests the parts of `make demo` that need no guest: concurrent steps, the choice of an
# lttng-modules build, and the text printed about the snapshots.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
# shellcheck source=tests/traces.sh
. "$top/tests/traces.sh"

# with_lib SCRIPT: runs SCRIPT in a shell that has sourced vm/lib.sh of this tree.
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
is 'concurrent steps: the status of each is shown' 'status 3' "$(cat out)"
is '... the lines are in the requested order' 'first second' "$(sed -n 's/^  \([a-z]*\) .*/\1/p' err | xargs)"
is '... the output of each is in its log' 'a b' "$(cat one.log two.log | xargs)"
is '... the output of a failed step is shown' 1 "$(grep -c '^    b$' err)"
with_lib 'trap cancel_steps EXIT
	sleeps() { sleep 4711.25 & wait; }
	begin_step one.log first sleeps
	sleep 0.5
	exit 5' >out 2>err
is 'a failing script: its own status is returned' 5 $?
is '... and no process of it remains' '' "$(pgrep -f '^sleep 4711[.]25$')"

# backend VARIABLE...: prints the folder of lttng-modules below the cache.
backend() { LTTNG_MM_CACHE=$work/cache LTTNG_MM_GUEST=$1 with_lib 'backend_dir trixie' | sed "s|$work/cache/lttng-modules/||"; }
full=$(backend '')
is "the demo has its own build of lttng-modules" "$full-demo" "$(backend demo)"
mkdir -p "$work/cache/lttng-modules/$full"
is '... also while a complete build is being made' "$full-demo" "$(backend demo)"
: >"$work/cache/lttng-modules/$full/version"
is '... but uses a complete build if there is one' "$full" "$(backend demo)"
is "the demo's build folder is its own" "$top/build/trixie-demo" \
	"$(LTTNG_MM_GUEST=demo with_lib 'build_dir trixie')"

# Snapshots as a guest writes them.
mkdir -p demo
dax_halves >dax.script
make_dax dax.script demo/dax-1
make_slab_load 2000 demo/slab-1
echo dax-1 >demo/snapshot-dax
echo slab-1 >demo/snapshot-slab
"$top/vm/demo-print.sh" demo "$mm" >out 2>err
is 'a missing triggered snapshot is an error' 4 $?
is '... one line that names it' 1 "$(grep -c 'the guest has written no snapshot-triggered' err)"
echo dax-1 >demo/snapshot-triggered
"$top/vm/demo-print.sh" demo "$mm" >out 2>err
is 'printing the snapshots succeeds' '0 ' "$? $(cat err)"
is '... prints the command of each report' 2 "$(grep -c '^\$ .* report [a-z]* demo/' out)"
is '... prints commands that show more' 'report dax --all demo/dax-1 report slab --leaks demo/slab-1 info --all demo/dax-1' \
	"$(sed -n 's/^  .*: *[^ ]* \(report\|info\) \([^|]*[^ |]\).*/\1 \2/p' out | xargs)"
is '... prints when the reports were recorded' 2 "$(grep -c '^Recorded: ' out)"
is '... writes the complete reports to files' yes "$([ "$(wc -l <demo/dax.txt)" -gt 5 ] &&
	[ "$(wc -l <demo/slab.txt)" -gt 5 ] && jq -e .metrics demo/dax.json >/dev/null && echo yes)"
# The demo's guest must build exactly the lttng-modules probes that its profiles need.
is 'the events of lttng-modules that the profiles record are built' sched "$(sed -n 's/^record = //p' \
	"$top/profiles/dax.conf" "$top/profiles/slab.conf" | tr -s ', ' '\n' |
	sed '/^dax_/d; /^slab_/d; /^page_/d; s/_.*//' | sort -u | while read -r probe; do
		grep -q "obj-m := .*lttng-probe-$probe\.o" "$top/probes/backend/build.sh" && echo "$probe"
	done)"
# Each report of this program has 30 lines, as many as a first screen may have.
# shellcheck disable=SC2016 # of the script
printf '#!/bin/sh\n[ "$1" = info ] || seq 28\nprintf "All is well.\\nCertificate: complete\\n"\n' >fake
chmod +x fake
"$top/vm/demo-print.sh" demo "$work/fake" >out 2>err
is 'at most 70 lines' "0 yes " "$? $([ "$(wc -l <out)" -le 70 ] && echo yes) $(cat err)"
is '... the certificate is printed' 'Certificate: complete' "$(grep '^Cert' out | tail -n 1)"
tap_end
