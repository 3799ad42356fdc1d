/* SPDX-License-Identifier: LGPL-2.1-only */
/* Creates and checks small files, for tests of folders. */
#ifndef LTTNG_MM_TESTS_UNIT_FILES_H
#define LTTNG_MM_TESTS_UNIT_FILES_H

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/system/folder.h"
#include "tests/tap.h"

/* Makes the file @name in @parent; the test ends if that fails. */
static inline void write_file(int parent, const char *name, const char *text)
{
	FILE *file = folder_make_file(parent, name);

	if (!file || fputs(text, file) < 0 || fclose(file))
		tap_bail("%s cannot be written", name);
}

/* Are the contents of the file exactly @text, which has up to 62 bytes? */
static inline bool holds(int parent, const char *name, const char *text)
{
	char found[64] = "";
	int fd = openat(parent, name, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, found, sizeof(found) - 1);

	if (fd >= 0)
		close(fd);
	return n == (ssize_t)strlen(text) && !strcmp(found, text);
}

#endif /* LTTNG_MM_TESTS_UNIT_FILES_H */
