#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests the command line of vm/gate.sh: bad input is refused before anything is built.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
LTTNG_MM_CACHE=$work/cache
export LTTNG_MM_CACHE
echo '@format 1' >base
: >a.deb

# refuses NAME STATUS MESSAGE ARGUMENT...
refuses() {
	refuses_name=$1 refuses_status=$2 refuses_message=$3
	shift 3
	"$top/vm/gate.sh" "$@" >out 2>err
	is "$refuses_name" "$refuses_status 1 0" "$? $(grep -c -e "$refuses_message" err) $(wc -c <out)"
}
refuses 'no command' 2 'no command is given; put it at the end, after --' --base base --profile slab
refuses 'nothing after --' 2 'no command is given' --base base --profile slab --
refuses 'no profile' 2 'no profile is given; use --profile' --base base -- true
refuses 'nothing to compare with' 2 'nothing to compare with: give --base-kernel and --kernel, or --base' --profile slab -- true
refuses 'dax without persistent memory' 2 'no persistent memory; add --pmem 1G, and make a filesystem on /dev/pmem0' --base base --profile slab,dax -- true
refuses '... which is given' 2 '--base none: no such file' --base none --profile slab,dax --pmem 1G -- true
refuses 'one kernel' 2 'nothing to compare with' --kernel a.deb --profile slab -- true
refuses 'a missing kernel' 2 '--kernel none.deb: no such file' --base-kernel a.deb --kernel none.deb --profile slab -- true
refuses 'a missing base file' 2 '--base none: no such file' --base none --profile slab -- true
refuses 'a base file and a kernel' 2 '--base and kernels cannot be combined' --base base --kernel a.deb --profile slab -- true
refuses '--accept without a base file' 2 '--accept writes a base file; give --base FILE' --accept --profile slab -- true
refuses 'a base file in a folder that does not exist' 2 'its folder does not exist' --accept --base none/base --profile slab -- true
refuses '--accept and --bisect' 128 'cannot be combined' --accept --bisect --base base --profile slab -- true
refuses 'an unknown suite' 2 "unknown suite 'sid'; known: bookworm trixie forky" --suite sid --base base --profile slab -- true
refuses 'an unknown option' 2 "unknown option '--kernels'; see vm/gate.sh --help" --kernels x --base base --profile slab -- true
refuses 'an option without a value' 2 'option --base requires a value' --base
refuses 'a value with blanks' 2 "--num-subbuf: '8 --all' is not valid" --num-subbuf '8 --all' --base base --profile slab -- true
refuses 'an output that exists' 2 '--output .: it exists' --output . --base base --profile slab -- true
refuses 'a missing folder' 2 '--in none: no such folder' --in none --base base --profile slab -- true
refuses 'missing rules' 2 '--rules none: no such file' --rules none --base base --profile slab -- true
refuses '--bisect: bad input ends the bisection' 128 '--base none: no such file' --bisect --base none --profile slab -- true
refuses '... so does bad usage' 128 'unknown option' --kernels x --bisect --base base --profile slab -- true
refuses '... wherever the option is' 128 '--base none: no such file' --base none --profile slab --bisect -- true
refuses '... even without a command' 128 'no command is given' --base base --profile slab --bisect
refuses '... but an option of the command is no option' 2 '--base none: no such file' --base none --profile slab -- true --bisect
is 'nothing was built' no "$([ -e "$work/cache" ] || echo no)"

# with_lib SCRIPT: runs SCRIPT in a shell that has sourced vm/lib.sh. The guest's kernel is a.deb.
with_lib() {
	# shellcheck disable=SC2016 # the other shell expands it
	LTTNG_MM_KERNEL=$work/a.deb LTTNG_MM_GUEST=gate sh -c 'set -eu; . "$1/vm/lib.sh"; eval "$2"' "$top/vm/test" "$top" "$1"
}
name=$(with_lib 'guest_name trixie')
is 'a guest with another kernel has a name of its own' 1 "$(echo "$name" | grep -c '^trixie+[0-9a-f]*$')"
is '... which is the same again' "$name" "$(with_lib 'guest_name trixie')"
is '... its folder' "$top/build/$name-gate" "$(with_lib 'build_dir trixie')"
is "... its lttng-modules are not the suite's" 1 "$(with_lib 'full_backend_dir trixie' | grep -cF "$work/cache/lttng-modules/$name-")"
touch -d 2020-01-01 a.deb
is '... another package has another name' no "$([ "$(with_lib 'guest_name trixie')" = "$name" ] || echo no)"
LTTNG_MM_KERNEL=$work/a.deb "$top/vm/build.sh" trixie >out 2>err
is 'only the gate builds for another kernel' '2 1' "$? $(grep -c 'LTTNG_MM_KERNEL is set, and only --gate builds for it' err)"
"$top/vm/kernel-image.sh" trixie >out 2>err
is 'the image of no kernel' '2 1' "$? $(grep -c 'usage: LTTNG_MM_KERNEL=DEB' err)"
tap_end
