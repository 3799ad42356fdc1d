// SPDX-License-Identifier: LGPL-2.1-only
/* Reads and writes the history of function definitions. */
#include "lttng-session/fn/history.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/fn/list-entry.h"
#include "lttng-session/fn/request.h"
#include "lttng-session/fn/sessions.h"
#include "lttng-session/system/folder.h"
#include "util/hash.h"
#include "util/mounts.h"

#define FOLDER "lttng-mm"
#define HISTORY "functions"
#define NEW ".functions.new"
#define LOCK ".functions.lock"

/* One line of the history file. */
struct history_entry {
	char name[LTTNG_MM_FN_NAME_MAX];
	uint64_t hash;	   /* hash of the definition; 0: the function was not added yet */
	int64_t removed_s; /* time of the removal; 0: the function was not removed */
	int reveals;
};

struct fn_history {
	int folder, lock; /* -1: not open; if @folder is not open, the history is empty */
	struct history_entry *entries;
	size_t count, room;
	struct mm_hash index;
};

/*
 * Opens the folder of the history, if only its owner (this user or root) can write to it. With
 * @make, creates the folder if it is missing. Returns the descriptor, or -1.
 */
static int open_folder(bool make)
{
	char path[4096];
	struct stat st;
	int run, fd;

	if (mounts_path(path, sizeof(path), "/run"))
		return -1;
	run = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (run < 0)
		return -1;
	/* Override the umask, because the group tracing reads other files in this folder. */
	if (make && !mkdirat(run, FOLDER, 0755))
		fchmodat(run, FOLDER, 0755, 0);
	fd = folder_open(run, FOLDER);
	close(run);
	if (fd >= 0 && (fstat(fd, &st) || (st.st_uid && st.st_uid != geteuid()) ||
			st.st_mode & (S_IWGRP | S_IWOTH))) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool same_name(const void *array, uint32_t number, const void *wanted)
{
	return !strcmp(((const struct history_entry *)array)[number].name, wanted);
}

static struct history_entry *find(const struct fn_history *history, const char *name)
{
	uint32_t number = mm_hash_find(&history->index, mm_hash_of_string(&history->index, name),
				       history->entries, name, same_name);

	return number == MM_HASH_NONE ? NULL : &history->entries[number];
}

/* Returns the entry of @name, adding it if necessary, or NULL when out of memory. */
static struct history_entry *find_or_add(struct fn_history *history, const char *name)
{
	struct history_entry *found = find(history, name), *grown;

	if (found)
		return found;
	grown = mm_array_grow(history->entries, history->count, &history->room, sizeof(*grown));
	if (!grown)
		return NULL;
	history->entries = grown;
	found = &grown[history->count];
	*found = (struct history_entry){ .hash = 0 };
	strncpy(found->name, name, sizeof(found->name) - 1);
	if (mm_hash_add(&history->index, mm_hash_of_string(&history->index, found->name),
			(uint32_t)history->count))
		return NULL;
	history->count++;
	return found;
}

static void read_lines(struct fn_history *history)
{
	int fd = openat(history->folder, HISTORY, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	char *line = NULL;
	size_t size = 0;

	if (!file && fd >= 0)
		close(fd);
	while (file && getline(&line, &size, file) > 0) {
		/* Older versions wrote no REVEALS, so assume 1. */
		struct history_entry read = { .reveals = 1 }, *entry;

		if (sscanf(line, "%127s %" SCNx64 " %" SCNd64 " %d", read.name, &read.hash,
			   &read.removed_s, &read.reveals) < 3)
			continue;
		entry = find_or_add(history, read.name);
		if (entry)
			*entry = read;
	}
	free(line);
	if (file)
		fclose(file);
}

/*
 * Reads the history. With @change, first locks it. Readers need no lock, because writers replace
 * the file atomically.
 */
static void history_open(struct fn_history *history, bool change)
{
	*history = (struct fn_history){ .lock = -1 };
	mm_hash_init(&history->index);
	history->folder = open_folder(change);
	if (history->folder < 0)
		return;
	if (change)
		history->lock = openat(history->folder, LOCK,
				       O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (history->lock >= 0)
		while (flock(history->lock, LOCK_EX) && errno == EINTR)
			;
	read_lines(history);
}

static void history_close(struct fn_history *history)
{
	if (history->lock >= 0)
		close(history->lock);
	if (history->folder >= 0)
		close(history->folder);
	free(history->entries);
	mm_hash_release(&history->index);
}

/* Replaces the history file. Does not call fsync(), because the folder is on a tmpfs. */
static void history_write(const struct fn_history *history)
{
	FILE *file;
	bool ok = true;

	if (history->folder < 0)
		return;
	unlinkat(history->folder, NEW, 0);
	file = folder_make_file(history->folder, NEW);
	for (size_t i = 0; file && history->entries && i < history->count; i++)
		ok &= fprintf(file, "%s %016" PRIx64 " %" PRId64 " %d\n", history->entries[i].name,
			      history->entries[i].hash, history->entries[i].removed_s,
			      history->entries[i].reveals) > 0;
	if (!file)
		return;
	ok &= !fclose(file);
	if (!ok || renameat(history->folder, NEW, history->folder, HISTORY))
		unlinkat(history->folder, NEW, 0);
}

/*
 * Returns a hash (FNV-1a) of the request that adds @function. The hash does not depend on the SPEC.
 * Returns 0 when out of memory.
 */
static uint64_t hash_of(const struct fn_function *function)
{
	struct fn_function *plain = malloc(sizeof(*plain));
	uint64_t hash = 0xcbf29ce484222325;
	struct fn_device_request request;

	if (!plain)
		return 0;
	*plain = *function;
	strcpy(plain->spec, "-");
	if (fn_request_build(plain, 1, &request, NULL)) {
		free(plain);
		return 0;
	}
	for (size_t i = 0; i < request.size; i++)
		hash = (hash ^ ((const unsigned char *)request.bytes)[i]) * 0x100000001b3;
	fn_request_release(&request);
	free(plain);
	return hash ? hash : 1;
}

int fn_history_check(const struct fn_function *functions, size_t count, struct mm_error *err)
{
	struct fn_history history;
	int ret = 0;

	history_open(&history, true);
	for (size_t i = 0; i < count && !ret; i++) {
		const struct history_entry *entry = find(&history, functions[i].name);
		char session[FN_SESSION_MAX];

		if (!entry || !entry->hash || entry->hash == hash_of(&functions[i]) ||
		    !fn_sessions_find(functions[i].name, entry->removed_s, session,
				      sizeof(session)))
			continue;
		ret = mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"fn: %s: the session %s still uses events of a removed function %s with other fields; destroy the session, or choose another name with --as",
			functions[i].spec, session, functions[i].name);
	}
	history_close(&history);
	return ret;
}

void fn_history_prepare(const struct fn_function *functions, size_t count)
{
	struct fn_history history;
	bool changed = false;

	history_open(&history, true);
	for (size_t i = 0; i < count; i++) {
		struct history_entry *entry = fn_list_entry_reveals(functions[i].spec)
						      ? find_or_add(&history, functions[i].name)
						      : NULL;

		if (!entry || entry->reveals)
			continue;
		entry->reveals = 1;
		changed = true;
	}
	if (changed)
		history_write(&history);
	history_close(&history);
}

void fn_history_add(const struct fn_function *functions, size_t count)
{
	struct fn_history history;

	history_open(&history, true);
	for (size_t i = 0; i < count; i++) {
		struct history_entry *entry = find_or_add(&history, functions[i].name);

		if (!entry)
			continue;
		entry->hash = hash_of(&functions[i]);
		entry->removed_s = 0;
	}
	history_write(&history);
	history_close(&history);
}

void fn_history_remove(const char *const *names, size_t count)
{
	struct fn_history history;
	bool changed = false;

	if (!count)
		return;
	history_open(&history, true);
	for (size_t i = 0; i < count; i++) {
		struct history_entry *entry = find(&history, names[i]);

		if (!entry)
			continue;
		entry->removed_s = (int64_t)time(NULL);
		changed = true;
	}
	if (changed)
		history_write(&history);
	history_close(&history);
}

int fn_history_reveals(const char *const *names, size_t count)
{
	struct fn_history history;
	int reveals = 0;

	if (!count)
		return 0;
	history_open(&history, false);
	for (size_t i = 0; i < count && reveals < 1; i++) {
		const struct history_entry *entry = find(&history, names[i]);

		if (!entry)
			reveals = -1;
		else if (entry->reveals)
			reveals = 1;
	}
	history_close(&history);
	return reveals;
}
