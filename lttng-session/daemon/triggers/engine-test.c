// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A test of a trigger: a synthetic match through the whole chain, which fails where a step says
 * so. What waits for the session daemon or a disk is done by processes.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lttng-session/daemon/jobs/child.h"
#include "lttng-session/daemon/triggers/engine-end.h"
#include "lttng-session/daemon/triggers/engine-work.h"
#include "lttng-session/sysinfo/sysinfo.h"
#include "lttng-session/system/message.h"
#include "util/json-file.h"

/* For the process that watches, which asks the session daemon several times. */
#define ANSWER_US (30 * 1000000ull)
/* For the process that looks at the recorder and its folder. */
#define REST_US (20 * 1000000ull)
/* A process of a user sends no more. */
#define STEPS_MAX 32

static void add_step(struct watched *watched, const char *step, bool ok, const char *text)
{
	engine_add_step(watched->test_steps, step, ok, false, "%s", text);
	watched->test_ok &= ok;
}

/* A step of a process, which may be one of a user. */
static void copy_step(struct watched *watched, const json_t *step)
{
	bool ok = json_is_true(json_object_get(step, "ok"));
	bool held = json_is_true(json_object_get(step, "held"));

	if (json_array_size(watched->test_steps) >= STEPS_MAX)
		return;
	engine_add_step(watched->test_steps, message_text(step, "step", "?"), ok, held, "%s",
			message_text(step, "text", "?"));
	watched->test_ok &= ok && !held;
}

/* The process ends by itself, or is killed. */
static void leave_rest(struct watched *watched)
{
	pid_t pid;

	if (watched->test_socket >= 0)
		close(watched->test_socket);
	watched->test_socket = -1;
	if (!watched->test_child)
		return;
	sd_event_source_get_child_pid(watched->test_child, &pid);
	watched->test_child = sd_event_source_disable_unref(watched->test_child);
	kill(pid, SIGKILL);
	engine_let_end(watched->engine->event, pid);
}

void engine_end_test(struct watched *watched)
{
	leave_rest(watched);
	watched->test_timer = sd_event_source_disable_unref(watched->test_timer);
	json_decref(watched->test_steps);
	watched->test_steps = NULL;
	watched->tester = NULL;
}

static void finish(struct watched *watched)
{
	json_t *answer = json_pack("{s:s,s:b,s:O}", "trigger", watched->trigger->name, "ok",
				   watched->test_ok, "steps", watched->test_steps);
	jobs_answer *send = watched->test_answer;
	void *tester = watched->tester;

	engine_end_test(watched);
	send(tester, answer);
	json_decref(answer);
}

static void check_command(struct watched *watched)
{
	const struct trigger *trigger = watched->trigger;

	if (!trigger->run)
		return;
	engine_add_step(watched->test_steps, "command", !watched->command, false,
			"%s as user %lu: %s",
			watched->command ? "the last one is still running; then, it would run"
					 : "then, it would run",
			(unsigned long)trigger->uid, trigger->run);
	watched->test_ok &= !watched->command;
}

static void end_rest(struct watched *watched)
{
	check_command(watched);
	finish(watched);
}

static int on_rest(sd_event_source *source, const siginfo_t *info, void *user)
{
	struct watched *watched = user;
	json_t *message = message_receive(watched->test_socket, NULL);
	const json_t *steps = json_object_get(message, "steps"), *step;
	size_t i;

	watched->test_child = sd_event_source_disable_unref(watched->test_child);
	json_array_foreach(steps, i, step) copy_step(watched, step);
	if (!steps)
		add_step(watched, "recorder", false,
			 "the process that looks at it and its folder was ended");
	json_decref(message);
	end_rest(watched);
	return 0;
}

static int on_late_rest(sd_event_source *source, uint64_t now, void *user)
{
	struct watched *watched = user;

	add_step(
		watched, "recorder", false,
		"the session daemon, or the disk of the recorder's folder, does not answer; see `systemctl status lttng-sessiond`");
	end_rest(watched);
	return 0;
}

