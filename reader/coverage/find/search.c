// SPDX-License-Identifier: LGPL-2.1-only
/* Looks up folders of the source, and adds missing files to the list. */
#include "reader/coverage/find/search.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader/coverage/missing.h"
#include "reader/events/source-base.h"
#include "util/path.h"

const char missing_dangling[] = "it is a dangling link";
const char missing_denied[] = "it cannot be read: permission denied";

/* Identifies a folder of the source independently of the path that leads to it. */
struct source_folder_id {
	dev_t device;
	ino_t inode;
};

static uint32_t hash_of_id(const struct missing_search *search, const struct source_folder_id *id)
{
	return mm_hash_of(&search->by_id, id->device, id->inode);
}

static bool is_id(const void *all, uint32_t number, const void *wanted)
{
	const struct source_folder_id *a = &((const struct source_folder_id *)all)[number],
				      *b = wanted;

	return a->device == b->device && a->inode == b->inode;
}

void missing_search_identify(struct missing_search *search)
{
	const struct mm_source *source = search->source;
	struct stat st;

	mm_hash_init(&search->by_id);
	search->ids = calloc(mm_source_folder_count(source) + 1, sizeof(*search->ids));
	search->failed |= !search->ids;
	for (size_t i = 0; i < mm_source_folder_count(source) && !search->failed; i++) {
		if (stat(mm_source_folder_at(source, i), &st))
			continue;
		search->ids[i] = (struct source_folder_id){ st.st_dev, st.st_ino };
		/* If several paths lead to one folder, use the first. */
		if (mm_hash_find(&search->by_id, hash_of_id(search, &search->ids[i]), search->ids,
				 &search->ids[i], is_id) == MM_HASH_NONE)
			search->failed =
				mm_hash_add(&search->by_id, hash_of_id(search, &search->ids[i]),
					    (uint32_t)i) != 0;
	}
}

const char *missing_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void missing_search_add(struct missing_search *search, const char *file,
			const struct mm_missing *missing)
{
	struct mm_missing_list *list = search->list;
	char *path = mm_path_absolute(file);
	struct mm_missing *grown;

	if (path && mm_missing_in(list, path)) {
		free(path);
		return;
	}
	grown = mm_array_grow(list->all, list->count, &list->room, sizeof(*grown));
	if (grown)
		list->all = grown;
	if (!path || !grown ||
	    mm_hash_add(&list->by_file, mm_hash_of_string(&list->by_file, path),
			(uint32_t)list->count)) {
		search->failed = true;
		free(path);
		return;
	}
	grown += list->count++;
	*grown = *missing;
	grown->file = path;
	grown->loss = SIZE_MAX;
	grown->display_path = strdup(file);
	list->denied += grown->what == missing_denied;
	search->failed |= !grown->display_path;
}

const char *missing_why_absent(const char *path, uint64_t *bytes)
{
	struct stat link, st;

	*bytes = 0;
	if (lstat(path, &link))
		return errno == ENOENT || errno == ENOTDIR ? "there is no such file"
							   : "it cannot be read";
	if (stat(path, &st))
		return S_ISLNK(link.st_mode) ? missing_dangling : "it cannot be read";
	if (!S_ISREG(st.st_mode))
		return "it is not a regular file";
	if (!st.st_size)
		return "it is empty";
	if (mm_path_is_denied(path))
		return missing_denied;
	*bytes = (uint64_t)st.st_size;
	return NULL;
}

size_t missing_search_folder(const struct missing_search *search, const char *path)
{
	struct source_folder_id id = { 0, 0 };
	struct stat st;
	uint32_t number;

	if (stat(path, &st))
		return SIZE_MAX;
	id.device = st.st_dev;
	id.inode = st.st_ino;
	number = mm_hash_find(&search->by_id, hash_of_id(search, &id), search->ids, &id, is_id);
	return number == MM_HASH_NONE ? SIZE_MAX : number;
}

bool missing_has_metadata(const char *folder)
{
	char path[4096];
	struct stat st;

	return snprintf(path, sizeof(path), "%s/metadata", folder) < (int)sizeof(path) &&
	       !stat(path, &st);
}
