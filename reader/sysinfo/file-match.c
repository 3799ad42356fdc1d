// SPDX-License-Identifier: LGPL-2.1-only
/* Matches files with the shell pattern of --file. */
#include "reader/sysinfo/file-match.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A name always matches itself, even if it contains pattern characters. */
static bool matches(const char *pattern, const char *name)
{
	return !strcmp(pattern, name) || !fnmatch(pattern, name, 0);
}

/* Returns the path of the file, or NULL. */
static const char *path_of(const struct mm_sysinfo *sysinfo, unsigned int major, unsigned int minor,
			   uint64_t ino)
{
	struct mm_sysinfo_file known;

	return sysinfo && mm_sysinfo_find_file(sysinfo, major, minor, ino, &known) ? known.path
										   : NULL;
}

bool mm_file_matches(const struct mm_sysinfo *sysinfo, const char *pattern, unsigned int major,
		     unsigned int minor, uint64_t ino)
{
	const char *path, *slash;
	char inode[32];

	snprintf(inode, sizeof(inode), "0x%" PRIx64, ino);
	if (matches(pattern, inode))
		return true;
	path = path_of(sysinfo, major, minor, ino);
	slash = path ? strrchr(path, '/') : NULL;
	return path && (matches(pattern, path) || (slash && matches(pattern, slash + 1)));
}

void mm_file_offer(const struct mm_sysinfo *sysinfo, struct mm_nearest *nearest, unsigned int major,
		   unsigned int minor, uint64_t ino)
{
	const char *path = path_of(sysinfo, major, minor, ino);
	const char *slash = path ? strrchr(path, '/') : NULL;

	/* Compare a path with paths, and a name with names. */
	if (path && (!slash || strchr(nearest->wanted, '/')))
		mm_nearest_offer(nearest, path);
	else if (path)
		mm_nearest_offer(nearest, slash + 1);
}
