// SPDX-License-Identifier: LGPL-2.1-only
/* Opens the output folder of a snapshot, and refuses a folder that other users control. */
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

/*
 * Refuses the folder @fd if the caller is root and other users can replace entries of the folder.
 */
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

/* Maximum number of symbolic links on a path. The kernel has the same limit. */
#define LINKS_MAX 40

struct path_walk {
	int fd;
	char full[PATH_MAX];	 /* path of @fd, without symbolic links */
	char rest[2 * PATH_MAX]; /* the rest of the path, which is not open yet */
	char name[NAME_MAX + 1]; /* name of the last component, if it does not exist */
	unsigned int links;
	bool last_is_link; /* the last component was a link, and @rest is the link's target */
};

/*
 * Removes the next component from walk->rest, and stores it in @name. Returns 0, or -1 with errno
 * set.
 */
static int next_name(struct path_walk *walk, char name[NAME_MAX + 1])
{
	size_t start = strspn(walk->rest, "/"), length = strcspn(walk->rest + start, "/");

	if (length > NAME_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(name, walk->rest + start, length);
	name[length] = '\0';
	memmove(walk->rest, walk->rest + start + length, strlen(walk->rest + start + length) + 1);
	return 0;
}

static bool at_end(const struct path_walk *walk)
{
	return walk->rest[strspn(walk->rest, "/")] == '\0';
}

static int append(char *full, size_t size, const char *name)
{
	const size_t length = strcmp(full, "/") ? strlen(full) : 0;

	if (length + 1 + strlen(name) < size) {
		full[length] = '/';
		strcpy(full + length + 1, name);
		return 0;
	}
	errno = ENAMETOOLONG;
	return -1;
}

/* Continues the walk in the folder @fd, whose path is walk->full. */
static int enter(struct path_walk *walk, int fd, struct mm_error *err)
{
	if (walk->fd >= 0)
		close(walk->fd);
	walk->fd = fd;
	return fd < 0 ? fail(err, walk->full, strerror(errno)) : check_owner(fd, walk->full, err);
}

static int enter_root(struct path_walk *walk, struct mm_error *err)
{
	strcpy(walk->full, "/");
	return enter(walk, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), err);
}

static int enter_parent(struct path_walk *walk, struct mm_error *err)
{
	char *slash = strrchr(walk->full, '/');

	slash[slash == walk->full] = '\0';
	return enter(walk, openat(walk->fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC), err);
}

/*
 * Inserts the target of the link @name before the rest of the path. @fd is the descriptor of the
 * link.
 */
static int follow(struct path_walk *walk, int fd, const char *name, const struct stat *link,
		  struct mm_error *err)
{
	char path[PATH_MAX], target[PATH_MAX], rest[sizeof(walk->rest)];
	ssize_t length;

	snprintf(path, sizeof(path), "%s", walk->full);
	append(path, sizeof(path), name);
	/*
	 * Root owns the folder. But if the folder is sticky and others can write to it, another
	 * user may own the link.
	 */
	if (!geteuid() && link->st_uid)
		return mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"snapshot: %s: is a link of user %lu, who could redirect what root writes there; choose another --output, such as /var/tmp",
			path, (unsigned long)link->st_uid);
	if (++walk->links > LINKS_MAX)
		return fail(err, path, strerror(ELOOP));
	length = readlinkat(fd, "", target, sizeof(target));
	if (length < 0)
		return fail(err, path, strerror(errno));
	walk->last_is_link = at_end(walk);
	if ((size_t)length == sizeof(target) ||
	    (size_t)snprintf(rest, sizeof(rest), "%.*s/%s", (int)length, target, walk->rest) >=
		    sizeof(rest))
		return fail(err, path, strerror(ENAMETOOLONG));
	strcpy(walk->rest, rest);
	return *target == '/' ? enter_root(walk, err) : 0;
}

/*
 * Opens the component @name. Returns 0 on success, 1 if @name is the last component and does not
 * exist, or -1 with @err set.
 */
static int step(struct path_walk *walk, const char *name, struct mm_error *err)
{
	int fd = openat(walk->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), ret, error = errno;
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s", walk->full);
	if (append(path, sizeof(path), name)) {
		error = errno;
	} else if (fd < 0 && error == ENOENT && at_end(walk) && !walk->last_is_link) {
		strcpy(walk->name, name);
		return 1;
	} else if (fd >= 0 && !fstat(fd, &st)) {
		if (S_ISDIR(st.st_mode)) {
			strcpy(walk->full, path);
			return enter(walk, fd, err);
		}
		if (S_ISLNK(st.st_mode)) {
			ret = follow(walk, fd, name, &st, err);
			close(fd);
			return ret;
		}
		error = ENOTDIR;
	}
	if (fd >= 0)
		close(fd);
	return fail(err, path, strerror(error));
}

