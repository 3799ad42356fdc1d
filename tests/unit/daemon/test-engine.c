// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Triggers in the recorder daemon, with processes of the test in the place of those that watch and
 * those that take snapshots; commands; and the counts of the last second.
 */
#include "lttng-session/daemon/triggers/engine.h"

#include <fcntl.h>
#include <malloc.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/daemon/jobs/job.h"
#include "lttng-session/daemon/triggers/command.h"
#include "lttng-session/daemon/triggers/engine-requests.h"
#include "lttng-session/daemon/triggers/watch/flood.h"
#include "lttng-session/system/message.h"
#include "tests/tap.h"
#include "util/text.h"

#define S INT64_C(1000000000)
#define PATIENCE_US 30000000

static const struct {
	const char *text, *words; /* each in brackets; NULL: refused */
} splits[] = {
	{ "a", "[a]" },
	{ "  a\t b  ", "[a][b]" },
	{ "", "" },
	{ "a 'b c' \"d e\"", "[a][b c][d e]" },
	{ "a''b", "[ab]" },
	{ "''", "[]" },
	{ "a\\ b", "[a b]" },
	{ "'a\\b' \"a\\b\" \"a\\\"b\"", "[a\\b][a\\b][a\"b]" },
	{ "$HOME `id` *;|&", "[$HOME][`id`][*;|&]" },
	{ "a 'b", NULL },
	{ "a \"b\\\"", NULL },
	{ "a \\", NULL },
};

static void check_split(void)
{
	for (size_t i = 0; i < sizeof(splits) / sizeof(splits[0]); i++) {
		char found[256] = "", **words = NULL;
		struct mm_error err = MM_ERROR_INIT;
		size_t count = 0;
		int ret = command_split(splits[i].text, &words, &count, &err);

		for (size_t j = 0; j < count; j++)
			snprintf(found + strlen(found), sizeof(found) - strlen(found), "[%s]",
				 words[j]);
		tap(splits[i].words ? !ret && !strcmp(found, splits[i].words) : ret && !count,
		    "words of <%s>: %s", splits[i].text, ret ? err.message : found);
		mm_strings_release(words, count);
	}
}

static void check_flood(void)
{
	struct flood flood = { 0 };

	for (int i = 0; i < 3000; i++)
		flood_add(&flood, 100 * S + i * S / 1000, 1);
	tap(flood_sum(&flood, 103 * S - 1) <= 1000 && flood_sum(&flood, 103 * S - 1) >= 950,
	    "a thousand in the last second: %llu",
	    (unsigned long long)flood_sum(&flood, 103 * S - 1));
	tap(flood_sum(&flood, 104 * S) == 0, "none after a second");
	flood_add(&flood, 110 * S, UINT64_MAX);
	flood_add(&flood, 110 * S, UINT64_MAX);
	tap(flood_sum(&flood, 110 * S) > UINT64_MAX / 100, "a count that is too large");
	flood_clear(&flood);
	tap(!flood_sum(&flood, 110 * S), "nothing after it was cleared");
	flood_add(&flood, 120 * S, FLOOD_MAX);
	tap(!flood_is_on(&flood, 120 * S, false), "not a flood yet");
	flood_add(&flood, 120 * S, 1);
	tap(flood_is_on(&flood, 120 * S, false), "a flood");
	tap(!flood_is_on(&flood, 120 * S, true), "not while a snapshot is permitted");
	flood_add(&flood, 120 * S, FLOOD_MAX_PERMITTED);
	tap(flood_is_on(&flood, 120 * S, true), "unless it does not end");
	flood_clear(&flood);
	flood.again = true;
	flood_add(&flood, 130 * S, 1);
	tap(!flood_is_on(&flood, 130 * S, false), "one match after a flood");
	flood_add(&flood, 130 * S + S / 2, 1);
	tap(flood_is_on(&flood, 130 * S + S / 2, false), "two in a second are the next one");
}

static void on_command(void *user, const char *status, bool success)
{
	snprintf(user, 128, "%s%s", success ? "ok " : "", status);
}

static void await(sd_event *event, const char *text)
{
	for (int i = 0; !*text && i < PATIENCE_US / 100000; i++)
		sd_event_run(event, 100000);
}

static void check_command(sd_event *event, const char *name, const char *text, int64_t limit_ns,
			  const char *expected)
{
	struct requester self = { .uid = getuid(), .gid = getgid() };
	struct mm_error err = MM_ERROR_INIT;
	char status[128] = "";
	struct command *command =
		command_start(event, text, "last one", &self, limit_ns, on_command, status, &err);

	if (command)
		await(event, status);
	tap(!strcmp(status, expected), "command %s: %s", name, command ? status : err.message);
	command_destroy(command);
}

