#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Builds the slab probe's cache table for user space and tests it (tests/probes/caches.c).
set -eu
top=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Remove #include lines: tests/probes/kernel.h replaces the kernel's definitions.
cat "$top/probes/slab/slab.h" "$top/probes/slab/caches.c" | sed '/^#include/d' >"$work/probe-caches.h"
# shellcheck disable=SC2086  # flags are words
${CC:-gcc} -std=gnu11 -Wall -Wextra -Wno-unused-parameter -Wno-unused-function -O1 -g \
	${SANITIZE:+-fsanitize=$SANITIZE} -I"$top" -I"$work" -o "$work/caches" "$top/tests/probes/caches.c" -lpthread
"$work/caches"
