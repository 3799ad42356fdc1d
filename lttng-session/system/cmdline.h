/* SPDX-License-Identifier: LGPL-2.1-only */
/* The kernel command line. */
#ifndef LTTNG_MM_SESSION_CMDLINE_H
#define LTTNG_MM_SESSION_CMDLINE_H

#include <stdbool.h>
#include <stddef.h>

/* Longer than the command line of any kernel; bytes beyond it are ignored. */
#define CMDLINE_BYTES 16384

/* Reads /proc/cmdline into @line. Returns 0, or -1 with errno set. */
int cmdline_read(char line[CMDLINE_BYTES]);

/*
 * Reads the next parameter of *@line into @word, without the quotes that protect blanks. Returns
 * false at the end, and at `--`: the rest belongs to init.
 */
bool cmdline_next(const char **line, char *word, size_t size);

/*
 * Default list of parameters (names or patterns) whose values are stored in a snapshot; ends with
 * NULL. /etc/lttng-mm/kernel-parameters replaces it.
 */
extern const char *const cmdline_defaults[];

/*
 * Returns the kernel command line as stored in a snapshot: the names of all parameters, and the
 * values of the listed parameters. `...` replaces other values and the arguments of init. Returns
 * NULL when out of memory. Release with free().
 */
char *cmdline_without_secrets(void);

#endif /* LTTNG_MM_SESSION_CMDLINE_H */
