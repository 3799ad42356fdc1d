#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Builds for user space how the probe library reads fields, and tests it (tests/probes/bits.c).
set -eu
top=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What is included of the kernel stands in tests/probes/kernel.h.
sed '/^#include/d' "$top/probes/lib/bits.h" >"$work/probe-bits.h"
# shellcheck disable=SC2086  # flags are words
${CC:-gcc} -std=gnu11 -Wall -Wextra -Wno-unused-parameter -Wno-unused-function -Wno-unused-variable -O1 -g \
	${SANITIZE:+-fsanitize=$SANITIZE} -I"$top" -I"$work" -o "$work/bits" "$top/tests/probes/bits.c"
"$work/bits"
