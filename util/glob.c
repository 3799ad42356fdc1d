// SPDX-License-Identifier: LGPL-2.1-only
/* Matches names against lists of shell patterns. */
#include "util/glob.h"

#include <fnmatch.h>
#include <string.h>

#define GLOB_MAX 256

bool mm_glob_match(const char *globs, const char *name)
{
	char glob[GLOB_MAX];

	if (!globs)
		return true;
	while (*globs) {
		size_t length = strcspn(globs, ",");

		if (length < sizeof(glob)) {
			memcpy(glob, globs, length);
			glob[length] = '\0';
			if (!fnmatch(glob, name, 0))
				return true;
		}
		globs += length + (globs[length] == ',');
	}
	return false;
}
