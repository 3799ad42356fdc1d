/* SPDX-License-Identifier: LGPL-2.1-only */
/* Runs the trigger engine in a test, with simulated watchers and workers. */
#ifndef LTTNG_MM_TESTS_UNIT_ENGINE_H
#define LTTNG_MM_TESTS_UNIT_ENGINE_H

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/daemon/triggers/engine-requests.h"
#include "lttng-session/daemon/triggers/engine.h"
#include "lttng-session/daemon/jobs/job.h"
#include "lttng-session/system/message.h"
#include "tests/tap.h"

#define S INT64_C(1000000000)
#define PATIENCE_US 30000000

static char stage[] = "/tmp/test-engine-XXXXXX";

/* Settings of the simulated watcher. */
static unsigned int send_matches;
static unsigned int send_gap_us = 1000;
/* If set, the copying of a snapshot lasts until the next snapshot has begun. */
static bool copy_lasts;
/* Value of the last message "quiet_until_ns" to the watcher, in shared memory. */
static int64_t *quiet_until_ns;
/* If set, hold() is the worker. */
static bool held;
static const char *send_failed;

static inline void send_text(int socket, const char *text)
{
	json_t *json = json_loads(text, 0, NULL);

	message_send(socket, json, -1);
	json_decref(json);
}

static inline pid_t watch(const struct trigger *trigger, int *socket, struct mm_error *err)
{
	int fds[2],
		ret = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds);
	pid_t pid = ret ? -1 : fork();
	char byte;

	if (pid) {
		close(fds[1]);
		*socket = fds[0];
		return pid;
	}
	close(fds[0]);
	if (send_failed) {
		send_text(fds[1], send_failed);
		_exit(4);
	}
	send_text(fds[1], "{\"ready\": true}");
	for (unsigned int i = 0; i < send_matches; i++) {
		send_text(
			fds[1],
			"{\"trigger\": \"t\", \"match\": {\"matches\": 100, \"at_least\": true, "
			"\"cpu\": 1, \"fields\": {\"a\": 1, \"b\": [[]]}, \"text\": \"x\", \"y\": 1}}");
		usleep(send_gap_us);
		if (!recv(fds[1], &byte, 1, MSG_PEEK | MSG_DONTWAIT))
			_exit(0);
	}
	for (;;) {
		json_t *message = message_receive(fds[1], NULL);

		if (message && json_object_get(message, "quiet_until_ns"))
			*quiet_until_ns = message_number(message, "quiet_until_ns", 0);
		if (message && message_text(message, "test", NULL))
			send_text(fds[1], "{\"trigger\": \"t\", \"test\": true, \"match\": {}}");
		json_decref(message);
		if (!recv(fds[1], &byte, 1, MSG_PEEK | MSG_DONTWAIT))
			_exit(0);
		usleep(10000);
	}
}

static inline int make_mark(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", stage, name);
	return mkdir(path, 0700);
}

static inline void remove_mark(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", stage, name);
	rmdir(path);
}

static inline bool has_mark(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", stage, name);
	return !access(path, F_OK);
}

/* Simulates copying: the first worker waits up to a minute for the second one. */
static inline int copy_slowly(const struct worker_job *job, bool right)
{
	bool is_first = !make_mark("first"), begun = !is_first;

	if (!is_first)
		make_mark("second");
	for (int i = 0; !begun && i < 6000; i++) {
		usleep(10000);
		begun = has_mark("second");
	}
	send_text(job->report,
		  right && begun ? "{\"path\": \"/x/y\"}" : "{\"error\": \"wrong\", \"code\": 4}");
	make_mark(is_first ? "first-ended" : "second-ended");
	return 0;
}

static inline void await_mark(const char *name)
{
	for (int i = 0; !has_mark(name) && i < 6000; i++)
		usleep(10000);
}

/*
 * Simulates two snapshots. The first one freezes at once, and ends when the mark "end" exists. The
 * second one freezes when the mark "freeze" exists.
 */
static inline int hold(const struct worker_job *job)
{
	bool is_first = !make_mark("first"), is_second = !is_first && !make_mark("second");

	if (is_second)
		await_mark("freeze");
	send_text(job->report, "{\"frozen\": \"/x\"}");
	if (is_first)
		await_mark("end");
	send_text(job->report, "{\"path\": \"/x/y\"}");
	return 0;
}

