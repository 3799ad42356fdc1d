// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm status: the running recorders. */
#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/command.h"
#include "lttng-session/sysinfo.h"
#include "lttng-session/daemon.h"
#include "lttng-session/recorder.h"
#include "util/escape.h"
#include "util/plural.h"

static const struct argp_option argp_options[] = {
	{ "json", 'j', NULL, 0, "as JSON", 0 },
	{ 0 },
};

static const struct argp parser = {
	.options = argp_options,
	.parser = command_parse_json,
	.doc = "Lists the running recorders."
	       "\vExamples:\n"
	       "  # lttng-mm status\n",
};

/* Null where it is not known. */
static json_t *kaslr_safe(const struct recorder_status *status)
{
	return status->callstack < 0 ? json_null() : json_boolean(!status->callstack);
}

static void print_json(const struct recorder_status *list, int count)
{
	json_t *array = json_array();

	for (int i = 0; i < count; i++)
		json_array_append_new(
			array,
			json_pack("{s:o,s:s,s:b,s:I,s:I,s:I,s:I,s:I,s:o}", "session",
				  sysinfo_string(list[i].session), "profile", list[i].profile,
				  "running", list[i].running, "since", (json_int_t)list[i].since,
				  "subbuf_bytes", (json_int_t)list[i].subbuf_bytes, "subbuf_count",
				  (json_int_t)list[i].subbuf_count, "discarded_events",
				  (json_int_t)list[i].discarded_events, "lost_packets",
				  (json_int_t)list[i].lost_packets, "kaslr_safe",
				  kaslr_safe(&list[i])));
	json_dumpf(array, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(array);
}

static void print_text(const struct recorder_status *list, int count)
{
	if (!count)
		printf("no recorder is running; start one with `lttng-mm record dax`\n");
	for (int i = 0; i < count; i++) {
		time_t since = (time_t)list[i].since;
		char text[64] = "";
		struct tm tm;

		if (since && localtime_r(&since, &tm))
			strftime(text, sizeof(text), " since %Y-%m-%d %H:%M:%S", &tm);
		mm_escape_print(stdout, list[i].session);
		printf(": profile %s, %s%s, %" PRIu64 " sub-buffers of %" PRIu64
		       " KiB for each CPU; %" PRIu64 " event%s discarded, %" PRIu64
		       " packet%s overwritten%s\n",
		       list[i].profile, list[i].running ? "recording" : "stopped", text,
		       list[i].subbuf_count, list[i].subbuf_bytes / 1024, list[i].discarded_events,
		       mm_plural_s(list[i].discarded_events), list[i].lost_packets,
		       mm_plural_s(list[i].lost_packets),
		       list[i].callstack > 0 ? "; call stacks: snapshots are not KASLR-safe" : "");
	}
}

int cmd_status(int argc, char **argv)
{
	struct recorder_status *list = NULL;
	struct mm_error err = MM_ERROR_INIT;
	bool json = false;
	int count;

	command_parse(&parser, argc, argv, &json);
	count = daemon_require(&err) ? -1 : recorder_list(&list, &err);
	if (count >= 0 && json)
		print_json(list, count);
	else if (count >= 0)
		print_text(list, count);
	free(list);
	return command_end(&err, MM_EXIT_OK);
}
