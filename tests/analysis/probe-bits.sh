#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Builds the field reader of the probe library for user space, and tests it (tests/probes/bits.c).
set -eu
top=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Remove #include lines: tests/probes/kernel.h replaces the kernel's definitions.
sed '/^#include/d' "$top/probes/lib/bits.h" >"$work/probe-bits.h"
# shellcheck disable=SC2086  # flags are words
${CC:-gcc} -std=gnu11 -Wall -Wextra -Wno-unused-parameter -Wno-unused-function -Wno-unused-variable -O1 -g \
	${SANITIZE:+-fsanitize=$SANITIZE} -I"$top" -I"$work" -o "$work/bits" "$top/tests/probes/bits.c"
"$work/bits"
