/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Writes lines to systemd's journal. lttng-mm-serve(1) lists their fields. If there is no journal,
 * writes the messages to the system log.
 *
 * These functions never block. If the journal hangs and has no room for a line, they drop the line.
 * They report the number of dropped lines before the next line that is written.
 */
#ifndef LTTNG_MM_SESSION_JOURNAL_H
#define LTTNG_MM_SESSION_JOURNAL_H

#include <stddef.h>
#include <syslog.h>

/*
 * Message IDs. `journalctl MESSAGE_ID=...` finds lines by them, so they must never change.
 *
 *   SNAPSHOT  a snapshot was written      FAILURE   a snapshot could not be written
 *   LOSS      a snapshot or the recording is incomplete
 *   REPAIR    a session that other programs changed or destroyed was restored
 *   DELETION  an old snapshot was deleted
 */
#define JOURNAL_SNAPSHOT "028a3e3819c940d8bc0a53fcb4234aa1"
#define JOURNAL_FAILURE "90d5b65c2ba94dc29e109d8c5e294173"
#define JOURNAL_LOSS "51ef41d9738948fa872fc6b1b9671c2e"
#define JOURNAL_REPAIR "43b8d506a2a94a68ba3ee2af924c07b6"
#define JOURNAL_DELETION "43a33ccde9b24ec7a2165e99d4a8475d"

/*
 * A line of the journal. Only @priority and @message are required; other members may be NULL.
 * Strings may be untrusted.
 */
struct journal_line {
	int priority; /* one of LOG_* */
	const char *id, *message;
	const char *snapshot; /* LTTNG_MM_SNAPSHOT: path of the snapshot */
	/* LTTNG_MM_TRIGGER: name of the trigger, or another source of the request */
	const char *trigger;
	const char *verdict; /* LTTNG_MM_VERDICT: verdict of the snapshot's certificate */
	const char *session; /* LTTNG_MM_SESSION: the recorder, or its session */
	const char *reason;  /* LTTNG_MM_REASON */
};

void journal_write(const struct journal_line *line);

/* Writes a line with only a priority and a message. */
void journal_note(int priority, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Formats the fields of a line for the journal: one `NAME=value` per field, with control characters
 * in values escaped. Returns the number of fields, or 0 when out of memory. Release each field with
 * free().
 */
#define JOURNAL_FIELDS_MAX 9
size_t journal_fields(const struct journal_line *line, char *fields[JOURNAL_FIELDS_MAX]);

#endif /* LTTNG_MM_SESSION_JOURNAL_H */
