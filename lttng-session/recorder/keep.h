/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The folder of a recorder, which receives triggered snapshots, and the limits on the snapshots
 * that are kept in it. `record --output`, `--keep`, `--max-disk` and `--min-free` set them in the
 * plan.
 */
#ifndef LTTNG_MM_SESSION_KEEP_H
#define LTTNG_MM_SESSION_KEEP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "lttng-session/recorder/plan.h"

/* Default folder, without --output. */
#define KEEP_OUTPUT "/var/lib/lttng-mm"

/* Folder and limits; 0: no limit. */
struct keep {
	char output[PATH_MAX];	       /* absolute path; empty: not given */
	uint64_t count;		       /* number of snapshots */
	uint64_t max_bytes;	       /* their size on the disk */
	unsigned int min_free_percent; /* percentage of the filesystem that must stay free */
};

/* Is any limit set? */
bool keep_has_limits(const struct keep *keep);

/* Are these members of a recorder in the plan, which may contain anything, absent or valid? */
bool keep_is_valid(const json_t *recorder);

/*
 * Reads the folder and limits of the recorder @name, or of the recorder with a session @name. If it
 * is not in the plan, returns the default folder and no limits.
 */
void keep_of(const struct plan *plan, const char *name, struct keep *keep);
/* Reads them from the plan's file. Returns 0, or -1 with @err set. */
int keep_read(const char *name, struct keep *keep, struct mm_error *err);

/*
 * Sets the members that are given (a folder, limits that are not 0) for a recorder in the plan; the
 * others stay unchanged. Returns 0, or -1 with @err set.
 */
int keep_set(struct plan *plan, const char *recorder, const struct keep *keep,
	     struct mm_error *err);

#endif /* LTTNG_MM_SESSION_KEEP_H */
