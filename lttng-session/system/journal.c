// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Writes lines to systemd's journal or, if there is none, to the system log. Never blocks, unlike
 * sd_journal_sendv() and syslog(3): their sockets block while the journal hangs.
 */
#include "lttng-session/system/journal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "util/escape.h"
#include "util/mounts.h"

#define JOURNAL_SOCKET "/run/systemd/journal/socket"
#define LOG_SOCKET "/dev/log"
/*
 * Size of the socket's buffer. It must have room for a line with the escaped text of a whole
 * message (message.h).
 */
#define SEND_BYTES (1 << 20)

/* number of dropped lines that were not reported yet */
static unsigned int missing;

/* Appends a field unless @value is NULL. Returns 0, or -1 when out of memory. */
static int add(char *fields[], size_t *count, const char *name, const char *value)
{
	char *safe;
	int length;

	if (!value)
		return 0;
	safe = mm_escape_message_copy(value);
	length = safe ? asprintf(&fields[*count], "%s=%s", name, safe) : -1;
	free(safe);
	if (length < 0)
		return -1;
	(*count)++;
	return 0;
}

size_t journal_fields(const struct journal_line *line, char *fields[JOURNAL_FIELDS_MAX])
{
	const char priority[] = { (char)('0' + (line->priority & LOG_PRIMASK)), '\0' };
	const struct {
		const char *name, *value;
	} all[JOURNAL_FIELDS_MAX] = {
		{ "MESSAGE", line->message },
		{ "PRIORITY", priority },
		{ "SYSLOG_IDENTIFIER", "lttng-mm" },
		{ "MESSAGE_ID", line->id },
		{ "LTTNG_MM_SNAPSHOT", line->snapshot },
		{ "LTTNG_MM_TRIGGER", line->trigger },
		{ "LTTNG_MM_VERDICT", line->verdict },
		{ "LTTNG_MM_SESSION", line->session },
		{ "LTTNG_MM_REASON", line->reason },
	};
	size_t count = 0;

	for (size_t i = 0; i < JOURNAL_FIELDS_MAX; i++)
		if (add(fields, &count, all[i].name, all[i].value)) {
			while (count)
				free(fields[--count]);
			return 0;
		}
	return count;
}

/*
 * Sends a datagram to the socket @path. Opens a new socket each time, because forked processes
 * close all descriptors. Returns 0, or -1 with errno set. EAGAIN: the receiver's queue is full.
 */
static int send_to(const char *path, struct iovec *parts, size_t count)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const struct msghdr message = { .msg_name = &address,
					.msg_namelen = sizeof(address),
					.msg_iov = parts,
					.msg_iovlen = count };
	const int bytes = SEND_BYTES;
	int fd, error;

	if (mounts_path(address.sun_path, sizeof(address.sun_path), "%s", path)) {
		errno = ENOENT;
		return -1;
	}
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	/* The buffer's size limits the size of a datagram, so raise it as far as allowed. */
	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	error = sendmsg(fd, &message, MSG_NOSIGNAL) < 0 ? errno : 0;
	close(fd);
	errno = error;
	return error ? -1 : 0;
}

/* Sends fields in the journal's native protocol: one KEY=VALUE field per line. */
static int send_fields(char *const fields[], size_t count)
{
	struct iovec parts[2 * JOURNAL_FIELDS_MAX];

	for (size_t i = 0; i < count; i++) {
		parts[2 * i] =
			(struct iovec){ .iov_base = fields[i], .iov_len = strlen(fields[i]) };
		parts[2 * i + 1] = (struct iovec){ .iov_base = "\n", .iov_len = 1 };
	}
	return send_to(JOURNAL_SOCKET, parts, 2 * count);
}

/* Sends a line in the format of syslog(3). Drops the line if the log accepts no datagrams. */
static void send_message(int priority, const char *message)
{
	char head[128], date[32] = "";
	const time_t now = time(NULL);
	struct iovec parts[2];
	struct tm local;

	if (localtime_r(&now, &local))
		strftime(date, sizeof(date), "%h %e %T", &local);
	snprintf(head, sizeof(head), "<%d>%s lttng-mm[%d]: ", LOG_DAEMON | (priority & LOG_PRIMASK),
		 date, (int)getpid());
	parts[0] = (struct iovec){ .iov_base = head, .iov_len = strlen(head) };
	parts[1] = (struct iovec){ .iov_base = (char *)message, .iov_len = strlen(message) };
	send_to(LOG_SOCKET, parts, 2);
}

static int send_missing(void)
{
	char *fields[JOURNAL_FIELDS_MAX], message[128];
	const struct journal_line line = { .priority = LOG_WARNING, .message = message };
	size_t count;
	int ret, error;

	if (!missing)
		return 0;
	snprintf(message, sizeof(message),
		 "%u line%s missing here: the journal had no room for them", missing,
		 missing == 1 ? " is" : "s are");
	count = journal_fields(&line, fields);
	ret = count ? send_fields(fields, count) : 0;
	error = errno;
	if (count && !ret)
		missing = 0;
	while (count)
		free(fields[--count]);
	errno = error;
	return ret;
}

void journal_write(const struct journal_line *line)
{
	char *fields[JOURNAL_FIELDS_MAX];
	size_t count = journal_fields(line, fields);

	if (count && (send_missing() || send_fields(fields, count))) {
		if (errno == EAGAIN || errno == ENOBUFS || errno == EMSGSIZE)
			missing++;
		else
			send_message(line->priority, fields[0] + strlen("MESSAGE="));
	}
	while (count)
		free(fields[--count]);
}

void journal_note(int priority, const char *fmt, ...)
{
	char *message = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&message, fmt, args) >= 0) {
		journal_write(&(struct journal_line){ .priority = priority, .message = message });
		free(message);
	}
	va_end(args);
}
