// SPDX-License-Identifier: LGPL-2.1-only
/* Finds snapshots whose packets are not compared with checksums. */
#include "analysis/run/checksums-find.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/trace/missing.h"
#include "util/checksums.h"
#include "util/escape.h"
#include "util/path.h"
#include "util/text.h"

/* Adds a line about a snapshot at @path, which may be hostile. Returns 0, or -1: out of memory. */
static int add_unchecked(struct mm_missing_list *list, const char *path)
{
	char *line, *safe;
	int ret;

	if (asprintf(&line, "%s: the snapshot has no checksums: " MM_UNCHECKED, path) < 0)
		return -1;
	safe = mm_escape_message_copy(line);
	free(line);
	ret = safe ? mm_strings_add(&list->unchecked, &list->unchecked_count, safe) : -1;
	free(safe);
	return ret;
}

/* Takes over @path. */
static int add_lost(struct mm_missing_list *list, char *path, bool damaged)
{
	struct mm_lost_sums *grown = mm_array_grow(list->lost_sums, list->lost_sums_count,
						   &list->lost_sums_room, sizeof(*grown));

	if (!grown) {
		free(path);
		return -1;
	}
	list->lost_sums = grown;
	grown[list->lost_sums_count++] = (struct mm_lost_sums){ path, damaged };
	return 0;
}

/* @expected: there should be checksums. */
static int check_file(struct mm_missing_list *list, const char *folder, const char *name,
		      bool expected)
{
	struct mm_checksums sums;
	bool exists;
	int ret = mm_checksums_load(&sums, folder, name, &exists);
	char *path;

	mm_checksums_release(&sums);
	if (ret || (!exists && !expected))
		return ret < 0 ? -1 : 0;
	if (asprintf(&path, "%s/index/%s" MM_CHECKSUMS_SUFFIX, folder, name) < 0)
		return -1;
	return add_lost(list, path, exists);
}

static int check_folder(struct mm_missing_list *list, const char *folder, bool expected)
{
	struct dirent **entries = NULL;
	int count = scandir(folder, &entries, NULL, alphasort), ret = 0;

	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		struct stat st;
		char *path;

		if (!ret && asprintf(&path, "%s/%s", folder, name) < 0)
			ret = -1;
		else if (!ret) {
			if (*name != '.' && !stat(path, &st) && S_ISREG(st.st_mode) && st.st_size)
				ret = check_file(list, folder, name, expected);
			free(path);
		}
		free(entries[i]);
	}
	free(entries);
	return ret;
}

static bool has_checksums(const struct mm_snapshot_place *place)
{
	return json_is_object(json_object_get(place->snapshot.json, "checksums"));
}

/* The snapshot's folder as the user would write it. */
static int add_snapshot(const struct mm_source *source, const struct mm_snapshot_place *place)
{
	char *path = mm_path_as_given(place->folder, source->path);
	int ret = path ? add_unchecked(source->missing, path) : -1;

	free(path);
	return ret;
}

int mm_checksums_find(struct mm_source *source, const struct mm_snapshots *snapshots)
{
	for (size_t i = 0; i < snapshots->count; i++)
		if (snapshots->all[i].snapshot.json && !has_checksums(&snapshots->all[i]) &&
		    add_snapshot(source, &snapshots->all[i]))
			return -1;
	/* In a snapshot with checksums, each file of a trace has a file of checksums. */
	for (size_t i = 0; i < snapshots->member_count; i++) {
		const size_t place = snapshots->members[i].place;
		const bool expected = place != SIZE_MAX && has_checksums(&snapshots->all[place]);

		if (check_folder(source->missing, source->folders[i], expected))
			return -1;
	}
	return 0;
}