static inline int work(const struct worker_job *job)
{
	json_t *cause = json_object_get(job->request, "cause");
	json_t *match = json_object_get(cause, "match");
	bool right = job->triggered && !job->socket_count && !job->requester->uid &&
		     !strcmp(message_text(cause, "trigger", ""), "t") &&
		     message_number(match, "matches", 0) >= 100 &&
		     json_is_true(json_object_get(match, "at_least")) &&
		     message_number(match, "cpu", -1) == 1 && !json_object_get(match, "y") &&
		     json_is_null(json_object_get(json_object_get(match, "fields"), "b"));

	if (held && right)
		return hold(job);
	send_text(job->report, "{\"frozen\": \"/x\"}");
	if (copy_lasts)
		return copy_slowly(job, right);
	usleep(2000);
	send_text(job->report,
		  right ? "{\"path\": \"/x/y\"}" : "{\"error\": \"wrong\", \"code\": 4}");
	return 0;
}

static inline void no_answer(void *client, const json_t *answer)
{
}

static inline struct trigger *make_trigger_on(const char *on, uint64_t max, const char *run)
{
	struct mm_error err = MM_ERROR_INIT;
	json_t *json = json_pack("{s:i,s:s,s:s,s:i,s:i,s:I,s:I,s:s*}", "version", 1, "name", "t",
				 "on", on, "cooldown_ns", 0, "warm_up_ns", 0, "max",
				 (json_int_t)max, "max_ns", (json_int_t)(3600 * S), "run", run);
	struct trigger *trigger = trigger_from_json(json, &err);

	json_decref(json);
	if (!trigger)
		tap_bail("%s", err.message);
	trigger->uid = getuid();
	trigger->gid = getgid();
	return trigger;
}

static inline struct trigger *make_trigger(uint64_t max, const char *run)
{
	return make_trigger_on("kernel-message oom", max, run);
}

static inline int64_t now_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * S + now.tv_nsec;
}

static inline void run_for(sd_event *event, int ms)
{
	int64_t end_ns = now_of(CLOCK_MONOTONIC) + ms * (S / 1000);

	while (now_of(CLOCK_MONOTONIC) < end_ns)
		sd_event_run(event, 10000);
}

static inline void await(sd_event *event, const char *text)
{
	for (int i = 0; !*text && i < PATIENCE_US / 100000; i++)
		sd_event_run(event, 100000);
}

/* Runs the loop until @key of the trigger's state has the expected value. */
static inline json_t *await_state(sd_event *event, struct engine *engine, const char *key,
				  const char *text, json_int_t number)
{
	int64_t end_ns = now_of(CLOCK_MONOTONIC) + PATIENCE_US * INT64_C(1000);

	for (;;) {
		json_t *list = engine_list(engine), *state = json_incref(json_array_get(list, 0));
		const json_t *value = json_object_get(state, key);

		json_decref(list);
		if (now_of(CLOCK_MONOTONIC) > end_ns ||
		    (text && json_is_string(value) && strstr(json_string_value(value), text)) ||
		    (!text && json_integer_value(value) >= number))
			return state;
		json_decref(state);
		sd_event_run(event, 10000);
	}
}

static inline void keep_answer(void *client, const json_t *answer)
{
	snprintf(client, 256, "%s", message_text(answer, "error", "done"));
}

/* Creates the root folder, the event loop, and the queue of jobs that take snapshots. */
static inline struct job_queue *set_up(sd_event **event)
{
	char path[64];
	sigset_t child;
	struct job_queue *queue;

	/* Poisons freed memory, so that a use after free fails. */
	mallopt(M_PERTURB, 0xa5);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	if (!mkdtemp(stage) || sd_event_new(event) < 0)
		tap_bail("no event loop");
	tap_shell("mkdir -p %s/root/var/lib %s/stage", stage, stage);
	tap_shell("chmod -R go-w %s/root", stage);
	snprintf(path, sizeof(path), "%s/root", stage);
	setenv("LTTNG_MM_ROOT", path, 1);
	snprintf(path, sizeof(path), "%s/stage", stage);
	quiet_until_ns = mmap(NULL, sizeof(*quiet_until_ns), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (quiet_until_ns == MAP_FAILED)
		tap_bail("out of memory");
	queue = job_queue_create(*event, path, no_answer);
	queue->work = work;
	return queue;
}

/* Runs the loop until all ending processes have been reaped. */
static inline void await_children(sd_event *event)
{
	int64_t end_ns = now_of(CLOCK_MONOTONIC) + PATIENCE_US * INT64_C(1000);
	siginfo_t info;

	while (!waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) &&
	       now_of(CLOCK_MONOTONIC) < end_ns)
		sd_event_run(event, 10000);
}

/* Releases everything that set_up() has created. Returns the exit status of the test. */
static inline int tear_down(sd_event *event, struct job_queue *queue)
{
	job_queue_destroy(queue);
	await_children(event);
	sd_event_unref(event);
	tap_shell("rm -r %s", stage);
	return tap_status();
}

#endif /* LTTNG_MM_TESTS_UNIT_ENGINE_H */
