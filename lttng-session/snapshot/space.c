// SPDX-License-Identifier: LGPL-2.1-only
/* Reports that there is no room for a snapshot: where, and how much it needs. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "lttng-session/snapshot/work.h"

/* Bytes that this user can still write to the output folder; UINT64_MAX: not known. */
static uint64_t free_bytes(const struct snapshot *snapshot)
{
	struct statvfs space;

	if (fstatvfs(snapshot->output, &space))
		return UINT64_MAX;
	return (uint64_t)space.f_frsize * (geteuid() ? space.f_bavail : space.f_bfree);
}

bool snapshot_has_room(const struct snapshot *snapshot)
{
	return free_bytes(snapshot) >= snapshot->ring_bytes;
}

int snapshot_fail_full(const struct snapshot *snapshot, const char *why, struct mm_error *err)
{
	char needs[64] = "", left[64] = "";
	uint64_t bytes = free_bytes(snapshot);

	if (snapshot->ring_bytes)
		snprintf(needs, sizeof(needs), "; its traces need up to %" PRIu64 " bytes",
			 snapshot->ring_bytes);
	if (bytes != UINT64_MAX)
		snprintf(left, sizeof(left), "; %" PRIu64 " bytes are free", bytes);
	mm_error_clear(err);
	return mm_error_set(err, MM_EXIT_ENVIRONMENT,
			    "snapshot: %.*s: %s%s%s; make room, or choose another --output",
			    snapshot->path_length ? (int)snapshot->path_length : 1, snapshot->path,
			    why, needs, left);
}

void snapshot_explain_full(const struct snapshot *snapshot, struct mm_error *err)
{
	static const int full[] = { ENOSPC, EDQUOT };

	for (size_t i = 0; i < sizeof(full) / sizeof(full[0]) && snapshot->output >= 0; i++)
		if (strstr(err->message, strerror(full[i])))
			snapshot_fail_full(snapshot, strerror(full[i]), err);
}
