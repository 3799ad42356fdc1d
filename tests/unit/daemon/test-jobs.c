// SPDX-License-Identifier: LGPL-2.1-only
/* Tests the job queue with simulated workers. */
#include "lttng-session/daemon/jobs/job-queue.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/daemon/jobs/job.h"
#include "lttng-session/daemon/jobs/reserve.h"
#include "lttng-session/system/message.h"
#include "tests/tap.h"

#define USER 4711
#define OTHER 4712
#define WRITE_US 1000000
/* Time limit of the whole test. */
#define PATIENCE_US (60 * 1000000ull)

struct client {
	char text[256];
};

static void answer(void *user, const json_t *json)
{
	struct client *client = user;

	snprintf(client->text, sizeof(client->text), "%s",
		 message_text(json, "error", message_text(json, "path", "?")));
}

/*
 * Simulates a worker. The requested name selects whether it hangs before the freeze, hangs after
 * the freeze, or completes.
 */
static int work(const struct worker_job *job)
{
	const char *name = message_text(json_object_get(job->request, "options"), "name", "");
	int bytes = !strncmp(name, "stuck ", 6) ? atoi(name + 6) : 0;
	json_t *frozen = json_pack("{s:s,s:i}", "frozen", name, "bytes", bytes),
	       *path = json_pack("{s:s}", "path", name),
	       *promise = json_pack("{s:s+,s:[]}", "will_be", name, " promised", "notes");

	/* The worker dumps the state after these messages. */
	if (!strncmp(name, "promise", 7))
		message_send(job->report, promise, -1);
	json_decref(promise);
	message_send(job->report, frozen, -1);
	if (!strncmp(name, "stuck", 5))
		pause();
	message_send(job->report, path, -1);
	json_decref(frozen);
	json_decref(path);
	return 0;
}

static void add(struct job_queue *queue, struct client *client, uid_t uid, const char *name,
		int after_s)
{
	const struct requester requester = { .uid = uid };
	/* Forge a cause: the daemon must remove it, because no trigger requests this snapshot. */
	json_t *request = json_pack("{s:s,s:{s:s,s:I},s:{s:s,s:s}}", "output", "/run", "options",
				    "name", name, "after_ns", (json_int_t)after_s * 1000000000,
				    "cause", "kind", "trigger", "trigger", "forged");
	struct mm_error err = MM_ERROR_INIT;

	client->text[0] = '\0';
	if (job_queue_add(queue, client, &requester, request, -1, &err))
		snprintf(client->text, sizeof(client->text), "refused: %s", err.message);
	json_decref(request);
}

/* Runs the daemon's loop until @client has an answer. */
static const char *await(sd_event *event, const struct client *client)
{
	for (int i = 0; !*client->text && i < 100; i++)
		sd_event_run(event, PATIENCE_US / 100);
	return client->text;
}

static size_t count_jobs(const struct job_queue *queue)
{
	size_t others;
	json_t *list = job_queue_list(queue, 0, &others);
	size_t count = json_array_size(list);

	json_decref(list);
	return count;
}

static void check_stuck(sd_event *event, struct job_queue *queue)
{
	struct client stuck[3], quick;

	for (int i = 0; i < 3; i++)
		add(queue, &stuck[i], USER, "stuck", i + 1 == 3 ? 0 : i);
	add(queue, &quick, OTHER, "quick", 0);
	tap(!strcmp(await(event, &quick), "quick"), "users that do not write delay no other");
	tap(strstr(await(event, &stuck[0]), "nothing could be written for 1 s"),
	    "... and are given up: %s", stuck[0].text);
	for (int i = 1; i < 3; i++)
		await(event, &stuck[i]);
}

