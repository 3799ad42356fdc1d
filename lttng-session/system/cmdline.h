/* SPDX-License-Identifier: LGPL-2.1-only */
/* The kernel command line. */
#ifndef LTTNG_MM_SESSION_CMDLINE_H
#define LTTNG_MM_SESSION_CMDLINE_H

#include <stdbool.h>
#include <stddef.h>

/* Longer than any kernel's command line. Bytes beyond it are ignored. */
#define CMDLINE_BYTES 16384

/* Reads /proc/cmdline into @line. Returns 0, or -1 with errno set. */
int cmdline_read(char line[CMDLINE_BYTES]);

/*
 * Reads the next parameter of *@line into @word, without quotes around blanks. Returns false at the
 * end, and at `--`: the rest is for init.
 */
bool cmdline_next(const char **line, char *word, size_t size);

/*
 * Default list of parameters (names or patterns) whose values a snapshot contains; ends with NULL.
 * /etc/lttng-mm/kernel-parameters replaces it.
 */
extern const char *const cmdline_defaults[];

/*
 * Returns the kernel command line for a snapshot: the names of all parameters, and the values of
 * listed ones. `...` replaces other values and the arguments of init. Returns NULL when out of
 * memory. Release with free().
 */
char *cmdline_without_secrets(void);

#endif /* LTTNG_MM_SESSION_CMDLINE_H */