/*
 * Starts at the root directory even for a relative path, because other users may control a folder
 * on the path of the current folder.
 */
static int begin(struct path_walk *walk, const char *path, struct mm_error *err)
{
	char current[PATH_MAX] = "";

	if (*path != '/' && (!getcwd(current, sizeof(current)) || *current != '/'))
		return fail(err, path, strerror(ENOENT));
	if ((size_t)snprintf(walk->rest, sizeof(walk->rest), "%s/%s", current, path) >=
		    sizeof(walk->rest) ||
	    strlen(path) >= PATH_MAX)
		return fail(err, path, strerror(ENAMETOOLONG));
	return enter_root(walk, err);
}

/*
 * Opens the folder @path. Returns 0 on success, 1 if only its last component is missing
 * (walk->name, in walk->fd), or -1 with @err set. The caller closes walk->fd.
 */
static int walk_path(struct path_walk *walk, const char *path, struct mm_error *err)
{
	char name[NAME_MAX + 1];
	int ret;

	*walk = (struct path_walk){ .fd = -1 };
	ret = *path ? begin(walk, path, err) : fail(err, path, strerror(ENOENT));
	while (!ret && !at_end(walk)) {
		if (next_name(walk, name))
			return fail(err, path, strerror(errno));
		if (!strcmp(name, "."))
			continue;
		ret = !strcmp(name, "..") ? enter_parent(walk, err) : step(walk, name, err);
	}
	return ret;
}

/*
 * Gives the new folder @fd to the group, if root creates it and the group exists. Sets the
 * set-group-ID bit, so that new files get this group. RestrictSUIDSGID= of the service may forbid
 * this bit, but access_set() gives snapshots to the group in any case. Returns 0, or -1 with errno
 * set.
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

/* Creates the folder that @walk has found missing, and returns its descriptor. */
static int make(struct path_walk *walk, const char *path, bool shared, struct mm_error *err)
{
	int fd;

	if (append(walk->full, sizeof(walk->full), walk->name))
		return fail(err, path, strerror(errno));
	fd = folder_make(walk->fd, walk->name, 0750);
	/* Sync the parent, so that the new folder survives a crash. */
	if (fd < 0 || (shared && share(fd)) || folder_sync_names(walk->fd))
		fail(err, path, strerror(errno));
	if (fd >= 0 && err->code) {
		close(fd);
		return -1;
	}
	return fd;
}

static int open_or_make(const char *path, bool shared, char *full, size_t size,
			struct mm_error *err)
{
	struct path_walk walk;
	int ret = walk_path(&walk, path, err), fd = ret < 0 ? -1 : walk.fd;

	if (ret > 0)
		fd = make(&walk, path, shared, err);
	if (walk.fd >= 0 && walk.fd != fd)
		close(walk.fd);
	if (fd >= 0 && (size_t)snprintf(full, size, "%s", walk.full) >= size) {
		close(fd);
		return fail(err, path, strerror(ENAMETOOLONG));
	}
	return fd;
}

int output_open(const char *path, char *full, size_t size, struct mm_error *err)
{
	return open_or_make(path, false, full, size, err);
}

int output_open_recorder(const char *path, char *full, size_t size, struct mm_error *err)
{
	return open_or_make(path, true, full, size, err);
}

/*
 * Is the file of the descriptor @fd on a mount in this process's mount namespace? Compares the
 * mnt_id in fdinfo.
 */
static bool is_own_mount(int fd)
{
	char path[64], line[PATH_MAX * 2];
	int mount = -1, other;
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "re");
	while (file && mount < 0 && fgets(line, sizeof(line), file))
		sscanf(line, "mnt_id: %d", &mount);
	if (file)
		fclose(file);
	file = mount < 0 ? NULL : fopen("/proc/self/mountinfo", "re");
	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "%d ", &other) == 1 && other == mount;
	if (file)
		fclose(file);
	return found;
}

bool output_path(int fd, char *full, size_t size)
{
	char path[64], target[PATH_MAX];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	length = readlink(path, target, sizeof(target));
	if (length <= 0 || (size_t)length >= sizeof(target) || *target != '/' || !is_own_mount(fd))
		return false;
	return (size_t)snprintf(full, size, "%.*s", (int)length, target) < size;
}
