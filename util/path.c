// SPDX-License-Identifier: LGPL-2.1-only
/* Paths in the form of babeltrace2's stream names. */
#include "util/path.h"

#include <errno.h>
#include <fcntl.h>
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

void mm_path_strip(char *path)
{
	size_t length = strlen(path);

	while (length > 1 && path[length - 1] == '/')
		path[--length] = '\0';
}

bool mm_path_is_denied(const char *path)
{
	/* O_NONBLOCK avoids waiting for a writer if the path is a FIFO. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return errno == EACCES || errno == EPERM;
	close(fd);
	return false;
}

/*
 * Returns the rest of @path below @folder, such as "/a". Returns NULL if @path is not below
 * @folder.
 */
static const char *below(const char *path, const char *folder)
{
	size_t length = folder ? strlen(folder) : 0;

	return length && !strncmp(path, folder, length) && path[length] == '/' ? path + length
									       : NULL;
}

char *mm_path_as_given(const char *path, const char *given)
{
	char *absolute = mm_path_absolute(given), *real = realpath(given, NULL), *out = NULL;
	const char *rest = below(path, absolute);

	if (!rest)
		rest = below(path, real);
	if (asprintf(&out, "%s%s", rest ? given : "", rest ? rest : path) < 0)
		out = NULL;
	free(absolute);
	free(real);
	return out;
}
