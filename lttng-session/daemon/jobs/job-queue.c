// SPDX-License-Identifier: LGPL-2.1-only
/* Freezes the buffers for one snapshot at a time. Several snapshots can be written at once. */
#include "lttng-session/daemon/jobs/job-queue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/daemon/jobs/announce.h"
#include "lttng-session/daemon/jobs/job.h"
#include "lttng-session/daemon/jobs/request.h"
#include "lttng-session/daemon/jobs/reserve.h"
#include "lttng-session/system/folder.h"
#include "lttng-session/system/message.h"

/*
 * Maximum number of snapshots in JOB_WRITING: for each user, and for all users except root
 * together. Triggered snapshots belong to root, but have their own limit, so that they cannot delay
 * root's requests. With two snapshots per user, a snapshot on a slow disk does not delay the user's
 * next snapshot.
 */
#define WRITING_PER_USER 2
#define WRITING_MAX 8
/*
 * While a job waits, new events overwrite the history that it should save. After PRESSING_US, the
 * job's user (or the triggers) may therefore have PRESSING_PER_USER snapshots in memory, if half of
 * the stage stays free.
 */
#define PRESSING_US 1000000ull
#define PRESSING_PER_USER 4
/*
 * Maximum number, per user, of killed workers that do not exit because their disk hangs. Each of
 * these processes keeps a file of its snapshot in memory.
 */
#define HANGING_PER_USER 8
/*
 * Maximum numbers of waiting jobs: for each user including root, and for all users except root
 * together. Triggered jobs belong to root, but have their own limit. If they counted as root's
 * jobs, many triggers could use up root's limit, and root's requests would be refused.
 */
#define QUEUED_PER_USER 64
#define QUEUED_MAX 256
/*
 * Maximum time that a job waits. A hanging snapshot is killed earlier, so that it fails before the
 * jobs that wait for it.
 */
#define QUEUED_US(queue) ((queue)->write_us + (queue)->write_us / 4 + 5 * 1000000ull)
/* Maximum number of requests that share a job. */
#define CLIENTS_MAX 1024

static int read_room(const struct job_queue *queue, uint64_t *bytes, uint64_t *used)
{
	struct statvfs stage;

	if (fstatvfs(queue->stage, &stage))
		return -1;
	*bytes = (uint64_t)stage.f_blocks * stage.f_frsize;
	*used = *bytes - (uint64_t)stage.f_bavail * stage.f_frsize;
	return 0;
}

static void on_concluded(struct job_queue *queue);
static void start_next(struct job_queue *queue);

struct job_queue *job_queue_create(sd_event *event, const char *stage, client_answer *answer)
{
	struct job_queue *queue = calloc(1, sizeof(*queue));