static void check_commands(sd_event *event)
{
	if (geteuid()) {
		tap_skip("commands", "only root can become the user of a trigger");
		return;
	}
	check_command(event, "that succeeds", "true", 30 * S, "ok exit status 0");
	check_command(event, "that fails", "false", 30 * S, "exit status 1");
	check_command(event, "with its arguments",
		      "sh -c '[ \"$*\" = \"a b last one\" ] && [ $# = 3 ]' sh a b", 30 * S,
		      "ok exit status 0");
	check_command(event, "with the folder as one argument",
		      "sh -c '[ \"$2\" = \"last one\" ] && [ $# = 2 ]' sh a", 30 * S,
		      "ok exit status 0");
	check_command(event, "in a clean environment",
		      "sh -c '[ -z \"$HOME\" ] && [ $PWD = / ] && ! read x'", 30 * S,
		      "ok exit status 0");
	check_command(event, "that does not exist", "/nonexistent", 30 * S,
		      "exit status 127: it cannot be started");
	check_command(event, "that takes too long", "sh -c 'sleep 100'", S / 10,
		      "killed by signal 15, its time limit was exceeded");
	check_command(event, "that ignores SIGTERM",
		      "sh -c 'trap \"\" TERM; while :; do sleep 1; done'", S / 5,
		      "killed by signal 9, its time limit was exceeded");
}

static char stage[] = "/tmp/test-engine-XXXXXX";

/* The matches that the process sends, and what else. */
static unsigned int send_matches;
static unsigned int send_gap_us = 1000;
/* The copy of a snapshot lasts until the next one has begun. */
static bool copy_lasts;
/* What the process that watches was told, in memory that both have. */
static int64_t *quiet_until_ns;
/* See hold(). */
static bool held;
static const char *send_failed;

static void send_text(int socket, const char *text)
{
	json_t *json = json_loads(text, 0, NULL);

	message_send(socket, json, -1);
	json_decref(json);
}

/* Processes that are started meanwhile write a second late. */
#define LATE_US 1000000
static unsigned int late_writers;

int flock(int fd, int operation)
{
	if (late_writers)
		usleep(LATE_US);
	return (int)syscall(SYS_flock, fd, operation);
}

static pid_t watch(const struct trigger *trigger, int *socket, struct mm_error *err)
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

static int make_mark(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", stage, name);
	return mkdir(path, 0700);
}

static void remove_mark(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", stage, name);
	rmdir(path);
}

static bool has_mark(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", stage, name);
	return !access(path, F_OK);
}

/* The first one waits for the second, for up to a minute. */
static int copy_slowly(const struct worker_job *job, bool right)
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

static void await_mark(const char *name)
{
	for (int i = 0; !has_mark(name) && i < 6000; i++)
		usleep(10000);
}

/* The first one is frozen at once and ends when it may; the second one is not frozen before. */
static int hold(const struct worker_job *job)
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

static int work(const struct worker_job *job)
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

static void no_answer(void *client, const json_t *answer)
{
}

/* The steps and how each ended; those that fail with what is said of them. */
static void on_test(void *client, const json_t *answer)
{
	const json_t *steps = json_object_get(answer, "steps"), *step;
	char *text = client;
	size_t i;

	json_array_foreach(steps, i, step)
	{
		bool ok = json_is_true(json_object_get(step, "ok"));

		snprintf(text + strlen(text), 1024 - strlen(text), "%s %s%s;",
			 message_text(step, "step", "?"),
			 !ok					       ? "failed: "
			 : json_is_true(json_object_get(step, "held")) ? "held"
								       : "ok",
			 ok ? "" : message_text(step, "text", "?"));
	}
	snprintf(text + strlen(text), 1024 - strlen(text), "%s",
		 json_is_true(json_object_get(answer, "ok")) ? "works" : "does not");
}

static struct trigger *make_trigger_on(const char *on, uint64_t max, const char *run)
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

static struct trigger *make_trigger(uint64_t max, const char *run)
{
	return make_trigger_on("kernel-message oom", max, run);
}

static int64_t now_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * S + now.tv_nsec;
}

static void run_for(sd_event *event, int ms)
{
	int64_t end_ns = now_of(CLOCK_MONOTONIC) + ms * (S / 1000);

	while (now_of(CLOCK_MONOTONIC) < end_ns)
		sd_event_run(event, 10000);
}

