// SPDX-License-Identifier: LGPL-2.1-only
/* Applies the limits of a recorder's folder, and logs deleted snapshots. */
#include "lttng-session/daemon/jobs/folder-quota.h"

#include <sys/stat.h>
#include <unistd.h>

#include "lttng-session/system/journal.h"

static void say(const char *message, const char *snapshot, void *user)
{
	const struct folder_quota *quota = user;
	const struct journal_line line = {
		.priority = snapshot ? LOG_INFO : LOG_WARNING,
		.id = JOURNAL_DELETION,
		.message = message,
		.snapshot = snapshot,
		.session = quota->session,
	};

	if (quota->progress)
		atomic_fetch_add(quota->progress, 1);

	journal_write(&line);
}

void folder_quota_init(struct folder_quota *quota, const char *session, int output,
		       const char *path, const json_t *cause)
{
	struct mm_error err = MM_ERROR_INIT;
	struct stat folder, own;

	quota->active = false;
	quota->session = session;
	quota->progress = NULL;
	if (geteuid() || plan_read_limits(session, &quota->limits, &err) ||
	    (!retention_limits_any(&quota->limits) && retention_owner(cause) <= 0) ||
	    fstat(output, &folder) || stat(quota->limits.output, &own) ||
	    folder.st_dev != own.st_dev || folder.st_ino != own.st_ino)
		return;
	quota->active = true;
	quota->retention = (struct retention){ .owner = retention_owner(cause),
					       .folder = output,
					       .path = path,
					       .limits = &quota->limits,
					       .said = say,
					       .user = quota };
}

int folder_quota_make_room(const struct folder_quota *quota, uint64_t bytes, struct mm_error *err)
{
	return quota->active ? retention_make_room(&quota->retention, bytes, err) : 0;
}

void folder_quota_enforce(const struct folder_quota *quota, const char *name)
{
	if (quota->active)
		retention_apply(&quota->retention, name);
}
