/* SPDX-License-Identifier: LGPL-2.1-only */
/* The files whose operations, such as DAX faults, are looked at: --file. */
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

/* A wide variant of the last event of a CPU, whose inode number the event itself may lack. */
struct why_wide_ino {
	const struct why_class *class; /* NULL: none */
	uint32_t cpu, tid;
	uint64_t ino;
};

struct why_files {
	const char *pattern; /* NULL: all files are looked at */
	struct why_file *all;
	uint32_t count, last;
	size_t room;
	struct mm_hash by_key;
	struct why_wide_ino wides[WHY_WIDE_SLOTS];
	uint64_t unknown; /* starts that are left out, as no event has their inode number */
};

void why_files_init(struct why_files *files);
void why_files_release(struct why_files *files);

/* The wide variant of an operation's event, which comes before the event. */
void why_files_wide(struct why_files *files, const struct mm_event *event);
/* Events of @cpu may be missing; it may be MM_CPU_UNKNOWN. */
void why_files_lost(struct why_files *files, uint32_t cpu);

/*
 * Is it the start or the end of an operation on another file? @sysinfo, which has
 * the paths, may be NULL. Returns 1, 0, or -1: out of memory.
 */
int why_files_exclude(struct why_files *files, const struct mm_sysinfo *sysinfo,
		      const struct mm_event *event);

/*
 * Does the pattern select no file, although there are operations? Then @hint receives the paths
 * that may be meant, as of mm_nearest_hint(), or a full stop.
 */
bool why_files_select_none(const struct why_files *files, const struct mm_sysinfo *sysinfo,
			   char *hint, size_t size);

#endif /* LTTNG_MM_WHY_FILES_H */