/* Runs the loop until the trigger has what is expected of it. */
static json_t *await_state(sd_event *event, struct engine *engine, const char *key,
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

static void check_engine(sd_event *event, struct jobs *jobs)
{
	struct engine *engine = engine_create(event, jobs, watch);
	struct mm_error err = MM_ERROR_INIT;
	char answer[1024] = "";
	json_t *state;

	send_matches = 300;
	tap(!engine_add(engine, NULL, make_trigger(5, "false"), &err), "a trigger is added");
	tap(engine_add(engine, NULL, make_trigger(5, NULL), &err) && strstr(err.message, "exists"),
	    "but not twice: %s", err.message);
	mm_error_clear(&err);
	state = await_state(event, engine, "matches", NULL, 30000);
	tap(message_number(state, "matches", 0) == 30000 &&
		    json_is_true(json_object_get(state, "at_least")),
	    "all matches are counted");
	json_decref(state);
	run_for(event, 500);
	state = await_state(event, engine, "state", "armed", 0);
	tap(message_number(state, "snapshots", 0) == 5 &&
		    message_number(state, "failures", -1) == 0,
	    "and get the snapshots that are permitted: %d, %d failed",
	    (int)message_number(state, "snapshots", 0), (int)message_number(state, "failures", 0));
	tap(strstr(message_text(state, "limits", ""), "at its maximum"), "it is at its maximum");
	tap(!strcmp(message_text(json_object_get(state, "last"), "path", ""), "/x/y"),
	    "the last one is shown");
	if (geteuid())
		tap_skip("and how its command ended", "only root can become the user of a trigger");
	else
		tap(!strcmp(message_text(json_object_get(state, "run"), "status", ""),
			    "exit status 1"),
		    "and how its command ended");
	json_decref(state);
	tap(!engine_test(engine, 0, "t", answer, on_test, &err), "it is tested");
	await(event, answer);
	tap(!strncmp(answer, "watcher ok;match ok;limits held;request ok;recorder failed: ", 60) &&
		    strstr(answer, ";command ok;does not"),
	    "each step is named: %s", answer);
	tap(engine_test(engine, 0, "u", answer, on_test, &err), "one that does not exist");
	tap(engine_test(engine, 12345, "t", answer, on_test, &err), "others cannot test it");
	tap(engine_remove(engine, 12345, "t", &err), "others cannot remove it");
	tap(!engine_remove(engine, 0, "t", &err), "root can");
	state = engine_list(engine);
	tap(!json_array_size(state), "nothing is left");
	json_decref(state);

	send_failed = "{\"trigger\": \"t\", \"failed\": \"no\\u001b[31m luck\"}";
	engine_add(engine, NULL, make_trigger(5, NULL), &err);
	state = await_state(event, engine, "why", "luck", 0);
	tap(!strcmp(message_text(state, "state", ""), "failed") &&
		    !strchr(message_text(state, "why", "\033"), '\033'),
	    "a process that fails says why: %s", message_text(state, "why", ""));
	json_decref(state);
	send_failed = NULL;
	send_matches = 0;
	state = await_state(event, engine, "state", "armed", 0);
	tap(!strcmp(message_text(state, "state", ""), "armed"), "and is started again");
	json_decref(state);
	engine_destroy(engine);
	run_for(event, 200);
}

/* A match while the snapshot of the one before it is copied has one of its own. */
static void check_copy(sd_event *event, struct jobs *jobs)
{
	struct engine *engine = engine_create(event, jobs, watch);
	struct mm_error err = MM_ERROR_INIT;
	json_t *state;

	send_matches = 100000;
	send_gap_us = 10000;
	copy_lasts = true;
	engine_add(engine, NULL, make_trigger(2, NULL), &err);
	for (int i = 0; !(has_mark("first-ended") && has_mark("second-ended")) && i < 9000; i++)
		sd_event_run(event, 10000);
	run_for(event, 500);
	state = await_state(event, engine, "state", "armed", 0);
	tap(message_number(state, "snapshots", 0) == 2 &&
		    message_number(state, "failures", -1) == 0 &&
		    !strcmp(message_text(json_object_get(state, "last"), "path", ""), "/x/y"),
	    "a match during a copy has a snapshot of its own: %d, %d failed",
	    (int)message_number(state, "snapshots", 0), (int)message_number(state, "failures", 0));
	json_decref(state);
	copy_lasts = false;
	send_gap_us = 1000;
	engine_destroy(engine);
}

/* No match has another one while a snapshot is not frozen yet, although an earlier one ends. */
static void check_held(sd_event *event, struct jobs *jobs)
{
	struct engine *engine = engine_create(event, jobs, watch);
	struct mm_error err = MM_ERROR_INIT;
	json_t *state;

	remove_mark("first");
	remove_mark("second");
	send_matches = 100000;
	send_gap_us = 10000;
	held = true;
	engine_add(engine, NULL, make_trigger(3, NULL), &err);
	for (int i = 0; !has_mark("second") && i < 9000; i++)
		sd_event_run(event, 10000);
	make_mark("end");
	json_decref(await_state(event, engine, "last", NULL, 1));
	run_for(event, 500);
	state = await_state(event, engine, "state", "armed", 0);
	tap(message_text(json_object_get(state, "last"), "path", NULL) &&
		    message_number(state, "snapshots", 0) == 2,
	    "a snapshot that is not frozen covers matches when an earlier one ends: %d",
	    (int)message_number(state, "snapshots", 0));
	json_decref(state);
	make_mark("freeze");
	state = await_state(event, engine, "snapshots", NULL, 3);
	tap(message_number(state, "snapshots", 0) == 3, "... and those after its freeze have one");
	json_decref(state);
	for (int i = 0; jobs_busy(jobs) && i < 9000; i++)
		sd_event_run(event, 10000);
	held = false;
	send_gap_us = 1000;
	engine_destroy(engine);
	run_for(event, 200);
}

/* A trigger is removed while two of its snapshots are copied. */
static void check_removed(sd_event *event, struct jobs *jobs)
{
	static const char *const marks[] = { "first", "second", "first-ended", "second-ended" };
	struct engine *engine = engine_create(event, jobs, watch);
	struct mm_error err = MM_ERROR_INIT;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		remove_mark(marks[i]);
	send_matches = 100000;
	send_gap_us = 10000;
	copy_lasts = true;
	engine_add(engine, NULL, make_trigger(2, "false"), &err);
	for (int i = 0; !has_mark("second") && i < 9000; i++)
		sd_event_run(event, 10000);
	tap(jobs_busy(jobs) && !engine_remove(engine, 0, "t", &err),
	    "a trigger is removed while two snapshots of it are copied");
	for (int i = 0; jobs_busy(jobs) && i < 9000; i++)
		sd_event_run(event, 10000);
	tap(!jobs_busy(jobs), "... which are completed");
	copy_lasts = false;
	send_gap_us = 1000;
	engine_destroy(engine);
	run_for(event, 200);
}

/* In a process of its own, after the machine has slept for days. */
static int run_asleep(struct jobs *jobs)
{
	struct trigger *trigger = make_trigger_on("sched_switch", 1, NULL);
	struct mm_error err = MM_ERROR_INIT;
	struct engine *engine;
	sd_event *event;
	int64_t now;

	if (sd_event_new(&event) < 0)
		return 2;
	engine = engine_create(event, jobs, watch);
	send_matches = 1;
	trigger->warm_up_ns = 60 * S;
	engine_add(engine, NULL, trigger, &err);
	for (int i = 0; !*quiet_until_ns && i < 3000; i++)
		sd_event_run(event, 10000);
	now = now_of(CLOCK_BOOTTIME);
	engine_destroy(engine);
	sd_event_unref(event);
	return *quiet_until_ns > now && *quiet_until_ns <= now + 60 * S ? 0 : 1;
}

static bool set_asleep(void)
{
	static const char offset[] = "boottime 1000000 0";
	int fd, ret;

	if (unshare(CLONE_NEWTIME))
		return false;
	fd = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
	ret = fd < 0 || write(fd, offset, strlen(offset)) < 0 ? -1 : 0;
	close(fd);
	return !ret;
}

static void check_quiet(struct jobs *jobs)
{
	static const char name[] = "until when no match counts is on the clock of the limits";
	pid_t pid = fork(), child;
	int status = 0;

	if (!pid) {
		if (!set_asleep())
			_exit(77);
		child = fork();
		if (!child)
			_exit(run_asleep(jobs));
		waitpid(child, &status, 0);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 3);
	}
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		tap_skip(name, "no time namespace can be made");
	else
		tap(!status, "%s", name);
}

