/* SPDX-License-Identifier: LGPL-2.1-only */
/* Selects operations, such as DAX faults, by their file: --file. */
#ifndef LTTNG_MM_WHY_FILES_H
#define LTTNG_MM_WHY_FILES_H

#include "analysis/why/events.h"
#include "reader/sysinfo/sysinfo.h"
#include "util/hash.h"

struct why_file {
	uint64_t ino;
	unsigned int major, minor;
	bool selected;
};

/*
 * The inode number in the last wide variant on a CPU, for events of any subsystem.
 * (analysis/dax/wide.c stores all fields, but only of DAX events.)
 */
struct why_wide_ino {
	const struct why_class *class; /* NULL: none */
	uint32_t cpu, tid;
	uint64_t ino;
};

struct why_files {
	const char *pattern; /* NULL: no --file */
	struct why_file *all;
	uint32_t count, last;
	size_t room;
	struct mm_hash by_key;
	struct why_wide_ino wides[WHY_WIDE_SLOTS];
	uint64_t unknown; /* starts that were excluded because their inode number is unknown */
};

void why_files_init(struct why_files *files);
void why_files_release(struct why_files *files);

/* Stores the inode number of a wide variant. */
void why_files_wide(struct why_files *files, const struct mm_event *event);
/* Call this when events of @cpu are lost (MM_CPU_UNKNOWN: of any CPU). Forgets the wide variant. */
void why_files_lost(struct why_files *files, uint32_t cpu);

/*
 * Returns 1 if the event's operation is on a file that --file does not select, else 0. Returns -1
 * when out of memory. @sysinfo has the paths of files and may be NULL.
 */
int why_files_exclude(struct why_files *files, const struct mm_sysinfo *sysinfo,
		      const struct mm_event *event);

/*
 * Returns true if the pattern selects none of the files with operations. @hint then receives the
 * end of a sentence: a list of similar paths (mm_nearest_hint()), or a full stop.
 */
bool why_files_select_none(const struct why_files *files, const struct mm_sysinfo *sysinfo,
			   char *hint, size_t size);

#endif /* LTTNG_MM_WHY_FILES_H */
