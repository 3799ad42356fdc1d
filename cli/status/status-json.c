// SPDX-License-Identifier: LGPL-2.1-only
/* Builds the JSON form of the status. */
#include <stdlib.h>
#include <string.h>

#include "cli/status/status-functions.h"
#include "cli/status/status-page-ref.h"
#include "cli/status/status-repairs.h"
#include "cli/status/status-sentence.h"
#include "cli/status/status-view.h"
#include "lttng-session/sysinfo/sysinfo.h"
#include "util/json-file.h"

const char *status_state_name(const struct recorder_status *status)
{
	return status->unknown	 ? "unknown"
	       : status->gone	 ? "gone"
	       : status->running ? "recording"
				 : "stopped";
}

bool status_is_state_of(const struct recorder_status *state, const struct recorder_status *ring)
{
	return state->state && *state->recorder && !strcmp(state->recorder, ring->recorder);
}

uint64_t status_memory(const struct recorder_status *status)
{
	return status->gone ? 0 : status->ring_bytes * recorder_possible_cpus();
}

static json_t *states_json(const struct status_view *view, const struct recorder_status *ring)
{
	json_t *states = json_array();

	for (int i = 0; i < view->count; i++)
		if (status_is_state_of(&view->list[i], ring))
			json_array_append_new(
				states, json_pack("{s:s,s:s,s:I}", "session", view->list[i].session,
						  "status", status_state_name(&view->list[i]),
						  "memory_bytes",
						  (json_int_t)status_memory(&view->list[i])));
	return states;
}

/* Returns a Boolean, or null if kaslr_safe is unknown. */
static json_t *kaslr_safe(const struct recorder_status *status)
{
	return status->kaslr_safe < 0 ? json_null() : json_boolean(status->kaslr_safe);
}

/*
 * Returns @value, a count that the session daemon reports. Returns null if the status is unknown,
 * but not if the session is gone.
 */
static json_t *counted(const struct recorder_status *status, uint64_t value)
{
	return status->unknown ? json_null() : json_integer((json_int_t)value);
}

/* Returns an array of trigger names. In @status, ", " separates them. */
static json_t *triggers_json(const struct recorder_status *status)
{
	static const char between[] = ", ";
	const char *at = status->triggers + strspn(status->triggers, between);
	json_t *names = json_array();

	while (*at) {
		size_t length = strcspn(at, between);

		json_array_append_new(names, json_stringn(at, length));
		at += length;
		at += strspn(at, between);
	}
	return names;
}

static json_t *session_json(const struct status_view *view, const struct recorder_status *status)
{
	json_t *object = json_pack(
		"{s:o,s:s,s:b,s:I,s:I,s:I,s:o,s:o,s:o,s:s,s:s,s:I,s:o}", "session",
		mm_json_text(status->session), "profile", status->profile, "running",
		status->running, "since", (json_int_t)status->since, "subbuf_bytes",
		(json_int_t)status->subbuf_bytes, "subbuf_count", (json_int_t)status->subbuf_count,
		"discarded_events", counted(status, status->discarded_events), "lost_packets",
		counted(status, status->lost_packets), "kaslr_safe", kaslr_safe(status), "status",
		status_state_name(status), "role", status->state ? "state" : "events",
		"memory_bytes", (json_int_t)status_memory(status), "state_sessions",
		states_json(view, status));

	json_object_set_new(object, "budget_bytes",
			    status->budget_bytes ? json_integer((json_int_t)status->budget_bytes)
						 : json_null());
	json_object_set_new(object, "triggers", triggers_json(status));
	json_object_set_new(object, "trackers", trackers_to_json(&status->trackers));
	json_object_set_new(object, "recorder",
			    *status->recorder ? json_string(status->recorder) : json_null());
	return object;
}

static json_t *memory_json(const struct status_view *view)
{
	const json_t *recorder;
	uint64_t planned = 0;
	json_int_t rings = 0;
	size_t i;

	for (int k = 0; k < view->count; k++)
		planned += status_memory(&view->list[k]);
	json_array_foreach(json_object_get(view->rates, "recorders"), i, recorder) rings +=
		json_integer_value(json_object_get(recorder, "ring_bytes"));
	return json_pack("{s:o,s:I,s:o}", "ring_bytes",
			 view->rates ? json_integer(rings) : json_null(), "ring_max_bytes",
			 (json_int_t)planned, "stage_bytes",
			 view->stage_bytes < 0 ? json_null() : json_integer(view->stage_bytes));
}

/* Returns when the last successful snapshot was completed, in s since the Epoch, or null. */
static json_t *last_snapshot(const json_t *snapshots)
{
	const json_t *snapshot;
	json_int_t last = 0;
	size_t i;

	json_array_foreach(snapshots, i, snapshot)
	{
		json_int_t ended = json_integer_value(json_object_get(snapshot, "ended"));

		if (ended > last && !json_object_get(snapshot, "error"))
			last = ended;
	}
	return last ? json_integer(last) : json_null();
}

static void add_summary(json_t *json)
{
	char *sentence = status_sentence(json);

	json_object_set_new(json, "summary", sentence ? mm_json_text(sentence) : json_null());
	free(sentence);
}

json_t *status_view_json(const struct status_view *view)
{
	json_t *sessions = json_array(), *notes = json_array(), *json;
	const json_t *snapshots = json_object_get(view->daemon, "snapshots");

	for (int i = 0; i < view->count; i++)
		if (!view->list[i].owned)
			json_array_append_new(sessions, session_json(view, &view->list[i]));
	if (*view->rates_why)
		json_array_append_new(notes, mm_json_text(view->rates_why));
	if (*view->daemon_why)
		json_array_append_new(notes, mm_json_text(view->daemon_why));
	json = json_pack("{s:o,s:b,s:b,s:O,s:o,s:o}", "sessions", sessions,
			 "session_daemon_answers", (int)view->answers, "recorder_daemon_answers",
			 view->daemon != NULL, "rates", view->rates ? view->rates : json_null(),
			 "memory", memory_json(view), "notes", notes);
	json_object_set_new(json, "snapshots", snapshots ? json_deep_copy(snapshots) : json_null());
	json_object_set_new(json, "last_snapshot", last_snapshot(snapshots));
	status_add_functions(json, view->stopped);
	status_add_page_ref(json, view->daemon);
	status_add_repairs(json, view->daemon);
	add_summary(json);
	return json;
}
