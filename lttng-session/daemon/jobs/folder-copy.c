// SPDX-License-Identifier: LGPL-2.1-only
/* Copies a folder. Uses descriptors instead of paths, which other users could redirect. */
#include "lttng-session/daemon/jobs/folder-copy.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lttng-session/system/folder.h"

#define BLOCK_BYTES (1u << 20)
/* Number of bytes to write back at a time. This is enough to keep a disk busy. */
#define WINDOW_BYTES (8u << 20)

/*
 * Starts or awaits the write-back of WINDOW_BYTES at @from. Does nothing on filesystems without
 * sync_file_range(), where the final fsync() writes everything.
 */
static int sync_range(int to, off_t from, unsigned int flags)
{
	if (!sync_file_range(to, from, WINDOW_BYTES, flags))
		return 0;
	return errno == ESPIPE || errno == EINVAL || errno == ENOSYS ? 0 : -1;
}

/*
 * Starts to write the last window of bytes to the disk. Then waits until the window before it is on
 * the disk, and drops that window from the page cache. A large file therefore does not fill the
 * cache, and the final fsync(), which reports no progress, takes little time. Callers must handle
 * errors of this function, because the final fsync() does not return them again.
 */
static int write_window(int to, off_t end)
{
	off_t last = end - WINDOW_BYTES, previous = last - WINDOW_BYTES;

	if (sync_range(to, last, SYNC_FILE_RANGE_WRITE))
		return -1;
	if (previous < 0)
		return 0;
	if (sync_range(to, previous,
		       SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
			       SYNC_FILE_RANGE_WAIT_AFTER))
		return -1;
	posix_fadvise(to, previous, WINDOW_BYTES, POSIX_FADV_DONTNEED);
	return 0;
}

static int copy_contents(int from, int to, atomic_ullong *progress)
{
	ssize_t length;
	off_t written = 0;

	do {
		length = sendfile(to, from, NULL, BLOCK_BYTES);
		if (length <= 0)
			continue;
		written += length;
		if (written % WINDOW_BYTES < length && written >= WINDOW_BYTES &&
		    write_window(to, written - written % WINDOW_BYTES))
			return -1;
		atomic_fetch_add(progress, (unsigned long long)length);
	} while (length > 0 || (length < 0 && errno == EINTR));
	return length ? -1 : 0;
}

static int close_after(int fd, int ret)
{
	int error = errno;

	if (fd >= 0 && close(fd) && !ret)
		return -1;
	errno = error;
	return ret;
}

struct folder_copy_ctx {
	int to, depth;
	atomic_ullong *progress;
};

static int copy_level(int from, const struct folder_copy_ctx *ctx);

static int copy_file(int from_parent, const char *name, const struct folder_copy_ctx *ctx)
{
	int from = openat(from_parent, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), to, ret;

	if (from < 0)
		return -1;
	to = openat(ctx->to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	ret = to < 0 ? -1 : copy_contents(from, to, ctx->progress);
	return close_after(from, close_after(to, ret));
}

static int copy_folder(int from_parent, const char *name, const struct folder_copy_ctx *ctx)
{
	struct folder_copy_ctx inner = *ctx;
	int from, ret;

	if (!inner.depth--) {
		errno = ELOOP;
		return -1;
	}
	from = folder_open(from_parent, name);
	if (from < 0)
		return -1;
	inner.to = folder_make(ctx->to, name, 0700);
	ret = inner.to < 0 ? -1 : copy_level(from, &inner);
	return close_after(from, close_after(inner.to, ret));
}

static int copy_entry(int parent, const char *name, void *user)
{
	const struct folder_copy_ctx *ctx = user;
	struct stat st;

	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW))
		return -1;
	if (S_ISDIR(st.st_mode))
		return copy_folder(parent, name, ctx);
	return S_ISREG(st.st_mode) ? copy_file(parent, name, ctx) : 0;
}

static int copy_level(int from, const struct folder_copy_ctx *ctx)
{
	return folder_each(from, 0, copy_entry, (void *)ctx) ? -1 : 0;
}

/* Drops a file from the page cache. Has no effect on pages that are not on the disk yet. */
static int drop_entry(int parent, const char *name, void *user)
{
	int fd = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	(void)user;
	if (fd >= 0) {
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		close(fd);
	}
	return 0;
}

int folder_copy(int from, int to, atomic_ullong *progress)
{
	const struct folder_copy_ctx ctx = { .to = to,
					     .depth = FOLDER_DEPTH_MAX,
					     .progress = progress };

	return copy_level(from, &ctx);
}

int folder_copy_end(int to, atomic_ullong *progress)
{
	if (folder_sync_counted(to, progress))
		return -1;
	folder_each(to, FOLDER_DEPTH_MAX, drop_entry, NULL);
	return 0;
}
