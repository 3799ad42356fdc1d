/* SPDX-License-Identifier: LGPL-2.1-only */
/* Work that continues in a background process after the command has returned. */
#ifndef LTTNG_MM_CLI_COMMON_BACKGROUND_H
#define LTTNG_MM_CLI_COMMON_BACKGROUND_H

#include <stdbool.h>

/*
 * Closes inherited files, such as a script's lock or the end of a pipe. A background process must
 * not keep them open. Keeps the standard streams. Call it before the program opens files.
 */
void background_prepare(void);

/* Forks a process without the terminal and the standard streams. Returns like fork(). */
int background_start(void);

/* Writes a message to the system's log. */
void background_log(int priority, const char *message);

#endif /* LTTNG_MM_CLI_COMMON_BACKGROUND_H */
