/* SPDX-License-Identifier: LGPL-2.1-only */
/* The control file of the probe of page references (instrumentation/wire/pageref.h). */
#ifndef LTTNG_MM_SESSION_PAGEREF_CONTROL_H
#define LTTNG_MM_SESSION_PAGEREF_CONTROL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
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
	/* Sample the pages to stay below this overhead, in 1/10,000; 0: record all pages. */
	unsigned int max_overhead;
	uint64_t from_bytes; /* mark again after half of this was touched; 0: only by interval */
};

/* Refuses if a recorder of the plan records page references. Returns 0, or -1 with @err set. */
int pageref_control_check_plan(struct mm_error *err);

/*
 * Opens the control file. Fails if another process has it open. Returns its descriptor, or -1 with
 * @err set.
 */
int pageref_control_open(struct mm_error *err);

/*
 * Sets the interval and the other settings, and adds the targets and the process @pid (0: none).
 * They are recorded until the file is closed. Returns 0, or -1 with @err set.
 */
int pageref_control_set(int control, const struct pageref_targets *targets, pid_t pid,
			struct mm_error *err);

/* Adds one process. Returns 0, or -1 with errno set: ESRCH if it does not exist. */
int pageref_control_add_pid(int control, pid_t pid);

/* Returns the probe's counters and the state of the sample by name: { "marked": N, "sample": N }. */
json_t *pageref_control_counters(int control);

#define PAGEREF_PERCENT_TEXT 24
/* Writes @part of @whole as a percentage with about three digits: "12.5 %". Returns @text. */
const char *pageref_percent_text(char text[PAGEREF_PERCENT_TEXT], uint64_t part, uint64_t whole);

/*
 * Waits until no process has the control file open: the recorder daemon closes it soon after its
 * recorder is stopped. Gives up after @wait_ms.
 */
void pageref_control_await_free(unsigned int wait_ms);

/* Prints the same commands as shell commands that write to descriptor 7. */
void pageref_control_print(FILE *out, const struct pageref_targets *targets);

#endif /* LTTNG_MM_SESSION_PAGEREF_CONTROL_H */
