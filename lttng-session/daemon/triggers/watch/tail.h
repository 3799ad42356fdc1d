/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads the lines that are appended to a regular file. */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_WATCH_TAIL_H
#define LTTNG_MM_DAEMON_TRIGGERS_WATCH_TAIL_H

#include <stdbool.h>
#include <sys/stat.h>

#include "lttng-session/daemon/triggers/watch/source.h"

/*
 * Bytes per read. If a file has grown by more than TAIL_BACKLOG_MAX since the last read, its last
 * TAIL_BACKLOG_KEPT bytes are read, and the rest is skipped.
 */
#define TAIL_CHUNK 65536
#define TAIL_BACKLOG_MAX (16 << 20)
#define TAIL_BACKLOG_KEPT (1 << 20)

typedef void tail_line(void *user, const char *line, size_t length);

/* An open file; fd < 0: none. */
struct tail {
	int fd;
	dev_t device;
	ino_t inode;
	off_t offset;
	/* skip the rest of this line, because it is too long or its start is unknown */
	bool skipping;
	size_t length; /* length of the incomplete line in @line */
	char line[WATCH_LINE_MAX];
};

/*
 * Opens the regular file @path, at its end or its start. For a file of another type, fails with
 * EINVAL without opening it, because opening a device or FIFO could have side effects. Returns 0,
 * or -1 with errno set.
 */
int tail_open(struct tail *tail, const char *path, bool at_end);

/* Closes the file. First passes an incomplete last line to @line. */
void tail_close(struct tail *tail, tail_line *line, void *user);

/* Does @path still lead to the open file? If not, sets errno to 0 or to the error of stat(). */
bool tail_is(const struct tail *tail, const char *path);

enum tail_state {
	TAIL_END,  /* everything has been read */
	TAIL_MORE, /* more can be read */
	TAIL_LOST, /* the file was truncated or grew too fast: lines may have been lost */
};

/* Reads up to TAIL_CHUNK bytes, and passes complete lines without newline to @line. */
enum tail_state tail_read(struct tail *tail, tail_line *line, void *user);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_WATCH_TAIL_H */
