// SPDX-License-Identifier: LGPL-2.1-only
/* Reads and writes the files of triggers. */
#include "lttng-session/daemon/triggers/definition/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/system/folder.h"
#include "util/json-file.h"
#include "util/mounts.h"

#define SUFFIX ".json"
#define LIMITS ".limits"
#define NEW ".new"
/* Maximum size of a file. */
#define BYTES_MAX (64u << 10)
#define FILE_MAX (TRIGGER_NAME_MAX + sizeof(LIMITS) + sizeof(NEW))

static int fail(struct mm_error *err, const char *name, int error)
{
	const char *sign = *name ? "/" : "";

	if (error == EPERM || error == ELOOP || error == ENOTDIR)
		return mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"trigger: " TRIGGER_STORE
			"%s%s: users other than root may have written this file; check its contents, and remove it",
			sign, name);
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "trigger: " TRIGGER_STORE "%s%s: %s", sign,
			    name, strerror(error));
}

/* Can only root and the caller change the file? */
static bool is_trusted(const struct stat *st)
{
	return (!st->st_uid || st->st_uid == geteuid()) && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

/*
 * Opens the folder @name in @parent. With @make, creates the folder if it is missing. Returns like
 * open().
 */
static int open_in(int parent, const char *name, bool make)
{
	struct stat st;
	int fd;

	/* The umask may have restricted the mode, so set it again. */
	if (make && !mkdirat(parent, name, 0755) && fchmodat(parent, name, 0755, 0))
		return -1;
	fd = folder_open(parent, name);
	if (fd < 0 || (!fstat(fd, &st) && is_trusted(&st)))
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

/* Opens the folder of the store. Returns the descriptor, or -1 with errno set. */
static int open_store(bool make)
{
	char path[PATH_MAX], *last, *name;
	int above, middle, fd, error;

	if (mounts_path(path, sizeof(path), TRIGGER_STORE)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	last = strrchr(path, '/');
	*last = '\0';
	name = strrchr(path, '/');
	*name = '\0';
	above = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	middle = above < 0 ? -1 : open_in(above, name + 1, make);
	fd = middle < 0 ? -1 : open_in(middle, last + 1, make);
	error = errno;
	if (middle >= 0)
		close(middle);
	if (above >= 0)
		close(above);
	errno = error;
	return fd;
}

static ssize_t read_file(int folder, const char *name, char *text)
{
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	size_t length = 0;
	struct stat st;
	ssize_t got = -1;
	int error;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st))
		error = errno;
	else if (!S_ISREG(st.st_mode) || !is_trusted(&st))
		error = EPERM;
	else
		error = 0;
	for (got = error ? 0 : 1; got > 0 && length <= BYTES_MAX; length += (size_t)got) {
		got = read(fd, text + length, BYTES_MAX + 1 - length);
		if (got <= 0) {
			error = got ? errno : 0;
			break;
		}
	}
	close(fd);
	errno = error ? error : EFBIG;
	return error || length > BYTES_MAX ? -1 : (ssize_t)length;
}

static struct trigger *parse(const char *name, const char *text, size_t length,
			     struct mm_error *err)
{
	struct trigger *trigger = NULL;
	struct mm_error why = MM_ERROR_INIT;
	json_error_t where = { .line = 0 };
	json_t *json;

	if (mm_json_parse(text, length, JSON_REJECT_DUPLICATES, &json, &where))
		mm_error_set(&why, MM_EXIT_ENVIRONMENT, "out of memory");
	else if (!json)
		mm_error_set(&why, MM_EXIT_BAD_INPUT, "line %d: %s", where.line, where.text);
	else
		trigger = trigger_from_json(json, &why);
	json_decref(json);
	if (trigger && (strncmp(trigger->name, name, strlen(trigger->name)) != 0 ||
			strcmp(name + strlen(trigger->name), SUFFIX) != 0))
		mm_error_set(&why, MM_EXIT_BAD_INPUT, "the file contains another trigger, %s",
			     trigger->name);
	else if (trigger && trigger->uid == (uid_t)-1)
		mm_error_set(&why, MM_EXIT_BAD_INPUT,
			     "the file does not say which user added the trigger");
	if (!why.code)
		return trigger;
	trigger_destroy(trigger);
	mm_error_set(
		err, why.code,
		"trigger: " TRIGGER_STORE
		"/%s: %s; the trigger is disabled: remove the file and add the trigger again, or repair the file and restart the daemon",
		name, why.message);
	return NULL;
}

static struct trigger *load(int folder, const char *name, struct mm_error *err)
{
	char *text = malloc(BYTES_MAX + 1);
	struct trigger *trigger = NULL;
	ssize_t length = -1;

	errno = ENOMEM;
	if (text)
		length = read_file(folder, name, text);
	if (length < 0)
		fail(err, name, errno);
	else
		trigger = parse(name, text, (size_t)length, err);
	free(text);
	return trigger;
}

static int is_trigger(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name), suffix = strlen(SUFFIX);

	return entry->d_name[0] != '.' && length > suffix &&
	       !strcmp(entry->d_name + length - suffix, SUFFIX);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

int trigger_store_list(void (*take)(void *user, struct trigger *trigger,
				    const struct mm_error *refused),
		       void *user, struct mm_error *err)
{
	int folder = open_store(false), count, taken = 0;
	struct dirent **entries;

	if (folder < 0)
		return errno == ENOENT ? 0 : fail(err, "", errno);
	count = scandirat(folder, ".", &entries, is_trigger, by_name);
	if (count < 0)
		fail(err, "", errno);
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		struct mm_error why = MM_ERROR_INIT;
		struct trigger *trigger = NULL;

		if (taken == TRIGGERS_MAX)
			mm_error_set(&why, MM_EXIT_BAD_INPUT,
				     "trigger: " TRIGGER_STORE
				     "/%s: there are more than %d triggers; remove some",
				     name, TRIGGERS_MAX);
		else
			trigger = load(folder, name, &why);
		taken += trigger != NULL;
		take(user, trigger, &why);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	close(folder);
	return count < 0 ? -1 : 0;
}

static int write_new(int folder, const char *name, const json_t *json)
{
	FILE *out;
	int error = 0;

	/* A killed daemon may have left this file. */
	unlinkat(folder, name, 0);
	out = folder_make_file(folder, name);
	if (!out)
		return -1;
	errno = 0;
	if (fchmod(fileno(out), 0644) ||
	    json_dumpf(json, out, JSON_INDENT(2) | JSON_ENSURE_ASCII) || putc('\n', out) == EOF ||
	    fflush(out) || fsync(fileno(out)))
		error = errno ? errno : EIO;
	if (fclose(out) && !error)
		error = errno;
	errno = error;
	return error ? -1 : 0;
}

/*
 * Replaces the file @name by @json: writes the file @new and renames it. If @remove is not NULL,
 * first removes the file @remove.
 */
static int replace(const char *name, const char *new, const json_t *json, const char *remove,
		   struct mm_error *err)
{
	int folder = open_store(true), error = 0;

	/*
	 * Lock the folder, because several processes may write the same file, such as a user's
	 * limits.
	 */
	if (folder >= 0)
		flock(folder, LOCK_EX);
	if (folder >= 0 && remove)
		unlinkat(folder, remove, 0);
	if (folder < 0 || write_new(folder, new, json) || renameat(folder, new, folder, name) ||
	    folder_sync_names(folder))
		error = errno;
	if (folder >= 0 && error)
		unlinkat(folder, new, 0);
	if (folder >= 0)
		close(folder);
	return error ? fail(err, folder < 0 ? "" : name, error) : 0;
}

int trigger_store_add(const struct trigger *trigger, struct mm_error *err)
{
	char name[FILE_MAX], new[FILE_MAX], limits[FILE_MAX];
	json_t *json = trigger_to_json(trigger);
	int ret;

	snprintf(name, sizeof(name), "%s" SUFFIX, trigger->name);
	snprintf(new, sizeof(new), ".%s" NEW, trigger->name);
	snprintf(limits, sizeof(limits), ".%s" LIMITS, trigger->name);
	if (!json)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "trigger: out of memory");
	ret = replace(name, new, json, limits, err);
	json_decref(json);
	return ret;
}

