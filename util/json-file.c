// SPDX-License-Identifier: LGPL-2.1-only
/* Looks at the size of a JSON text before it becomes a tree, which is far larger. */
#include "util/json-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool mm_json_is_large(const char *text, size_t length)
{
	bool in_string = false;
	size_t values = 1;

	for (size_t i = 0; i < length; i++) {
		char c = text[i];

		if (c == '"')
			in_string = !in_string;
		else if (in_string)
			i += c == '\\';
		else
			values += c == ',' || c == ':' || c == '[' || c == '{';
	}
	return values > MM_JSON_VALUES_MAX;
}

/* The whole file, and its *length; NULL with @why. */
static char *read_all(int fd, size_t *length, char *why, size_t size)
{
	char *text = NULL;
	ssize_t got = 1;
	struct stat st;

	*length = 0;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return NULL;
	if (st.st_size <= (off_t)MM_JSON_BYTES_MAX)
		text = malloc((size_t)st.st_size + 1);
	else
		snprintf(why, size, "larger than %u MiB", MM_JSON_BYTES_MAX >> 20);
	while (text && got > 0 && *length < (size_t)st.st_size) {
		got = read(fd, text + *length, (size_t)st.st_size - *length);
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got > 0)
			*length += (size_t)got;
	}
	if (text && got >= 0)
		return text;
	if (!*why)
		snprintf(why, size, "cannot be read: %s", strerror(errno));
	free(text);
	return NULL;
}

json_t *mm_json_load(const char *path, char *why, size_t size)
{
	/* A folder from elsewhere may hold anything: a pipe is not waited for. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	json_t *json = NULL;
	json_error_t error;
	size_t length;
	char *text;

	*why = '\0';
	if (fd < 0) {
		if (errno != ENOENT && errno != ENOTDIR)
			snprintf(why, size, "cannot be read: %s", strerror(errno));
		return NULL;
	}
	text = read_all(fd, &length, why, size);
	if (text && mm_json_is_large(text, length)) {
		snprintf(why, size, "more than %u values", MM_JSON_VALUES_MAX);
	} else if (text) {
		json = json_loadb(text, length, JSON_ALLOW_NUL, &error);
		if (!json)
			snprintf(why, size, "damaged: line %d: %s", error.line, error.text);
	}
	free(text);
	close(fd);
	return json;
}
