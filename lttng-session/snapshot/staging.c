// SPDX-License-Identifier: LGPL-2.1-only
/* Creates, publishes and sweeps the hidden folders in which snapshots are assembled. */
#include "lttng-session/snapshot/staging.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lttng-session/system/folder.h"

/*
 * Name of the mark, a file. A user who controls the parent folder can rename a folder of ours so
 * that it looks like a staging folder, but cannot create a file in our folder.
 */
#define MARK "unfinished"

/* Maximum number of attempts. They fail if another process removes a folder or takes a name. */
#define TRIES 100

const char *staging_suffix(const struct staging *staging)
{
	return staging->name + strlen(staging->name) - STAGING_SUFFIX_LENGTH;
}

/*
 * Locks and marks the new folder. Returns 0 on success, 1 if a sweep by another process has just
 * locked or removed the folder, or -1 with errno set.
 */
static int claim(int folder)
{
	FILE *mark;

	if (flock(folder, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return 1;
	mark = folder_make_file(folder, MARK);
	/* ENOENT: the folder was removed, so no file can be created in it. */
	if (!mark)
		return errno == ENOENT ? 1 : -1;
	return fclose(mark) ? -1 : 0;
}

int staging_make(struct staging *staging, int parent)
{
	staging->parent = parent;
	for (int tries = 0; tries < TRIES; tries++) {
		int claimed, error;

		strcpy(staging->name, STAGING_NAME);
		staging->folder = folder_make_random(parent, staging->name);
		/*
		 * A sweep has removed the new folder before this process could open it, so try
		 * again.
		 */
		if (staging->folder < 0 && errno == ENOENT)
			continue;
		if (staging->folder < 0)
			return -1;
		claimed = claim(staging->folder);
		if (!claimed)
			return 0;
		error = claimed < 0 ? errno : EAGAIN;
		if (claimed < 0)
			staging_remove(staging);
		else
			staging_leave(staging);
		errno = error;
		if (claimed < 0)
			return -1;
	}
	return -1;
}

void staging_leave(struct staging *staging)
{
	close(staging->folder);
	staging->folder = -1;
}

/* Clears the folder by its descriptor, because its name may now belong to another folder. */
static bool remove_folder(int parent, const char *name, int folder)
{
	return !folder_clear(folder, MARK) && !unlinkat(parent, name, AT_REMOVEDIR);
}

void staging_remove(struct staging *staging)
{
	remove_folder(staging->parent, staging->name, staging->folder);
	staging_leave(staging);
}

static bool is_marked(int folder)
{
	struct stat st;

	return !fstatat(folder, MARK, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) &&
	       st.st_uid == geteuid();
}

struct sweep_ctx {
	dev_t device;
	unsigned int removed;
};

static int sweep_entry(int parent, const char *name, void *user)
{
	struct sweep_ctx *ctx = user;
	struct stat st;
	int folder;

	if (!folder_is_randomized(name, STAGING_NAME) || (folder = folder_open(parent, name)) < 0)
		return 0;
	/*
	 * A process may have been killed before it set the mark. So also remove a folder without a
	 * mark, but only if it is empty.
	 */
	if (!fstat(folder, &st) && st.st_uid == geteuid() && (st.st_mode & 0777) == 0700 &&
	    st.st_dev == ctx->device && !flock(folder, LOCK_EX | LOCK_NB) &&
	    (!is_marked(folder) || !folder_clear(folder, MARK)) &&
	    !unlinkat(parent, name, AT_REMOVEDIR))
		ctx->removed++;
	close(folder);
	return 0;
}

unsigned int staging_sweep(int parent)
{
	struct sweep_ctx ctx = { .removed = 0 };
	struct stat st;

	if (fstat(parent, &st))
		return 0;
	ctx.device = st.st_dev;
	folder_each(parent, 0, sweep_entry, &ctx);
	return ctx.removed;
}

static bool lengthen(char *name, size_t size, const char *suffix)
{
	size_t length = strlen(name), more = strlen(suffix) + 1;

	if (length + more >= size || length + more > NAME_MAX)
		return false;
	snprintf(name + length, size - length, "-%s", suffix);
	return true;
}

/*
 * Renames the entry @name to a longer name. Returns -1 with errno set if this user may not rename
 * it.
 */
static int displace(int parent, const char *name)
{
	char longer[NAME_MAX + 1];

	snprintf(longer, sizeof(longer), "%s", name);
	if (!lengthen(longer, sizeof(longer), "XXXXXX")) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (folder_randomize(longer))
		return -1;
	return !folder_move(parent, name, parent, longer) || errno == ENOENT || errno == EEXIST
		       ? 0
		       : -1;
}

enum staging_published staging_publish(const struct staging *staging, const char *child, char *name,
				       size_t size, bool promised)
{
	const char *suffix = staging_suffix(staging);
	int parent = staging->parent, ret;

	ret = folder_move(staging->folder, child, parent, name);
	if (!ret)
		return STAGING_PUBLISHED;
	/* Another user may take the name again, so try several times. */
	for (int tries = 0; promised && ret && errno == EEXIST && tries < TRIES; tries++) {
		if (displace(parent, name))
			break;
		ret = folder_move(staging->folder, child, parent, name);
	}
	if (!ret)
		return STAGING_DISPLACED;
	if (!promised && errno != EEXIST)
		return STAGING_FAILED;
	if (!lengthen(name, size, suffix)) {
		errno = ENAMETOOLONG;
		return STAGING_FAILED;
	}
	if (folder_move(staging->folder, child, parent, name))
		return STAGING_FAILED;
	return promised ? STAGING_RENAMED : STAGING_PUBLISHED;
}
