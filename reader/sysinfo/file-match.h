/* SPDX-License-Identifier: LGPL-2.1-only */
/* Which files a shell pattern selects: --file. */
#ifndef LTTNG_MM_SYSINFO_FILE_MATCH_H
#define LTTNG_MM_SYSINFO_FILE_MATCH_H

#include "reader/sysinfo/sysinfo.h"
#include "util/nearest.h"

/*
 * Does the pattern match the path of the file, the last component of the path, or the inode number
 * as in 0x1003? @sysinfo, which has the paths, may be NULL.
 */
bool mm_file_matches(const struct mm_sysinfo *sysinfo, const char *pattern, unsigned int major,
		     unsigned int minor, uint64_t ino);

/* Offers the path of the file and its last component, which @sysinfo owns. */
void mm_file_offer(const struct mm_sysinfo *sysinfo, struct mm_nearest *nearest, unsigned int major,
		   unsigned int minor, uint64_t ino);

#endif /* LTTNG_MM_SYSINFO_FILE_MATCH_H */
