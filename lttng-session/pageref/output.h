/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The folder of a recording of page references:
 *
 *   DIR/kernel/   the trace, which the session daemon writes
 *   DIR/sysinfo/  the system information, as in a snapshot
 *
 * The trace has checksums, as in a snapshot. There is no snapshot.json, because it would have to
 * state whether the session was paused, and nothing watches for pauses during the recording.
 */
#ifndef LTTNG_MM_SESSION_PAGEREF_OUTPUT_H
#define LTTNG_MM_SESSION_PAGEREF_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "lttng-session/snapshot/notes.h"
#include "util/error.h"

struct pageref_output {
	int folder;  /* -1: not open */
	bool is_new; /* this process has created the folder */
	char path[PATH_MAX];
};

/*
 * Opens the folder @path, or creates it. Refuses a folder that is not empty, or that other users
 * could change (snapshot/output.h). Returns 0, or -1 with @err set.
 */
int pageref_output_open(struct pageref_output *output, const char *path, struct mm_error *err);

/*
 * Removes the contents of the folder, and also the folder if this process has created it. Closes
 * the folder.
 */
void pageref_output_remove(struct pageref_output *output);
void pageref_output_close(struct pageref_output *output);

/* Returns the total size of the files in the folder, in bytes. */
uint64_t pageref_output_bytes(const struct pageref_output *output);

/*
 * Writes the checksums of the trace, and the system information of the session @session. @cgroup:
 * the target, or NULL. If this process has created the folder, gives it the access rights of a
 * snapshot. Adds a note to @notes for everything that is missing.
 */
void pageref_output_finish(struct pageref_output *output, const struct sysinfo_modules *before,
			   const char *session, const char *cgroup, struct snapshot_notes *notes);

#endif /* LTTNG_MM_SESSION_PAGEREF_OUTPUT_H */
