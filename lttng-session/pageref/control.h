/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Opens and writes the control file of the probe of page references
 * (instrumentation/wire/pageref.h).
 */
#ifndef LTTNG_MM_SESSION_PAGEREF_CONTROL_H
#define LTTNG_MM_SESSION_PAGEREF_CONTROL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "lttng-session/recorder/trackers.h"
#include "util/error.h"

/* The processes to record in addition to a command, and the settings of the probe. */
struct pageref_targets {
	struct trackers ids; /* process IDs, or one user ID */
	const char *cgroup;  /* path below /sys/fs/cgroup; NULL: no cgroup */
	unsigned int interval_ms;
	bool dax; /* also record file mappings with DAX */
	/*
	 * Record only a sample of the pages, so that recording takes at most this share of the
	 * processes' CPU time, in 1/10,000. 0: record all pages.
	 */
	unsigned int max_overhead;
	/* also mark pages again when half of this size has been touched; 0: only at intervals */
	uint64_t from_bytes;
};

/* Fails if a recorder of the plan records page references. Returns 0, or -1 with @err set. */
int pageref_control_check_plan(struct mm_error *err);

/*
 * Opens the control file. Returns its descriptor, or -1 with @err set, for example if another
 * process has the file open.
 */
int pageref_control_open(struct mm_error *err);

/*
 * Sends the settings and the targets to the probe, and adds the process @pid as a target if @pid is
 * not 0. The probe records these processes until the file is closed. Returns 0, or -1 with @err
 * set.
 */
int pageref_control_set(int control, const struct pageref_targets *targets, pid_t pid,
			struct mm_error *err);

/*
 * Adds a process to the targets. Returns 0, or -1 with errno set; ESRCH if the process does not
 * exist.
 */
int pageref_control_add_pid(int control, pid_t pid);

/*
 * Returns the probe's counters and the state of its sample of pages, by name: { "marked": N,
 * "sample": N }.
 */
json_t *pageref_control_counters(int control);

#define PAGEREF_PERCENT_TEXT 24
/* Writes @part of @whole as a percentage with about three digits: "12.5 %". Returns @text. */
const char *pageref_percent_text(char text[PAGEREF_PERCENT_TEXT], uint64_t part, uint64_t whole);

/*
 * Waits until no process has the control file open. This is for use after `stop`, because the
 * recorder daemon closes the file with a short delay. Gives up after @wait_ms.
 */
void pageref_control_await_free(unsigned int wait_ms);

/* Prints shell commands that write the commands of pageref_control_set() to descriptor 7. */
void pageref_control_print(FILE *out, const struct pageref_targets *targets);

#endif /* LTTNG_MM_SESSION_PAGEREF_CONTROL_H */