static void keep_answer(void *client, const json_t *answer)
{
	snprintf(client, 256, "%s", message_text(answer, "error", "done"));
}

static void remove_by_request(sd_event *event, struct engine_requests *requests, char *text)
{
	const struct requester root = { .uid = 0 };
	json_t *request = json_pack("{s:s,s:s}", "request", "trigger-remove", "name", "t");
	struct mm_error err = MM_ERROR_INIT;

	*text = '\0';
	if (engine_requests_serve(requests, text, &root, request, &err))
		snprintf(text, 256, "%s", err.message);
	await(event, text);
	json_decref(request);
}

/* A trigger whose file cannot be removed would be there again after a restart. */
static void check_files(sd_event *event, struct jobs *jobs)
{
	static const char folder[] = "root/var/lib/lttng-mm/triggers";
	struct engine *engine = engine_create(event, jobs, watch);
	struct engine_requests *requests = engine_requests_create(event, engine, keep_answer);
	struct mm_error err = MM_ERROR_INIT;
	char text[256];
	json_t *list;

	send_matches = 0;
	tap_shell("mkdir -p %s/%s/t.json", stage, folder);
	engine_add(engine, NULL, make_trigger(1, NULL), &err);
	remove_by_request(event, requests, text);
	list = engine_list(engine);
	tap(strstr(text, "t.json: ") && json_array_size(list) == 1,
	    "a trigger whose file cannot be removed stays: %s", text);
	json_decref(list);
	tap_shell("rmdir %s/%s/t.json; : >%s/%s/t.json", stage, folder, stage, folder);
	remove_by_request(event, requests, text);
	list = engine_list(engine);
	tap(!strcmp(text, "done") && !json_array_size(list) &&
		    !has_mark("root/var/lib/lttng-mm/triggers/t.json"),
	    "both are removed: %s", text);
	json_decref(list);
	engine_requests_destroy(requests);
	engine_destroy(engine);
	run_for(event, 200);
}

static bool has_limits(const char *text)
{
	char command[256];

	snprintf(command, sizeof(command),
		 "grep -q '%s' %s/root/var/lib/lttng-mm/triggers/.t.limits 2>/dev/null", text,
		 stage);
	return !system(command);
}

