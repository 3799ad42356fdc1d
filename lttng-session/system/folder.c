// SPDX-License-Identifier: LGPL-2.1-only
/* Creates, visits, writes and removes folders and files relative to directory descriptors. */
#include "lttng-session/system/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

int folder_open(int parent, const char *name)
{
	return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int folder_make(int parent, const char *name, mode_t mode)
{
	struct stat st;
	int fd, error;

	if (mkdirat(parent, name, mode))
		return -1;
	fd = folder_open(parent, name);
	/*
	 * Check the folder, because the owner of the parent may have replaced it since mkdirat().
	 */
	if (fd >= 0 && !fstat(fd, &st) && st.st_uid == geteuid() &&
	    !(st.st_mode & (S_IWGRP | S_IWOTH)))
		return fd;
	error = fd < 0 ? errno : EPERM;
	if (fd >= 0)
		close(fd);
	/*
	 * Remove the folder. (The check also fails on filesystems that give all folders the same
	 * owner and mode.) If another user replaced the folder, the replacement is removed only if
	 * it is empty.
	 */
	unlinkat(parent, name, AT_REMOVEDIR);
	errno = error;
	return -1;
}

/* Number of random characters at the end of a name. */
#define RANDOM_LENGTH 6
static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";

int folder_randomize(char *name)
{
	char *end = name + strlen(name) - RANDOM_LENGTH;
	unsigned char random[RANDOM_LENGTH];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return -1;
	for (size_t i = 0; i < sizeof(random); i++)
		end[i] = letters[random[i] % (sizeof(letters) - 1)];
	return 0;
}

bool folder_is_randomized(const char *name, const char *pattern)
{
	const size_t length = strlen(pattern), start = length - RANDOM_LENGTH;

	return strlen(name) == length && !memcmp(name, pattern, start) &&
	       strspn(name + start, letters) == RANDOM_LENGTH;
}

int folder_make_random(int parent, char *name)
{
	int fd = -1;

	errno = EEXIST;
	for (int tries = 0; fd < 0 && errno == EEXIST && tries < 100; tries++) {
		if (folder_randomize(name))
			return -1;
		fd = folder_make(parent, name, 0700);
	}
	return fd;
}

FILE *folder_make_file(int parent, const char *name)
{
	int fd = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	if (fd >= 0 && !file)
		close(fd);
	return file;
}

static DIR *open_entries(int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);

	if (copy >= 0 && !dir)
		close(copy);
	return dir;
}

/* Returns the next entry of @dir, or NULL at the end. On an error, sets *@failed and errno. */
static struct dirent *next_entry(DIR *dir, bool *failed)
{
	struct dirent *entry;

	errno = 0;
	entry = readdir(dir);
	*failed = !entry && errno;
	return entry;
}

