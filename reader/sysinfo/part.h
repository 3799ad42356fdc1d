/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A file in the system information that belongs to one subsystem. `lttng-mm snapshot` writes it,
 * and mm_sysinfo_load() reads it, without knowing its contents.
 */
#ifndef LTTNG_MM_SYSINFO_PART_H
#define LTTNG_MM_SYSINFO_PART_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* A member of an entry. Its value is null, absent, or has this JSON type. */
struct mm_sysinfo_member {
	const char *key;
	json_type type; /* JSON_TRUE: a boolean */
	bool required;	/* must be present, and an integer of 0 or more */
};

/* A file that contains a list of objects. Arrays of parts end with a NULL name. */
struct mm_sysinfo_part {
	const char *name; /* name of the file: "slab-caches.json" */
	/*
	 * mm_sysinfo_entry() finds entries by this member, which is a string or a list; NULL: no
	 * such member
	 */
	const char *key;
	/*
	 * The known members of entries. If a member has another type, the entry is reported as
	 * damaged. Ends with a NULL key; NULL: no checks.
	 */
	const struct mm_sysinfo_member *members;
	/*
	 * Makes the list for a snapshot from files below mounts_root(). May use only functions of
	 * util/. Returns NULL when out of memory. @collect NULL: the recorder writes the file in
	 * another way.
	 */
	json_t *(*collect)(void);
};

/* Returns part @number (from 0 on) of all subsystems, or NULL after the last one. */
typedef const struct mm_sysinfo_part *mm_sysinfo_part_fn(size_t number);

/* Maximum number of parts of all subsystems. */
#define MM_SYSINFO_PARTS_MAX 16

/* The file with the memory usage of the cgroup whose page references were recorded. */
#define MM_SYSINFO_CGROUP "cgroup.json"

#endif /* LTTNG_MM_SYSINFO_PART_H */
