// SPDX-License-Identifier: LGPL-2.1-only
/* Reads /proc/self/mountinfo; proc(5) describes its fields. */
#include "util/mounts.h"

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *mounts_root(void)
{
	const char *root = getenv("LTTNG_MM_ROOT");

	return root ? root : "";
}

int mounts_path(char *path, size_t size, const char *fmt, ...)
{
	const char *root = mounts_root();
	size_t length = strlen(root);
	va_list args;
	int n = -1;

	if (length < size) {
		memcpy(path, root, length);
		va_start(args, fmt);
		n = vsnprintf(path + length, size - length, fmt, args);
		va_end(args);
	}
	if (n >= 0 && (size_t)n < size - length)
		return 0;
	*path = '\0';
	return -1;
}

/* Decodes octal escapes of blanks and other special characters, such as `\040`. */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' && text[2] && text[3]) {
			*to++ = (char)((text[1] - '0') * 64 + (text[2] - '0') * 8 + text[3] - '0');
			text += 3;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

static void find_dax(const char *options, char *dax, size_t size)
{
	const char *at = options;

	dax[0] = '\0';
	while (at && *at) {
		size_t length = strcspn(at, ",");

		if (length == 3 && !strncmp(at, "dax", 3))
			snprintf(dax, size, "always");
		else if (length > 4 && !strncmp(at, "dax=", 4))
			snprintf(dax, size, "%.*s", (int)length - 4, at + 4);
		at += length + (at[length] == ',');
	}
}

/* Removes the next word from *@line and unescapes it. */
static char *next_word(char **line)
{
	char *word = *line + strspn(*line, " \n"), *end = word + strcspn(word, " \n");

	*line = *end ? end + 1 : end;
	*end = '\0';
	unescape(word);
	return word;
}

/* Parses `36 35 98:0 /root /mountpoint rw,noatime shared:1 - ext4 /dev/pmem0 rw,dax=always`. */
static bool parse_line(char *line, struct mount *mount)
{
	char *rest = strstr(line, " - ");

	memset(mount, 0, sizeof(*mount));
	if (!rest || sscanf(line, "%*d %*d %u:%u", &mount->major, &mount->minor) != 2)
		return false;
	*rest = '\0';
	rest += strlen(" - ");
	for (int i = 0; i < 3; i++)
		next_word(&line);
	mount->root = next_word(&line);
	mount->mountpoint = next_word(&line);
	mount->fstype = next_word(&rest);
	mount->source = next_word(&rest);
	mount->options = next_word(&rest);
	find_dax(mount->options, mount->dax, sizeof(mount->dax));
	return *mount->mountpoint && *mount->options;
}

int mounts_each(int (*visit)(const struct mount *mount, void *user), void *user)
{
	char path[PATH_MAX], *line = NULL;
	struct mount mount;
	size_t size = 0;
	int ret = 0;
	FILE *file;

	mounts_path(path, sizeof(path), "/proc/self/mountinfo");
	file = fopen(path, "re");
	while (file && !ret && getline(&line, &size, file) > 0)
		if (parse_line(line, &mount))
			ret = visit(&mount, user);
	free(line);
	if (file)
		fclose(file);
	return ret;
}

void mounts_read_line(const char *path, char *text, size_t size)
{
	char full[4096];
	FILE *file;

	text[0] = '\0';
	mounts_path(full, sizeof(full), "%s", path);
	file = fopen(full, "re");
	if (file && !fgets(text, (int)size, file))
		text[0] = '\0';
	if (file)
		fclose(file);
	text[strcspn(text, "\n")] = '\0';
}
