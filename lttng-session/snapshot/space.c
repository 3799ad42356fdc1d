// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reports that there is no room for a snapshot. States the folder, and how much the snapshot needs.
 */
#include "lttng-session/snapshot/space.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "lttng-session/snapshot/work.h"

uint64_t space_free(int folder)
{
	struct statvfs space;

	if (fstatvfs(folder, &space))
		return UINT64_MAX;
	return (uint64_t)space.f_frsize * (geteuid() ? space.f_bavail : space.f_bfree);
}

/* Has the filesystem run out of inodes? If f_files is 0, their number is not limited. */
static bool has_no_inodes(int folder)
{
	struct statvfs space;

	return !fstatvfs(folder, &space) && space.f_files &&
	       !(geteuid() ? space.f_favail : space.f_ffree);
}

int space_fail_full(int folder, const char *path, uint64_t bytes, const char *why,
		    struct mm_error *err)
{
	char needs[64] = "", left[64] = "";
	uint64_t free_bytes = space_free(folder);

	mm_error_clear(err);
	if (has_no_inodes(folder))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "snapshot: %s: the filesystem has " SPACE_NO_INODES
				    " (`df -i`); remove files, or choose another --output",
				    path);
	if (bytes)
		snprintf(needs, sizeof(needs), "; its traces need up to %" PRIu64 " bytes", bytes);
	if (free_bytes != UINT64_MAX)
		snprintf(left, sizeof(left), "; %" PRIu64 " bytes are free", free_bytes);
	return mm_error_set(err, MM_EXIT_ENVIRONMENT,
			    "snapshot: %s: %s%s%s; make room, or choose another --output", path,
			    why, needs, left);
}

int space_fail_folder(const char *path, const char *why, struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: %s: %s; choose another --output",
			    path, why);
}

int space_fail(int folder, const char *path, uint64_t bytes, int error, struct mm_error *err)
{
	return error == ENOSPC || error == EDQUOT
		       ? space_fail_full(folder, path, bytes, strerror(error), err)
		       : space_fail_folder(path, strerror(error), err);
}

uint64_t snapshot_bytes(const struct snapshot *snapshot)
{
	return snapshot->ring_bytes;
}

bool snapshot_has_room(const struct snapshot *snapshot)
{
	return space_free(snapshot->output) >= snapshot->ring_bytes;
}

int snapshot_fail_full(const struct snapshot *snapshot, const char *why, struct mm_error *err)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.*s", snapshot->path_length ? (int)snapshot->path_length : 1,
		 snapshot->path);
	return space_fail_full(snapshot->output, path, snapshot->ring_bytes, why, err);
}

void snapshot_explain_full(const struct snapshot *snapshot, struct mm_error *err)
{
	static const int full[] = { ENOSPC, EDQUOT };

	for (size_t i = 0; i < sizeof(full) / sizeof(full[0]) && snapshot->output >= 0; i++)
		if (strstr(err->message, strerror(full[i])))
			snapshot_fail_full(snapshot, strerror(full[i]), err);
}
