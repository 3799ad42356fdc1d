/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds the snapshot.json of each trace. */
#ifndef LTTNG_MM_SYSINFO_SNAPSHOTS_H
#define LTTNG_MM_SYSINFO_SNAPSHOTS_H

#include "analysis/sysinfo/certificate.h"
#include "analysis/trace/source.h"

/* A folder with a snapshot.json. */
struct mm_snapshot_place {
	char *folder; /* its real path */
	struct mm_snapshot snapshot;
	char *problem; /* why snapshot.json cannot be used; NULL: it is valid */
};

/* Which snapshot a trace belongs to. */
struct mm_snapshot_member {
	size_t place; /* SIZE_MAX: there is no snapshot.json */
	char *trace;  /* the name of its folder there */
};

struct mm_snapshots {
	struct mm_snapshot_place *all;
	size_t count, room;
	struct mm_snapshot_member *members; /* one for each folder of the source */
	size_t member_count;
};

/*
 * Searches the folders of the source's traces and up to two above each, where only files of the
 * trace's owner or root's count. Returns 0, or -1 when out
 * of memory; to be released in any case.
 */
int mm_snapshots_find(struct mm_snapshots *snapshots, const struct mm_source *source);
void mm_snapshots_release(struct mm_snapshots *snapshots);

#endif /* LTTNG_MM_SYSINFO_SNAPSHOTS_H */
