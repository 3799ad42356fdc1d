// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the lines that are appended to a regular file. */
#include "lttng-session/daemon/triggers/watch/tail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Opens the file of @named, an O_PATH descriptor, for reading. */
static int reopen(int named)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", named);
	return open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

int tail_open(struct tail *tail, const char *path, bool at_end)
{
	int named = open(path, O_PATH | O_CLOEXEC), fd = -1, error;
	struct stat st;

	if (named < 0)
		return -1;
	if (!fstat(named, &st)) {
		if (S_ISREG(st.st_mode))
			fd = reopen(named);
		else
			errno = EINVAL;
	}
	/* Read the size again, because the file may have grown since the first fstat(). */
	if (fd >= 0 && fstat(fd, &st)) {
		close(fd);
		fd = -1;
	}
	error = errno;
	close(named);
	errno = error;
	if (fd < 0)
		return -1;
	tail->fd = fd;
	tail->device = st.st_dev;
	tail->inode = st.st_ino;
	tail->offset = at_end ? st.st_size : 0;
	tail->skipping = false;
	tail->length = 0;
	return 0;
}

void tail_close(struct tail *tail, tail_line *line, void *user)
{
	if (tail->fd < 0)
		return;
	if (tail->length && !tail->skipping)
		line(user, tail->line, tail->length);
	close(tail->fd);
	tail->fd = -1;
}

bool tail_is(const struct tail *tail, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return false;
	errno = 0;
	return tail->fd >= 0 && st.st_dev == tail->device && st.st_ino == tail->inode;
}

/*
 * Appends to the current line. If the line becomes too long, passes its first part to @line and
 * skips the rest.
 */
static void add(struct tail *tail, const char *bytes, size_t length, tail_line *line, void *user)
{
	size_t room = sizeof(tail->line) - tail->length;

	if (tail->skipping)
		return;
	memcpy(tail->line + tail->length, bytes, length < room ? length : room);
	if (length <= room) {
		tail->length += length;
		return;
	}
	line(user, tail->line, sizeof(tail->line));
	tail->length = 0;
	tail->skipping = true;
}

static void feed(struct tail *tail, const char *bytes, size_t length, tail_line *line, void *user)
{
	while (length) {
		const char *newline = memchr(bytes, '\n', length);
		size_t part = newline ? (size_t)(newline - bytes) : length;

		add(tail, bytes, part, line, user);
		if (newline) {
			if (!tail->skipping)
				line(user, tail->line, tail->length);
			tail->length = 0;
			tail->skipping = false;
			part++;
		}
		bytes += part;
		length -= part;
	}
}

/*
 * Finds out where to continue after a truncation, or after the file has grown very fast. Returns
 * true if lines may have been lost.
 */
static bool find_place(struct tail *tail, off_t size)
{
	if (size < tail->offset) {
		tail->offset = 0;
		tail->length = 0;
		tail->skipping = false;
		return true;
	}
	if (size - tail->offset > TAIL_BACKLOG_MAX) {
		tail->offset = size - TAIL_BACKLOG_KEPT;
		tail->length = 0;
		tail->skipping = true;
		return true;
	}
	return false;
}

enum tail_state tail_read(struct tail *tail, tail_line *line, void *user)
{
	char chunk[TAIL_CHUNK];
	struct stat st;
	ssize_t length;

	if (tail->fd < 0 || fstat(tail->fd, &st))
		return TAIL_END;
	if (find_place(tail, st.st_size))
		return TAIL_LOST;
	/*
	 * This also skips files of /proc, whose size is 0, because reading some of them has side
	 * effects.
	 */
	if (st.st_size <= tail->offset)
		return TAIL_END;
	length = pread(tail->fd, chunk, sizeof(chunk), tail->offset);
	if (length <= 0)
		return TAIL_END;
	tail->offset += length;
	feed(tail, chunk, (size_t)length, line, user);
	return TAIL_MORE;
}
