// SPDX-License-Identifier: LGPL-2.1-only
/* Opens the output folder of a snapshot, and refuses one that other users control. */
#include "lttng-session/snapshot/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lttng-session/snapshot/access.h"
#include "lttng-session/snapshot/space.h"
#include "lttng-session/system/folder.h"

bool snapshot_name_is_valid(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/') && strlen(name) <= 100;
}

static int fail(struct mm_error *err, const char *path, const char *why)
{
	return space_fail_folder(path, why, err);
}

/* Only root may decide what the names in the folder @fd, whose path is @path, refer to. */
static int check_owner(int fd, const char *path, struct mm_error *err)
{
	struct stat st;

	if (geteuid())
		return 0;
	if (fstat(fd, &st))
		return fail(err, path, strerror(errno));
	if (st.st_uid)
		return mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"snapshot: %s: belongs to user %lu, who could redirect what root writes there; choose an --output below folders that only root can change, such as /var/tmp",
			path, (unsigned long)st.st_uid);
	if ((st.st_mode & (S_IWGRP | S_IWOTH)) && !(st.st_mode & S_ISVTX))
		return mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"snapshot: %s: other users can write there and could redirect what root writes; run chmod go-w on it, or choose another --output, such as /var/tmp",
			path);
	return 0;
}

/* Opens the folder @full, an absolute path without links, component by component. */
static int walk(const char *full, struct mm_error *err)
{
	int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char so_far[PATH_MAX] = "/", name[NAME_MAX + 1];
	size_t at = 0;

	while (fd >= 0 && !check_owner(fd, so_far, err)) {
		size_t length;
		int next;

		at += strspn(full + at, "/");
		length = strcspn(full + at, "/");
		if (!length)
			return fd;
		snprintf(name, sizeof(name), "%.*s", (int)length, full + at);
		at += length;
		snprintf(so_far, sizeof(so_far), "%.*s", (int)at, full);
		next = openat(fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(fd);
		fd = next;
	}
	if (fd < 0)
		return fail(err, so_far, strerror(errno));
	close(fd);
	return -1;
}

/*
 * Splits the missing folder @path into its parent and its name. Returns false if it has no name, as
 * in `x/..`.
 */
static bool split(const char *path, char *parent, size_t size, const char **name, size_t *length)
{
	size_t end = strlen(path), at;

	while (end > 1 && path[end - 1] == '/')
		end--;
	for (at = end; at && path[at - 1] != '/'; at--)
		;
	*name = path + at;
	*length = end - at;
	if (!*length || *length > NAME_MAX || !strncmp(*name, "..", *length) || at >= size)
		return false;
	snprintf(parent, size, "%.*s", at ? (int)at : 1, at ? path : ".");
	return true;
}

/*
 * Gives the new folder @fd to the group, if there is one. What is made in it belongs to the group,
 * too, unless this process may not set that bit, as in the service (RestrictSUIDSGID=); snapshots
 * get their group in any case. Returns 0, or -1 with errno set.
 */
static int share(int fd)
{
	gid_t group = access_group();

	if (geteuid() || group == (gid_t)-1)
		return 0;
	if (fchown(fd, (uid_t)-1, group))
		return -1;
	return !fchmod(fd, S_ISGID | 0750) || !fchmod(fd, 0750) ? 0 : -1;
}

/* Creates the folder @path in its existing parent, and returns its descriptor. */
static int make(const char *path, bool shared, char *full, size_t size, struct mm_error *err)
{
	char parent[PATH_MAX], resolved[PATH_MAX], last[NAME_MAX + 1];
	const char *name;
	size_t length;
	int above, fd;

	if (!split(path, parent, sizeof(parent), &name, &length) || !realpath(parent, resolved))
		return fail(err, path, strerror(ENOENT));
	above = walk(resolved, err);
	if (above < 0)
		return -1;
	snprintf(last, sizeof(last), "%.*s", (int)length, name);
	fd = folder_make(above, last, 0750);
	/* A snapshot in it must still be there after a crash. */
	if (fd < 0 || (shared && share(fd)) || folder_sync_names(above))
		fail(err, path, strerror(errno));
	close(above);
	if (fd >= 0 && err->code) {
		close(fd);
		return -1;
	}
	if (fd >= 0 && (size_t)snprintf(full, size, "%s/%s", strcmp(resolved, "/") ? resolved : "",
					last) >= size) {
		close(fd);
		return fail(err, path, strerror(ENAMETOOLONG));
	}
	return fd;
}

static int open_or_make(const char *path, bool shared, char *full, size_t size,
			struct mm_error *err)
{
	char resolved[PATH_MAX];

	if (strlen(path) >= PATH_MAX)
		return fail(err, path, strerror(ENAMETOOLONG));
	if (realpath(path, resolved)) {
		if ((size_t)snprintf(full, size, "%s", resolved) >= size)
			return fail(err, path, strerror(ENAMETOOLONG));
		return walk(full, err);
	}
	return errno == ENOENT ? make(path, shared, full, size, err)
			       : fail(err, path, strerror(errno));
}

int output_open(const char *path, char *full, size_t size, struct mm_error *err)
{
	return open_or_make(path, false, full, size, err);
}

int output_open_recorder(const char *path, char *full, size_t size, struct mm_error *err)
{
	return open_or_make(path, true, full, size, err);
}
