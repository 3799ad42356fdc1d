// SPDX-License-Identifier: LGPL-2.1-only
/* The first sentence of `lttng-mm status`. */
#include "cli/status/status-sentence.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/registry/registry.h"
#include "util/duration.h"
#include "util/plural.h"

/* Maximum number of sessions that the sentence names. */
#define NAMED 3

static json_int_t number_of(const json_t *json, const char *key)
{
	return json_integer_value(json_object_get(json, key));
}

static bool is_text(const json_t *json, const char *key, const char *text)
{
	const char *value = json_string_value(json_object_get(json, key));

	return value && !strcmp(value, text);
}

struct session_counts {
	size_t count, recording, unknown;
};

static struct session_counts count_sessions(const json_t *status)
{
	struct session_counts sessions = { 0 };
	const json_t *session;
	size_t i;

	json_array_foreach(json_object_get(status, "sessions"), i, session)
	{
		if (!is_text(session, "role", "events"))
			continue;
		sessions.count++;
		sessions.recording += is_text(session, "status", "recording");
		sessions.unknown += is_text(session, "status", "unknown");
	}
	return sessions;
}

/* Prints "1 of 2 sessions does not record: lttng-mm-dax is gone". */
static void print_not_recording(FILE *out, const json_t *status,
				const struct session_counts *sessions)
{
	const size_t not = sessions->count - sessions->recording - sessions->unknown;
	const json_t *session;
	size_t i, named = 0;

	if (not == sessions->count)
		fputs("Nothing is being recorded", out);
	else
		fprintf(out, "%zu of %zu sessions %s not record", not, sessions->count,
			mm_plural(not, "does", "do"));
	json_array_foreach(json_object_get(status, "sessions"), i, session)
	{
		const char *state = json_string_value(json_object_get(session, "status"));
		const char *name = json_string_value(json_object_get(session, "session"));

		if (!is_text(session, "role", "events") ||
		    is_text(session, "status", "recording") ||
		    is_text(session, "status", "unknown") || named++ >= NAMED)
			continue;
		fprintf(out, "%s%s is %s", named == 1 ? ": " : ", ", name ? name : "?",
			state ? state : "unknown");
	}
	if (named > NAMED)
		fprintf(out, ", and %zu more", named - NAMED);
}

/* Summary of the recorders' windows, which are the times that their buffers cover. */
struct history_reach {
	size_t recorders, known; /* number of recorders, and how many have a known window */
	json_int_t least_ns;	 /* shortest window */
	/* a promised window that some recorder does not keep; 0: none */
	json_int_t promised_ns;
};

static struct history_reach find_reach(const json_t *status)
{
	const json_t *rates = json_object_get(status, "rates"), *recorder;
	struct history_reach reach = { 0 };
	size_t i;

	json_array_foreach(json_object_get(rates, "recorders"), i, recorder)
	{
		const json_t *window = json_object_get(recorder, "window_ns");

		reach.recorders++;
		if (json_is_false(json_object_get(recorder, "window_holds")))
			reach.promised_ns = number_of(recorder, "window_promised_ns");
		if (!json_is_integer(window))
			continue;
		if (!reach.known++ || json_integer_value(window) < reach.least_ns)
			reach.least_ns = json_integer_value(window);
	}
	return reach;
}

static void print_reach(FILE *out, const json_t *status)
{
	const struct history_reach reach = find_reach(status);
	char time[MM_DURATION_TEXT];

	if (!reach.recorders)
		fputs("All sessions record; how far back the buffers reach is unknown", out);
	else if (!reach.known)
		/*
		 * A recorder lacks a window only while its buffers are empty and have lost nothing.
		 */
		fputs("All sessions record, and nothing has been written yet", out);
	else if (reach.recorders == 1)
		fprintf(out, "All buffers reach back %s",
			mm_duration_format_down(time, (uint64_t)reach.least_ns));
	else
		fprintf(out, "All buffers of %zu recorders reach back at least %s", reach.recorders,
			mm_duration_format_down(time, (uint64_t)reach.least_ns));
	if (reach.promised_ns)
		fprintf(out, ", instead of the promised %s",
			mm_duration_format_down(time, (uint64_t)reach.promised_ns));
}

