/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The tasks that the daemon keeps for rescues and for root's requests: what users request must not
 * use up the tasks of the service's cgroup (TasksMax= of its unit).
 */
#ifndef LTTNG_MM_DAEMON_JOBS_RESERVE_H
#define LTTNG_MM_DAEMON_JOBS_RESERVE_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/error.h"

/*
 * May the daemon start a process for @uid? Always for root, and where tasks are not limited.
 * Returns 0, or -1 with @err set. Reads two files of the kernel's, and does not block.
 */
int reserve_check(uid_t uid, struct mm_error *err);

/* The number of tasks that are kept on this machine, of @max. */
unsigned long long reserve_tasks(unsigned long long max);

/* Sets the folder of the cgroup for tests; NULL: the cgroup of this process. */
void reserve_set_folder(const char *folder);

#endif /* LTTNG_MM_DAEMON_JOBS_RESERVE_H */