	if (!queue)
		return NULL;
	queue->event = event;
	queue->answer = answer;
	queue->lock = -1;
	queue->work = worker_run;
	queue->concluded = on_concluded;
	queue->start_next = start_next;
	queue->room = read_room;
	queue->write_us = JOB_QUEUE_WRITE_US;
	queue->ended = json_array();
	snprintf(queue->stage_path, sizeof(queue->stage_path), "%s", stage);
	queue->stage = open(stage, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (queue->stage >= 0 && queue->ended)
		return queue;
	job_queue_destroy(queue);
	return NULL;
}

void job_queue_limit(struct job_queue *queue, uint64_t write_us)
{
	queue->write_us = write_us;
}

void job_queue_share_lock(struct job_queue *queue, int fd)
{
	queue->lock = fd;
}

const char *job_queue_stage(const struct job_queue *queue)
{
	return queue->stage_path;
}

void job_queue_destroy(struct job_queue *queue)
{
	if (!queue)
		return;
	while (queue->first) {
		job_kill(queue->first);
		job_remove(queue->first);
	}
	json_decref(queue->ended);
	if (queue->stage >= 0)
		close(queue->stage);
	free(queue);
}

void job_queue_recall(struct job_queue *queue, json_t *snapshot)
{
	const json_int_t ended = message_number(snapshot, "ended", 0);
	size_t at = json_array_size(queue->ended);

	while (at > 0 && message_number(json_array_get(queue->ended, at - 1), "ended", 0) > ended)
		at--;
	json_array_insert(queue->ended, at, snapshot);
	if (json_array_size(queue->ended) > JOB_QUEUE_ENDED_MAX)
		json_array_remove(queue->ended, 0);
}

/*
 * Do both jobs count against the same limit? Triggered jobs have root's UID, but their own limit.
 */
static bool share_limit(const struct job *job, const struct job *other)
{
	return job->requester.uid == other->requester.uid && !job->triggered == !other->triggered;
}

/*
 * Counts the jobs in @state that count against the same limit as @job. In JOB_LEAVING, counts only
 * jobs whose worker was killed.
 */
static unsigned int count_like(const struct job *job, enum job_state state)
{
	unsigned int count = 0;

	for (const struct job *other = job->queue->first; other; other = other->next)
		count += other->state == state && share_limit(job, other) &&
			 (state != JOB_LEAVING || other->killed);
	return count;
}

static unsigned int writing_of_users(const struct job_queue *queue)
{
	unsigned int count = 0;

	for (const struct job *job = queue->first; job; job = job->next)
		count += job->state == JOB_WRITING && job->requester.uid;
	return count;
}

/*
 * Would half of the stage stay free with one more snapshot? Counts each frozen snapshot with its
 * maximum size, because a part of it may not be in the stage yet. Assumes that the next snapshot is
 * as large as the largest frozen one.
 */
static bool has_room(const struct job_queue *queue)
{
	uint64_t bytes, used, frozen = 0, largest = 0;

	if (queue->room(queue, &bytes, &used))
		return false;
	for (const struct job *job = queue->first; job; job = job->next) {
		if (job->state != JOB_WRITING)
			continue;
		frozen += job->bytes;
		largest = job->bytes > largest ? job->bytes : largest;
	}
	return (used > frozen ? used : frozen) + largest <= bytes / 2;
}

/*
 * May the user (or the triggers) have up to PRESSING_PER_USER snapshots in memory? Requires that
 * the job has waited for PRESSING_US and that half of the stage stays free. Users other than root
 * may do so only while they together have fewer than WRITING_MAX / 2 snapshots in memory.
 */
static bool may_press(const struct job *job)
{
	const struct job_queue *queue = job->queue;

	return job->pressing &&
	       (!job->requester.uid || writing_of_users(queue) < WRITING_MAX / 2) &&
	       has_room(queue);
}

static unsigned int writing_per_user(const struct job *job)
{
	return may_press(job) ? PRESSING_PER_USER : WRITING_PER_USER;
}

static bool may_start(const struct job *job)
{
	uid_t uid = job->requester.uid;

	return job->state == JOB_QUEUED && count_like(job, JOB_WRITING) < writing_per_user(job) &&
	       count_like(job, JOB_LEAVING) < HANGING_PER_USER &&
	       (!uid || writing_of_users(job->queue) < WRITING_MAX);
}

static bool is_like_last(const struct job *job)
{
	return job->requester.uid == job->queue->last_uid &&
	       !job->triggered == !job->queue->last_triggered;
}

/*
 * Returns the first job that may start, or NULL while the snapshot of another job is being taken.
 * Prefers jobs of users other than the previous job's user. Triggers count as a separate user.
 */
static struct job *choose(const struct job_queue *queue)
{
	struct job *chosen = NULL;