static void add_triggered(struct job_queue *queue, struct client *client, const char *name,
			  int after_s)
{
	json_t *request = json_pack("{s:s,s:{s:s,s:I},s:{s:s,s:s}}", "output", "/run", "options",
				    "name", name, "after_ns", (json_int_t)after_s * 1000000000,
				    "cause", "kind", "trigger", "trigger", "own");
	struct mm_error err = MM_ERROR_INIT;

	client->text[0] = '\0';
	if (job_queue_add_triggered(queue, client, answer, request, &err))
		snprintf(client->text, sizeof(client->text), "refused: %s", err.message);
	json_decref(request);
}

static unsigned int count_writing(const struct job_queue *queue)
{
	unsigned int count = 0;

	for (const struct job *job = queue->first; job; job = job->next)
		count += job->state == JOB_WRITING;
	return count;
}

/* Simulates a worker that is killed but does not exit, because its disk no longer responds. */
static pid_t hang(struct job *job)
{
	pid_t pid = 0;

	if (sd_event_source_get_child_pid(job->child, &pid) < 0)
		tap_bail("no process");
	job->child = sd_event_source_unref(job->child);
	job_kill(job);
	job->timer = sd_event_source_unref(job->timer);
	job_conclude(job);
	return pid;
}

#define HANGING 8 /* maximum number of hanging workers per user */

static void check_hanging(sd_event *event, struct job_queue *queue)
{
	struct client stuck[HANGING], quick;
	pid_t pids[HANGING] = { 0 };
	char name[32];

	for (int i = 0; i < HANGING; i++) {
		snprintf(name, sizeof(name), "stuck %d", i);
		add(queue, &stuck[i], 0, name, 0);
		for (int k = 0; !count_writing(queue) && k < 100; k++)
			sd_event_run(event, PATIENCE_US / 100);
		for (struct job *job = queue->first; job; job = job->next)
			if (job->state == JOB_WRITING)
				pids[i] = hang(job);
		if (i != 1)
			continue;
		add(queue, &quick, 0, "quick", 0);
		tap(!strcmp(await(event, &quick), "quick"),
		    "processes that hang in the kernel delay no later snapshot: %s", quick.text);
	}
	add(queue, &quick, 0, "quick", 0);
	tap(strstr(await(event, &quick), "could not be written"),
	    "... but there may not be too many: %s", quick.text);
	add(queue, &quick, OTHER, "quick", 0);
	tap(!strcmp(await(event, &quick), "quick"), "... of one user");
	for (int i = 0; i < HANGING; i++)
		if (pids[i] > 0)
			kill(pids[i], SIGKILL);
	for (struct job *job = queue->first, *next; job; job = next) {
		next = job->next;
		job_remove(job);
	}
}

/* The simulated size of the stage, the filesystem in memory where snapshots wait to be copied. */
#define ROOM 1000

static int give_room(const struct job_queue *queue, uint64_t *bytes, uint64_t *used)
{
	(void)queue;
	*bytes = ROOM;
	*used = 0;
	return 0;
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Adds six jobs of the user, each of @bytes. Their workers write nothing. */
static void add_six(struct job_queue *queue, uid_t uid, unsigned int bytes,
		    struct client clients[6])
{
	char name[32];

	for (int i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "stuck %u %d", bytes, i);
		add(queue, &clients[i], uid, name, 0);
	}
}

/* Waits until @expected jobs are in memory. Returns the number of jobs in memory. */
static unsigned int await_writing(sd_event *event, const struct job_queue *queue,
				  unsigned int expected)
{
	const int64_t until = now_ms() + (count_writing(queue) < expected ? 20000 : 2000);

	while (count_writing(queue) < expected && now_ms() < until)
		sd_event_run(event, 100000);
	/* Wait longer, to detect surplus jobs. */
	for (int64_t more = now_ms() + 2000; now_ms() < more;)
		sd_event_run(event, 100000);
	return count_writing(queue);
}

