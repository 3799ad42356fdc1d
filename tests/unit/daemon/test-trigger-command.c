// SPDX-License-Identifier: LGPL-2.1-only
/* Tests how commands of triggers are split and how they end. */
#include <string.h>
#include <unistd.h>

#include "lttng-session/daemon/triggers/command.h"
#include "tests/tap.h"
#include "tests/unit/engine.h"
#include "util/text.h"

static const struct {
	const char *text, *words; /* the words, each in brackets; NULL: refused */
} splits[] = {
	{ "a", "[a]" },
	{ "  a\t b  ", "[a][b]" },
	{ "", "" },
	{ "a 'b c' \"d e\"", "[a][b c][d e]" },
	{ "a''b", "[ab]" },
	{ "''", "[]" },
	{ "a\\ b", "[a b]" },
	{ "'a\\b' \"a\\b\" \"a\\\"b\"", "[a\\b][a\\b][a\"b]" },
	{ "$HOME `id` *;|&", "[$HOME][`id`][*;|&]" },
	{ "a 'b", NULL },
	{ "a \"b\\\"", NULL },
	{ "a \\", NULL },
};

static void check_split(void)
{
	for (size_t i = 0; i < sizeof(splits) / sizeof(splits[0]); i++) {
		char found[256] = "", **words = NULL;
		struct mm_error err = MM_ERROR_INIT;
		size_t count = 0;
		int ret = command_split(splits[i].text, &words, &count, &err);

		for (size_t j = 0; j < count; j++)
			snprintf(found + strlen(found), sizeof(found) - strlen(found), "[%s]",
				 words[j]);
		tap(splits[i].words ? !ret && !strcmp(found, splits[i].words) : ret && !count,
		    "words of <%s>: %s", splits[i].text, ret ? err.message : found);
		mm_strings_release(words, count);
	}
}

static void on_command(void *user, const char *status, bool success)
{
	snprintf(user, 128, "%s%s", success ? "ok " : "", status);
}

static void check_command(sd_event *event, const char *name, const char *text, int64_t limit_ns,
			  const char *expected)
{
	struct requester self = { .uid = getuid(), .gid = getgid() };
	struct mm_error err = MM_ERROR_INIT;
	char status[128] = "";
	struct command *command =
		command_start(event, text, "last one", &self, limit_ns, on_command, status, &err);

	if (command)
		await(event, status);
	tap(!strcmp(status, expected), "command %s: %s", name, command ? status : err.message);
	command_destroy(command);
}

static void check_commands(sd_event *event)
{
	if (geteuid()) {
		tap_skip("commands", "only root can become the user of a trigger");
		return;
	}
	check_command(event, "that succeeds", "true", 30 * S, "ok exit status 0");
	check_command(event, "that fails", "false", 30 * S, "exit status 1");
	check_command(event, "with its arguments",
		      "sh -c '[ \"$*\" = \"a b last one\" ] && [ $# = 3 ]' sh a b", 30 * S,
		      "ok exit status 0");
	check_command(event, "with the folder as one argument",
		      "sh -c '[ \"$2\" = \"last one\" ] && [ $# = 2 ]' sh a", 30 * S,
		      "ok exit status 0");
	check_command(event, "in a clean environment",
		      "sh -c '[ -z \"$HOME\" ] && [ $PWD = / ] && ! read x'", 30 * S,
		      "ok exit status 0");
	check_command(event, "that does not exist", "/nonexistent", 30 * S,
		      "exit status 127: cannot be started");
	check_command(event, "that takes too long", "sh -c 'sleep 100'", S / 10,
		      "killed by signal 15 after its time limit");
	check_command(event, "that ignores SIGTERM",
		      "sh -c 'trap \"\" TERM; while :; do sleep 1; done'", S / 5,
		      "killed by signal 9 after its time limit");
}

int main(void)
{
	sigset_t child;
	sd_event *event;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	if (sd_event_new(&event) < 0)
		tap_bail("no event loop");
	check_split();
	check_commands(event);
	sd_event_unref(event);
	return tap_status();
}
