/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds the snapshot.json of each trace. */
#ifndef LTTNG_MM_SYSINFO_SNAPSHOT_DIRS_H
#define LTTNG_MM_SYSINFO_SNAPSHOT_DIRS_H

#include "reader/events/source.h"
#include "reader/sysinfo/snapshot-json.h"

/* A folder with a snapshot.json. */
struct mm_snapshot_dir {
	char *folder; /* its real path */
	struct mm_snapshot snapshot;
	char *problem; /* why snapshot.json cannot be used; NULL: it is valid */
};

/* Which snapshot a trace belongs to. */
struct mm_trace_snapshot {
	size_t dir;  /* SIZE_MAX: there is no snapshot.json */
	char *trace; /* the name of its folder there */
};

struct mm_snapshots {
	struct mm_snapshot_dir *all;
	size_t count, room;
	struct mm_trace_snapshot *members; /* one for each folder of the source */
	size_t member_count;
};

/*
 * Searches the folders of the source's traces and up to two above each, where only files of the
 * trace's owner or root's count. Times of certificates are later by source->clock_shift_ns than in
 * the files, as those of the traces are. Returns 0, or -1 when out of memory; to be released in any
 * case.
 */
int mm_snapshots_find(struct mm_snapshots *snapshots, const struct mm_source *source);
/*
 * How much the wall clock was ahead of the clock of the traces, as their metadata declares it, when
 * the snapshot was taken. 0 if that is less than the error of LTTng's measurement, if it is not
 * known, because nothing says it or two values contradict each other, or if the traces are of
 * several snapshots.
 */
int64_t mm_snapshots_clock_shift(const struct mm_snapshots *snapshots);
/*
 * Writes a sentence about @shift_ns to @text, of @size bytes, if users must know of it. Returns
 * @text, or NULL.
 */
const char *mm_clock_shift_text(int64_t shift_ns, char *text, size_t size);
#define MM_CLOCK_SHIFT_TEXT 320
void mm_snapshots_release(struct mm_snapshots *snapshots);

/*
 * Locks the snapshot that is in the folder @path, or up to two above it, as a reader: until the
 * descriptor that is returned is closed, the recorder daemon does not delete it. Waits up to a
 * second for a daemon that is looking at it. Returns -1 if there is no snapshot, or no lock: where
 * the filesystem has none, or another program excludes all others.
 */
int mm_snapshots_lock(const char *path);

#endif /* LTTNG_MM_SYSINFO_SNAPSHOT_DIRS_H */