	for (struct job *job = queue->first; job; job = job->next) {
		if (job->state == JOB_TAKING || job->state == JOB_FULL)
			return NULL;
		if (may_start(job) && (!chosen || (is_like_last(chosen) && !is_like_last(job))))
			chosen = job;
	}
	return chosen;
}

static void start_next(struct job_queue *queue)
{
	struct job *job = choose(queue);

	if (!job)
		return;
	queue->last_uid = job->requester.uid;
	queue->last_triggered = job->triggered;
	if (!job_start(job))
		return;
	job_fail(job, "no process can be started: %s", strerror(errno));
	job->unable = true;
	job_conclude(job);
	if (!job->child)
		job_remove(job);
}

/* Lets workers that wait for room in the stage try again, and starts the next job. */
static void on_concluded(struct job_queue *queue)
{
	for (struct job *other = queue->first; other; other = other->next)
		if (other->state == JOB_FULL)
			job_continue(other, true);
	start_next(queue);
}

/* Are the options of both requests equal except for the reason? */
static bool same_options(const json_t *own, const json_t *other)
{
	json_t *one = json_copy((json_t *)own), *two = json_copy((json_t *)other);
	bool same;

	json_object_del(one, "reason");
	json_object_del(two, "reason");
	same = json_equal(one, two);
	json_decref(one);
	json_decref(two);
	return same;
}

/*
 * Can the requests share a job? A client states which folder it sends, and nobody checks the
 * statement. If the statement is false, the snapshot appears in the folder of the other request.
 * This harms only the client that made the false statement.
 */
static bool same_request(const struct job *job, const struct requester *requester,
			 const json_t *request)
{
	static const char *const members[] = { "output", "folder", "cause" };

	if (job->state != JOB_QUEUED || job->later || job->unattended ||
	    job->client_count == CLIENTS_MAX || !requester_equal(&job->requester, requester))
		return false;
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		const json_t *own = json_object_get(job->request, members[i]);
		const json_t *other = json_object_get(request, members[i]);

		if (own != other && !json_equal(own, other))
			return false;
	}
	return same_options(json_object_get(job->request, "options"),
			    json_object_get(request, "options"));
}

static void add_reason(const struct job *job, const json_t *request)
{
	json_t *options = json_object_get(job->request, "options"), *more, *one;
	json_t *own = json_object_get(options, "reason");
	json_t *reason = json_object_get(json_object_get(request, "options"), "reason");
	size_t i;

	if (!json_is_string(reason) || (own && json_equal(own, reason)))
		return;
	if (!own) {
		json_object_set(options, "reason", reason);
		return;
	}
	more = json_object_get(job->request, REQUEST_MORE_REASONS);
	json_array_foreach(more, i, one) if (json_equal(one, reason)) return;
	if (!more) {
		more = json_array();
		json_object_set_new(job->request, REQUEST_MORE_REASONS, more);
	}
	json_array_append(more, reason);
}

static int join(struct job *job, void *client, int socket)
{
	struct job_client *grown =
		reallocarray(job->clients, job->client_count + 1, sizeof(*grown));

	if (!grown)
		return -1;
	grown[job->client_count++] = (struct job_client){ client, socket };
	job->clients = grown;
	return 0;
}

/* Fails a job that waited too long: the events that it should save have been overwritten. */
static int on_overdue(sd_event_source *source, uint64_t now, void *user)
{
	struct job *job = user;

	job_fail(
		job,
		"not taken: it waited for %llu s, because other snapshots of this user could not be written",
		(unsigned long long)(QUEUED_US(job->queue) / 1000000));
	job->unable = true;
	job_conclude(job);
	job_remove(job);
	return 0;
}

static int set_timer(struct job *job, uint64_t us, sd_event_time_handler_t handler)
{
	job->timer = sd_event_source_unref(job->timer);
	return sd_event_add_time_relative(job->queue->event, &job->timer, CLOCK_MONOTONIC, us, 0,
					  handler, job);
}

