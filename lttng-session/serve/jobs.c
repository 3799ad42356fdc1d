// SPDX-License-Identifier: LGPL-2.1-only
/* Takes snapshots one after another, each in a process of its own, and writes some in parallel. */
#include "lttng-session/serve/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/system/folder.h"
#include "lttng-session/serve/message.h"
#include "lttng-session/serve/request.h"
#include "lttng-session/serve/worker.h"

/* Snapshots in memory: one that a slow disk delays does not delay the next. */
#define WRITING_MAX 2
/* That wait, in addition, each for a folder of its own. */
#define QUEUED_MAX 64
/* Of one snapshot. */
#define CLIENTS_MAX 1024
/* The last snapshots that jobs_list() shows. */
#define ENDED_MAX 32
/* The session daemon does not answer if this is exceeded; after SIGTERM, a kill follows. */
#define TAKING_US (60 * 1000000ull)

enum state {
	STATE_DELAYED, /* --after */
	STATE_QUEUED,
	STATE_TAKING,  /* its contents are not in memory yet */
	STATE_WRITING, /* they are */
	STATE_ENDED,
};

static const char *const state_names[] = { "delayed", "waiting", "taking", "writing", "written" };

struct job {
	struct jobs *jobs;
	struct job *next;
	unsigned int number;
	enum state state;
	struct requester requester;
	json_t *request, *result; /* result: the last answer of the process */
	bool no_wait;
	int output, report;
	dev_t device;
	ino_t inode;
	int64_t requested_s, ended_s;
	sd_event_source *child, *io, *timer;
	void **clients;
	size_t client_count;
};

struct jobs {
	sd_event *event;
	int stage;
	char stage_path[PATH_MAX];
	jobs_answer *answer;
	struct job *first; /* in the order of the requests */
	json_t *ended;
	unsigned int last_number;
	bool finishing;
};

static int64_t now_s(void)
{
	return (int64_t)time(NULL);
}

struct jobs *jobs_create(sd_event *event, const char *stage, jobs_answer *answer)
{
	struct jobs *jobs = calloc(1, sizeof(*jobs));