int trigger_store_save_limits(const char *name, const json_t *json, struct mm_error *err)
{
	char limits[FILE_MAX], new[FILE_MAX];

	snprintf(limits, sizeof(limits), ".%s" LIMITS, name);
	snprintf(new, sizeof(new), ".%s" LIMITS NEW, name);
	return replace(limits, new, json, NULL, err);
}

json_t *trigger_store_load_limits(const char *name)
{
	char limits[FILE_MAX], *text = malloc(BYTES_MAX + 1);
	int folder = text ? open_store(false) : -1;
	json_t *json = NULL;
	json_error_t where;
	ssize_t length = -1;
	bool exists = false;

	snprintf(limits, sizeof(limits), ".%s" LIMITS, name);
	if (folder >= 0) {
		length = read_file(folder, limits, text);
		exists = length >= 0 || errno != ENOENT;
		close(folder);
	}
	if (length >= 0 &&
	    mm_json_parse(text, (size_t)length, JSON_REJECT_DUPLICATES, &json, &where))
		json = NULL;
	free(text);
	return !json && exists ? json_null() : json;
}

struct forget_ctx {
	const char *prefix;
	time_t before_s;
};

static int forget_old(int folder, const char *name, void *user)
{
	const struct forget_ctx *ctx = user;
	size_t length = strlen(name), suffix = strlen(LIMITS);
	struct stat st;

	if (*name == '.' && length > suffix && !strcmp(name + length - suffix, LIMITS) &&
	    !strncmp(name + 1, ctx->prefix, strlen(ctx->prefix)) &&
	    !fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) && st.st_mtim.tv_sec < ctx->before_s)
		unlinkat(folder, name, 0);
	return 0;
}

void trigger_store_forget_limits(const char *prefix, int64_t age_s)
{
	struct forget_ctx ctx = { prefix, time(NULL) - (time_t)age_s };
	int folder = open_store(false);

	if (folder < 0)
		return;
	folder_each(folder, 0, forget_old, &ctx);
	close(folder);
}

bool trigger_store_has(const char *name)
{
	int folder = open_store(false);
	char file[FILE_MAX];
	bool has;

	if (folder < 0)
		return false;
	snprintf(file, sizeof(file), "%s" SUFFIX, name);
	has = trigger_name_is_valid(name) && !faccessat(folder, file, F_OK, AT_SYMLINK_NOFOLLOW);
	close(folder);
	return has;
}

int trigger_store_remove(const char *name, struct mm_error *err)
{
	int folder = open_store(false), error = 0;
	char file[FILE_MAX], limits[FILE_MAX];

	if (folder < 0)
		return errno == ENOENT ? 0 : fail(err, "", errno);
	snprintf(file, sizeof(file), "%s" SUFFIX, name);
	snprintf(limits, sizeof(limits), ".%s" LIMITS, name);
	if (!trigger_name_is_valid(name))
		error = EINVAL;
	else if ((unlinkat(folder, limits, 0) && errno != ENOENT) ||
		 (unlinkat(folder, file, 0) && errno != ENOENT) || folder_sync_names(folder))
		error = errno;
	close(folder);
	return error ? fail(err, file, error) : 0;
}