static int on_pressing(sd_event_source *source, uint64_t now, void *user)
{
	struct job *job = user;

	job->pressing = true;
	/* If the timer cannot be set, the job only waits longer, so ignore the failure. */
	set_timer(job, QUEUED_US(job->queue) - PRESSING_US, on_overdue);
	start_next(job->queue);
	return 0;
}

static int enqueue(struct job *job)
{
	job->state = JOB_QUEUED;
	return set_timer(job, PRESSING_US, on_pressing);
}

static int on_due(sd_event_source *source, uint64_t now, void *user)
{
	struct job *job = user;

	enqueue(job);
	start_next(job->queue);
	return 0;
}

/*
 * Starts the timer of --after, or enqueues the job at once if the time has passed. Returns 0, or
 * -1.
 */
static int delay(struct job *job)
{
	struct request_snapshot request;
	struct snapshot_times now;
	int64_t due_ns;

	request_read(job->request, &request);
	snapshot_now(&now);
	job->no_wait = request.no_wait;
	job->later = request.snapshot.after_ns > 0;
	if (!job->later)
		return enqueue(job) < 0 ? -1 : 0;
	due_ns = request.snapshot.requested.monotonic_ns + request.snapshot.after_ns;
	/* Start the worker early, because it needs time to prepare the freeze. */
	due_ns -= SNAPSHOT_PREPARATION_NS;
	if (due_ns <= now.monotonic_ns)
		return enqueue(job) < 0 ? -1 : 0;
	job->state = JOB_DELAYED;
	return set_timer(job, (uint64_t)(due_ns - now.monotonic_ns) / 1000, on_due) < 0 ? -1 : 0;
}

/* Appends a new job. Returns NULL if out of memory. */
static struct job *make_job(struct job_queue *queue, const struct requester *requester,
			    json_t *request)
{
	struct job *job = calloc(1, sizeof(*job)), **at = &queue->first;

	if (!job)
		return NULL;
	*job = (struct job){
		.queue = queue,
		.number = ++queue->last_number,
		.requester = *requester,
		.request = json_incref(request),
		.report = -1,
		.requested_s = (int64_t)time(NULL),
	};
	if (delay(job)) {
		job_free(job);
		return NULL;
	}
	while (*at)
		at = &(*at)->next;
	*at = job;
	return job;
}

/*
 * Checks the limits of waiting jobs. Returns -1 with @err set if the user @uid, or the triggers if
 * @triggered, may not add another job.
 */
static int check_queue(const struct job_queue *queue, uid_t uid, bool triggered,
		       struct mm_error *err)
{
	size_t own = 0, users = 0;

	for (const struct job *job = queue->first; job; job = job->next) {
		if (job->state > JOB_QUEUED)
			continue;
		own += job->requester.uid == uid && !job->triggered == !triggered;
		users += !!job->requester.uid;
	}
	if (own >= QUEUED_PER_USER)
		return mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"recorder daemon: %d snapshots of %s are waiting; try again later",
			QUEUED_PER_USER, triggered ? "triggers" : "this user");
	if (uid && users >= QUEUED_MAX)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "recorder daemon: %d snapshots are waiting; try again later",
				    QUEUED_MAX);
	return 0;
}

static int add(struct job_queue *queue, void *client, const struct requester *requester,
	       json_t *request, int socket, struct mm_error *err)
{
	struct job *job;

	if (request_check(request, err))
		return -1;
	if (queue->finishing)
		return mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"recorder daemon: the daemon is being stopped; try again later");
	/* Only the daemon may add reasons, so remove them from the client's request. */
	json_object_del(request, REQUEST_MORE_REASONS);
	for (job = client ? queue->first : NULL; job; job = job->next)
		if (same_request(job, requester, request))
			break;
	if (job)
		add_reason(job, request);
	if (!job) {
		if (check_queue(queue, requester->uid, false, err) ||
		    reserve_check(requester->uid, err))
			return -1;
		job = make_job(queue, requester, request);
		if (job)
			job->unattended = !client;
	}
	if (!job || (client && join(job, client, socket))) {
		if (job && !job->client_count)
			job_remove(job);
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "recorder daemon: out of memory");
	}
	return 0;
}

