// SPDX-License-Identifier: LGPL-2.1-only
/* Copies a folder by descriptors. */
#include "lttng-session/serve/folder-copy.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lttng-session/system/folder.h"

#define BLOCK_BYTES (1u << 20)

static int copy_contents(int from, int to)
{
	ssize_t length;

	do
		length = sendfile(to, from, NULL, BLOCK_BYTES);
	while (length > 0 || (length < 0 && errno == EINTR));
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

static int copy_file(int from_parent, const char *name, int to_parent)
{
	int from = openat(from_parent, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), to, ret;

	if (from < 0)
		return -1;
	to = openat(to_parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640);
	ret = to < 0 ? -1 : copy_contents(from, to);
	return close_after(from, close_after(to, ret));
}

struct copying {
	int to, depth;
};

static int copy_level(int from, int to, int depth);

static int copy_folder(int from_parent, const char *name, const struct copying *copying)
{
	int from, to, ret;

	if (!copying->depth) {
		errno = ELOOP;
		return -1;
	}
	from = folder_open(from_parent, name);
	if (from < 0)
		return -1;
	to = folder_make(copying->to, name, 0750);
	ret = to < 0 ? -1 : copy_level(from, to, copying->depth - 1);
	return close_after(from, close_after(to, ret));
}

static int copy_entry(int parent, const char *name, void *user)
{
	const struct copying *copying = user;
	struct stat st;

	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW))
		return -1;
	if (S_ISDIR(st.st_mode))
		return copy_folder(parent, name, copying);
	return S_ISREG(st.st_mode) ? copy_file(parent, name, copying->to) : 0;
}

static int copy_level(int from, int to, int depth)
{
	struct copying copying = { .to = to, .depth = depth };

	return folder_each(from, 0, copy_entry, &copying) ? -1 : 0;
}

int folder_copy(int from, int to)
{
	return copy_level(from, to, FOLDER_DEPTH_MAX) ? -1 : folder_sync(to);
}
