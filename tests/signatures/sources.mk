# SPDX-License-Identifier: LGPL-2.1-only
# Compares signatures with debug information. run.sh builds the program, which requires libdw-dev.
check-signatures-srcs += tests/signatures/check-signatures.c
check-signatures-srcs += tests/signatures/compare.c
check-signatures-srcs += tests/signatures/image.c
check-signatures-srcs += tests/signatures/location.c
check-signatures-srcs += tests/signatures/machine.c
check-signatures-srcs += tests/signatures/shape.c
