/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds the snapshot.json of each trace. */
#ifndef LTTNG_MM_SYSINFO_SNAPSHOT_DIRS_H
#define LTTNG_MM_SYSINFO_SNAPSHOT_DIRS_H

#include "reader/events/source.h"
#include "reader/sysinfo/snapshot-json.h"

/* A folder with a snapshot.json. */
struct mm_snapshot_dir {
	char *folder; /* real path of the folder */
	struct mm_snapshot snapshot;
	char *problem; /* why snapshot.json cannot be used; NULL: it is valid */
};

struct mm_trace_snapshot {
	size_t dir;  /* index in mm_snapshots.all; SIZE_MAX: no snapshot.json */
	char *trace; /* the trace's folder, relative to the snapshot's folder */
};

struct mm_snapshots {
	struct mm_snapshot_dir *all;
	size_t count, room;
	struct mm_trace_snapshot *members; /* per folder of the source */
	size_t member_count;
};

/*
 * Looks for snapshot.json in the folders of the traces, and up to two folders above them. A file
 * above a trace's folder must be owned by the trace's owner or by root. Adds source->clock_shift_ns
 * to the times of certificates, because readers also add this shift to the times of traces. Returns
 * 0, or -1 when out of memory. Release @snapshots in any case.
 */
int mm_snapshots_find(struct mm_snapshots *snapshots, const struct mm_source *source);
/* Returns mm_snapshot_clock_shift() of the snapshot; 0 if the traces are from several snapshots. */
int64_t mm_snapshots_clock_shift(const struct mm_snapshots *snapshots);
/*
 * If @shift_ns is large enough to matter, writes a sentence about it to @text and returns @text.
 * Otherwise returns NULL.
 */
const char *mm_clock_shift_text(int64_t shift_ns, char *text, size_t size);
#define MM_CLOCK_SHIFT_TEXT 320
void mm_snapshots_release(struct mm_snapshots *snapshots);

/*
 * Takes a read lock on the snapshot in the folder @path, or up to two folders above. The recorder
 * daemon does not delete the snapshot until the returned descriptor is closed. If the daemon holds
 * the lock, waits up to a second. Returns -1 if there is no snapshot, the filesystem has no locks,
 * or another program keeps an exclusive lock.
 */
int mm_snapshots_lock(const char *path);

#endif /* LTTNG_MM_SYSINFO_SNAPSHOT_DIRS_H */