	if (!jobs)
		return NULL;
	jobs->event = event;
	jobs->answer = answer;
	jobs->ended = json_array();
	snprintf(jobs->stage_path, sizeof(jobs->stage_path), "%s", stage);
	jobs->stage = open(stage, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (jobs->stage >= 0 && jobs->ended)
		return jobs;
	jobs_destroy(jobs);
	return NULL;
}

static void stage_name(const struct job *job, char *name, size_t size)
{
	snprintf(name, size, "%u", job->number);
}

static void free_job(struct job *job)
{
	sd_event_source_unref(job->child);
	sd_event_source_unref(job->io);
	sd_event_source_unref(job->timer);
	json_decref(job->request);
	json_decref(job->result);
	if (job->output >= 0)
		close(job->output);
	if (job->report >= 0)
		close(job->report);
	free(job->clients);
	free(job);
}

void jobs_destroy(struct jobs *jobs)
{
	if (!jobs)
		return;
	while (jobs->first) {
		struct job *job = jobs->first;
		pid_t pid;

		jobs->first = job->next;
		if (job->child && sd_event_source_get_child_pid(job->child, &pid) >= 0)
			kill(pid, SIGKILL);
		free_job(job);
	}
	json_decref(jobs->ended);
	if (jobs->stage >= 0)
		close(jobs->stage);
	free(jobs);
}

/* Answering a client makes it forget the job, which must not have it any more then. */
static void answer_all(struct job *job, const json_t *answer)
{
	while (job->client_count)
		job->jobs->answer(job->clients[--job->client_count], answer);
}

static json_t *describe(const struct job *job)
{
	const char *path = message_text(job->result, "path", NULL);
	json_t *entry = json_pack("{s:s,s:I,s:i}", "state", state_names[job->state], "requested",
				  (json_int_t)job->requested_s, "uid", (int)job->requester.uid);

	if (!path)
		path = message_text(job->result, "frozen", NULL);
	if (path)
		json_object_set_new(entry, "path", json_string(path));
	if (job->state == STATE_ENDED)
		json_object_set_new(entry, "ended", json_integer(job->ended_s));
	if (json_object_get(job->result, "error")) {
		json_object_set_new(entry, "state", json_string("failed"));
		json_object_set(entry, "error", json_object_get(job->result, "error"));
	}
	return entry;
}

json_t *jobs_list(const struct jobs *jobs)
{
	json_t *list = json_copy(jobs->ended);

	for (const struct job *job = jobs->first; job; job = job->next)
		json_array_append_new(list, describe(job));
	return list;
}

/* Makes the result of @job an error. */
__attribute__((format(printf, 2, 3))) static void fail(struct job *job, const char *why, ...)
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

static void start_next(struct jobs *jobs);

/* The process has ended. Its result goes to all who wait, and what is left of it is removed. */
static void end_job(struct job *job)
{
	struct jobs *jobs = job->jobs;
	struct job **at = &jobs->first;
	char name[16];

	if (!message_text(job->result, "path", NULL) && !message_text(job->result, "error", NULL)) {
		fail(job, "the process that took it was ended");
	}
	answer_all(job, job->result);
	if (message_text(job->result, "error", NULL))
		syslog(LOG_ERR, "%s", message_text(job->result, "error", ""));
	else
		syslog(LOG_INFO, "snapshot: %s is complete",
		       message_text(job->result, "path", "?"));
	job->state = STATE_ENDED;
	job->ended_s = now_s();
	json_array_append_new(jobs->ended, describe(job));
	if (json_array_size(jobs->ended) > ENDED_MAX)
		json_array_remove(jobs->ended, 0);
	stage_name(job, name, sizeof(name));
	folder_remove(jobs->stage, name);
	while (*at != job)
		at = &(*at)->next;
	*at = job->next;
	free_job(job);
	start_next(jobs);
}

/* Reads what the process has reported. */
static void read_reports(struct job *job)
{
	json_t *message;

	/* "frozen" comes first, and not at all if the session daemon copies the buffers. */
	while ((message = message_receive(job->report, NULL))) {
		json_decref(job->result);
		job->result = message;
		if (!message_text(message, "frozen", NULL) || job->state != STATE_TAKING)
			continue;
		job->state = STATE_WRITING;
		job->timer = sd_event_source_unref(job->timer);
		syslog(LOG_INFO, "snapshot: %s: its contents are in memory",
		       message_text(message, "frozen", "?"));
		if (job->no_wait && json_is_true(json_object_get(message, "promised"))) {
			json_t *answer =
				json_pack("{s:O,s:O}", "path", json_object_get(message, "frozen"),
					  "notes", json_object_get(message, "notes"));

			answer_all(job, answer);
			json_decref(answer);
		}
		start_next(job->jobs);
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

	read_reports(job);
	end_job(job);
	return 0;
}

static int on_timeout(sd_event_source *source, uint64_t now, void *user)
{
	struct job *job = user;
	pid_t pid;

	fail(job,
	     "the session daemon has not answered for a minute; see `systemctl status lttng-sessiond`");
	if (sd_event_source_get_child_pid(job->child, &pid) >= 0)
		kill(pid, SIGKILL);
	return 0;
}

/* Restores what a process starts with: sd-event reads signals through a descriptor. */
static void reset_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void run_child(const struct job *job, int report)
{
	char name[16], stage[PATH_MAX + sizeof(name)];
	struct worker_job work = {
		.request = job->request,
		.requester = &job->requester,
		.stage = stage,
		.output = job->output,
		.report = report,
	};

	/* Ctrl-C is for the daemon, which lets snapshots be completed. */
	setpgid(0, 0);
	reset_signals();
	stage_name(job, name, sizeof(name));
	snprintf(stage, sizeof(stage), "%s/%s", job->jobs->stage_path, name);
	_exit(worker_run(&work));
}

static int watch_child(struct job *job, pid_t pid)
{
	sd_event *event = job->jobs->event;

	return sd_event_add_child(event, &job->child, pid, WEXITED, on_child, job) < 0 ||
			       sd_event_add_io(event, &job->io, job->report, EPOLLIN, on_report,
					       job) < 0 ||
			       sd_event_add_time_relative(event, &job->timer, CLOCK_MONOTONIC,
							  TAKING_US, 0, on_timeout, job) < 0
		       ? -1
		       : 0;
}

static int start(struct job *job)
{
	char name[16];
	int fds[2], folder;
	pid_t pid;

	stage_name(job, name, sizeof(name));
	folder = folder_make(job->jobs->stage, name, 0700);
	if (folder < 0)
		return -1;
	close(folder);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds))
		return -1;
	job->report = fds[0];
	pid = fork();
	if (!pid)
		run_child(job, fds[1]);
	close(fds[1]);
	if (pid < 0)
		return -1;
	job->state = STATE_TAKING;
	if (!watch_child(job, pid))
		return 0;
	kill(pid, SIGKILL);
	if (!job->child)
		waitpid(pid, NULL, 0);
	return job->child ? 0 : -1;
}

/* Starts the first snapshot that waits, unless another is being taken or memory is used up. */
static void start_next(struct jobs *jobs)
{
	struct job *job, *queued = NULL;
	unsigned int writing = 0;

	for (job = jobs->first; job; job = job->next) {
		if (job->state == STATE_TAKING)
			return;
		writing += job->state == STATE_WRITING;
		if (job->state == STATE_QUEUED && !queued)
			queued = job;
	}
	if (!queued || writing >= WRITING_MAX)
		return;
	if (start(queued)) {
		fail(queued, "no process can be started: %s", strerror(errno));
		end_job(queued);
	}
}

