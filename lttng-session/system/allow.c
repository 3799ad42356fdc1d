// SPDX-License-Identifier: LGPL-2.1-only
/* Reads allow lists, which name the values that a snapshot may contain. */
#include "lttng-session/system/allow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/glob.h"
#include "util/mounts.h"
#include "util/text.h"

static void unify_dashes(char *name)
{
	while ((name = strchr(name, '-')))
		*name = '_';
}

static void add_name(struct allow_list *list, const char *name)
{
	if (mm_strings_add(&list->names, &list->count, name))
		list->failed = true;
	else
		unify_dashes(list->names[list->count - 1]);
}

void allow_read(struct allow_list *list, const char *name, const char *const *defaults)
{
	char path[4096], *line = NULL;
	size_t size = 0;
	FILE *file;

	*list = (struct allow_list){ .count = 0 };
	if (mounts_path(path, sizeof(path), "/etc/lttng-mm/%s", name))
		return;
	file = fopen(path, "re");
	if (!file && errno == ENOENT)
		for (; *defaults; defaults++)
			add_name(list, *defaults);
	while (file && getline(&line, &size, file) > 0) {
		char *word = line + strspn(line, " \t");

		word[strcspn(word, "# \t\r\n")] = '\0';
		if (*word)
			add_name(list, word);
	}
	free(line);
	if (file)
		fclose(file);
}

void allow_release(struct allow_list *list)
{
	mm_strings_release(list->names, list->count);
	*list = (struct allow_list){ .count = 0 };
}

bool allow_has_of(const struct allow_list *list, const char *kind, const char *name, size_t length)
{
	char *copy = strndup(name, length);
	size_t kind_length = strlen(kind);
	bool found = false;

	if (!copy)
		return false;
	unify_dashes(copy);
	for (size_t i = 0; i < list->count && !found; i++)
		found = !strncmp(list->names[i], kind, kind_length) &&
			mm_glob_match(list->names[i] + kind_length, copy);
	free(copy);
	return found;
}

bool allow_has(const struct allow_list *list, const char *name, size_t length)
{
	return allow_has_of(list, "", name, length);
}
