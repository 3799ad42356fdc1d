/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads the context folder that `lttng-mm snapshot` writes beside a trace. */
#ifndef LTTNG_MM_SYSINFO_CONTEXT_H
#define LTTNG_MM_SYSINFO_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Everything in here is optional: a foreign trace has no context at all. */
struct mm_context;
struct mm_source;

struct mm_context_file {
	const char *path; /* hostile */
	int dax;	  /* the inode's DAX state: 1, 0, or -1 where not known */
	int64_t size;
	int64_t extents;	    /* -1 where not known */
	int64_t extents_2m_aligned; /* -1 where not known */
};

struct mm_context_device {
	const char *name;
	int resource_aligned_2m; /* 1, 0, or -1 where not known */
};

/*
 * The system information of the traces in @source, as mm_places_find() finds it: the latest, where
 * several snapshots of one boot are read. @source may be NULL: there is none then. Never NULL
 * unless out of memory.
 */
struct mm_context *mm_context_load(struct mm_source *source);
/*
 * The one in @folder/context, or up to two folders above, of whatever trace it is: the user named
 * it.
 */
struct mm_context *mm_context_load_folder(const char *folder, struct mm_source *source);
void mm_context_destroy(struct mm_context *context);

/*
 * What the user should know of it: that another trace's was found, that a file is damaged. A line
 * each, ready to be shown; NULL past the last one.
 */
const char *mm_context_note(const struct mm_context *context, size_t index);

enum mm_context_use {
	MM_CONTEXT_USED,
	/* there is none where it was looked for, or no such place: a live session */
	MM_CONTEXT_ABSENT,
	MM_CONTEXT_REFUSED,  /* none is used, for the reasons that the notes give */
	MM_CONTEXT_UNSOUGHT, /* not looked for: the user said not to */
};

/* Is system information used, and if not, why? */
enum mm_context_use mm_context_use(const struct mm_context *context);

/* The context's folder, NULL: there is none. */
const char *mm_context_folder(const struct mm_context *context);

/* A string of system.json, NULL when absent. */
const char *mm_context_system(const struct mm_context *context, const char *key);

/* The command name of thread @tid, NULL when not known. */
const char *mm_context_comm(const struct mm_context *context, int tid);

/* The process of thread @tid, -1 when not known. */
int mm_context_pid(const struct mm_context *context, int tid);

/* An integer of system.json, @missing when absent. */
int64_t mm_context_system_number(const struct mm_context *context, const char *key,
				 int64_t missing);

/* Is it listed which processes recorded the trace? */
bool mm_context_lists_recorder(const struct mm_context *context);

/* Did process @pid record the trace? Then *@start_ns is its start, in CLOCK_BOOTTIME. */
bool mm_context_is_recorder(const struct mm_context *context, int pid, int64_t *start_ns);

/*
 * The names of slab caches that were one with cache @cache when the snapshot was taken, itself
 * among them: number
 * @index, NULL past the last one. Hostile.
 */
const char *mm_context_cache_alias(const struct mm_context *context, const char *cache,
				   size_t index);

/* Returns false when the file or device is not in the context. */
bool mm_context_find_file(const struct mm_context *context, unsigned int major, unsigned int minor,
			  uint64_t ino, struct mm_context_file *file);
bool mm_context_find_device(const struct mm_context *context, unsigned int major,
			    unsigned int minor, struct mm_context_device *device);

/* Where the device is mounted, NULL when not known. */
const char *mm_context_mountpoint(const struct mm_context *context, unsigned int major,
				  unsigned int minor);

#endif /* LTTNG_MM_SYSINFO_CONTEXT_H */
