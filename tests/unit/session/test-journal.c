// SPDX-License-Identifier: LGPL-2.1-only
/* Tests how lines are written to the journal. A journal that hangs must not block the writer. */
#include "lttng-session/system/journal.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "tests/unit/machine.h"

/* More lines than a socket's queue holds. */
#define LINES 20000

/* Names and messages of other users may contain any bytes. */
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
	  /* NOLINTNEXTLINE(bugprone-suspicious-missing-comma): a prefix */
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
	tap(valid, "each kind of line has its own identifier");
}

static int make_socket(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/%s", machine_root, name);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)))
		tap_bail("%s: %s", address.sun_path, strerror(errno));
	return fd;
}

static char text[4096];

/* Returns the next datagram, or an empty string. */
static const char *receive(int fd)
{
	ssize_t length = recv(fd, text, sizeof(text) - 1, 0);

	text[length > 0 ? length : 0] = '\0';
	return text;
}

static void test_sending(void)
{
	static const char *const folders[] = { "run", "run/systemd", "run/systemd/journal", "dev",
					       NULL };
	unsigned int received = 0, missing = 0;
	int journal, log;

	machine_create(folders);
	log = make_socket("dev/log");
	journal_note(LOG_NOTICE, "no %s", "journal");
	receive(log);
	tap(!strncmp(text, "<29>", 4) && strstr(text, " lttng-mm[") &&
		    strstr(text, "]: no journal"),
	    "without a journal, the log gets the message: %s", text);
	journal = make_socket("run/systemd/journal/socket");
	journal_note(LOG_NOTICE, "one\ntwo");
	tap(!strcmp(receive(journal),
		    "MESSAGE=one\\ntwo\nPRIORITY=5\nSYSLOG_IDENTIFIER=lttng-mm\n"),
	    "the journal gets fields of one line each");
	for (int i = 0; i < LINES; i++)
		journal_note(LOG_NOTICE, "%d", i);
	tap(true, "a journal that does not read does not block the writer");
	while (*receive(journal))
		received++;
	tap(received && received < LINES, "... lines are dropped: it got %u", received);
	journal_note(LOG_NOTICE, "after");
	tap(sscanf(receive(journal), "MESSAGE=%u lines are missing here", &missing) == 1 &&
		    missing == LINES - received,
	    "... the journal gets their number: %s", text);
	tap(!strncmp(receive(journal), "MESSAGE=after\n", 14), "... before the next one");
	tap(!*receive(log), "the log gets none of them");
	close(journal);
	close(log);
	tap(machine_remove(), "the folder is removed");
}

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(i);
	test_ids();
	test_sending();
	return tap_status();
}
