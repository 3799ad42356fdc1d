// SPDX-License-Identifier: LGPL-2.1-only
/* Ends a job: sends the result to its clients and frees its folder in the stage. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/daemon/jobs/announce.h"
#include "lttng-session/daemon/jobs/job.h"
#include "lttng-session/system/folder.h"
#include "lttng-session/system/message.h"

void job_stage_name(const struct job *job, char name[JOB_NAME_MAX])
{
	snprintf(name, JOB_NAME_MAX, "%u", job->number);
}

void job_free(struct job *job)
{
	sd_event_source_unref(job->child);
	sd_event_source_unref(job->io);
	sd_event_source_unref(job->timer);
	json_decref(job->request);
	json_decref(job->result);
	if (job->report >= 0)
		close(job->report);
	if (job->progress)
		munmap(job->progress, sizeof(*job->progress));
	free(job->clients);
	free(job);
}

void job_remove(struct job *job)
{
	struct job **at = &job->queue->first;

	while (*at != job)
		at = &(*at)->next;
	*at = job->next;
	job_free(job);
}

void job_fail(struct job *job, const char *why, ...)
{
	struct mm_error reason = MM_ERROR_INIT, err = MM_ERROR_INIT;
	va_list args;

	va_start(args, why);
	mm_error_vset(&reason, MM_EXIT_ENVIRONMENT, why, args);
	va_end(args);
	mm_error_set(&err, MM_EXIT_ENVIRONMENT, "snapshot: %s", reason.message);
	json_decref(job->result);
	job->result = message_of_error(&err);
}

/*
 * Answers each client after removing it from the job. An answered connection is closed, and calls
 * job_queue_forget(), which would abandon the job if it removed the job's last client.
 */
void job_answer(struct job *job, const json_t *answer)
{
	while (job->client_count)
		(job->triggered ? job->triggered : job->queue->answer)(
			job->clients[--job->client_count].client, answer);
}

void job_conclude(struct job *job)
{
	struct job_queue *queue = job->queue;
	char name[JOB_NAME_MAX];

	if (!message_text(job->result, "path", NULL) && !message_text(job->result, "error", NULL)) {
		job_fail(job, "the process that took the snapshot was killed");
		job->unable = true;
	}
	if (job->unable)
		json_object_set_new(job->result, "unable", json_true());
	job->state = JOB_LEAVING;
	job->ended_s = (int64_t)time(NULL);
	json_array_append_new(queue->ended, job_describe(job));
	if (json_array_size(queue->ended) > JOB_QUEUE_ENDED_MAX)
		json_array_remove(queue->ended, 0);
	announce_snapshot(job->request, job->result);
	if (job->triggered)
		json_object_set_new(job->result, "was_frozen", json_boolean(job->frozen));
	job_stage_name(job, name);
	folder_remove(queue->stage, name);
	job_answer(job, job->result);
	queue->concluded(queue);
}

bool job_queue_will_free_room(const struct job_queue *queue)
{
	for (const struct job *job = queue->first; job; job = job->next)
		if (job->state == JOB_WRITING)
			return true;
	return false;
}
