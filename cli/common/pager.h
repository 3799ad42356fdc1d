/* SPDX-License-Identifier: LGPL-2.1-only */
/* Shows long output in the user's pager. */
#ifndef LTTNG_MM_CLI_COMMON_PAGER_H
#define LTTNG_MM_CLI_COMMON_PAGER_H

#include <stdio.h>

/*
 * Calls @print with a stream to the user's pager, and waits until the pager exits. The pager is the
 * shell command $PAGER, or `less -FRX` if PAGER is not set. If standard output is not a terminal,
 * if PAGER is empty or "cat", or if the pager does not exist, the stream is standard output.
 *
 * Returns the value of @print and keeps its errno. Returns 0 if the user left the pager early. Call
 * mm_render_width() before this function, because the width of the terminal cannot be found from
 * the stream.
 */
int pager_print(int (*print)(FILE *out, void *user), void *user);

#endif /* LTTNG_MM_CLI_COMMON_PAGER_H */