/* The limits continue when the daemon starts again, and not for a trigger that is added anew. */
static void check_restart(sd_event *event, struct jobs *jobs)
{
	struct requester self = { .uid = getuid(), .gid = getgid() };
	struct engine *engine = engine_create(event, jobs, watch);
	struct mm_error err = MM_ERROR_INIT;
	json_t *state;

	engine_keep(engine);
	send_matches = 10;
	engine_add(engine, &self, make_trigger(1, NULL), &err);
	state = await_state(event, engine, "limits", "at its maximum", 0);
	json_decref(state);
	for (int i = 0; i < 3000 && !has_limits("last_ns"); i++)
		sd_event_run(event, 10000);
	tap(has_limits("last_ns"), "what the limits depend on is kept");
	json_decref(await_state(event, engine, "matches", NULL, 1000));
	engine_destroy(engine);
	tap(has_limits("\"matches\": 1000") && has_limits("\"ended\": true"),
	    "the counts are kept when the daemon ends");

	engine = engine_create(event, jobs, watch);
	engine_keep(engine);
	engine_add(engine, NULL, make_trigger(1, NULL), &err);
	state = await_state(event, engine, "matches", NULL, 2000);
	tap(message_number(state, "matches", 0) == 2000 &&
		    message_number(state, "snapshots", 0) == 1 &&
		    strstr(message_text(state, "limits", ""), "at its maximum"),
	    "after a restart, it is still at its maximum, and its counts continue");
	json_decref(state);
	engine_remove(engine, 0, "t", &err);
	engine_add(engine, &self, make_trigger(1, NULL), &err);
	state = await_state(event, engine, "snapshots", NULL, 1);
	tap(message_number(state, "snapshots", 0) == 1,
	    "one that is added anew starts from nothing");
	json_decref(state);
	engine_destroy(engine);
	run_for(event, 200);
}

/* @at_least of a trigger of another daemon, that reads what this one has written. */
static bool reads_at_least(sd_event *event, struct jobs *jobs)
{
	struct engine *engine = engine_create(event, jobs, watch);
	struct mm_error err = MM_ERROR_INIT;
	json_t *list;
	bool at_least;

	engine_keep(engine);
	engine_add(engine, NULL, make_trigger(1, NULL), &err);
	list = engine_list(engine);
	at_least = json_is_true(json_object_get(json_array_get(list, 0), "at_least"));
	json_decref(list);
	engine_destroy(engine);
	run_for(event, 200);
	return at_least;
}

/* A daemon that is killed may not have written its last matches. */
static void check_crash(sd_event *event, struct jobs *jobs)
{
	struct requester self = { .uid = getuid(), .gid = getgid() };
	struct engine *engine = engine_create(event, jobs, watch);
	struct mm_error err = MM_ERROR_INIT;

	send_matches = 0;
	engine_keep(engine);
	engine_add(engine, &self, make_trigger(1, NULL), &err);
	for (int i = 0; i < 3000 && !has_limits("\"ended\": false"); i++)
		sd_event_run(event, 10000);
	tap(reads_at_least(event, jobs), "after a crash, there may have been more matches");
	engine_destroy(engine);
	tap(!reads_at_least(event, jobs), "after an end, there were none");
	run_for(event, 200);
}

/* Tests the trigger t;  is in what is said. */
static void test_says(sd_event *event, struct engine *engine, const char *expected,
		      const char *name)
{
	struct mm_error err = MM_ERROR_INIT;
	char answer[1024] = "";

	if (!engine_test(engine, 0, "t", answer, on_test, &err))
		await(event, answer);
	tap(strstr(answer, expected), "%s: %s", name, answer);
}

/* Replaces the plan, as `record` and `stop` do. : of the profile dax, as JSON; NULL: none. */
static void put_plan(const char *triggers)
{
	static const char folder[] = "root/run/lttng-mm";
	char path[128];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s/new", stage, folder);
	out = fopen(path, "we");
	if (!out)
		tap_bail("%s cannot be written", path);
	fprintf(out,
		"{\"version\":1,\"boot_id\":\"here\",\"recorders\":[{\"name\":\"mine\",\"budget_bytes\":null,"
		"\"output\":\"%s/out\",\"sessions\":[{\"name\":\"one\",\"role\":\"events\",\"profiles\":[\"dax\"],\"since\":7,"
		"\"callstack\":false,\"kaslr_safe\":true,\"channels\":[{\"name\":\"c\",\"subbuf_bytes\":4096,"
		"\"subbuf_count\":8,\"events\":[\"dax_*\"],\"contexts\":[]}]%s%s}]}]}",
		stage, triggers ? ",\"triggers\":" : "", triggers ? triggers : "");
	fclose(out);
	tap_shell("chmod 644 %s && mv %s %s/%s/recorder.json", path, path, stage, folder);
}

