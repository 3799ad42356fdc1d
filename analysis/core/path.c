// SPDX-License-Identifier: LGPL-2.1-only
/* Paths as babeltrace2 names streams by them. */
#include "analysis/core/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *mm_path_absolute(const char *path)
{
	char *cwd = path[0] == '/' ? strdup("") : getcwd(NULL, 0), *whole = NULL, *out;
	size_t length = 0;

	if (!cwd || asprintf(&whole, "%s/%s", cwd, path) < 0)
		whole = NULL;
	free(cwd);
	out = whole ? malloc(strlen(whole) + 2) : NULL;
	for (const char *part = whole; out && *part;) {
		size_t n = strcspn(part, "/");

		if (n == 2 && !strncmp(part, "..", 2)) {
			while (length && out[--length] != '/')
				;
		} else if (n && !(n == 1 && *part == '.')) {
			out[length++] = '/';
			memcpy(out + length, part, n);
			length += n;
		}
		part += n + (part[n] == '/');
	}
	if (out)
		out[length] = '\0';
	free(whole);
	return out;
}
