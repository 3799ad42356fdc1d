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

#define CONSEQUENCE ": not checked for damage inside packets"

/* Adds a line about @path, which may be hostile. Returns 0, or -1 when out of memory. */
static int add(struct mm_missing_list *list, const char *path, const char *why)
{
	char *line, *safe;
	int ret;

	if (asprintf(&line, "%s: %s" CONSEQUENCE, path, why) < 0)
		return -1;
	safe = mm_escape_message_copy(line);
	free(line);
	ret = safe ? mm_strings_add(&list->unchecked, &list->unchecked_count, safe) : -1;
	free(safe);
	return ret;
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
	ret = add(list, path, exists ? "the checksums are damaged" : "the checksums are missing");
	free(path);
	return ret;
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
	int ret = path ? add(source->missing, path, "the snapshot has no checksums") : -1;

	free(path);
	return ret;
}

int mm_checksums_find(struct mm_source *source, const struct mm_snapshots *snapshots)
{
	for (size_t i = 0; i < snapshots->count; i++)
		if (snapshots->all[i].snapshot.json && !has_checksums(&snapshots->all[i]) &&
		    add_snapshot(source, &snapshots->all[i]))
			return -1;
	/* A trace of a snapshot that was written with checksums has those of each file. */
	for (size_t i = 0; i < snapshots->member_count; i++) {
		const size_t place = snapshots->members[i].place;
		const bool expected = place != SIZE_MAX && has_checksums(&snapshots->all[place]);

		if (check_folder(source->missing, source->folders[i], expected))
			return -1;
	}
	return 0;
}
