// SPDX-License-Identifier: LGPL-2.1-only
/* Lists the snapshots for a status request. */
#include "lttng-session/daemon/jobs/job.h"

#include <string.h>

#include "lttng-session/system/message.h"

static const char *const state_names[] = { "delayed",	       "waiting", "taking",
					   "waiting for room", "writing", "written" };

static json_t *describe_cause(const struct job *job)
{
	const json_t *cause = json_object_get(job->request, "cause");

	return json_pack("{s:s,s:s*,s:s*}", "kind", message_text(cause, "kind", "request"),
			 "trigger", message_text(cause, "trigger", NULL), "unit",
			 message_text(cause, "unit", NULL));
}

json_t *job_describe(const struct job *job)
{
	const char *reason = message_text(json_object_get(job->request, "options"), "reason", NULL);
	const char *path = message_text(job->result, "path", NULL);
	json_t *entry =
		json_pack("{s:s,s:I,s:I}", "state", state_names[job->state], "requested",
			  (json_int_t)job->requested_s, "uid", (json_int_t)job->requester.uid);

	if (!path)
		path = message_text(job->result, "frozen",
				    message_text(job->result, "will_be", NULL));
	if (path)
		json_object_set_new(entry, "path", json_string(path));
	if (reason)
		json_object_set_new(entry, "reason", json_string(reason));
	json_object_set_new(entry, "cause", describe_cause(job));
	if (job->state == JOB_LEAVING)
		json_object_set_new(entry, "ended", json_integer(job->ended_s));
	if (json_object_get(job->result, "error")) {
		json_object_set_new(entry, "state", json_string("failed"));
		json_object_set(entry, "error", json_object_get(job->result, "error"));
	}
	return entry;
}

/*
 * May the user @uid see the snapshot? All users may see snapshots of triggers and rescues, because
 * these are in the recorder's folder, which all users may list.
 */
static bool is_shown(const json_t *entry, uid_t uid)
{
	const char *kind = message_text(json_object_get(entry, "cause"), "kind", "");

	return !uid || message_number(entry, "uid", -1) == (json_int_t)uid ||
	       !strcmp(kind, "trigger") || !strcmp(kind, "rescue");
}

json_t *job_queue_list(const struct job_queue *queue, uid_t uid, size_t *others)
{
	json_t *list = json_array(), *entry;
	size_t i;

	*others = 0;
	json_array_foreach(queue->ended, i, entry)
	{
		if (is_shown(entry, uid))
			json_array_append(list, entry);
		else
			++*others;
	}
	for (const struct job *job = queue->first; job; job = job->next) {
		/* A job in JOB_LEAVING is already in the list of finished snapshots. */
		if (job->state == JOB_LEAVING)
			continue;
		entry = job_describe(job);
		if (is_shown(entry, uid))
			json_array_append(list, entry);
		else
			++*others;
		json_decref(entry);
	}
	return list;
}
