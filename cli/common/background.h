/* SPDX-License-Identifier: LGPL-2.1-only */
/* Work that continues in a background process after the command has returned. */
#ifndef LTTNG_MM_CLI_COMMON_BACKGROUND_H
#define LTTNG_MM_CLI_COMMON_BACKGROUND_H

#include <stdbool.h>

/*
 * Closes inherited files, such as a script's lock file or a pipe, because a background process must
 * not keep them open. Does not close the standard streams. Call this before the program opens
 * files.
 */
void background_prepare(void);

/* Forks a process without the terminal and the standard streams. Returns like fork(). */
int background_start(void);

/* Writes a message to the system's log. */
void background_log(int priority, const char *message);

#endif /* LTTNG_MM_CLI_COMMON_BACKGROUND_H */
