/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Reserves tasks of the service's cgroup for root and for rescues (supervisor/held-buffers.h).
 * Otherwise, requests of other users could use up all tasks (TasksMax= of the unit).
 */
#ifndef LTTNG_MM_DAEMON_JOBS_RESERVE_H
#define LTTNG_MM_DAEMON_JOBS_RESERVE_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/error.h"

/*
 * May the daemon start a process for @uid? Only root may use the reserved tasks. If tasks are not
 * limited, none are reserved. Returns 0, or -1 with @err set. Reads two files of cgroupfs, so it
 * does not block.
 */
int reserve_check(uid_t uid, struct mm_error *err);

/* Returns how many of @max tasks are reserved on this machine. */
unsigned long long reserve_tasks(unsigned long long max);

/* Sets the folder of the cgroup, for tests; NULL: the cgroup of this process. */
void reserve_set_folder(const char *folder);

#endif
