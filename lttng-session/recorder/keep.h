/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The folder of a recorder, where triggered snapshots go, and which of the snapshots in it are
 * kept. `record --output`, `--keep`, `--max-disk` and `--min-free` set them, in the plan.
 */
#ifndef LTTNG_MM_SESSION_KEEP_H
#define LTTNG_MM_SESSION_KEEP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "lttng-session/recorder/plan.h"

/* Without --output. */
#define KEEP_OUTPUT "/var/lib/lttng-mm"

/* The maximum of each limit; 0: no limit. */
struct keep {
	char output[PATH_MAX];	       /* absolute; empty: not given */
	uint64_t count;		       /* snapshots */
	uint64_t max_bytes;	       /* that they take on the disk */
	unsigned int min_free_percent; /* of the filesystem, that stay free */
};

/* Is there a limit? */
bool keep_has_limits(const struct keep *keep);

/* Are the members of a recorder in the plan, which may hold anything, missing or valid? */
bool keep_is_valid(const json_t *recorder);

/*
 * Reads the folder and the limits of the recorder of that name, or with a session of that name. A
 * recorder that is not in the plan has the default folder and no limits.
 */
void keep_of(const struct plan *plan, const char *name, struct keep *keep);
/* The same from the file. Returns 0, or -1 with @err set. */
int keep_read(const char *name, struct keep *keep, struct mm_error *err);

/*
 * Sets what is given (an output, limits that are not 0) for a recorder that is in the plan; the
 * rest stays. Returns 0, or -1 with @err set.
 */
int keep_set(struct plan *plan, const char *recorder, const struct keep *keep,
	     struct mm_error *err);

#endif /* LTTNG_MM_SESSION_KEEP_H */
