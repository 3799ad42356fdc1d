/* SPDX-License-Identifier: LGPL-2.1-only */
/* Matches files with the shell pattern of --file. */
#ifndef LTTNG_MM_SYSINFO_FILE_MATCH_H
#define LTTNG_MM_SYSINFO_FILE_MATCH_H

#include "reader/sysinfo/sysinfo.h"
#include "util/nearest.h"

/*
 * Does the pattern match the path of the file, the last component of the path, or the inode number
 * (0x1003)? The paths are in @sysinfo, which may be NULL.
 */
bool mm_file_matches(const struct mm_sysinfo *sysinfo, const char *pattern, unsigned int major,
		     unsigned int minor, uint64_t ino);

/*
 * Offers the file's path, or its last component, as a name that the user may have meant. @sysinfo
 * owns the string.
 */
void mm_file_offer(const struct mm_sysinfo *sysinfo, struct mm_nearest *nearest, unsigned int major,
		   unsigned int minor, uint64_t ino);

#endif /* LTTNG_MM_SYSINFO_FILE_MATCH_H */
