# SPDX-License-Identifier: LGPL-2.1-only
# The writer of traces for tests and the program that damages them use only these files and ctf/.
damage-ctf-srcs += tests/utils/damage-ctf.c
make-ctf-srcs += tests/utils/make-ctf.c
# make-trace shares the parser of metadata with the program.
make-trace-srcs += tests/utils/make-trace-fields.c
make-trace-srcs += tests/utils/make-trace-metadata.c
make-trace-srcs += tests/utils/make-trace-packets.c
make-trace-srcs += tests/utils/make-trace.c
# Programs of one file.
one-file-programs += tests/utils/add-checksums.c
one-file-programs += tests/utils/flip-bytes.c
one-file-programs += tests/utils/make-hostile.c
one-file-programs += tests/utils/make-page-ref-load.c
one-file-programs += tests/utils/make-slab-load.c
one-file-programs += tests/utils/read-oracle.c
one-file-programs += tests/utils/sample-events.c
one-file-programs += tests/utils/used.c
# The scripts that use these programs build them.
built-by-scripts += tests/utils/cut-packets.c
built-by-scripts += tests/utils/fail-malloc.c
built-by-scripts += tests/utils/pass-filter.c
