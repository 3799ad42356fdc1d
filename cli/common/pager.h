/* SPDX-License-Identifier: LGPL-2.1-only */
/* Shows long output in the user's pager. */
#ifndef LTTNG_MM_CLI_COMMON_PAGER_H
#define LTTNG_MM_CLI_COMMON_PAGER_H

#include <stdio.h>

/*
 * Calls @print once with a stream that ends in the user's pager, and returns after the pager has
 * ended: $PAGER, a command of the shell, or `less -FRX` if PAGER is not set. The stream is standard
 * output itself if that is not a terminal, if PAGER is empty or "cat", or if there is no pager. A
 * user may leave the pager before the end: the write error that this causes is no error.
 *
 * The width of the terminal must be determined before: the stream has none (mm_render_width()).
 * Returns what @print returned, or 0 if the pager ended early; errno is set as by @print.
 */
int pager_print(int (*print)(FILE *out, void *user), void *user);

#endif /* LTTNG_MM_CLI_COMMON_PAGER_H */
