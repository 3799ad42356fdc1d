// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Runs the worker process of a job: starts it, handles its reports, and kills it after a timeout.
 */
#include "lttng-session/daemon/jobs/job.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lttng-session/daemon/jobs/child.h"
#include "lttng-session/system/folder.h"
#include "lttng-session/system/journal.h"
#include "lttng-session/system/message.h"

/* Maximum time in JOB_TAKING, where the worker may have to wait for the session daemon. */
#define TAKING_US (60 * 1000000ull)
/* Maximum time for a worker to exit after it was killed or has reported its result. */
#define LEAVING_US (5 * 1000000ull)

void job_kill(struct job *job)
{
	pid_t pid;

	job->killed = true;
	if (job->child && sd_event_source_get_child_pid(job->child, &pid) >= 0)
		kill(pid, SIGKILL);
}

static int on_timeout(sd_event_source *source, uint64_t now, void *user);

/* Sets a time limit for the worker. If the timer cannot be created, kills the worker. */
static void set_timer(struct job *job, uint64_t us)
{
	job->timer = sd_event_source_unref(job->timer);
	if (sd_event_add_time_relative(job->queue->event, &job->timer, CLOCK_MONOTONIC, us, 0,
				       on_timeout, job) < 0)
		job_kill(job);
}

static bool is_final(const json_t *result)
{
	return message_text(result, "path", NULL) || message_text(result, "error", NULL);
}

/* Has the worker made progress since the last call? */
static bool has_progressed(struct job *job)
{
	unsigned long long now = atomic_load(job->progress), last = job->last_progress;

	job->last_progress = now;
	return now != last;
}

/* Answers clients that do not wait until the snapshot is on the disk (--no-wait). */
static void answer_promise(struct job *job, const json_t *message)
{
	json_t *answer = json_pack("{s:O,s:O}", "path", json_object_get(message, "will_be"),
				   "notes", json_object_get(message, "notes"));

	job_answer(job, answer);
	json_decref(answer);
}

static void on_frozen(struct job *job)
{
	job->state = JOB_WRITING;
	job->frozen = true;
	job->bytes = (uint64_t)message_number(job->result, "bytes", 0);
	has_progressed(job);
	set_timer(job, job->queue->write_us);
	journal_note(LOG_DEBUG, "snapshot: %s: its contents are in memory",
		     message_text(job->result, "frozen", "?"));
	/* A trigger stays a client of the job, because it gets a second answer at the end. */
	if (job->triggered && job->client_count)
		job->triggered(job->clients[0].client, job->result);
	job->queue->start_next(job->queue);
}

static void on_no_room(struct job *job)
{
	bool wait = job_queue_will_free_room(job->queue);

	if (!wait) {
		job_continue(job, false);
		return;
	}
	job->state = JOB_FULL;
	job->timer = sd_event_source_unref(job->timer);
}

void job_continue(struct job *job, bool room)
{
	json_t *message = json_pack("{s:b}", "room", room);

	job->state = JOB_TAKING;
	set_timer(job, TAKING_US);
	message_send(job->report, message, -1);
	json_decref(message);
}

static void take_report(struct job *job, json_t *message)
{
	bool taking = job->state == JOB_TAKING;

	if (message_text(message, "will_be", NULL)) {
		if (!taking || job->killed)
			return;
		json_decref(job->result);
		job->result = json_incref(message);
		if (job->no_wait)
			answer_promise(job, message);
	} else if (json_object_get(message, "received")) {
		job->received = true;
	} else if (json_object_get(message, "no_room")) {
		if (taking && !job->killed)
			on_no_room(job);
	} else if (!job->killed || message_text(message, "path", NULL)) {
		json_decref(job->result);
		job->result = json_incref(message);
		if (message_text(message, "frozen", NULL) && taking)
			on_frozen(job);
	}
}

static void read_reports(struct job *job)
{
	json_t *message;

	while (job->state != JOB_LEAVING && (message = message_receive(job->report, NULL))) {
		take_report(job, message);
		json_decref(message);
		if (is_final(job->result) && !job->killed) {
			/*
			 * The result is known, so conclude the job now. When the worker exits, it
			 * closes the user's descriptor, and this close may take long.
			 */
			set_timer(job, LEAVING_US);
			job_conclude(job);
		}
	}
}

