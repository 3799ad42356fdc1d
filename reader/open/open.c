// SPDX-License-Identifier: LGPL-2.1-only
/* Finds the CTF folders of a trace and opens it with the right reader. */
#include "reader/open/open.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader/bt2/source.h"
#include "reader/coverage/find/missing-files.h"
#include "reader/coverage/find/packets-check.h"
#include "reader/coverage/missing.h"
#include "reader/ctf/decode/source.h"
#include "reader/ctf/metadata/metadata.h"
#include "reader/events/source-base.h"
#include "reader/open/open-folders.h"
#include "reader/open/range.h"
#include "reader/sysinfo/snapshot-dirs.h"
#include "util/uuid.h"

#define DEPTH_MAX 32

/* Skips hidden folders, which are unfinished snapshots. */
static int is_entry(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/*
 * The state of a search for trace folders. Visited folders are remembered, because links may lead
 * to a folder twice or form a loop.
 */
struct folder_search {
	char **folders;
	size_t count;
	char **orphans; /* stream files in folders without metadata */
	size_t orphan_count;
	void *seen; /* tsearch() tree of struct visited_folder */
	struct mm_error *err;
};

struct visited_folder {
	dev_t device;
	ino_t inode;
};

static int compare_ids(const void *a, const void *b)
{
	const struct visited_folder *left = a, *right = b;

	if (left->device != right->device)
		return left->device < right->device ? -1 : 1;
	return (left->inode > right->inode) - (left->inode < right->inode);
}

static int no_memory(const char *path, struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: %s: out of memory", path);
}

/* Reports an unreadable folder as an error, because ignoring it would hide a part of the trace. */
static int unreadable(const char *path, struct mm_error *err)
{
	return mm_error_set(
		err, MM_EXIT_BAD_INPUT,
		"trace: %s: cannot be read: %s; read the trace as the user who recorded it, or give a folder that you may read",
		path, strerror(errno));
}

/*
 * Remembers the folder. Returns 1 if it is new, 0 if it was seen before, or -1 when out of memory.
 */
static int see(struct folder_search *search, const struct stat *st)
{
	struct visited_folder *id = malloc(sizeof(*id)), **kept;

	if (!id)
		return -1;
	*id = (struct visited_folder){ st->st_dev, st->st_ino };
	kept = tsearch(id, &search->seen, compare_ids);
	if (!kept || *kept != id) {
		free(id);
		return kept ? 0 : -1;
	}
	return 1;
}

/* Is this a stream file? Looks for the magic number of LTTng's packets, in either byte order. */
static bool is_stream_file(const char *path)
{
	static const uint8_t little[4] = { 0xc1, 0x1f, 0xfc, 0xc1 },
			     big[4] = { 0xc1, 0xfc, 0x1f, 0xc1 };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	uint8_t magic[4];
	bool is = fd >= 0 && read(fd, magic, sizeof(magic)) == sizeof(magic) &&
		  (!memcmp(magic, little, sizeof(magic)) || !memcmp(magic, big, sizeof(magic)));

	if (fd >= 0)
		close(fd);
	return is;
}

/*
 * Adds every folder at or below @path that has a `metadata` file. Follows links, but adds each
 * folder only once. Returns 0, or -1 with search->err set.
 */
static int find_folders(const char *path, int depth, struct folder_search *search)
{
	struct dirent **entries;
	char name[4096];
	struct stat st;
	int n, ret = 0;

	if (snprintf(name, sizeof(name), "%s/metadata", path) >= (int)sizeof(name)) {
		errno = ENAMETOOLONG;
		return unreadable(path, search->err);
	}
	if (!stat(name, &st)) {
		if (S_ISREG(st.st_mode))
			return mm_strings_add(&search->folders, &search->count, path)
				       ? no_memory(path, search->err)
				       : 0;
	} else if (errno == EACCES) {
		return unreadable(path, search->err);
	}
	if (depth >= DEPTH_MAX)
		return 0;
	n = scandir(path, &entries, is_entry, alphasort);
	/* A folder that was removed in the meantime is not part of the trace. */
	if (n < 0 && errno != ENOENT && errno != ENOTDIR)
		return unreadable(path, search->err);
	for (int i = 0; i < n; i++) {
		bool there = snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name) <
				     (int)sizeof(name) &&
			     !stat(name, &st);

		if (ret >= 0 && there && S_ISDIR(st.st_mode)) {
			ret = see(search, &st);
			if (ret < 0)
				no_memory(path, search->err);
			else if (ret > 0)
				ret = find_folders(name, depth + 1, search);
		} else if (ret >= 0 && there && S_ISREG(st.st_mode) && is_stream_file(name) &&
			   mm_strings_add(&search->orphans, &search->orphan_count, name)) {
			ret = no_memory(path, search->err);
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return ret < 0 ? -1 : 0;
}

static int check_path(const char *path, struct mm_error *err)
{
	struct stat st;

	if (stat(path, &st))
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"trace: %s: %s; give the folder that `lttng-mm snapshot` printed", path,
			strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"trace: %s: not a folder; give the folder that holds the trace, not a file of it",
			path);
	return 0;
}

static bool is_empty(const char *path)
{
	struct dirent *entry;
	DIR *dir = opendir(path);
	bool empty = true;

	while (dir && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			empty = false;
	if (dir)
		closedir(dir);
	return dir && empty;
}

bool mm_source_is_live(const char *path)
{
	static const char *const schemes[] = { "net://", "net4://", "net6://" };

	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
		if (!strncmp(path, schemes[i], strlen(schemes[i])))
			return true;
	return false;
}

static struct mm_source *create_source(const char *path, bool is_url, enum mm_reader reader,
				       struct mm_error *err)
{
	if (is_url && reader == MM_READER_FAST) {
		mm_error_set(err, MM_EXIT_BAD_INPUT,
			     "trace: %s: the fast reader reads folders only; leave out --reader",
			     path);
		return NULL;
	}
	if (!is_url && reader != MM_READER_BABELTRACE2)
		return mm_ctf_source_create(err);
	return mm_bt2_source_create(err);
}

struct mm_source *mm_source_open(const char *path, const struct mm_source_options *options,
				 struct mm_error *err)
{
	bool is_url = mm_source_is_live(path);
	struct mm_source_options defaults;
	struct mm_source *source = NULL;
	struct folder_search search = { .err = err };
	struct stat st;

	if (!options) {
		mm_source_options_init(&defaults);
		options = &defaults;
	}
	if (!is_url && check_path(path, err))
		return NULL;
	if (!is_url && !stat(path, &st) && see(&search, &st) < 0) {
		no_memory(path, err);
		goto error;
	}
	if (!is_url && find_folders(path, 0, &search))
		goto error;
	if (!is_url && !search.count) {
		mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			is_empty(path)
				? "trace: %s: the folder is empty; record one with `lttng-mm record` and `lttng-mm snapshot`"
			: search.orphan_count
				? "trace: %s: stream files without their metadata; copy the file `metadata`, too"
				: "trace: %s: not a trace (no CTF metadata in it or below); give the folder that `lttng-mm snapshot` printed",
			path);
		goto error;
	}
	source = create_source(path, is_url, options->reader, err);
	if (!source)
		goto error;
	tdestroy(search.seen, free);
	source->folders = search.folders;
	source->folder_count = search.count;
	source->orphans = search.orphans;
	source->orphan_count = search.orphan_count;
	source->folder_ops = &mm_folder_ops;
	source->options = *options;
	source->path = strdup(path);
	if (!source->path || mm_source_read_clock(source))
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: %s: out of memory", path);
	else if (is_url || !mm_range_resolve(source, err))
		return source;
	mm_source_destroy(source);
	return NULL;
error:
	mm_strings_release(search.folders, search.count);
	mm_strings_release(search.orphans, search.orphan_count);
	tdestroy(search.seen, free);
	return NULL;
}

struct mm_source *mm_source_open_shared(struct mm_source *owner,
					const struct mm_source_options *options,
					struct mm_error *err)
{
	struct mm_source *source;
	bool failed = false;
	size_t count;

	if (!mm_ctf_source_is(owner))
		return mm_source_open(owner->path, options, err);
	if (!mm_ctf_source_traces(owner, &count, err))
		return NULL;
	source = mm_source_create_fast(owner->path, (const char *const *)owner->folders,
				       owner->folder_count, options, err);
	if (!source)
		return NULL;
	source->clock_shift_ns = owner->clock_shift_ns;
	source->ids = calloc(owner->folder_count + 1, sizeof(*source->ids));
	if (source->ids)
		memcpy(source->ids, owner->ids, owner->folder_count * sizeof(*source->ids));
	for (size_t i = 0; i < owner->orphan_count && !failed; i++)
		failed = mm_strings_add(&source->orphans, &source->orphan_count, owner->orphans[i]);
	mm_ctf_source_share(source, owner);
	if (source->ids && !failed)
		return source;
	no_memory(owner->path, err);
	mm_source_destroy(source);
	return NULL;
}
