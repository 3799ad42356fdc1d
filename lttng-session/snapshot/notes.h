/* SPDX-License-Identifier: LGPL-2.1-only */
/* Messages about a snapshot that are not errors, and the text of an error. */
#ifndef LTTNG_MM_SESSION_NOTES_H
#define LTTNG_MM_SESSION_NOTES_H

#include "lttng-session/snapshot/staging.h"
#include "lttng-session/sysinfo/sysinfo.h"

/*
 * Maximum number of notes: one for each missing file of the system information, and nine others. A
 * note is a message to the user that is not an error.
 */
#define SNAPSHOT_NOTES_MAX (SYSINFO_FILES + 9)

struct snapshot_notes {
	size_t count;
	struct {
		bool warning;
		struct mm_error text;
	} all[SNAPSHOT_NOTES_MAX];
};

/* Adds a message. */
__attribute__((format(printf, 3, 4))) void snapshot_note(struct snapshot_notes *notes, bool warning,
							 const char *fmt, ...);

/*
 * Adds a warning if another file or folder already had the snapshot's name. @how is the result of
 * staging_publish().
 */
void snapshot_note_name(struct snapshot_notes *notes, enum staging_published how, const char *path);

/* Sets @err to `snapshot: WHERE: ` and the text of errno. Returns -1. */
int snapshot_fail(struct mm_error *err, const char *where);

#endif /* LTTNG_MM_SESSION_NOTES_H */
