// SPDX-License-Identifier: LGPL-2.1-only
/* Writes snapshot.json. */
#include "lttng-session/snapshot/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/system/allow.h"
#include "lttng-session/system/folder.h"
#include "reader/coverage/certificate.h"
#include "util/json-checksum.h"
#include "util/json-file.h"
#include "util/mounts.h"

/* A captured value whose name has this prefix is a context. All other values are fields. */
#define CONTEXT "$ctx."

/* In /etc/lttng-mm/captures, this name stands for the line that a trigger has matched. */
#define TEXT "$text"
static const char *const text_defaults[] = { TEXT, NULL };

static json_t *integer_or_null(int64_t value, int64_t unknown)
{
	return value == unknown ? json_null() : json_integer(value);
}

/* Hides captured values that may be kernel addresses: all fields, and contexts with call stacks. */
static void hide_fields(json_t *cause)
{
	json_t *fields = json_object_get(json_object_get(cause, "match"), "fields");
	const char *name;
	json_t *value;

	json_object_foreach(fields, name, value) if (strncmp(name, CONTEXT, strlen(CONTEXT)) != 0 ||
						     strstr(name, "callstack"))
		json_object_set_new(fields, name, json_string("***"));
}

/*
 * Withholds the matching line unless /etc/lttng-mm/captures lists TEXT. Like a captured string, the
 * line may contain a secret.
 */
static void withhold_text(json_t *cause)
{
	json_t *match = json_object_get(cause, "match");
	struct allow_list list;

	allow_read(&list, "captures", text_defaults);
	if (json_object_get(match, "text") && !allow_has(&list, TEXT, strlen(TEXT)))
		json_object_set_new(match, "text", json_string(ALLOW_WITHHELD));
	allow_release(&list);
}

static json_t *cause_json(const struct snapshot_facts *facts)
{
	const struct snapshot_request *request = facts->request;
	json_t *cause;

	if (!request->cause)
		return json_pack("{s:s}", "kind", "request");
	cause = json_deep_copy(request->cause);
	withhold_text(cause);
	if (request->cause_reveals && !facts->has_addresses)
		hide_fields(cause);
	return cause;
}

static json_t *clock_json(const struct snapshot_clock *clock)
{
	json_t *json;

	if (clock->trace_ns == INT64_MIN)
		return json_null();
	json = json_object();
	json_object_set_new(json, "trace_ns", json_integer(clock->trace_ns));
	json_object_set_new(json, "realtime_ns", json_integer(clock->realtime_ns));
	return json;
}

static json_t *facts_json(const struct snapshot_facts *facts)
{
	const struct snapshot_request *request = facts->request;
	json_t *json = json_object();
	char boot_id[64];

	json_object_set_new(json, "version", json_integer(MM_SNAPSHOT_VERSION));
	json_object_set_new(json, "reason",
			    request->reason ? mm_json_text(request->reason) : json_null());
	if (json_array_size(request->more_reasons))
		json_object_set_new(json, "more_reasons", json_deep_copy(request->more_reasons));
	json_object_set_new(json, "cause", cause_json(facts));
	mounts_read_line("/proc/sys/kernel/random/boot_id", boot_id, sizeof(boot_id));
	json_object_set_new(json, "boot_id", mm_json_text(boot_id));
	json_object_set_new(json, "method", json_string(facts->frozen ? "freeze" : "lttng"));
	json_object_set_new(json, "checksums",
			    json_pack("{s:s, s:s, s:b, s:b}", "algorithm", "crc32c", "of",
				      facts->frozen ? "memory" : "file", "complete",
				      facts->has_all_sums, MM_SNAPSHOT_SUMMED, true));
	json_object_set_new(json, "requested", snapshot_times_json(&request->requested));
	json_object_set_new(json, "frozen", snapshot_times_json(facts->frozen));
	json_object_set_new(json, "clock", clock_json(&facts->clock));
	json_object_set_new(json, "requested_trace_ns",
			    integer_or_null(facts->requested_trace_ns, INT64_MIN));
	json_object_set_new(json, "last_ns", integer_or_null(request->last_ns, SNAPSHOT_NOT_GIVEN));
	json_object_set_new(json, "after_ns",
			    integer_or_null(request->after_ns, SNAPSHOT_NOT_GIVEN));
	json_object_set(json, "filters", facts->filters ? facts->filters : json_null());
	json_object_set_new(json, "repairs", facts->repairs ? facts->repairs : json_array());
	json_object_set_new(json, "notes", facts->notes ? json_incref(facts->notes) : json_array());
	json_object_set_new(json, MM_SNAPSHOT_SYSINFO,
			    facts->sysinfo ? facts->sysinfo : json_null());
	if (facts->certificate)
		json_object_set_new(json, "certificate", facts->certificate);
	return json;
}

int snapshot_json_write(int folder, const struct snapshot_facts *facts, struct mm_error *err)
{
	unsigned long before = mm_json_watch();
	json_t *json = facts_json(facts);
	bool complete = !mm_json_unwatch(before);
	char *text = complete ? mm_json_checksum_text(json) : NULL;
	FILE *file = text ? folder_make_file(folder, MM_SNAPSHOT_FILE) : NULL;
	int error = text ? file ? 0 : errno : ENOMEM;

	if (file && fputs(text, file) == EOF)
		error = errno ? errno : EIO;
	if (file && fclose(file) && !error)
		error = errno;
	free(text);
	json_decref(json);
	return error ? mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: " MM_SNAPSHOT_FILE ": %s",
				    strerror(error))
		     : 0;
}
