/* SPDX-License-Identifier: LGPL-2.1-only */
/* Work that continues in a background process after the command has returned. */
#ifndef LTTNG_MM_CLI_COMMON_BACKGROUND_H
#define LTTNG_MM_CLI_COMMON_BACKGROUND_H

#include <stdbool.h>

/*
 * Closes what the caller of the program passed to it in addition to the standard streams, such as a
 * lock of a script or the end of a pipe: a background process must not hold it. To be called before
 * the program opens anything.
 */
void background_prepare(void);

/*
 * Starts a process that continues here, detached from the terminal and from the standard streams.
 * Returns as fork().
 */
int background_start(void);

/* Writes a message of the background process to the system's log. */
void background_log(int priority, const char *message);

#endif /* LTTNG_MM_CLI_COMMON_BACKGROUND_H */
