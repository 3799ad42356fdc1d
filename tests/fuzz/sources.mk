# SPDX-License-Identifier: LGPL-2.1-only
# A program for each kind of input, their common files, and the program that writes seeds.
fuzz-programs += tests/fuzz/fuzz-bases.c
fuzz-programs += tests/fuzz/fuzz-metadata.c
fuzz-programs += tests/fuzz/fuzz-packets.c
fuzz-programs += tests/fuzz/fuzz-plans.c
fuzz-programs += tests/fuzz/fuzz-profiles.c
fuzz-programs += tests/fuzz/fuzz-reports.c
fuzz-programs += tests/fuzz/fuzz-rules.c
fuzz-programs += tests/fuzz/fuzz-system.c
fuzz-programs += tests/fuzz/fuzz-triggers.c
fuzz-srcs += tests/fuzz/fuzz-seed.c
# fuzz-main.c replaces the main() of libFuzzer.
fuzz-main-srcs += tests/fuzz/fuzz-main.c
make-seeds-srcs += tests/fuzz/fuzz-seed.c
make-seeds-srcs += tests/fuzz/make-seeds.c
make-seeds-srcs += tests/fuzz/seed-write.c
