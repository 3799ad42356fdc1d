/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Lines of the recorder in systemd's journal, with fields by which they are found:
 * lttng-mm-serve(1) lists them. Where there is no journal, the system's log gets the messages.
 *
 * Nothing here waits: a line that the journal has no room for, because it hangs, is dropped, and
 * the line after it says how many were.
 */
#ifndef LTTNG_MM_SESSION_JOURNAL_H
#define LTTNG_MM_SESSION_JOURNAL_H

#include <stddef.h>
#include <syslog.h>

/*
 * What happened: a snapshot was written, or could not be; a snapshot, or what is recorded, misses
 * something; what others changed or ended was repaired; an old snapshot was deleted. These never
 * change: `journalctl MESSAGE_ID=…` finds a kind of line by them.
 */
#define JOURNAL_SNAPSHOT "028a3e3819c940d8bc0a53fcb4234aa1"
#define JOURNAL_FAILURE "90d5b65c2ba94dc29e109d8c5e294173"
#define JOURNAL_LOSS "51ef41d9738948fa872fc6b1b9671c2e"
#define JOURNAL_REPAIR "43b8d506a2a94a68ba3ee2af924c07b6"
#define JOURNAL_DELETION "43a33ccde9b24ec7a2165e99d4a8475d"

/* Members other than the priority and the message may be NULL. Strings may be of any origin. */
struct journal_line {
	int priority; /* LOG_* */
	const char *id, *message;
	const char *snapshot; /* its path: LTTNG_MM_SNAPSHOT */
	const char *trigger;  /* what requested it: LTTNG_MM_TRIGGER */
	const char *verdict;  /* of its certificate: LTTNG_MM_VERDICT */
	const char *session;  /* the recorder, or its session: LTTNG_MM_SESSION */
	const char *reason;   /* LTTNG_MM_REASON */
};

void journal_write(const struct journal_line *line);

/* A line without other fields. */
void journal_note(int priority, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * The fields as the journal gets them, `NAME=value` each, of one line: control characters of the
 * values are escaped. Returns their number; release each with free(). 0: out of memory.
 */
#define JOURNAL_FIELDS_MAX 9
size_t journal_fields(const struct journal_line *line, char *fields[JOURNAL_FIELDS_MAX]);

#endif /* LTTNG_MM_SESSION_JOURNAL_H */
