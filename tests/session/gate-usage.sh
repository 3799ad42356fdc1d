#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests the command lines of run and gate, on a machine that cannot record.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
LTTNG_HOME=$work/home
export LTTNG_HOME
mkdir "$LTTNG_HOME"

fails 'run: no profile' 2 'no profile given; use --profile' run -o runs -- true
fails 'run: no command' 2 'no command given; put it at the end, after --' run --profile slab -o runs
fails 'run: nothing after --' 2 'no command given' run --profile slab -o runs --
fails 'run: no folder' 2 'no folder given; use -o DIR' run --profile slab -- true
fails 'run: a command without --' 2 'true: unexpected argument; the command follows --' run --profile slab -o runs true
fails 'run: page references of everything' 2 '--all: page-ref marks the pages of COMMAND.s processes only' run --all --profile slab,page-ref -o runs -- true
fails 'run: sub-buffers' 2 "--subbuf-size: '5k' is not a power of two (at least 4k)" run --subbuf-size 5k --profile slab -o runs -- true
fails 'run: one sub-buffer' 2 "--num-subbuf: '1' is not a power of two (at least 2)" run --num-subbuf 1 --profile slab -o runs -- true
fails 'run: no runs' 2 "'0' is not a number from 1 to 1000" run --runs 0 --profile slab -o runs -- true
fails 'run: a time without a unit' 2 '--timeout: 5: not a duration' run --timeout 5 --profile slab -o runs -- true
"$mm" run --profile nonsense -o runs -- true >out 2>err
is 'run: an unknown profile' '2 1' "$? $(grep -c "unknown profile 'nonsense'" err)"
is '... leaves no folder' no "$([ -e runs ] || echo no)"
mkdir -p taken/run-1
"$mm" run --profile slab -o taken -- true >out 2>err
is 'run: a folder with runs' '2 1' "$? $(grep -c 'taken/run-1: File exists; remove it' err)"

fails 'gate: no base file' 2 'no base file given; use --base=FILE' gate --profile slab -- true
fails 'gate: a missing base file' 2 'gate: none: No such file or directory; create it with --accept' gate --base none --profile slab -- true
"$mm" gate --bisect --base none --profile slab -- true >out 2>err
is 'gate --bisect: bad input ends the bisection' 128 $?
fails 'gate: --accept and --bisect' 128 '--accept and --bisect cannot be combined' gate --accept --bisect --base x --profile slab -- true
echo 'slab.allocations 1' >base
fails 'gate: a file that is no base file' 2 'gate: base:1: the labels of slab.allocations are not valid' gate --base base --profile slab -- true
printf '@format 1\nslab.peak_bytes 1\n' >base
echo 'slab.peak_byte <= 1' >rules
fails 'gate: a bad rule' 2 "rules:1: unknown metric 'slab.peak_byte'" gate --base base --rules rules --profile slab -- true
mkdir kept
fails 'gate: the folder for the runs exists' 2 'gate: kept: File exists' gate --base base -o kept --profile slab -- true
tap_end
