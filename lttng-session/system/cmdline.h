/* SPDX-License-Identifier: LGPL-2.1-only */
/* The kernel command line. */
#ifndef LTTNG_MM_SESSION_CMDLINE_H
#define LTTNG_MM_SESSION_CMDLINE_H

#include <stdbool.h>
#include <stddef.h>

/* Longer than the command line of any kernel; the rest would be ignored. */
#define CMDLINE_BYTES 16384

/* Reads /proc/cmdline into @line. Returns 0, or -1 with errno set. */
int cmdline_read(char line[CMDLINE_BYTES]);

/*
 * Reads the next parameter of *@line, without the quotes that protect spaces. Returns false at the
 * end, or at `--`, after which the rest belongs to init.
 */
bool cmdline_next(const char **line, char *word, size_t size);

/*
 * The names or patterns of the parameters whose values are stored in a snapshot, unless
 * /etc/lttng-mm/kernel-parameters lists others; ends with NULL.
 */
extern const char *const cmdline_defaults[];

/*
 * The kernel command line as stored in a snapshot: the names of all parameters, and the values of
 * those that are listed; `...` replaces other values and the arguments of init. The caller frees it
 * with free(). NULL: out of memory.
 */
char *cmdline_without_secrets(void);

#endif /* LTTNG_MM_SESSION_CMDLINE_H */