static int on_report(sd_event_source *source, int fd, uint32_t events, void *user)
{
	struct job *job = user;

	read_reports(job);
	if (events & (EPOLLHUP | EPOLLERR))
		job->io = sd_event_source_unref(job->io);
	return 0;
}

static int on_child(sd_event_source *source, const siginfo_t *info, void *user)
{
	struct job *job = user;
	struct job_queue *queue = job->queue;

	read_reports(job);
	job->child = sd_event_source_unref(job->child);
	if (job->state != JOB_LEAVING)
		job_conclude(job);
	job_remove(job);
	queue->start_next(queue);
	return 0;
}

/*
 * Handles reports that have arrived. If the worker is still late, the job's state decides:
 *
 *   JOB_LEAVING            kill the worker; on_child() removes the job when the worker exits
 *   killed before          the worker hangs in the kernel: conclude the job without it
 *   JOB_WRITING, progress  wait again
 *   otherwise              the job fails, and the worker is killed
 */
static int on_timeout(sd_event_source *source, uint64_t now, void *user)
{
	struct job *job = user;

	read_reports(job);
	if (job->state == JOB_LEAVING) {
		job_kill(job);
		job->timer = sd_event_source_unref(job->timer);
		return 0;
	}
	if (job->killed) {
		job->timer = sd_event_source_unref(job->timer);
		job_conclude(job);
		return 0;
	}
	if (job->state == JOB_WRITING && has_progressed(job)) {
		set_timer(job, job->queue->write_us);
		return 0;
	}
	if (job->state == JOB_WRITING)
		job_fail(
			job,
			"%s: nothing could be written for %llu s, so the process that was writing the snapshot was killed",
			message_text(job->result, "frozen", "?"),
			(unsigned long long)(job->queue->write_us / 1000000));
	else
		job_fail(
			job,
			"the session daemon has not answered for a minute; see `systemctl status lttng-sessiond`");
	job_kill(job);
	set_timer(job, LEAVING_US);
	return 0;
}

static void run_child(const struct job *job, int report, const int *sockets)
{
	char name[JOB_NAME_MAX], stage[PATH_MAX + sizeof(name)];
	const struct worker_job work = {
		.request = job->request,
		.requester = &job->requester,
		.stage = stage,
		.sockets = sockets,
		.socket_count = job->triggered ? 0 : job->client_count,
		.triggered = job->triggered,
		.report = report,
		.lock = job->queue->lock,
		.progress = job->progress,
	};

	job_stage_name(job, name);
	snprintf(stage, sizeof(stage), "%s/%s", job->queue->stage_path, name);
	_exit(job->queue->work(&work));
}

/* Forks the worker process, which inherits @report, the clients' sockets and the lock. */
static pid_t start_child(const struct job *job, int report)
{
	int *keep = calloc(job->client_count + 2, sizeof(*keep));
	size_t count = job->triggered ? 0 : job->client_count;
	pid_t pid = -1;

	if (!keep)
		return -1;
	for (size_t i = 0; i < count; i++)
		keep[i] = job->clients[i].socket;
	keep[count++] = report;
	if (job->queue->lock >= 0)
		keep[count++] = job->queue->lock;
	pid = child_fork(keep, count);
	if (!pid)
		run_child(job, report, keep);
	free(keep);
	return pid;
}

static int watch_child(struct job *job, pid_t pid)
{
	sd_event *event = job->queue->event;

	if (sd_event_add_child(event, &job->child, pid, WEXITED, on_child, job) < 0 ||
	    sd_event_add_io(event, &job->io, job->report, EPOLLIN, on_report, job) < 0)
		return -1;
	set_timer(job, TAKING_US);
	return 0;
}

static int make_progress(struct job *job)
{
	void *at = mmap(NULL, sizeof(*job->progress), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return -1;
	job->progress = at;
	return 0;
}

int job_start(struct job *job)
{
	char name[JOB_NAME_MAX];
	int fds[2], folder;
	pid_t pid;

	job_stage_name(job, name);
	folder = folder_make(job->queue->stage, name, 0700);
	if (folder < 0)
		return -1;
	close(folder);
	if (make_progress(job) ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds))
		return -1;
	job->report = fds[0];
	pid = start_child(job, fds[1]);
	close(fds[1]);
	if (pid < 0)
		return -1;
	job->state = JOB_TAKING;
	if (!watch_child(job, pid))
		return 0;
	kill(pid, SIGKILL);
	if (!job->child)
		waitpid(pid, NULL, 0);
	return job->child ? 0 : -1;
}
