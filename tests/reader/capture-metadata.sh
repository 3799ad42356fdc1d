#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests tests/utils/capture-metadata.sh, which prepares the metadata of the tests. The metadata
# captured from a snapshot must be readable, and the script must compare the fields of every event
# of this project's probes.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
capture=$top/tests/utils/capture-metadata.sh

# snapshot NAME [SED-EXPRESSION]: makes a snapshot with metadata that the expression has changed.
snapshot() {
	mkdir "$1"
	sed "${2:-}" base.tsdl >"$1.tsdl"
	"$tests/make-trace" "$1.tsdl" none.trace "$1/kernel" || exit 2
}
# compared WHAT STATUS FILE SNAPSHOT: --compare must exit with STATUS.
compared() {
	"$capture" --compare "$3" "$4" >compared 2>&1
	is "$1" "$2" $?
}

: >none.trace
# Declares events of an invented probe, and an event of lttng-modules.
sed 's/"slab_/"invented_/' "$top/tests/metadata/slab.tsdl" >base.tsdl
snapshot same
"$capture" same >captured.tsdl
is 'capture: succeeds' 0 $?
"$tests/make-trace" captured.tsdl none.trace again || exit 2
is 'the captured metadata declare the same events' "$(sed -n 's/.*name = "\([a-z]*_[a-z_]*\)";.*/\1/p' base.tsdl | sort)" \
	"$(sed -n 's/.*name = "\([a-z]*_[a-z_]*\)";.*/\1/p' captured.tsdl | sort)"
compared 'the same fields, with any provider name' 0 captured.tsdl same
snapshot wider 's/size = 40; \(.*\) _ptr;/size = 41; \1 _ptr;/'
compared 'a wider field of it' 1 captured.tsdl wider
is '... the event is named' yes "$(grep -q '^> invented_kfree .*size = 41;.* _ptr;' compared && echo yes)"
is '... with the remedy' yes "$(grep -q 'capture-metadata.sh --guest captured$' compared && echo yes)"
snapshot threads 's/_prio/_priority/'
compared 'a changed field of an lttng-modules event is ignored' 0 captured.tsdl threads
tap_end