static bool same_request(const struct job *job, const struct requester *requester,
			 const json_t *request, const struct stat *output)
{
	return job->state == STATE_QUEUED && job->device == output->st_dev &&
	       job->inode == output->st_ino && requester_equal(&job->requester, requester) &&
	       json_equal(json_object_get(job->request, "options"),
			  json_object_get(request, "options")) &&
	       job->client_count < CLIENTS_MAX;
}

static int join(struct job *job, void *client)
{
	void **grown = realloc(job->clients, (job->client_count + 1) * sizeof(*grown));

	if (!grown)
		return -1;
	grown[job->client_count++] = client;
	job->clients = grown;
	return 0;
}

static int on_due(sd_event_source *source, uint64_t now, void *user)
{
	struct job *job = user;

	job->timer = sd_event_source_unref(job->timer);
	job->state = STATE_QUEUED;
	start_next(job->jobs);
	return 0;
}

/* Has the job wait for its time, if that is later than now. */
static int delay(struct job *job)
{
	struct request_snapshot request;
	struct snapshot_times now;
	int64_t due_ns;

	request_read(job->request, &request);
	snapshot_now(&now);
	job->no_wait = request.no_wait;
	job->state = STATE_QUEUED;
	if (request.snapshot.after_ns <= 0)
		return 0;
	due_ns = request.snapshot.requested.monotonic_ns + request.snapshot.after_ns;
	/* The process that takes it prepares for so long. */
	due_ns -= SNAPSHOT_PREPARATION_NS;
	if (due_ns <= now.monotonic_ns)
		return 0;
	job->state = STATE_DELAYED;
	return sd_event_add_time_relative(job->jobs->event, &job->timer, CLOCK_MONOTONIC,
					  (uint64_t)(due_ns - now.monotonic_ns) / 1000, 0, on_due,
					  job) < 0
		       ? -1
		       : 0;
}

/* Appends a job for a request that shares none. */
static struct job *make_job(struct jobs *jobs, const struct requester *requester, json_t *request,
			    const struct stat *output)
{
	struct job *job = calloc(1, sizeof(*job)), **at = &jobs->first;

	if (!job)
		return NULL;
	*job = (struct job){
		.jobs = jobs,
		.number = ++jobs->last_number,
		.requester = *requester,
		.request = json_incref(request),
		.output = -1,
		.report = -1,
		.device = output->st_dev,
		.inode = output->st_ino,
		.requested_s = now_s(),
	};
	if (delay(job)) {
		free_job(job);
		return NULL;
	}
	while (*at)
		at = &(*at)->next;
	*at = job;
	return job;
}

static int add(struct jobs *jobs, void *client, const struct requester *requester, json_t *request,
	       int *output, struct mm_error *err)
{
	struct job *job;
	struct stat st;
	size_t queued = 0;

	if (request_check(request, err))
		return -1;
	if (*output < 0 || fstat(*output, &st) || !S_ISDIR(st.st_mode))
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "snapshot: the request has no descriptor of a folder");
	if (jobs->finishing)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "recorder daemon: it is being stopped; try again later");
	for (job = jobs->first; job; job = job->next) {
		queued += job->state <= STATE_QUEUED;
		if (same_request(job, requester, request, &st))
			break;
	}
	if (!job && queued == QUEUED_MAX)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "recorder daemon: %d snapshots are waiting; try again later",
				    QUEUED_MAX);
	if (!job) {
		job = make_job(jobs, requester, request, &st);
		if (job) {
			job->output = *output;
			*output = -1;
		}
	}
	return !job || join(job, client)
		       ? mm_error_set(err, MM_EXIT_ENVIRONMENT, "recorder daemon: out of memory")
		       : 0;
}

int jobs_add(struct jobs *jobs, void *client, const struct requester *requester, json_t *request,
	     int output, struct mm_error *err)
{
	int ret = add(jobs, client, requester, request, &output, err);

	if (output >= 0)
		close(output);
	start_next(jobs);
	return ret;
}

void jobs_forget(struct jobs *jobs, void *client)
{
	for (struct job *job = jobs->first; job; job = job->next)
		for (size_t i = 0; i < job->client_count; i++)
			if (job->clients[i] == client)
				job->clients[i--] = job->clients[--job->client_count];
}

bool jobs_busy(const struct jobs *jobs)
{
	return jobs->first;
}

void jobs_finish(struct jobs *jobs)
{
	jobs->finishing = true;
}
