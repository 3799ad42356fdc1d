// SPDX-License-Identifier: LGPL-2.1-only
/* Keeps the limits of a recorder's folder, and writes to the journal what was deleted. */
#include "lttng-session/daemon/jobs/tidy.h"

#include <sys/stat.h>
#include <unistd.h>

#include "lttng-session/system/journal.h"

static void say(const char *message, const char *snapshot, void *user)
{
	const struct tidy *tidy = user;
	const struct journal_line line = {
		.priority = snapshot ? LOG_INFO : LOG_WARNING,
		.id = JOURNAL_DELETION,
		.message = message,
		.snapshot = snapshot,
		.session = tidy->session,
	};

	if (tidy->progress)
		atomic_fetch_add(tidy->progress, 1);

	journal_write(&line);
}

void tidy_init(struct tidy *tidy, const char *session, int output, const char *path,
	       const json_t *cause)
{
	struct mm_error err = MM_ERROR_INIT;
	struct stat folder, own;

	tidy->active = false;
	tidy->session = session;
	tidy->progress = NULL;
	if (geteuid() || plan_read_limits(session, &tidy->limits, &err) ||
	    (!retention_limits_any(&tidy->limits) && retention_owner(cause) <= 0) ||
	    fstat(output, &folder) || stat(tidy->limits.output, &own) ||
	    folder.st_dev != own.st_dev || folder.st_ino != own.st_ino)
		return;
	tidy->active = true;
	tidy->retention = (struct retention){ .owner = retention_owner(cause),
					      .folder = output,
					      .path = path,
					      .limits = &tidy->limits,
					      .said = say,
					      .user = tidy };
}

int tidy_before(const struct tidy *tidy, uint64_t bytes, struct mm_error *err)
{
	return tidy->active ? retention_make_room(&tidy->retention, bytes, err) : 0;
}

void tidy_after(const struct tidy *tidy, const char *name)
{
	if (tidy->active)
		retention_apply(&tidy->retention, name);
}
