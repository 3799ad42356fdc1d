/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads the system information that `lttng-mm snapshot` writes next to a trace. */
#ifndef LTTNG_MM_SYSINFO_SYSINFO_H
#define LTTNG_MM_SYSINFO_SYSINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/sysinfo/part.h"

/* Everything is optional: a trace of another tool has no system information. */
struct mm_sysinfo;
struct mm_source;

struct mm_sysinfo_file {
	const char *path; /* untrusted */
	int dax;	  /* the inode's DAX state: 1, 0, or -1 if not known */
	int64_t size;
	int64_t extents;	    /* -1 if not known */
	int64_t extents_2m_aligned; /* -1 if not known */
};

struct mm_sysinfo_device {
	const char *name;
	int resource_aligned_2m; /* 1, 0, or -1 if not known */
};

/*
 * Loads the system information of the traces in @source, found as by mm_sysinfo_dirs_find(); the latest,
 * if several snapshots of one boot are read. It is empty if @source is NULL. @part_at: the files of
 * subsystems. Returns NULL only when out of memory.
 */
struct mm_sysinfo *mm_sysinfo_load(struct mm_source *source, mm_sysinfo_part_fn *part_at);
/*
 * The system information in @folder/sysinfo, or up to two folders above, even if it belongs to
 * another trace: the user named it.
 */
struct mm_sysinfo *mm_sysinfo_load_folder(const char *folder, struct mm_source *source,
					  mm_sysinfo_part_fn *part_at);
void mm_sysinfo_destroy(struct mm_sysinfo *sysinfo);

/*
 * Returns note @index for the user, such as that a file is damaged or belongs to another trace, as
 * one line, escaped; NULL after the last one.
 */
const char *mm_sysinfo_note(const struct mm_sysinfo *sysinfo, size_t index);

enum mm_sysinfo_use {
	MM_SYSINFO_USED,
	/* not found, or a live session */
	MM_SYSINFO_ABSENT,
	MM_SYSINFO_REFUSED,  /* none is used, for the reasons in the notes */
	MM_SYSINFO_UNSOUGHT, /* not searched for, at the user's request */
};

/* Is system information used, and if not, why? */
enum mm_sysinfo_use mm_sysinfo_use(const struct mm_sysinfo *sysinfo);

/* The folder of the system information; NULL: there is none. */
const char *mm_sysinfo_folder(const struct mm_sysinfo *sysinfo);

/* The folder for mm_symbols_load(); NULL: none, or its list of symbols is damaged. */
const char *mm_sysinfo_symbols(const struct mm_sysinfo *sysinfo);

/* A string of system.json; NULL if absent. */
const char *mm_sysinfo_system(const struct mm_sysinfo *sysinfo, const char *key);

/*
 * Did a tracker or a filter exclude events? source->missing decides, which knows the certificates.
 * Without it, system.json does, which says nothing of a plain session.
 */
bool mm_sysinfo_is_partial(const struct mm_sysinfo *sysinfo, const struct mm_source *source);

/* The command name of thread @tid; NULL if not known. */
const char *mm_sysinfo_comm(const struct mm_sysinfo *sysinfo, int tid);

/* The process of thread @tid; -1 if not known. */
int mm_sysinfo_pid(const struct mm_sysinfo *sysinfo, int tid);

/* An integer of system.json; @missing if absent. */
int64_t mm_sysinfo_system_number(const struct mm_sysinfo *sysinfo, const char *key,
				 int64_t missing);

/* Does the system information list the processes that recorded the trace? */
bool mm_sysinfo_lists_recorder(const struct mm_sysinfo *sysinfo);

/* Did process @pid record the trace? If so, *@start_ns is its start time in CLOCK_BOOTTIME. */
bool mm_sysinfo_is_recorder(const struct mm_sysinfo *sysinfo, int pid, int64_t *start_ns);

/*
 * Returns thread @index of those that ran at the snapshot, in the order of thread ids; -1 after the
 * last one.
 */
int mm_sysinfo_thread(const struct mm_sysinfo *sysinfo, size_t index);

/*
 * The entry of the part @name, a file, of which the value of the part's key is @value, or a list
 * with @value in it; the last one of several. NULL: there is none, or @sysinfo is NULL. Untrusted.
 */
const json_t *mm_sysinfo_entry(const struct mm_sysinfo *sysinfo, const char *name,
			       const char *value);

/* Returns false when the file or device is not in the system information. */
bool mm_sysinfo_find_file(const struct mm_sysinfo *sysinfo, unsigned int major, unsigned int minor,
			  uint64_t ino, struct mm_sysinfo_file *file);
bool mm_sysinfo_find_device(const struct mm_sysinfo *sysinfo, unsigned int major,
			    unsigned int minor, struct mm_sysinfo_device *device);

/* The mount point of the device; NULL if not known. */
const char *mm_sysinfo_mountpoint(const struct mm_sysinfo *sysinfo, unsigned int major,
				  unsigned int minor);

#endif /* LTTNG_MM_SYSINFO_SYSINFO_H */
