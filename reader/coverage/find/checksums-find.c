// SPDX-License-Identifier: LGPL-2.1-only
/* Finds snapshots whose packets cannot be compared with checksums. */
#include "reader/coverage/find/checksums-find.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reader/coverage/missing.h"
#include "reader/events/source-base.h"
#include "reader/sysinfo/snapshot-dirs.h"
#include "util/checksums.h"
#include "util/escape.h"
#include "util/path.h"
#include "util/text.h"

/* Adds the line "PATH: WHAT", escaped, to list->unchecked. Returns 0, or -1 when out of memory. */
static int add_unchecked(struct mm_missing_list *list, const char *path, const char *what)
{
	char *line, *safe;
	int ret;

	if (asprintf(&line, "%s: %s", path, what) < 0)
		return -1;
	safe = mm_escape_message_copy(line);
	free(line);
	ret = safe ? mm_strings_add(&list->unchecked, &list->unchecked_count, safe) : -1;
	free(safe);
	return ret;
}

/* Is a file expected to have checksums? */
enum expected {
	NOT_EXPECTED,
	EXPECTED,
	SOME_NOT_MADE, /* expected, but some checksums could not be computed */
};

/* Adds an unusable checksum file to the list; takes ownership of @path. */
static int add_lost(struct mm_missing_list *list, char *path, int error, enum expected expected)
{
	struct mm_lost_checksums *grown = mm_array_grow(list->lost_sums, list->lost_sums_count,
							&list->lost_sums_room, sizeof(*grown));

	if (!grown) {
		free(path);
		return -1;
	}
	list->lost_sums = grown;
	grown[list->lost_sums_count++] = (struct mm_lost_checksums){
		.file = path,
		.error = error,
		.maybe_never_made = error == ENOENT && expected == SOME_NOT_MADE,
	};
	return 0;
}

static int check_file(struct mm_missing_list *list, const char *folder, const char *name,
		      enum expected expected)
{
	struct mm_checksums sums;
	int error, ret = mm_checksums_load(&sums, folder, name, &error);
	char *path;

	mm_checksums_release(&sums);
	if (ret || (error == ENOENT && expected == NOT_EXPECTED))
		return ret < 0 ? -1 : 0;
	if (asprintf(&path, "%s/index/%s" MM_CHECKSUMS_SUFFIX, folder, name) < 0)
		return -1;
	return add_lost(list, path, error, expected);
}

static int check_folder(struct mm_missing_list *list, const char *folder, enum expected expected)
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

/*
 * Does snapshot.json say that there are checksums? Returns @otherwise if it says nothing about
 * them.
 */
static enum expected find_expected(const struct mm_snapshot_dir *dir, enum expected otherwise)
{
	const json_t *checksums = json_object_get(dir->snapshot.json, "checksums");

	if (!json_is_object(checksums))
		return otherwise;
	return json_is_false(json_object_get(checksums, "complete")) ? SOME_NOT_MADE : EXPECTED;
}

/* Adds a line about @file in a snapshot's folder, with the path as the user would write it. */
static int add_snapshot(const struct mm_source *source, const char *folder, const char *file,
			const char *what)
{
	char *given = mm_path_as_given(folder, source->path), *path = NULL;
	int ret = -1;

	if (given && asprintf(&path, "%s%s", given, file) >= 0)
		ret = add_unchecked(source->missing, path, what);
	free(path);
	free(given);
	return ret;
}

static bool has_sums(const char *folder)
{
	struct dirent *entry;
	bool found = false;
	char *path;
	DIR *dir;

	if (asprintf(&path, "%s/index", folder) < 0)
		return false;
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		const size_t length = strlen(entry->d_name), end = strlen(MM_CHECKSUMS_SUFFIX);

		found = length > end && !strcmp(entry->d_name + length - end, MM_CHECKSUMS_SUFFIX);
	}
	if (dir)
		closedir(dir);
	free(path);
	return found;
}

static int add_damaged(const struct mm_source *source, const struct mm_snapshot_dir *dir)
{
	struct mm_missing_list *list = source->missing;
	char *given = mm_path_as_given(dir->folder, source->path), *path = NULL;
	int ret = -1;

	if (given && asprintf(&path, "%s/" MM_SNAPSHOT_FILE, given) >= 0 &&
	    !mm_strings_add(&list->damaged_snapshots, &list->damaged_snapshot_count, path))
		ret = mm_strings_add(&list->damaged_whys, &list->damaged_why_count, dir->problem);
	free(path);
	free(given);
	return ret;
}

/*
 * Adds a line for each snapshot.json that cannot be used. If there is none, but a folder for state
 * dumps shows that a snapshot.json is missing, adds one line about that. If @any is false (there
 * are no checksums), the line adds that the packets are not checked.
 */
static int add_unusable(const struct mm_source *source, const struct mm_snapshots *snapshots,
			bool any)
{
	static const char range[] = "the time range comes from the packets";
	bool missing = false;
	char *what;
	int ret = 0;

	for (size_t i = 0; i < snapshots->count && !ret; i++) {
		const struct mm_snapshot_dir *dir = &snapshots->all[i];

		if (!dir->problem)
			continue;
		missing = true;
		if (dir->snapshot.damaged && add_damaged(source, dir))
			return -1;
		if (asprintf(&what, "%s: this file is not used: %s%s", dir->problem, range,
			     any ? "" : ", and the trace is " MM_UNCHECKED) < 0)
			return -1;
		ret = add_snapshot(source, dir->folder, "/" MM_SNAPSHOT_FILE, what);
		free(what);
	}
	/*
	 * A separate folder for state dumps shows that the trace is a snapshot, so its
	 * snapshot.json is missing.
	 */
	for (size_t i = 0; i < snapshots->member_count && !missing && !ret; i++)
		if (snapshots->members[i].dir == SIZE_MAX &&
		    mm_trace_is_state(source->folders[i])) {
			missing = true;
			if (asprintf(&what, MM_SNAPSHOT_FILE " is missing: %s%s", range,
				     any ? "" : ", and the trace is " MM_UNCHECKED) < 0)
				return -1;
			ret = add_unchecked(source->missing, source->path, what);
			free(what);
		}
	return ret;
}

int mm_checksums_find(struct mm_source *source, const struct mm_snapshots *snapshots)
{
	enum expected otherwise;
	bool any = source->missing->had_sums;

	for (size_t i = 0; i < snapshots->member_count; i++)
		any |= has_sums(source->folders[i]);
	otherwise = any ? EXPECTED : NOT_EXPECTED;
	for (size_t i = 0; i < snapshots->count; i++)
		if (snapshots->all[i].snapshot.json &&
		    !find_expected(&snapshots->all[i], otherwise) &&
		    add_snapshot(source, snapshots->all[i].folder, "",
				 "the snapshot has no checksums: " MM_UNCHECKED))
			return -1;
	/*
	 * In a snapshot with checksums, each stream file has checksums. Without a snapshot.json,
	 * other files show that the snapshot had checksums: a checksum file of any trace, or a
	 * traces.json with checksums.
	 */
	for (size_t i = 0; i < snapshots->member_count; i++) {
		const size_t dir = snapshots->members[i].dir;
		const enum expected expected =
			dir != SIZE_MAX ? find_expected(&snapshots->all[dir], otherwise)
					: otherwise;

		if (check_folder(source->missing, source->folders[i], expected))
			return -1;
	}
	return add_unusable(source, snapshots, any);
}