/* Returns a channel for events that is measured but not recording, or NULL. */
static const json_t *find_stopped(const json_t *status)
{
	const json_t *rates = json_object_get(status, "rates"), *recorder, *channel;
	size_t i, k;

	json_array_foreach(json_object_get(rates, "recorders"), i, recorder)
	{
		json_array_foreach(json_object_get(recorder, "channels"), k, channel)
		{
			if (is_text(channel, "role", "events") &&
			    json_is_false(json_object_get(channel, "recording")))
				return channel;
		}
	}
	return NULL;
}

static void print_stopped(FILE *out, const json_t *channel)
{
	const char *name = json_string_value(json_object_get(channel, "channel"));
	const char *session = json_string_value(json_object_get(channel, "session"));

	fprintf(out,
		"Not everything is being recorded: the channel %s of the session %s is stopped",
		name ? name : "?", session ? session : "?");
}

/* Returns the number of discarded events, or -1 if it is unknown. */
static json_int_t discarded(const json_t *status)
{
	const json_t *rates = json_object_get(status, "rates"), *one;
	json_int_t listed = 0, measured = 0;
	bool known = true;
	size_t i;

	json_array_foreach(json_object_get(status, "sessions"), i, one)
	{
		if (!is_text(one, "role", "events"))
			continue;
		known &= json_is_integer(json_object_get(one, "discarded_events"));
		listed += number_of(one, "discarded_events");
	}
	json_array_foreach(json_object_get(rates, "recorders"), i, one) measured +=
		number_of(one, "discarded_events");
	if (!known && !json_is_object(rates))
		return -1;
	return listed > measured ? listed : measured;
}

static void print_losses(FILE *out, const json_t *status)
{
	const json_int_t events = discarded(status), repairs = number_of(status, "repair_count");
	const json_int_t functions = number_of(status, "stopped_function_count");
	const char *before = "; ";

	if (events > 0) {
		fprintf(out, "%s%" PRId64 " event%s discarded", before, (int64_t)events,
			mm_plural((uint64_t)events, " was", "s were"));
		before = ", ";
	}
	if (repairs > 0) {
		fprintf(out, "%srecording was interrupted and repaired %" PRId64 " time%s", before,
			(int64_t)repairs, mm_plural_s((uint64_t)repairs));
		before = ", ";
	}
	if (functions > 0) {
		fprintf(out, "%s%" PRId64 " function%s no longer recorded", before,
			(int64_t)functions, mm_plural((uint64_t)functions, " is", "s are"));
		before = ", ";
	}
	if (events < 0)
		fprintf(out, "%sit is unknown whether events were discarded", before);
	else if (!events && repairs <= 0 && functions <= 0)
		fputs(json_is_integer(json_object_get(status, "stopped_function_count")) ||
				      json_is_integer(json_object_get(status, "repair_count"))
			      ? "; nothing was lost"
			      : "; no event was discarded",
		      out);
}

static void print_none(FILE *out, const json_t *status)
{
	if (json_is_false(json_object_get(status, "session_daemon_answers")))
		fputs("No recorder is known to be running, and the session daemon does not answer",
		      out);
	else
		fprintf(out, "No recorder is running; start one with `lttng-mm record %s`",
			mm_profile_example());
}

static void print_unknown(FILE *out, const json_t *status, const struct session_counts *sessions)
{
	fprintf(out, "It is unknown whether %zu of %zu session%s still record%s", sessions->unknown,
		sessions->count, mm_plural_s(sessions->count),
		mm_plural(sessions->unknown, "s", ""));
	if (json_is_false(json_object_get(status, "session_daemon_answers")))
		fputs(": the session daemon does not answer", out);
	else
		fputs(": LTTng shows root's sessions to root only", out);
}

char *status_sentence(const json_t *status)
{
	const struct session_counts sessions = count_sessions(status);
	const char *problem = json_string_value(json_object_get(status, "problem"));
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (problem)
		fprintf(out, "The recorder daemon found a problem that it cannot repair: %s",
			problem);
	else if (!sessions.count)
		print_none(out, status);
	else if (sessions.recording + sessions.unknown < sessions.count)
		print_not_recording(out, status, &sessions);
	else if (find_stopped(status))
		print_stopped(out, find_stopped(status));
	else if (sessions.unknown && !json_is_object(json_object_get(status, "rates")))
		print_unknown(out, status, &sessions);
	else {
		print_reach(out, status);
		print_losses(out, status);
	}
	fputc('.', out);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}