/* Removes the request's "cause", unless it comes from root and names a failed unit. */
static void check_cause(const struct requester *requester, json_t *request)
{
	json_t *cause = json_object_get(request, "cause");
	const char *unit = message_text(cause, "unit", NULL);
	json_t *checked = NULL;

	if (!requester->uid && unit && strlen(unit) <= SNAPSHOT_UNIT_MAX &&
	    !strcmp(message_text(cause, "kind", ""), "unit"))
		checked = json_pack("{s:s,s:s}", "kind", "unit", "unit", unit);
	json_object_del(request, "cause");
	if (checked)
		json_object_set_new(request, "cause", checked);
}

int job_queue_add(struct job_queue *queue, void *client, const struct requester *requester,
		  json_t *request, int socket, struct mm_error *err)
{
	int ret;

	check_cause(requester, request);
	ret = add(queue, client, requester, request, socket, err);
	start_next(queue);
	return ret;
}

int job_queue_check_triggered(const struct job_queue *queue, struct mm_error *err)
{
	if (queue->finishing)
		return mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"recorder daemon: the daemon is being stopped; try again later");
	return check_queue(queue, 0, true, err);
}

int job_queue_add_triggered(struct job_queue *queue, void *client, client_answer *answer,
			    json_t *request, struct mm_error *err)
{
	/* Root owns triggered snapshots, because only root can choose the recorder's folder. */
	static const struct requester root;
	struct job *job;

	if (job_queue_check_triggered(queue, err))
		return -1;
	job = make_job(queue, &root, request);
	if (!job || join(job, client, -1)) {
		if (job)
			job_remove(job);
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "recorder daemon: out of memory");
	}
	job->triggered = answer;
	job->unattended = true;
	start_next(queue);
	return 0;
}

/*
 * Drops a job without clients. A job in JOB_WRITING continues, because its path may have been
 * promised to a client.
 */
static void abandon(struct job *job)
{
	if (job->state == JOB_TAKING || job->state == JOB_FULL) {
		job_kill(job);
		job_fail(job, "the requester has disconnected");
	} else if (job->state <= JOB_QUEUED) {
		job_remove(job);
	}
}

static bool leave(struct job *job, const void *client)
{
	size_t left = 0;

	for (size_t i = 0; i < job->client_count; i++)
		if (job->clients[i].client != client)
			job->clients[left++] = job->clients[i];
	if (left == job->client_count)
		return false;
	job->client_count = left;
	return true;
}

bool job_queue_forget(struct job_queue *queue, void *client)
{
	struct job *job = queue->first, *next;
	bool receiving = false;

	/* A trigger can be the client of several jobs, so search them all. */
	for (; job; job = next) {
		next = job->next;
		if (!leave(job, client))
			continue;
		receiving |= job->child && !job->received;
		if (!job->client_count && !job->unattended)
			abandon(job);
	}
	return receiving;
}

bool job_queue_busy(const struct job_queue *queue)
{
	for (const struct job *job = queue->first; job; job = job->next)
		if (job->state != JOB_LEAVING)
			return true;
	return false;
}

/*
 * Returns a delayed job, or NULL. Starts at the head of the list, because concluding the previous
 * job may have started, ended or removed any other job.
 */
static struct job *find_delayed(const struct job_queue *queue)
{
	struct job *job = queue->first;

	/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): freed jobs are no longer in the list */
	while (job && job->state != JOB_DELAYED)
		job = job->next;
	return job;
}

void job_queue_finish(struct job_queue *queue)
{
	struct job *job;

	queue->finishing = true;
	while ((job = find_delayed(queue))) {
		job_fail(job, "the recorder daemon was stopped before the end of --after");
		job_conclude(job);
		job_remove(job);
	}
}