/* Names and profiles of the triggers at work. */
static void list_engine(const struct engine *engine, char text[256])
{
	json_t *list = engine_list(engine);
	const json_t *state;
	size_t i;

	*text = 0;
	json_array_foreach(list, i, state)
		snprintf(text + strlen(text), 256 - strlen(text), "%s:%s:%s ",
			 message_text(json_object_get(state, "definition"), "name", "?"),
			 message_text(state, "profile", "-"),
			 message_text(json_object_get(state, "definition"), "session", "-"));
	json_decref(list);
}

static void engine_becomes(sd_event *event, const struct engine *engine, const char *expected,
			   const char *name)
{
	char text[256];

	list_engine(engine, text);
	for (int i = 0; strcmp(text, expected) != 0 && i < 3000; i++) {
		sd_event_run(event, 10000);
		list_engine(engine, text);
	}
	tap(!strcmp(text, expected), "%s: %s", name, text);
}

#define OOM(name) "{\"name\":\"" name "\",\"on\":\"kernel-message oom\",\"cooldown_ns\":0}"

/* What a test finds in the recorder's folder. */
static void check_folder(sd_event *event, struct engine *engine)
{
	static const char full[] = "mount -t tmpfs -o size=64k full %s/out";

	json_decref(await_state(event, engine, "state", "armed", 0));
	test_says(event, engine, ";memory ok;folder ok;", "a folder that does not exist yet");
	tap_shell("mkdir -m 755 %s/out", stage);
	test_says(event, engine, ";memory ok;folder ok;", "a folder");
	remove_mark("out");
	tap(!has_mark("out"), "nothing is written there");
	tap_shell("mkdir -m 755 %s/out", stage);
	if (geteuid()) {
		tap_skip("a folder that all can write", "only root refuses it");
		tap_skip("a full disk", "only root can mount one");
		return;
	}
	tap_shell("chmod 777 %s/out", stage);
	test_says(event, engine, "folder failed: snapshot: ", "a folder that all can write");
	tap_shell("chmod 755 %s/out", stage);
	tap_shell(full, stage);
	tap_shell("dd if=/dev/zero of=%s/out/x bs=4k count=15 2>/dev/null", stage);
	test_says(event, engine, "make room", "a full disk");
	tap_shell("umount %s/out", stage);
}

/* Adds triggers of @uid until one is refused. Returns how many were added. */
static unsigned int add_all(struct engine *engine, uid_t uid, struct mm_error *err)
{
	unsigned int count = 0;

	while (true) {
		struct trigger *trigger = make_trigger(1, NULL);

		trigger->uid = uid;
		snprintf(trigger->name, sizeof(trigger->name), "t%u-%u", (unsigned int)uid, count);
		if (engine_add(engine, NULL, trigger, err))
			return count;
		count++;
	}
}

static pid_t no_watch(const struct trigger *trigger, int *socket, struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "not watched");
}

/* Sums the snapshots of the triggers that are listed. */
static json_int_t count_snapshots(const struct engine *engine)
{
	json_t *list = engine_list(engine), *state;
	json_int_t count = 0;
	size_t i;

	json_array_foreach(list, i, state) count += message_number(state, "snapshots", 0);
	json_decref(list);
	return count;
}

/* Runs the loop until the triggers have so many snapshots, and on, for those that are too many. */
static void await_snapshots(sd_event *event, const struct engine *engine, json_int_t count)
{
	int64_t end_ns = now_of(CLOCK_MONOTONIC) + PATIENCE_US * INT64_C(1000);

	while (count_snapshots(engine) < count && now_of(CLOCK_MONOTONIC) < end_ns)
		sd_event_run(event, 10000);
	run_for(event, 1500);
}

static void add_of_user(struct engine *engine, const struct requester *requester, const char *name,
			uid_t uid)
{
	struct trigger *trigger = make_trigger(5, NULL);
	struct mm_error err = MM_ERROR_INIT;

	trigger->uid = uid;
	strcpy(trigger->name, name);
	if (engine_add(engine, requester, trigger, &err))
		tap_bail("%s", err.message);
}

