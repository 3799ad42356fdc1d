// SPDX-License-Identifier: LGPL-2.1-only
/* Messages about a snapshot that are not errors, and the text of an error. */
#include "lttng-session/snapshot/notes.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

void snapshot_note(struct snapshot_notes *notes, bool warning, const char *fmt, ...)
{
	va_list args;

	if (notes->count == SNAPSHOT_NOTES_MAX)
		return;
	va_start(args, fmt);
	notes->all[notes->count].warning = warning;
	mm_error_clear(&notes->all[notes->count].text);
	mm_error_vset(&notes->all[notes->count++].text, MM_EXIT_ENVIRONMENT, fmt, args);
	va_end(args);
}

void snapshot_note_name(struct snapshot_notes *notes, enum staging_published how, const char *path)
{
	if (how == STAGING_DISPLACED)
		snapshot_note(
			notes, true,
			"snapshot: %s: another file or folder had this name and was renamed to a longer name",
			path);
	if (how == STAGING_RENAMED)
		snapshot_note(
			notes, true,
			"snapshot: %s: this name is longer than the promised name, because another user's file or folder has the promised name",
			path);
}

int snapshot_fail(struct mm_error *err, const char *where)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: %s: %s", where, strerror(errno));
}
