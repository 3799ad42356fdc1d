// SPDX-License-Identifier: LGPL-2.1-only
/* Reads requests to the recorder daemon. */
#include <limits.h>
#include <string.h>

#include "lttng-session/daemon/jobs/request.h"
#include "lttng-session/snapshot/notes.h"
#include "lttng-session/snapshot/output.h"
#include "lttng-session/system/message.h"
#include "util/duration.h"
#include "util/json-file.h"

static enum snapshot_method read_method(const json_t *options)
{
	json_int_t method = message_number(options, "method", SNAPSHOT_BEST);

	return method == SNAPSHOT_FREEZE || method == SNAPSHOT_LTTNG ? (enum snapshot_method)method
								     : SNAPSHOT_BEST;
}

/* Returns the access mode. Treats an unknown value as private. */
static enum snapshot_access read_access(const json_t *options)
{
	json_int_t access = message_number(options, "access", SNAPSHOT_ACCESS_DEFAULT);

	return access >= SNAPSHOT_ACCESS_DEFAULT && access <= SNAPSHOT_ACCESS_PUBLIC
		       ? (enum snapshot_access)access
		       : SNAPSHOT_ACCESS_PRIVATE;
}

/* Returns a duration. Treats an invalid duration as absent. */
static int64_t read_duration(const json_t *options, const char *name)
{
	json_int_t ns = message_number(options, name, SNAPSHOT_NOT_GIVEN);

	return ns < 0 || ns > MM_DURATION_MAX_NS ? SNAPSHOT_NOT_GIVEN : ns;
}

/* Reads the times of the request. Replaces times in the future by the current time. */
static void read_times(const json_t *json, struct snapshot_times *times)
{
	const json_t *requested = json_object_get(json, "requested");
	struct snapshot_times now, read;

	snapshot_now(&now);
	read = (struct snapshot_times){
		.realtime_ns = message_number(requested, "realtime_ns", now.realtime_ns),
		.monotonic_ns = message_number(requested, "monotonic_ns", now.monotonic_ns),
		.boottime_ns = message_number(requested, "boottime_ns", now.boottime_ns),
	};
	*times = read.monotonic_ns < 0 || read.monotonic_ns > now.monotonic_ns ||
				 read.boottime_ns < 0 || read.boottime_ns > now.boottime_ns
			 ? now
			 : read;
}

void request_read(const json_t *json, struct request_snapshot *request)
{
	const json_t *options = json_object_get(json, "options");

	*request = (struct request_snapshot){
		.session = message_text(options, "session", NULL),
		.profile = message_text(options, "profile", NULL),
		.no_wait = json_is_true(json_object_get(options, "no_wait")),
		.snapshot = {
			.name = message_text(options, "name", "snapshot"),
			.reason = message_text(options, "reason", NULL),
			.more_reasons = json_object_get(json, REQUEST_MORE_REASONS),
			.method = read_method(options),
			.access = read_access(options),
			.last_ns = read_duration(options, "last_ns"),
			.after_ns = read_duration(options, "after_ns"),
			.pin = json_is_true(json_object_get(options, "pin")),
		},
	};
	read_times(json, &request->snapshot.requested);
}

int request_check(const json_t *json, struct mm_error *err)
{
	const char *name = message_text(json_object_get(json, "options"), "name", "snapshot");
	const char *output = message_text(json, "output", "");

	if (!snapshot_name_is_valid(name))
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "snapshot: '%s' cannot be the first part of a folder's name",
				    name);
	if (*output != '/' || strlen(output) >= PATH_MAX)
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "snapshot: '%s' is not the absolute path of a folder", output);
	return 0;
}

static void add_note(json_t *notes, bool warning, const char *text)
{
	json_array_append_new(
		notes, json_pack("{s:b,s:o}", "warning", warning, "text", mm_json_text(text)));
}

void request_add_notes(json_t *notes, const struct snapshot_notes *from)
{
	for (size_t i = 0; i < from->count; i++)
		add_note(notes, from->all[i].warning, from->all[i].text.message);
}