/* Starts the process. Returns 0, or -1. */
static int start_rest(struct watched *watched)
{
	sd_event *event = watched->engine->event;
	pid_t pid = child_fork_with_socket(&watched->test_socket);

	if (!pid) {
		json_t *steps = json_pack(
			"{s:o}", "steps",
			engine_test_rest(watched->trigger, jobs_stage(watched->engine->jobs)));

		_exit(message_send(watched->test_socket, steps, -1) ? 1 : 0);
	}
	watched->test_timer = sd_event_source_disable_unref(watched->test_timer);
	if (pid > 0 &&
	    sd_event_add_child(event, &watched->test_child, pid, WEXITED, on_rest, watched) >= 0 &&
	    sd_event_add_time_relative(event, &watched->test_timer, CLOCK_MONOTONIC, REST_US, 0,
				       on_late_rest, watched) >= 0)
		return 0;
	if (pid > 0 && !watched->test_child) {
		kill(pid, SIGKILL);
		engine_let_end(event, pid);
	}
	return -1;
}

static void check_limits(struct watched *watched)
{
	char text[LIMITS_TEXT];
	int64_t now_ns = engine_now_ns();
	bool held = engine_check_limits(watched, now_ns) != LIMITS_TAKE;

	engine_explain_limits(watched, now_ns, text, sizeof(text));
	engine_add_step(watched->test_steps, "limits", true, held, "%s%s", text,
			held ? ": a match gets no snapshot now" : "");
	watched->test_ok &= !held;
}

/* What would happen to a match from here on. */
static void check_rest(struct watched *watched, json_t *match)
{
	struct mm_error err = MM_ERROR_INIT;
	json_t *request;

	check_limits(watched);
	request = engine_request(watched, match);
	if (!request || jobs_check_triggered(watched->engine->jobs, &err))
		add_step(watched, "request", false, request ? err.message : "out of memory");
	else
		add_step(watched, "request", true, "a snapshot would be requested");
	json_decref(request);
	if (start_rest(watched)) {
		add_step(watched, "recorder", false, "no process can be started");
		end_rest(watched);
	}
}

void engine_test_step(struct watched *watched, const json_t *message)
{
	if (watched->tester && !watched->test_child)
		copy_step(watched, message);
}

void engine_test_match(struct watched *watched, const json_t *message)
{
	const json_t *match = json_object_get(message, "match");

	/* One that is late. */
	if (!watched->tester || watched->test_child)
		return;
	add_step(watched, "match", match,
		 match ? "the process returned a synthetic match"
		       : "no match has reached the recorder daemon");
	check_rest(watched, engine_copy_match(watched, match));
}

/* The rest of the chain may fail, too. */
static void go_on(struct watched *watched)
{
	json_t *match = json_object();

	check_rest(watched, engine_copy_match(watched, match));
	json_decref(match);
}

void engine_test_lost(struct watched *watched)
{
	if (!watched->tester || watched->test_child)
		return;
	add_step(watched, "match", false, watched->why);
	go_on(watched);
}

static int on_silence(sd_event_source *source, uint64_t now, void *user)
{
	struct watched *watched = user;

	add_step(watched, "match", false,
		 "the process that watches does not answer; see `systemctl status lttng-sessiond`");
	go_on(watched);
	return 0;
}

static int on_unarmed(sd_event_source *source, uint64_t now, void *user)
{
	go_on(user);
	return 0;
}

void engine_start_test(struct watched *watched)
{
	json_t *question = json_pack("{s:s}", "test", watched->trigger->name);
	bool armed = watched->state == WATCHED_ARMED;
	char text[sizeof(watched->why) + 64];

	watched->test_steps = json_array();
	watched->test_ok = true;
	if (armed)
		snprintf(text, sizeof(text), "armed, process %d", (int)watched->pid);
	else if (watched->state == WATCHED_FAILED)
		snprintf(text, sizeof(text), "%s", watched->why);
	else if (watched->was_failed)
		snprintf(text, sizeof(text), "it is being started again after: %s", watched->why);
	else
		snprintf(text, sizeof(text), "it is being started; test again");
	add_step(watched, "watcher", armed, text);
	/* The answer must not come before this returns. */
	if (sd_event_add_time_relative(watched->engine->event, &watched->test_timer,
				       CLOCK_MONOTONIC, armed ? ANSWER_US : 0, 0,
				       armed ? on_silence : on_unarmed, watched) < 0 ||
	    (armed && message_send(watched->socket, question, -1)))
		add_step(watched, "match", false, "it cannot be sent to the process");
	json_decref(question);
}
