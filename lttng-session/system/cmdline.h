/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads the kernel command line. */
#ifndef LTTNG_MM_SESSION_CMDLINE_H
#define LTTNG_MM_SESSION_CMDLINE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Size of a buffer for the command line. No kernel has a longer command line. Further bytes are
 * ignored.
 */
#define CMDLINE_BYTES 16384

/* Reads /proc/cmdline into @line. Returns 0, or -1 with errno set. */
int cmdline_read(char line[CMDLINE_BYTES]);

/*
 * Reads the next parameter of *@line into @word, without the quotes around blanks. Returns false at
 * the end, and at `--`, because init gets everything after it.
 */
bool cmdline_next(const char **line, char *word, size_t size);

/*
 * Default list of the parameters (names or patterns) whose values a snapshot contains, terminated
 * by NULL. The file /etc/lttng-mm/kernel-parameters replaces it.
 */
extern const char *const cmdline_defaults[];

/*
 * Returns the kernel command line for a snapshot: the names of all parameters, and the values of
 * listed parameters. Replaces other values, and the arguments of init, by `...`. Returns NULL when
 * out of memory. Release the result with free().
 */
char *cmdline_without_secrets(void);

#endif /* LTTNG_MM_SESSION_CMDLINE_H */
