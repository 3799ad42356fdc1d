// SPDX-License-Identifier: LGPL-2.1-only
/* Writes lines to systemd's journal, or else to the system's log. */
#define SD_JOURNAL_SUPPRESS_LOCATION
#include "lttng-session/system/journal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#include "util/escape.h"

/* Without it, sd_journal_sendv() succeeds and writes nothing. */
#define SOCKET "/run/systemd/journal/socket"

/* Appends a field, unless @value is NULL. Returns -1 when out of memory. */
static int add(char *fields[], size_t *count, const char *name, const char *value)
{
	char *safe;
	int length;

	if (!value)
		return 0;
	safe = mm_escape_terminal_copy(value);
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

void journal_write(const struct journal_line *line)
{
	struct iovec parts[JOURNAL_FIELDS_MAX];
	char *fields[JOURNAL_FIELDS_MAX];
	size_t count = journal_fields(line, fields);

	for (size_t i = 0; i < count; i++)
		parts[i] = (struct iovec){ .iov_base = fields[i], .iov_len = strlen(fields[i]) };
	if (count && (access(SOCKET, W_OK) || sd_journal_sendv(parts, (int)count) < 0))
		syslog(line->priority, "%s", fields[0] + strlen("MESSAGE="));
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
