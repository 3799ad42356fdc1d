// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm status: the running recorders. */
#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/command.h"
#include "lttng-session/sysinfo/sysinfo.h"
#include "lttng-session/recorder/recorder.h"
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

static const char *state_name(const struct recorder_status *status)
{
	return status->gone ? "gone" : status->running ? "recording" : "stopped";
}

/* Is @state a state session of the recorder of @ring? Of others, nobody knows which is whose. */
static bool is_state_of(const struct recorder_status *state, const struct recorder_status *ring)
{
	return state->state && *state->recorder && !strcmp(state->recorder, ring->recorder);
}

/* On all CPUs that the machine can have. */
static uint64_t memory(const struct recorder_status *status)
{
	return status->gone ? 0 : status->ring_bytes * recorder_possible_cpus();
}

static json_t *states_json(const struct recorder_status *list, int count,
			   const struct recorder_status *ring)
{
	json_t *states = json_array();

	for (int i = 0; i < count; i++)
		if (is_state_of(&list[i], ring))
			json_array_append_new(
				states, json_pack("{s:s,s:s,s:I}", "session", list[i].session,
						  "status", state_name(&list[i]), "memory_bytes",
						  (json_int_t)memory(&list[i])));
	return states;
}

/* Null where it is not known. */
static json_t *kaslr_safe(const struct recorder_status *status)
{
	return status->kaslr_safe < 0 ? json_null() : json_boolean(status->kaslr_safe);
}

static void print_json(const struct recorder_status *list, int count)
{
	json_t *array = json_array();

	for (int i = 0; i < count; i++) {
		json_t *object;

		if (list[i].owned)
			continue;
		object = json_pack(
			"{s:o,s:s,s:b,s:I,s:I,s:I,s:I,s:I,s:o,s:s,s:s,s:I,s:o}", "session",
			sysinfo_string(list[i].session), "profile", list[i].profile, "running",
			list[i].running, "since", (json_int_t)list[i].since, "subbuf_bytes",
			(json_int_t)list[i].subbuf_bytes, "subbuf_count",
			(json_int_t)list[i].subbuf_count, "discarded_events",
			(json_int_t)list[i].discarded_events, "lost_packets",
			(json_int_t)list[i].lost_packets, "kaslr_safe", kaslr_safe(&list[i]),
			"status", state_name(&list[i]), "role", list[i].state ? "state" : "events",
			"memory_bytes", (json_int_t)memory(&list[i]), "state_sessions",
			states_json(list, count, &list[i]));
		json_object_set_new(object, "budget_bytes",
				    list[i].budget_bytes
					    ? json_integer((json_int_t)list[i].budget_bytes)
					    : json_null());
		json_object_set_new(object, "recorder",
				    *list[i].recorder ? json_string(list[i].recorder)
						      : json_null());
		json_array_append_new(array, object);
	}
	json_dumpf(array, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(array);
}

static void print_session(const struct recorder_status *status)
{
	time_t since = (time_t)status->since;
	char text[64] = "";
	struct tm tm;

	if (since && localtime_r(&since, &tm))
		strftime(text, sizeof(text), " since %Y-%m-%d %H:%M:%S", &tm);
	mm_escape_print(stdout, status->session);
	printf(": %s %s, ", status->state ? "state dump for" : "profile", status->profile);
	if (status->gone) {
		printf("gone: destroyed by another program, or ended with the session daemon; "
		       "`lttng-mm record %s` starts it again\n",
		       status->profile);
		return;
	}
	if (*status->recorder && !status->running)
		printf("stopped by another program; `lttng start %s` continues; ", status->session);
	else
		printf("%s%s, ", status->running ? "recording" : "stopped", text);
	printf("%" PRIu64 " sub-buffers of %" PRIu64 " KiB for each CPU; %" PRIu64
	       " event%s discarded, %" PRIu64 " packet%s overwritten%s\n",
	       status->subbuf_count, status->subbuf_bytes / 1024, status->discarded_events,
	       mm_plural_s(status->discarded_events), status->lost_packets,
	       mm_plural_s(status->lost_packets),
	       status->callstack > 0 ? "; call stacks: snapshots are not KASLR-safe"
	       : !status->kaslr_safe ? "; kernel addresses: snapshots are not KASLR-safe"
				     : "");
}

/* What the recorder of @first has besides its sessions with events, and what it takes. */
static void print_recorder(const struct recorder_status *list, int count,
			   const struct recorder_status *first)
{
	unsigned int cpus = recorder_possible_cpus();
	uint64_t bytes = 0;

	for (int i = 0; i < count; i++) {
		if (strcmp(list[i].recorder, first->recorder) != 0)
			continue;
		bytes += memory(&list[i]);
		if (list[i].state && list[i].gone)
			printf("  state session %s: gone; snapshots lack names: stop and record again\n",
			       list[i].session);
		else if (list[i].state)
			printf("  state session %s: %s\n", list[i].session, state_name(&list[i]));
	}
	printf("  recorder %s: buffers take up to %" PRIu64
	       " KiB on %u CPU%s, and as much again during a snapshot",
	       first->recorder, bytes / 1024, cpus, mm_plural_s(cpus));
	if (first->budget_bytes)
		printf("; the budget is %" PRIu64 " KiB", first->budget_bytes / 1024);
	putchar('\n');
}

static void print_text(const struct recorder_status *list, int count)
{
	bool any = false;

	for (int i = 0; i < count; i++) {
		bool last = true;

		if (list[i].owned)
			continue;
		any = true;
		print_session(&list[i]);
		/* After the last of its sessions. */
		for (int next = i + 1; next < count; next++)
			last &= list[next].owned ||
				strcmp(list[next].recorder, list[i].recorder) != 0;
		if (*list[i].recorder && last)
			print_recorder(list, count, &list[i]);
	}
	if (!any)
		printf("no recorder is running; start one with `lttng-mm record dax`\n");
}

int cmd_status(int argc, char **argv)
{
	struct recorder_status *list = NULL;
	struct mm_error err = MM_ERROR_INIT;
	bool json = false, other_boot = false;
	int count;

	command_parse(&parser, argc, argv, &json);
	count = recorder_list(&list, &other_boot, &err);
	if (other_boot)
		fprintf(stderr,
			"lttng-mm: note: the plan in /run/lttng-mm is of another boot, and ignored\n");
	if (count >= 0 && json)
		print_json(list, count);
	else if (count >= 0)
		print_text(list, count);
	free(list);
	return command_end(&err, MM_EXIT_OK);
}
