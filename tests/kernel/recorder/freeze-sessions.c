// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Freezes sessions at the same instant: freeze-sessions FOLDER MILLISECONDS SESSION... writes
 *
 *   FOLDER/SESSION/       the trace
 *   FOLDER/SESSION-last/  without packets that ended more than MILLISECONDS before the freeze
 *   FOLDER/SESSION.json   facts about the frozen session
 *   FOLDER/times.json     the time of the freeze, and the time from which packets were kept
 *
 * Exits with 3 if the sessions cannot be frozen, and prints the reason on standard output.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lttng-session/freeze/freeze.h"

static void fail(const char *why)
{
	fprintf(stderr, "%s\n", why);
	exit(1);
}

static void dump(const char *folder, const char *name, json_t *json)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s.json", folder, name);
	if (!json || json_dump_file(json, path, JSON_INDENT(2)))
		fail(path);
	json_decref(json);
}

int main(int argc, char **argv)
{
	const char *const *sessions = (const char *const *)argv + 3;
	const size_t count = argc > 3 ? (size_t)argc - 3 : 0;
	struct freeze_session_name names[16];
	struct mm_error err = MM_ERROR_INIT;
	struct freeze_times times;
	struct freeze *freeze;
	char last[300];
	int64_t since;
	int parent;

	if (!count || count > 16 || (parent = open(argv[1], O_RDONLY | O_DIRECTORY)) < 0)
		fail("usage: freeze-sessions FOLDER MILLISECONDS SESSION...");
	for (size_t i = 0; i < count; i++)
		names[i] = (struct freeze_session_name){ sessions[i], "" };
	freeze = freeze_open(names, count, &err);
	if (!freeze) {
		puts(err.message);
		return err.code ? 1 : 3;
	}
	if (freeze_take(freeze, &err))
		fail(err.message);
	freeze_times(freeze, &times);
	since = times.trace_ns - atoll(argv[2]) * 1000000;
	dump(argv[1], "times",
	     json_pack("{s:I, s:I, s:I}", "trace_ns", (json_int_t)times.trace_ns, "realtime_ns",
		       (json_int_t)times.realtime_ns, "since_ns", (json_int_t)since));
	for (size_t i = 0; i < count; i++) {
		snprintf(last, sizeof(last), "%s-last", sessions[i]);
		if (freeze_write(freeze, i, INT64_MIN, parent, sessions[i], &err) ||
		    freeze_write(freeze, i, since, parent, last, &err))
			fail(err.message);
		dump(argv[1], sessions[i], freeze_facts(freeze, i, INT64_MIN, NULL));
	}
	freeze_close(freeze);
	close(parent);
	return 0;
}
