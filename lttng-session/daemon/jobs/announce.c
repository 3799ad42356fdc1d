// SPDX-License-Identifier: LGPL-2.1-only
/* Journal entries for snapshots and losses. */
#include "lttng-session/daemon/jobs/announce.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lttng-session/system/journal.h"
#include "lttng-session/system/message.h"
#include "reader/coverage/certificate.h"

/* Writes the entry "snapshot: PATH: @what". */
static void announce(struct journal_line *line, const char *what)
{
	char *text;

	if (asprintf(&text, "snapshot: %s: %s", line->snapshot, what) < 0)
		return;
	line->message = text;
	journal_write(line);
	free(text);
}

void announce_snapshot(const json_t *request, const json_t *result)
{
	const json_t *options = json_object_get(request, "options");
	const char *why = message_text(result, "why", "");
	const char *error = message_text(result, "error", NULL);
	bool complete = json_is_true(json_object_get(result, "complete"));
	char verdict[32];
	struct journal_line line = {
		.priority = error ? LOG_ERR : LOG_INFO,
		.id = error ? JOURNAL_FAILURE : JOURNAL_SNAPSHOT,
		.message = error,
		.snapshot = message_text(result, "path", NULL),
		.trigger = message_text(json_object_get(request, "cause"), "trigger", NULL),
		.session = message_text(options, "session", NULL),
		.reason = message_text(options, "reason", NULL),
	};

	if (error) {
		journal_write(&line);
		return;
	}
	/* @why has the form "holes: reason". The verdict is the part before the colon. */
	snprintf(verdict, sizeof(verdict), "%.*s", (int)strcspn(why, ":"), why);
	line.verdict = complete ? mm_verdict_name(MM_VERDICT_COMPLETE) : verdict;
	if (!line.snapshot)
		line.snapshot = "?";
	announce(&line, complete ? "written, complete" : "written");
	if (complete)
		return;
	line.id = JOURNAL_LOSS;
	line.priority = LOG_WARNING;
	announce(&line, why);
}