/* Jobs that have waited for a second may use a larger part of the stage. */
static void check_pressing(sd_event *event)
{
	static const struct {
		const char *name;
		unsigned int bytes, first, second; /* second: another user's job; 0: none */
		unsigned int expected;
	} cases[] = {
		{ "two of a user, if more would leave too little", 200, USER, 0, 2 },
		{ "three, if a fourth would", 150, USER, 0, 3 },
		{ "four of a user, if others have waited", 100, USER, 0, 4 },
		{ "two users: two of the second, after four of the first", 20, USER, OTHER, 6 },
		{ "root may have four in addition", 20, USER, 0, 8 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char stage[] = "/tmp/lttng-mm-jobs-XXXXXX";
		struct job_queue *queue =
			mkdtemp(stage) ? job_queue_create(event, stage, answer) : NULL;
		struct client clients[2][6];
		unsigned int count;

		if (!queue)
			tap_bail("no folder");
		queue->work = work;
		queue->room = give_room;
		add_six(queue, cases[i].first, cases[i].bytes, clients[0]);
		if (cases[i].expected > 4) {
			await_writing(event, queue, 4);
			add_six(queue, cases[i].second, cases[i].bytes, clients[1]);
		}
		count = await_writing(event, queue, cases[i].expected);
		tap(count == cases[i].expected, "%s (%u)", cases[i].name, count);
		job_queue_destroy(queue);
		tap_shell("rm -r %s", stage);
	}
}

/* Tests triggered snapshots that do not write: they must not delay snapshots that root requests. */
static void check_triggered(sd_event *event, struct job_queue *queue)
{
	struct client stuck[3], quick;

	for (int i = 0; i < 3; i++)
		add_triggered(queue, &stuck[i], "stuck", 0);
	for (int i = 0; count_writing(queue) < 2 && i < 100; i++)
		sd_event_run(event, PATIENCE_US / 100);
	add(queue, &quick, 0, "quick", 0);
	tap(!strcmp(await(event, &quick), "quick") && count_writing(queue) == 2,
	    "triggered snapshots that do not write delay no request of root's");
	for (int i = 0; queue->first && i < 100; i++)
		sd_event_run(event, PATIENCE_US / 100);
	tap(!queue->first && strstr(stuck[2].text, "nothing could be written"),
	    "... and are given up: %s", stuck[2].text);
}

/* Tests a trigger that is removed while its snapshots are written: it must get no answer. */
static void check_forgotten(sd_event *event, struct job_queue *queue)
{
	struct client trigger;

	for (int i = 0; i < 2; i++)
		add_triggered(queue, &trigger, "stuck", 0);
	for (int i = 0; count_writing(queue) < 2 && i < 100; i++)
		sd_event_run(event, PATIENCE_US / 100);
	trigger.text[0] = '\0';
	job_queue_forget(queue, &trigger);
	for (int i = 0; queue->first && i < 100; i++)
		sd_event_run(event, PATIENCE_US / 100);
	tap(!queue->first && !*trigger.text, "a client that waits for two is forgotten by both: %s",
	    trigger.text);
}

static void check_later(sd_event *event, struct job_queue *queue)
{
	struct client later[2], many[70], triggered[70];
	size_t before = count_jobs(queue), refused = 0;

	add(queue, &later[0], USER, "later", 600);
	add(queue, &later[1], USER, "later", 600);
	tap(count_jobs(queue) == before + 2, "requests for a later time share no snapshot");
	job_queue_forget(queue, &later[0]);
	tap(count_jobs(queue) == before + 1, "... and end with their client");
	for (int i = 0; i < 70; i++) {
		add(queue, &many[i], USER, "later", 600);
		refused += !strncmp(many[i].text, "refused", 7);
	}
	tap(refused == 70 - 63, "at most 64 jobs of a user may wait (%zu refused)", refused);
	add(queue, &later[0], OTHER, "quick", 0);
	tap(!strcmp(await(event, &later[0]), "quick"), "... and another user is served");
	for (int i = 0; i < 70; i++)
		add_triggered(queue, &triggered[i], "later", 600);
	tap(!*triggered[63].text && !strncmp(triggered[64].text, "refused", 7),
	    "triggers may have as many: %s", triggered[64].text);
	add(queue, &later[0], 0, "quick", 0);
	tap(!strcmp(await(event, &later[0]), "quick"), "... which are none of root's");
	job_queue_finish(queue);
	tap(strstr(later[1].text, "was stopped"), "at the end they are refused: %s", later[1].text);
}

/* Tests that only root may state that a unit failed. */
static void check_unit(sd_event *event, struct job_queue *queue)
{
	static const uid_t users[] = { 0, USER };
	struct mm_error err = MM_ERROR_INIT;

	for (size_t i = 0; i < 2; i++) {
		const struct requester requester = { .uid = users[i] };
		json_t *request = json_pack("{s:s,s:{s:s},s:{s:s,s:s,s:s}}", "output", "/run",
					    "options", "name", "quick", "cause", "kind", "unit",
					    "unit", "x.service", "trigger", "forged");
		struct client client = { "" };
		json_t *list, *cause;
		char *text;
		size_t others;

		job_queue_add(queue, &client, &requester, request, -1, &err);
		await(event, &client);
		list = job_queue_list(queue, 0, &others);
		cause = json_object_get(json_array_get(list, json_array_size(list) - 1), "cause");
		text = json_dumps(cause, JSON_COMPACT);
		tap(!strcmp(text, users[i] ? "{\"kind\":\"request\"}"
					   : "{\"kind\":\"unit\",\"unit\":\"x.service\"}"),
		    "a unit that failed, of user %u: %s", (unsigned int)users[i], text);
		free(text);
		json_decref(list);
		json_decref(request);
	}
}

static void check_list(const struct job_queue *queue)
{
	size_t others;
	json_t *list = job_queue_list(queue, USER, &others), *entry;
	unsigned int triggered = 0;
	bool own = true;
	size_t i;

	json_array_foreach(list, i, entry)
	{
		const json_t *cause = json_object_get(entry, "cause");

		if (!strcmp(message_text(cause, "trigger", ""), "own"))
			triggered++;
		else
			own &= message_number(entry, "uid", -1) == USER;
	}
	tap(own && others, "a user sees the own snapshots and the number of others (%zu)", others);
	tap(triggered == 5, "... and all snapshots of triggers (%u)", triggered);
	json_decref(list);
}

/* Snapshots of an earlier daemon must be listed first, ordered by end; the list is limited. */
static void check_recalled(struct job_queue *queue)
{
	static const int ended[] = { 20, 10, 30 };
	json_int_t last = 0;
	bool ordered = true;
	size_t others, i, found = 0;
	json_t *list, *entry;

	for (i = 0; i < 3; i++) {
		entry = json_pack("{s:s,s:i,s:i,s:s}", "state", "written", "uid", 0, "ended",
				  ended[i], "path", "recalled");
		job_queue_recall(queue, entry);
		json_decref(entry);
	}
	list = job_queue_list(queue, 0, &others);
	json_array_foreach(list, i, entry)
	{
		json_int_t now = message_number(entry, "ended", INT64_MAX);

		ordered &= now >= last;
		last = now;
		found += !strcmp(message_text(entry, "path", ""), "recalled");
	}
	tap(ordered && found == 3, "recalled snapshots are listed by the time they were complete");
	json_decref(list);
	list = job_queue_list(queue, USER, &others);
	tap(!strcmp(message_text(json_object_get(json_array_get(list, 0), "cause"), "kind", ""),
		    "request"),
	    "a request is the cause of the others");
	json_decref(list);
	for (i = 0; i < 100; i++) {
		entry = json_pack("{s:i}", "ended", 1);
		job_queue_recall(queue, entry);
		json_decref(entry);
	}
	tap(count_jobs(queue) < 50, "the list is limited");
}

/* Tests a worker's answer that the daemon reads late: the daemon must accept it. */
static void check_patience(void)
{
	json_t *early = json_pack("{s:s}", "frozen", "early"),
	       *answered = json_pack("{s:s}", "path", "answer"), *message;
	bool found = false;
	int fds[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds))
		tap_bail("socketpair");
	while (!message_send(fds[1], early, -1))
		;
	tap(message_send_patiently(fds[1], answered, 200) && errno == EAGAIN,
	    "an answer that the daemon does not read is abandoned");
	pid = fork();
	if (!pid) {
		usleep(300000);
		_exit(message_send_patiently(fds[1], answered, 60000) != 0);
	}
	usleep(600000);
	for (int i = 0; !found && i < 3000; i++) {
		message = message_receive(fds[0], NULL);
		found = message_text(message, "path", NULL);
		if (!message)
			usleep(10000);
		json_decref(message);
	}
	tap(found, "an answer is sent when there is room for it");
	waitpid(pid, NULL, 0);
	close(fds[0]);
	close(fds[1]);
	json_decref(early);
	json_decref(answered);
}

