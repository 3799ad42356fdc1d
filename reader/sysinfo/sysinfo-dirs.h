/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds the system information of a trace in nearby folders. */
#ifndef LTTNG_MM_SYSINFO_SYSINFO_DIRS_H
#define LTTNG_MM_SYSINFO_SYSINFO_DIRS_H

#include <jansson.h>
#include <sys/stat.h>

#include "reader/events/source.h"

/* A folder of system information. */
struct mm_sysinfo_dir {
	char *folder;
	dev_t device;
	ino_t inode;
	bool inside;	/* in the folder that the user named, not above it */
	bool adjacent;	/* in a trace's folder, or next to it as in a snapshot */
	bool matches;	/* belongs to a trace of the source */
	json_t *list;	/* traces.json; NULL: missing or unusable */
	json_t *system; /* system.json; NULL: missing or unusable */
};

struct mm_sysinfo_dirs {
	struct mm_sysinfo_dir *all; /* sorted by folder */
	size_t count, room;
	char **notes; /* notes for the user: one escaped line each */
	size_t note_count, note_room;
	bool explicit; /* the user named the folder, so it is used in any case */
	bool too_long;
	bool failed;
};

/*
 * Searches the folders of the traces and all folders above them, up to two folders above the opened
 * folder.
 *
 * System information belongs to a trace if traces.json lists the trace's UUID and the boot ids do
 * not differ. If a trace is in a folder for which traces.json lists another trace, the system
 * information is from another snapshot. (Snapshots may share traces of state dumps.) If there is no
 * traces.json, the boot id in system.json decides. If system.json or the traces have no boot id,
 * system information in or next to a trace's folder is used.
 *
 * Finds nothing if @source is NULL or a live session. Release with mm_sysinfo_dirs_release().
 * Returns 0, or -1 when out of memory.
 */
int mm_sysinfo_dirs_find(struct mm_sysinfo_dirs *dirs, struct mm_source *source);

/*
 * Uses the system information in @folder or up to two folders above it, even if it belongs to
 * another trace, because the user named @folder. Returns 0; 1 if there is no system information; or
 * -1 when out of memory.
 */
int mm_sysinfo_dirs_use(struct mm_sysinfo_dirs *dirs, struct mm_source *source, const char *folder);

void mm_sysinfo_dirs_release(struct mm_sysinfo_dirs *dirs);

/* Does the traces.json entry @trace have the UUID in @id? */
bool mm_sysinfo_lists_uuid(const json_t *trace, const struct mm_trace_id *id);

/* Does @system (system.json) say that a tracker or a filter of the recorder excluded events? */
bool mm_sysinfo_dirs_is_part(const json_t *system);

/*
 * Returns the number of CPUs in system.json, if system.json is from the boot of trace @id. 0: not
 * known.
 */
uint32_t mm_sysinfo_dir_cpus(const struct mm_sysinfo_dir *dir, const struct mm_trace_id *id);

/* Returns the number of levels from @folder up to @top, or -1 if @top is not above @folder. */
int mm_sysinfo_dirs_levels(const char *folder, const struct stat *top);

void mm_sysinfo_dirs_note(struct mm_sysinfo_dirs *dirs, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Loads the JSON file @name from a folder of system information. Returns NULL if the file does not
 * exist. If it is damaged, returns NULL and adds a note. When out of memory, returns NULL and sets
 * dirs->failed.
 */
json_t *mm_sysinfo_dirs_load(struct mm_sysinfo_dirs *dirs, const char *folder, const char *name);

#endif /* LTTNG_MM_SYSINFO_SYSINFO_DIRS_H */
