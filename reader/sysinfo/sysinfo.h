/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads the system information that `lttng-mm snapshot` writes next to a trace. */
#ifndef LTTNG_MM_SYSINFO_SYSINFO_H
#define LTTNG_MM_SYSINFO_SYSINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/sysinfo/part.h"

/* System information. All parts are optional, because traces of other tools have none. */
struct mm_sysinfo;
struct mm_source;

struct mm_sysinfo_file {
	const char *path; /* untrusted */
	int dax;	  /* the inode's DAX state: 1 or 0; -1: not known */
	int64_t size;
	int64_t extents;	    /* -1 if not known */
	int64_t extents_2m_aligned; /* -1 if not known */
};

/*
 * Loads the system information that mm_sysinfo_dirs_find() finds for the traces in @source. If
 * there are several snapshots of one boot, uses the latest. The result is empty if nothing is found
 * or @source is NULL. @part_at: the files of subsystems. Returns NULL only when out of memory.
 */
struct mm_sysinfo *mm_sysinfo_load(struct mm_source *source, mm_sysinfo_part_fn *part_at);
/*
 * Loads the system information that mm_sysinfo_dirs_use() finds in @folder or up to two folders
 * above. Returns NULL only when out of memory.
 */
struct mm_sysinfo *mm_sysinfo_load_folder(const char *folder, struct mm_source *source,
					  mm_sysinfo_part_fn *part_at);
void mm_sysinfo_destroy(struct mm_sysinfo *sysinfo);

/*
 * Returns note @index for the user as one escaped line: for example, a file is damaged or belongs
 * to another trace. Returns NULL after the last note.
 */
const char *mm_sysinfo_note(const struct mm_sysinfo *sysinfo, size_t index);

enum mm_sysinfo_use {
	MM_SYSINFO_USED,
	/* not found, or a live session */
	MM_SYSINFO_ABSENT,
	MM_SYSINFO_REFUSED,  /* found, but not used; the notes say why */
	MM_SYSINFO_UNSOUGHT, /* not searched for, because the user said so */
};

/* Returns whether system information is used, and if not, why. */
enum mm_sysinfo_use mm_sysinfo_use(const struct mm_sysinfo *sysinfo);

/* Returns the folder of the system information, or NULL. */
const char *mm_sysinfo_folder(const struct mm_sysinfo *sysinfo);

/* Returns the folder for mm_symbols_load(); NULL if it is unknown or its symbols are damaged. */
const char *mm_sysinfo_symbols(const struct mm_sysinfo *sysinfo);

/* Returns a string of system.json; NULL if it is absent. */
const char *mm_sysinfo_system(const struct mm_sysinfo *sysinfo, const char *key);

/*
 * Did a tracker or a filter exclude events? The certificates in source->missing decide. If
 * source->missing is NULL, system.json decides, but this file does not cover sessions of other
 * programs.
 */
bool mm_sysinfo_is_partial(const struct mm_sysinfo *sysinfo, const struct mm_source *source);

/* Returns the name of thread @tid; NULL if it is not known. */
const char *mm_sysinfo_comm(const struct mm_sysinfo *sysinfo, int tid);

/* Returns the process of thread @tid; -1 if it is not known. */
int mm_sysinfo_pid(const struct mm_sysinfo *sysinfo, int tid);

/* Returns an integer of system.json; @missing if it is absent. */
int64_t mm_sysinfo_system_number(const struct mm_sysinfo *sysinfo, const char *key,
				 int64_t missing);

/* Does the system information list the recorder's processes? */
bool mm_sysinfo_lists_recorder(const struct mm_sysinfo *sysinfo);

/* Is @pid a process of the recorder? If so, *@start_ns becomes its start in CLOCK_BOOTTIME. */
bool mm_sysinfo_is_recorder(const struct mm_sysinfo *sysinfo, int pid, int64_t *start_ns);

/*
 * Returns the id of thread @index among the threads that existed at the time of the snapshot, in
 * the order of ids. Returns -1 after the last one.
 */
int mm_sysinfo_thread(const struct mm_sysinfo *sysinfo, size_t index);

/*
 * Returns the last entry of the part @name (a file) with the key @value. (If the key is a list, the
 * list must contain @value.) Returns NULL if there is no such entry or @sysinfo is NULL. The entry
 * is untrusted.
 */
const json_t *mm_sysinfo_entry(const struct mm_sysinfo *sysinfo, const char *name,
			       const char *value);
/* Returns the whole list in the part @name, or NULL. The list is untrusted. */
const json_t *mm_sysinfo_list(const struct mm_sysinfo *sysinfo, const char *name);

/* Finds a file. Returns false if it is not in the system information. */
bool mm_sysinfo_find_file(const struct mm_sysinfo *sysinfo, unsigned int major, unsigned int minor,
			  uint64_t ino, struct mm_sysinfo_file *file);

/* Returns the mount point of the device; NULL if it is not known. */
const char *mm_sysinfo_mountpoint(const struct mm_sysinfo *sysinfo, unsigned int major,
				  unsigned int minor);

#endif /* LTTNG_MM_SYSINFO_SYSINFO_H */