/* Tests that no_wait requests are answered before the state dump, others after the snapshot. */
static void check_promised(sd_event *event, struct job_queue *queue)
{
	const struct requester requester = { .uid = USER };
	struct client early = { "" }, waits;
	struct mm_error err = MM_ERROR_INIT;
	json_t *request = json_pack("{s:s,s:{s:s,s:b}}", "output", "/run", "options", "name",
				    "promise early", "no_wait", true);

	add(queue, &waits, OTHER, "promise", 0);
	tap(!strcmp(await(event, &waits), "promise"), "a promise is no answer to those who wait");
	if (job_queue_add(queue, &early, &requester, request, -1, &err))
		tap_bail("%s", err.message);
	tap(!strcmp(await(event, &early), "promise early promised"),
	    "... but to those who do not: %s", early.text);
	json_decref(request);
}

static void write_tasks(const char *folder, int current)
{
	tap_shell("echo 100 >%s/pids.max && echo %d >%s/pids.current", folder, current, folder);
}

/* Tests that users cannot use up the service's tasks. */
static void check_reserve(sd_event *event, struct job_queue *queue, const char *folder)
{
	struct client client;

	reserve_set_folder(folder);
	write_tasks(folder, 40);
	add(queue, &client, USER, "quick", 0);
	tap(!strcmp(await(event, &client), "quick"), "a user's request with few tasks");
	write_tasks(folder, 60);
	add(queue, &client, USER, "quick", 0);
	tap(strstr(client.text, "refused: recorder daemon: 60 of 100 tasks are in use"),
	    "a user's request that would use the reserve: %s", client.text);
	write_tasks(folder, 99);
	add(queue, &client, 0, "quick", 0);
	tap(!strcmp(await(event, &client), "quick"), "root's request uses it");
	tap_shell("echo max >%s/pids.max", folder);
	add(queue, &client, USER, "quick", 0);
	tap(!strcmp(await(event, &client), "quick"), "a service without a limit of tasks");
	reserve_set_folder(NULL);
	tap(reserve_tasks(512) >= 64 && reserve_tasks(512) <= 256 && reserve_tasks(100) == 50,
	    "the reserve is %llu of 512 tasks, and at most half of them", reserve_tasks(512));
}

int main(void)
{
	char stage[] = "/tmp/lttng-mm-jobs-XXXXXX";
	struct job_queue *queue;
	sigset_t signals;
	sd_event *event;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	if (!mkdtemp(stage) || sd_event_new(&event) < 0)
		tap_bail("no folder or event loop");
	queue = job_queue_create(event, stage, answer);
	queue->work = work;
	job_queue_limit(queue, WRITE_US);
	check_patience();
	check_stuck(event, queue);
	check_pressing(event);
	check_hanging(event, queue);
	check_triggered(event, queue);
	check_forgotten(event, queue);
	check_unit(event, queue);
	check_list(queue);
	check_recalled(queue);
	check_promised(event, queue);
	check_reserve(event, queue, stage);
	check_later(event, queue);
	job_queue_destroy(queue);
	sd_event_unref(event);
	tap_shell("rm -r %s", stage);
	return tap_status();
}
