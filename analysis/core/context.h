/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads the context folder that `lttng-mm snapshot` writes beside a trace. */
#ifndef LTTNG_MM_CORE_CONTEXT_H
#define LTTNG_MM_CORE_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Everything in here is optional: a foreign trace has no context at all. */
struct mm_context;

struct mm_context_file {
	const char *path;	/* hostile */
	int dax;		/* the inode's DAX state: 1, 0, or -1 where not known */
	int64_t size;
	int64_t extents;		/* -1 where not known */
	int64_t extents_2m_aligned;	/* -1 where not known */
};

struct mm_context_device {
	const char *name;
	int resource_aligned_2m;	/* 1, 0, or -1 where not known */
};

/*
 * Looks for @trace/context and above, up to two folders; NULL: there is none. Never NULL unless memory is short.
 */
struct mm_context *mm_context_load(const char *trace);
void mm_context_destroy(struct mm_context *context);

/* Is there a context folder at all? */
bool mm_context_found(const struct mm_context *context);

/* The context's folder, NULL: there is none. */
const char *mm_context_folder(const struct mm_context *context);

/* A string of system.json, NULL when absent. */
const char *mm_context_system(const struct mm_context *context, const char *key);

/* The command name of thread @tid, NULL when not known. */
const char *mm_context_comm(const struct mm_context *context, int tid);

/* The process of thread @tid, -1 when not known. */
int mm_context_pid(const struct mm_context *context, int tid);

/* An integer of system.json, @missing when absent. */
int64_t mm_context_system_number(const struct mm_context *context, const char *key, int64_t missing);

/* Is it listed which processes recorded the trace? */
bool mm_context_lists_recorder(const struct mm_context *context);

/* Did process @pid record the trace? Then *@start_ns is its start, in CLOCK_BOOTTIME. */
bool mm_context_is_recorder(const struct mm_context *context, int pid, int64_t *start_ns);

/*
 * The names of slab caches that were one with cache @cache when the snapshot was taken, itself among them: number
 * @index, NULL past the last one. Hostile.
 */
const char *mm_context_cache_alias(const struct mm_context *context, const char *cache,
				   size_t index);

/* Returns false when the file or device is not in the context. */
bool mm_context_find_file(const struct mm_context *context, unsigned int major,
			  unsigned int minor, uint64_t ino, struct mm_context_file *file);
bool mm_context_find_device(const struct mm_context *context, unsigned int major,
			    unsigned int minor, struct mm_context_device *device);

/* Where the device is mounted, NULL when not known. */
const char *mm_context_mountpoint(const struct mm_context *context, unsigned int major,
				  unsigned int minor);

#endif /* LTTNG_MM_CORE_CONTEXT_H */