/* All triggers of a user have limits together, also after the daemon was started again. */
static void check_user_limits(sd_event *event, struct jobs *jobs)
{
	static const struct requester user = { .uid = 4711 };
	struct engine *engine = engine_create(event, jobs, watch);
	struct mm_error err = MM_ERROR_INIT;
	json_int_t before;
	json_t *list;

	tap_shell("rm -rf %s/root/var/lib/lttng-mm", stage);
	send_matches = 40;
	send_gap_us = 20000;
	engine_limit_users(engine, 3, 3600 * S);
	engine_keep(engine);
	add_of_user(engine, &user, "one", 4711);
	add_of_user(engine, &user, "two", 4711);
	await_snapshots(event, engine, 3);
	tap(count_snapshots(engine) == 3, "two triggers of a user get %d snapshots together",
	    (int)count_snapshots(engine));
	list = engine_list(engine);
	tap(!strncmp(message_text(json_array_get(list, 0), "limits", ""),
		     "at the maximum of all triggers of its user, for ", 48),
	    "... as the list says: %s", message_text(json_array_get(list, 0), "limits", ""));
	json_decref(list);
	/* A trigger that is added anew is not a way around it. */
	engine_remove(engine, 4711, "one", &err);
	add_of_user(engine, &user, "one", 4711);
	add_of_user(engine, &user, "root's", 0);
	await_snapshots(event, engine, count_snapshots(engine) + 5);
	list = engine_list(engine);
	tap(!message_number(json_array_get(list, 1), "snapshots", -1),
	    "a trigger that is added again gets none either");
	tap(message_number(json_array_get(list, 2), "snapshots", -1) == 5,
	    "root's triggers do not have this limit: %d",
	    (int)message_number(json_array_get(list, 2), "snapshots", -1));
	json_decref(list);
	engine_remove(engine, 0, "root's", &err);
	engine_remove(engine, 4711, "one", &err);
	before = count_snapshots(engine);
	engine_destroy(engine);
	run_for(event, 200);
	engine = engine_create(event, jobs, watch);
	engine_limit_users(engine, 3, 3600 * S);
	engine_keep(engine);
	add_of_user(engine, NULL, "two", 4711);
	run_for(event, 1000);
	tap(count_snapshots(engine) == before,
	    "after a restart of the daemon, the user is at the maximum");
	engine_remove(engine, 4711, "two", &err);
	engine_destroy(engine);
	run_for(event, 200);
	engine = engine_create(event, jobs, watch);
	engine_limit_users(engine, 3, 3600 * S);
	engine_keep(engine);
	add_of_user(engine, &user, "three", 4711);
	run_for(event, 1000);
	tap(!count_snapshots(engine), "... also with a new trigger, after the others were removed");
	engine_destroy(engine);
	run_for(event, 200);
}

/* How many snapshots are kept for the limits of the user. */
static int kept_snapshots(void)
{
	char path[256];
	json_t *json;
	int count;

	snprintf(path, sizeof(path), "%s/root/var/lib/lttng-mm/triggers/..user-4711.limits", stage);
	json = json_load_file(path, 0, NULL);
	count = (int)json_array_size(json_object_get(json, "taken"));
	json_decref(json);
	return count;
}

/* Runs the loop until that many snapshots are kept, and until the late writers have ended. */
static void await_kept(sd_event *event, int count)
{
	int64_t end_ns = now_of(CLOCK_MONOTONIC) + PATIENCE_US * INT64_C(1000);

	while (kept_snapshots() < count && now_of(CLOCK_MONOTONIC) < end_ns)
		sd_event_run(event, 10000);
	run_for(event, 2 * LATE_US / 1000);
}

/* A process that writes late must not replace what another one wrote after a later snapshot. */
static void check_late_write(sd_event *event, struct jobs *jobs)
{
	static const struct requester user = { .uid = 4711 };
	struct engine *engine = engine_create(event, jobs, watch);
	struct mm_error err = MM_ERROR_INIT;

	tap_shell("rm -rf %s/root/var/lib/lttng-mm", stage);
	engine_keep(engine);
	send_matches = 1;
	add_of_user(engine, &user, "one", 4711);
	await_kept(event, 1);
	tap(kept_snapshots() == 1, "the snapshot of a user's trigger is kept for the limit");
	send_matches = 0;
	late_writers = 1;
	add_of_user(engine, &user, "two", 4711);
	late_writers = 0;
	send_matches = 1;
	add_of_user(engine, &user, "three", 4711);
	await_kept(event, 2);
	tap(kept_snapshots() == 2,
	    "... also while the file is being written for another trigger: %d", kept_snapshots());
	late_writers = 1;
	add_of_user(engine, &user, "four", 4711);
	late_writers = 0;
	add_of_user(engine, &user, "five", 4711);
	engine_remove(engine, 4711, "four", &err);
	await_kept(event, 3);
	tap(kept_snapshots() >= 3, "... or that trigger is removed: %d", kept_snapshots());
	engine_destroy(engine);
	run_for(event, 200);
}

/* Only root has triggers without a limit. */
static void check_none(sd_event *event, struct jobs *jobs)
{
	static const struct requester user = { .uid = 4711 };
	struct engine *engine = engine_create(event, jobs, no_watch);
	struct engine_requests *requests = engine_requests_create(event, engine, keep_answer);
	struct mm_error err = MM_ERROR_INIT;
	json_t *request = json_pack("{s:s,s:{s:s,s:s,s:i}}", "request", "trigger-add", "trigger",
				    "name", "t", "on", "kernel-message oom", "max_ns", 0);
	char text[256] = "";

	tap(engine_requests_serve(requests, text, &user, request, &err) < 0 &&
		    strstr(err.message, "--max none: only root"),
	    "a user's trigger without a limit is refused: %s", err.message);
	engine_requests_destroy(requests);
	engine_destroy(engine);
	json_decref(request);
}

