/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads the lines that are appended to a regular file. */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_WATCH_TAIL_H
#define LTTNG_MM_DAEMON_TRIGGERS_WATCH_TAIL_H

#include <stdbool.h>
#include <sys/stat.h>

#include "lttng-session/daemon/triggers/watch/source.h"

/* Read at once; and what is skipped of a file that grew by more since it was read last. */
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
	bool skipping; /* the rest of a line that is too long, or of which the start is not known */
	size_t length; /* of the line that is not complete yet */
	char line[WATCH_LINE_MAX];
};

/*
 * Opens the regular file @path, at its end or else its start. It is not opened before its type is
 * known, because the opening of others may have effects. Returns 0, or -1 with errno set: EINVAL if
 * it is no regular file.
 */
int tail_open(struct tail *tail, const char *path, bool at_end);

/* Closes it. What it has after the last newline is a line, too. */
void tail_close(struct tail *tail, tail_line *line, void *user);

/* Is @path still this file? If not, errno is 0, or why it cannot be looked at. */
bool tail_is(const struct tail *tail, const char *path);

enum tail_state {
	TAIL_END,  /* all was read */
	TAIL_MORE, /* there is more */
	TAIL_LOST, /* as TAIL_MORE; lines may have been lost: it was truncated, or grew too fast */
};

/* Reads up to TAIL_CHUNK bytes and passes complete lines, without their newline, to @line. */
enum tail_state tail_read(struct tail *tail, tail_line *line, void *user);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_WATCH_TAIL_H */
