/* SPDX-License-Identifier: LGPL-2.1-only */
/* Runs another program and waits for it. Blocks signals that would end this process. */
#ifndef LTTNG_MM_SESSION_PROCESS_H
#define LTTNG_MM_SESSION_PROCESS_H

#include <signal.h>
#include <stddef.h>

/*
 * Runs @argv, which is terminated by NULL, with standard input and output on /dev/null, and without
 * blocked signals. The program is looked up in PATH. Stores the first line of standard error in
 * @message. Returns the exit status, or -1 if the program could not be run or a signal killed it.
 */
int process_run(const char *const argv[], char *message, size_t size);

/* Blocks SIGINT, SIGTERM and SIGHUP until the caller restores the signal mask @before. */
void process_block_signals(sigset_t *before);

#endif /* LTTNG_MM_SESSION_PROCESS_H */
