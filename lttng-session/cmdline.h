/* SPDX-License-Identifier: LGPL-2.1-only */
/* The kernel's command line. */
#ifndef LTTNG_MM_SESSION_CMDLINE_H
#define LTTNG_MM_SESSION_CMDLINE_H

#include <stdbool.h>
#include <stddef.h>

/* Longer than any kernel's; what comes after is not looked at. */
#define CMDLINE_BYTES 16384

/* Reads /proc/cmdline into @line. Returns 0, or -1 with errno set. */
int cmdline_read(char line[CMDLINE_BYTES]);

/*
 * The next parameter of *@line, without the quotes that hold spaces together. Returns false at the
 * end, or where `--` leaves the rest to init.
 */
bool cmdline_next(const char **line, char *word, size_t size);

/*
 * The names or patterns of parameters whose values go into a snapshot, if
 * /etc/lttng-mm/kernel-parameters does not say which; ends with NULL.
 */
extern const char *const cmdline_defaults[];

/*
 * The kernel's command line as a snapshot keeps it: the names of all parameters, and the values of
 * those that are listed, `...` for others and for what is init's. Free it with free(). NULL: memory
 * is short.
 */
char *cmdline_without_secrets(void);

#endif /* LTTNG_MM_SESSION_CMDLINE_H */
