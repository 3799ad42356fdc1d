/* SPDX-License-Identifier: LGPL-2.1-only */
/* The control file of the probe of page references (instrumentation/wire/pageref.h). */
#ifndef LTTNG_MM_SESSION_PAGEREF_CONTROL_H
#define LTTNG_MM_SESSION_PAGEREF_CONTROL_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "lttng-session/recorder/trackers.h"
#include "util/error.h"

/* Processes to record besides a command, and the time between two passes. */
struct pageref_targets {
	struct trackers ids; /* process IDs, or one user ID */
	const char *cgroup;  /* path below /sys/fs/cgroup; NULL: no cgroup */
	unsigned int interval_ms;
	bool dax; /* record DAX mappings, too */
};

/*
 * Opens the control file. Fails if another process has it open. Returns its descriptor, or -1 with
 * @err set.
 */
int pageref_control_open(struct mm_error *err);

/*
 * Sets the interval and whether to record DAX mappings, and adds the targets and the process @pid
 * (0: none). They are recorded until the file is closed. Returns 0, or -1 with @err set.
 */
int pageref_control_set(int control, const struct pageref_targets *targets, pid_t pid,
			struct mm_error *err);

/* Prints the same commands as shell commands that write to descriptor 7. */
void pageref_control_print(FILE *out, const struct pageref_targets *targets);

#endif /* LTTNG_MM_SESSION_PAGEREF_CONTROL_H */
