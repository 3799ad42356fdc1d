/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A file of the system information that belongs to a subsystem. `lttng-mm snapshot` writes it and
 * mm_sysinfo_load() reads it, both without knowing what it is for.
 */
#ifndef LTTNG_MM_SYSINFO_PART_H
#define LTTNG_MM_SYSINFO_PART_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* A value of an entry, with the JSON type that it has unless it is null or absent. */
struct mm_sysinfo_member {
	const char *key;
	json_type type; /* JSON_TRUE: a boolean */
	bool required;	/* an integer that is not negative */
};

/* The file is a list of objects. Arrays of these end with a NULL name. */
struct mm_sysinfo_part {
	const char *name; /* of the file: "slab-caches.json" */
	/* The member by which mm_sysinfo_entry() finds an entry: a string or a list of strings. */
	const char *key;
	/* Entries whose members have other types are reported; ends with a NULL key. NULL: none. */
	const struct mm_sysinfo_member *members;
	/*
	 * For the snapshot: makes the list from files below mounts_root(), with functions of util/
	 * only. NULL: out of memory.
	 */
	json_t *(*collect)(void);
};

/* Part number @number of all subsystems, from 0 on; NULL: there are no more. */
typedef const struct mm_sysinfo_part *mm_sysinfo_part_fn(size_t number);

/* Parts of all subsystems. */
#define MM_SYSINFO_PARTS_MAX 16

#endif /* LTTNG_MM_SYSINFO_PART_H */