/* No user takes the triggers of others, or of root. */
static void check_shares(sd_event *event, struct jobs *jobs)
{
	struct engine *engine = engine_create(event, jobs, no_watch);
	const struct engine_pending own = { TRIGGERS_PER_USER - 1, TRIGGERS_PER_USER - 1 };
	struct mm_error err = MM_ERROR_INIT, full = MM_ERROR_INIT;
	unsigned int count = add_all(engine, 4711, &err);

	tap(count == TRIGGERS_PER_USER, "a user has %u triggers: %s", count, err.message);
	tap(engine_check_name(engine, 4712, "t", &own, &full) == 0,
	    "another one has those that are being added: %s", full.message);
	count = add_all(engine, 4712, &full) + add_all(engine, 4713, &full);
	tap(count == 2 * TRIGGERS_PER_USER && !add_all(engine, 4714, &full),
	    "all users but root have %u", count + TRIGGERS_PER_USER);
	count = add_all(engine, 0, &full);
	tap(count == TRIGGERS_MAX - TRIGGERS_OF_USERS_MAX, "root has %u more", count);
	engine_destroy(engine);
}

/* The triggers of profiles come and go with the plan, and those that were added take precedence. */
static void check_planned(sd_event *event, struct jobs *jobs)
{
	const struct engine_pending none = { 0, 0 };
	struct engine *engine = engine_create(event, jobs, watch);
	struct engine_requests *requests = engine_requests_create(event, engine, keep_answer);
	struct mm_error err = MM_ERROR_INIT;
	struct trigger *own = make_trigger(1, NULL);
	char text[256];

	send_matches = 0;
	tap_shell("mkdir -p %s/root/run/lttng-mm %s/root/proc/sys/kernel/random", stage, stage);
	tap_shell("echo here >%s/root/proc/sys/kernel/random/boot_id", stage);
	tap_shell("chmod go-w %s/root/run/lttng-mm", stage);
	put_plan("[" OOM("t") "," OOM("u") "]");
	own->uid = 0;
	engine_requests_load(requests);
	engine_becomes(event, engine, "t:dax:mine u:dax:mine ", "the triggers of the plan");
	check_folder(event, engine);
	put_plan("[" OOM(
		"t") ",{\"name\":\"run\",\"on\":\"kernel-message x\",\"run\":\"reboot\"},{\"name\":\"odd\"}]");
	engine_becomes(event, engine, "t:dax:mine ",
		       "one is no longer in the plan, others are refused");
	tap(engine_check_name(engine, 4711, "t", &none, &err) &&
		    strstr(err.message, "only root can replace"),
	    "a user cannot replace one: %s", err.message);
	mm_error_clear(&err);
	tap(!engine_check_name(engine, 0, "t", &none, &err) && !engine_add(engine, NULL, own, &err),
	    "root can: %s", err.message);
	engine_becomes(event, engine, "t:-:- ", "the one that was added takes precedence");
	put_plan("[" OOM("v") "," OOM("t") "]");
	engine_becomes(event, engine, "t:-:- v:dax:mine ", "... when the plan changes, too");
	tap_shell("mkdir -p %s/root/var/lib/lttng-mm/triggers", stage);
	remove_by_request(event, requests, text);
	tap(!strcmp(text, "done"), "the one that was added is removed: %s", text);
	engine_becomes(event, engine, "v:dax:mine t:dax:mine ", "and that of the profile is back");
	remove_by_request(event, requests, text);
	tap(!strcmp(text, "done"), "that of the profile is removed: %s", text);
	engine_becomes(event, engine, "v:dax:mine ", "... from the plan");
	put_plan(NULL);
	engine_becomes(event, engine, "", "none without a profile that has any");
	engine_requests_destroy(requests);
	engine_destroy(engine);
	run_for(event, 200);
}

/* Runs the loop until the processes that were told to end have, and their sources are freed. */
static void await_children(sd_event *event)
{
	int64_t end_ns = now_of(CLOCK_MONOTONIC) + PATIENCE_US * INT64_C(1000);
	siginfo_t info;

	while (!waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) &&
	       now_of(CLOCK_MONOTONIC) < end_ns)
		sd_event_run(event, 10000);
}

int main(void)
{
	char path[64];
	sigset_t child;
	struct jobs *jobs;
	sd_event *event;

	/* What was freed and is used ends the test. */
	mallopt(M_PERTURB, 0xa5);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	if (!mkdtemp(stage) || sd_event_new(&event) < 0)
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
	jobs = jobs_create(event, path, no_answer);
	jobs->work = work;
	check_split();
	check_flood();
	check_commands(event);
	check_engine(event, jobs);
	check_copy(event, jobs);
	check_held(event, jobs);
	check_removed(event, jobs);
	check_quiet(jobs);
	check_files(event, jobs);
	check_restart(event, jobs);
	check_crash(event, jobs);
	check_planned(event, jobs);
	check_shares(event, jobs);
	check_user_limits(event, jobs);
	check_late_write(event, jobs);
	check_none(event, jobs);
	jobs_destroy(jobs);
	await_children(event);
	sd_event_unref(event);
	tap_shell("rm -r %s", stage);
	return tap_status();
}
