// SPDX-License-Identifier: LGPL-2.1-only
/* The fields of lines in the journal. */
#include "lttng-session/system/journal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

/* Names and messages of other users may hold anything. */
static const struct {
	const char *name;
	struct journal_line line;
	const char *fields[JOURNAL_FIELDS_MAX + 1];
} cases[] = {
	{ "a note",
	  { .priority = LOG_INFO, .message = "text" },
	  { "MESSAGE=text", "PRIORITY=6", "SYSLOG_IDENTIFIER=lttng-mm" } },
	{ "all fields",
	  { .priority = LOG_WARNING,
	    .id = JOURNAL_LOSS,
	    .message = "m",
	    .snapshot = "/srv/s",
	    .trigger = "t",
	    .verdict = "holes",
	    .session = "lttng-mm",
	    .reason = "r=1" },
	  { "MESSAGE=m", "PRIORITY=4", "SYSLOG_IDENTIFIER=lttng-mm", "MESSAGE_ID=" JOURNAL_LOSS,
	    "LTTNG_MM_SNAPSHOT=/srv/s", "LTTNG_MM_TRIGGER=t", "LTTNG_MM_VERDICT=holes",
	    "LTTNG_MM_SESSION=lttng-mm", "LTTNG_MM_REASON=r=1" } },
	{ "a second line, and what a terminal interprets",
	  { .priority = LOG_ERR,
	    .message = "one\nMESSAGE_ID=two",
	    .reason = "\033[31m\nPRIORITY=0\n\xff" },
	  { "MESSAGE=one\\nMESSAGE_ID=two", "PRIORITY=3", "SYSLOG_IDENTIFIER=lttng-mm",
	    "LTTNG_MM_REASON=\\x1b[31m\\nPRIORITY=0\\n\\xff" } },
	{ "a facility is not a part of the priority",
	  { .priority = LOG_DAEMON | LOG_DEBUG, .message = "" },
	  { "MESSAGE=", "PRIORITY=7", "SYSLOG_IDENTIFIER=lttng-mm" } },
};

static void check(size_t i)
{
	char *fields[JOURNAL_FIELDS_MAX];
	size_t count = journal_fields(&cases[i].line, fields), n;
	bool same = count > 0;

	for (n = 0; n < count; n++) {
		same &= cases[i].fields[n] && !strcmp(fields[n], cases[i].fields[n]);
		if (!same)
			printf("# %s\n", fields[n]);
	}
	tap(same && !cases[i].fields[n], "%s", cases[i].name);
	while (count)
		free(fields[--count]);
}

static void test_ids(void)
{
	static const char *const ids[] = { JOURNAL_SNAPSHOT, JOURNAL_FAILURE, JOURNAL_LOSS,
					   JOURNAL_REPAIR, JOURNAL_DELETION };
	bool valid = true;

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		valid &= strlen(ids[i]) == 32 && strspn(ids[i], "0123456789abcdef") == 32;
		for (size_t k = 0; k < i; k++)
			valid &= strcmp(ids[i], ids[k]) != 0;
	}
	tap(valid, "the kinds of lines have identifiers of their own");
}

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(i);
	test_ids();
	return tap_status();
}