static bool is_entry(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/*
 * Visits the entries of the folder @name. Visits nothing if @name is not a folder, is gone, or is
 * inaccessible.
 */
static int each_below(int parent, const char *name, int depth,
		      int (*visit)(int parent, const char *name, void *user), void *user)
{
	int fd = folder_open(parent, name), ret, error;

	if (fd < 0)
		return errno == ENOTDIR || errno == ELOOP || errno == ENOENT || errno == EACCES
			       ? 0
			       : -1;
	ret = folder_each(fd, depth, visit, user);
	error = errno;
	close(fd);
	errno = error;
	return ret;
}

int folder_each(int fd, int depth, int (*visit)(int parent, const char *name, void *user),
		void *user)
{
	DIR *dir = open_entries(fd);
	struct dirent *entry;
	bool failed = !dir;
	int ret = 0, error;

	while (!ret && !failed && (entry = next_entry(dir, &failed))) {
		if (!is_entry(entry))
			continue;
		ret = visit(dirfd(dir), entry->d_name, user);
		if (!ret && depth)
			ret = each_below(dirfd(dir), entry->d_name, depth - 1, visit, user);
	}
	error = errno;
	if (dir)
		closedir(dir);
	errno = error;
	return failed ? -1 : ret;
}

static void remove_one(int parent, const char *name, dev_t device, int depth, int *error);

static void remove_entries(int fd, dev_t device, int depth, int *error)
{
	DIR *dir = open_entries(fd);
	struct dirent *entry;
	bool failed = !dir;

	while (!failed && (entry = next_entry(dir, &failed)))
		if (is_entry(entry))
			remove_one(dirfd(dir), entry->d_name, device, depth, error);
	if (failed && !*error)
		*error = errno;
	if (dir)
		closedir(dir);
}

/*
 * Removes an entry. @device is the device of the top folder. A mount of another device is not
 * removed.
 */
static void remove_one(int parent, const char *name, dev_t device, int depth, int *error)
{
	struct stat st;
	int fd;

	if (!unlinkat(parent, name, 0) || errno == ENOENT)
		return;
	/* unlink() of a folder fails with EPERM according to POSIX, but with EISDIR on Linux. */
	fd = errno == EISDIR || errno == EPERM ? folder_open(parent, name) : -1;
	if (fd >= 0 && !fstat(fd, &st) && (!device || st.st_dev == device) && depth)
		remove_entries(fd, st.st_dev, depth - 1, error);
	if ((fd < 0 || unlinkat(parent, name, AT_REMOVEDIR)) && !*error)
		*error = errno;
	if (fd >= 0)
		close(fd);
}

/* Can the last component of @name be an entry? It cannot be ".", ".." or empty. */
static bool names_entry(const char *name)
{
	const char *slash = strrchr(name, '/');
	const char *last = slash ? slash + 1 : name;

	return *last && strcmp(last, ".") != 0 && strcmp(last, "..") != 0;
}

int folder_remove(int parent, const char *name)
{
	int error = 0;

	if (!names_entry(name)) {
		errno = EINVAL;
		return -1;
	}
	remove_one(parent, name, 0, FOLDER_DEPTH_MAX, &error);
	errno = error;
	return error ? -1 : 0;
}

struct clear_ctx {
	const char *last;
	dev_t device;
	int error;
};

static int clear_entry(int parent, const char *name, void *user)
{
	struct clear_ctx *ctx = user;

	if (!ctx->last || strcmp(name, ctx->last) != 0)
		remove_one(parent, name, ctx->device, FOLDER_DEPTH_MAX, &ctx->error);
	return 0;
}

int folder_clear(int fd, const char *last)
{
	struct clear_ctx ctx = { .last = last };
	struct stat st;

	if (fstat(fd, &st))
		return -1;
	ctx.device = st.st_dev;
	if (folder_each(fd, 0, clear_entry, &ctx) && !ctx.error)
		ctx.error = errno;
	if (!ctx.error && last)
		remove_one(fd, last, st.st_dev, 0, &ctx.error);
	errno = ctx.error;
	return ctx.error ? -1 : 0;
}

/* Syncs a file or folder. Succeeds on filesystems that cannot sync. */
static int sync_one(int fd)
{
	return fsync(fd) && errno != EINVAL && errno != EROFS ? -1 : 0;
}

struct sync_ctx {
	bool only_start;
	atomic_ullong *done; /* counts synced files and folders; may be NULL */
};

static int sync_entry(int parent, const char *name, void *user)
{
	const struct sync_ctx *ctx = user;
	int fd = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int ret = 0, error;

	/*
	 * These errors mean a symbolic link or a socket. Skip both. They have no contents to sync,
	 * and syncing the folder also syncs its links.
	 */
	if (fd < 0)
		return errno == ELOOP || errno == ENXIO ? 0 : -1;
	if (ctx->only_start)
		sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
	else
		ret = sync_one(fd);
	if (!ctx->only_start && ctx->done)
		atomic_fetch_add(ctx->done, 1);
	error = errno;
	close(fd);
	errno = error;
	return ret;
}

/*
 * Starts to write all files before it waits for the first one. The filesystem can then allocate the
 * blocks of all files together, and its journal commits once, not once per file.
 */
int folder_sync_counted(int fd, atomic_ullong *done)
{
	for (int start = 1; start >= 0; start--) {
		struct sync_ctx ctx = { .only_start = start, .done = done };

		if (!folder_each(fd, FOLDER_DEPTH_MAX, sync_entry, &ctx))
			continue;
		/*
		 * This user may not be allowed to read files that the session daemon created. Sync
		 * the whole filesystem instead.
		 */
		if (errno == EACCES)
			return syncfs(fd);
		return -1;
	}
	return sync_one(fd);
}

int folder_sync(int fd)
{
	return folder_sync_counted(fd, NULL);
}

int folder_sync_names(int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret, error;

	/*
	 * A user may be allowed to create names in a folder, but not to list them. Such a folder
	 * cannot be synced.
	 */
	if (copy < 0)
		return errno == EACCES ? 0 : -1;
	ret = sync_one(copy);
	error = errno;
	close(copy);
	errno = error;
	return ret;
}

int folder_move(int from, const char *name, int to, const char *new_name)
{
	struct stat st;

	if (!renameat2(from, name, to, new_name, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	/*
	 * Some filesystems do not support RENAME_NOREPLACE. For these, check that the new name is
	 * free, then rename without this flag.
	 */
	if (!fstatat(to, new_name, &st, AT_SYMLINK_NOFOLLOW)) {
		errno = EEXIST;
		return -1;
	}
	return renameat(from, name, to, new_name);
}
