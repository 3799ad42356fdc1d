// SPDX-License-Identifier: LGPL-2.1-only
/* Sets the same clock offset in all traces that the session daemon has written. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/snapshot/work.h"
#include "lttng-session/system/folder.h"

/*
 * Number of bytes to search at the start of the metadata. LTTng writes the clock there, after the
 * environment.
 */
#define START_BYTES 65536
#define DIGITS_MAX 32

struct clock_ctx {
	char offset[DIGITS_MAX]; /* offset of the first trace; empty before the first trace */
	int others;		 /* number of traces whose offset could not be changed */
};

/* Finds the digits of the clock offset in packetized metadata, which is not a C string. */
static char *find_offset(char *text, size_t bytes, size_t *length)
{
	static const char clock[] = "\nclock {", offset[] = "\toffset = ";
	char *at = memmem(text, bytes, clock, strlen(clock)), *end;

	at = at ? memmem(at, bytes - (size_t)(at - text), offset, strlen(offset)) : NULL;
	if (!at)
		return NULL;
	at += strlen(offset);
	end = memchr(at, ';', bytes - (size_t)(at - text));
	*length = end ? (size_t)(end - at) : 0;
	return *length && *length < DIGITS_MAX ? at : NULL;
}

/*
 * Overwrites the offset in place. This is possible only if both offsets have the same number of
 * digits.
 */
static int set_offset(int fd, struct clock_ctx *clocks)
{
	char text[START_BYTES];
	ssize_t bytes = pread(fd, text, sizeof(text), 0);
	size_t length;
	char *at = bytes > 0 ? find_offset(text, (size_t)bytes, &length) : NULL;

	if (!at)
		return -1;
	if (!clocks->offset[0]) {
		memcpy(clocks->offset, at, length);
		return 0;
	}
	if (length != strlen(clocks->offset))
		return -1;
	if (!memcmp(at, clocks->offset, length))
		return 0;
	return pwrite(fd, clocks->offset, length, at - text) == (ssize_t)length ? 0 : -1;
}

static int visit(int parent, const char *name, void *user)
{
	struct clock_ctx *clocks = user;
	int fd;

	if (strcmp(name, "metadata") != 0)
		return 0;
	fd = openat(parent, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	clocks->others += fd < 0 || set_offset(fd, clocks);
	if (fd >= 0)
		close(fd);
	return 0;
}

int snapshot_unify_clocks(int made)
{
	struct clock_ctx clocks = { "", 0 };

	if (folder_each(made, FOLDER_DEPTH_MAX, visit, &clocks))
		return -1;
	return clocks.others ? -1 : 0;
}
