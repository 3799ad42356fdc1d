// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests a trigger: sends a synthetic match through all steps from the watcher to the command, and
 * reports each step.
 *
 *   watcher: registered, notification, match -> daemon: limits, request
 *       -> child process (engine-test-target.c): recorder, memory, folder -> daemon: command
 *
 * The daemon does not block: only the watcher and the child process wait for the session daemon or
 * a disk.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lttng-session/daemon/jobs/child.h"
#include "lttng-session/daemon/triggers/reaper.h"
#include "lttng-session/daemon/triggers/active-trigger.h"
#include "lttng-session/sysinfo/sysinfo.h"
#include "lttng-session/system/message.h"
#include "util/json-file.h"

/*
 * Time limit for the watcher's part of a test. The watcher calls the session daemon several times.
 */
#define ANSWER_US (30 * 1000000ull)
/* Time limit for the child process that checks the recorder and its folder. */
#define TARGET_US (20 * 1000000ull)
/*
 * Maximum number of steps in an answer. A user may control the watcher process, and let it send any
 * number of steps.
 */
#define STEPS_MAX 32

static void add_step(struct active_trigger *active, const char *step, bool ok, const char *text)
{
	engine_add_step(active->test_steps, step, ok, false, "%s", text);
	active->test_ok &= ok;
}

/* Copies a step from another process, which a user may control. */
static void copy_step(struct active_trigger *active, const json_t *step)
{
	bool ok = json_is_true(json_object_get(step, "ok"));
	bool held = json_is_true(json_object_get(step, "held"));

	if (json_array_size(active->test_steps) >= STEPS_MAX)
		return;
	engine_add_step(active->test_steps, message_text(step, "step", "?"), ok, held, "%s",
			message_text(step, "text", "?"));
	active->test_ok &= ok && !held;
}

/* Kills the process that checks recorder and folder, if it still runs. */
static void leave_target(struct active_trigger *active)
{
	pid_t pid;

	if (active->test_socket >= 0)
		close(active->test_socket);
	active->test_socket = -1;
	if (!active->test_child)
		return;
	sd_event_source_get_child_pid(active->test_child, &pid);
	active->test_child = sd_event_source_disable_unref(active->test_child);
	kill(pid, SIGKILL);
	reap_in_background(active->engine->event, pid);
}

void engine_end_test(struct active_trigger *active)
{
	leave_target(active);
	active->test_timer = sd_event_source_disable_unref(active->test_timer);
	json_decref(active->test_steps);
	active->test_steps = NULL;
	active->tester = NULL;
}

static void finish(struct active_trigger *active)
{
	json_t *answer = json_pack("{s:s,s:b,s:O}", "trigger", active->trigger->name, "ok",
				   active->test_ok, "steps", active->test_steps);
	client_answer *send = active->test_answer;
	void *tester = active->tester;

	engine_end_test(active);
	send(tester, answer);
	json_decref(answer);
}

static void check_command(struct active_trigger *active)
{
	const struct trigger *trigger = active->trigger;

	if (!trigger->run)
		return;
	engine_add_step(
		active->test_steps, "command", !active->command, false, "%s as user %lu: %s",
		active->command
			? "would not run, because the previous command is still running; would otherwise run"
			: "would run after the snapshot",
		(unsigned long)trigger->uid, trigger->run);
	active->test_ok &= !active->command;
}

static void end_target(struct active_trigger *active)
{
	check_command(active);
	finish(active);
}

static int on_target(sd_event_source *source, const siginfo_t *info, void *user)
{
	struct active_trigger *active = user;
	json_t *message = message_receive(active->test_socket, NULL);
	const json_t *steps = json_object_get(message, "steps"), *step;
	size_t i;

	active->test_child = sd_event_source_disable_unref(active->test_child);
	json_array_foreach(steps, i, step) copy_step(active, step);
	if (!steps)
		add_step(active, "recorder", false,
			 "the process that checks the recorder and its folder was killed");
	json_decref(message);
	end_target(active);
	return 0;
}

static int on_late_target(sd_event_source *source, uint64_t now, void *user)
{
	struct active_trigger *active = user;

	add_step(
		active, "recorder", false,
		"the session daemon, or the disk of the recorder's folder, does not answer; see `systemctl status lttng-sessiond`");
	end_target(active);
	return 0;
}

static int start_target(struct active_trigger *active)
{
	sd_event *event = active->engine->event;
	pid_t pid = child_fork_with_socket(&active->test_socket);

	if (!pid) {
		json_t *steps =
			json_pack("{s:o}", "steps",
				  engine_test_target(active->trigger,
						     job_queue_stage(active->engine->queue)));

		_exit(message_send(active->test_socket, steps, -1) ? 1 : 0);
	}
	active->test_timer = sd_event_source_disable_unref(active->test_timer);
	if (pid > 0 &&
	    sd_event_add_child(event, &active->test_child, pid, WEXITED, on_target, active) >= 0 &&
	    sd_event_add_time_relative(event, &active->test_timer, CLOCK_MONOTONIC, TARGET_US, 0,
				       on_late_target, active) >= 0)
		return 0;
	if (pid > 0 && !active->test_child) {
		kill(pid, SIGKILL);
		reap_in_background(event, pid);
	}
	return -1;
}

static void check_limits(struct active_trigger *active)
{
	char text[LIMITS_TEXT];
	int64_t now_ns = engine_now_ns();
	bool held = engine_check_limits(active, now_ns) != LIMITS_TAKE;

	engine_explain_limits(active, now_ns, text, sizeof(text));
	engine_add_step(active->test_steps, "limits", true, held, "%s%s", text,
			held ? ": no snapshot would be taken now" : "");
	active->test_ok &= !held;
}

/* Tests the limits and the request, then starts the child process for the remaining steps. */
static void check_target(struct active_trigger *active, json_t *match)
{
	struct mm_error err = MM_ERROR_INIT;
	json_t *request;

	check_limits(active);
	request = engine_request(active, match);
	if (!request || job_queue_check_triggered(active->engine->queue, &err))
		add_step(active, "request", false, request ? err.message : "out of memory");
	else
		add_step(active, "request", true, "a snapshot would be requested");
	json_decref(request);
	if (start_target(active)) {
		add_step(active, "recorder", false, "no process can be started");
		end_target(active);
	}
}

void engine_test_step(struct active_trigger *active, const json_t *message)
{
	if (active->tester && !active->test_child)
		copy_step(active, message);
}

void engine_test_match(struct active_trigger *active, const json_t *message)
{
	const json_t *match = json_object_get(message, "match");

	/* Ignore a match if the test has ended or already had a match. */
	if (!active->tester || active->test_child)
		return;
	add_step(active, "match", match,
		 match ? "the watcher process reported the test's match"
		       : "the recorder daemon has not received the test's match");
	check_target(active, engine_copy_match(active, match));
}

/* Continues the test after a failure, so that failures of later steps are reported, too. */
static void go_on(struct active_trigger *active)
{
	json_t *match = json_object();

	check_target(active, engine_copy_match(active, match));
	json_decref(match);
}

void engine_test_lost(struct active_trigger *active)
{
	if (!active->tester || active->test_child)
		return;
	add_step(active, "match", false, active->why);
	go_on(active);
}

static int on_silence(sd_event_source *source, uint64_t now, void *user)
{
	struct active_trigger *active = user;

	add_step(active, "match", false,
		 "the watcher process does not answer; see `systemctl status lttng-sessiond`");
	go_on(active);
	return 0;
}

static int on_unarmed(sd_event_source *source, uint64_t now, void *user)
{
	go_on(user);
	return 0;
}

void engine_start_test(struct active_trigger *active)
{
	json_t *question = json_pack("{s:s}", "test", active->trigger->name);
	bool armed = active->state == WATCHER_ARMED;
	char text[sizeof(active->why) + 64];

	active->test_steps = json_array();
	active->test_ok = true;
	if (armed)
		snprintf(text, sizeof(text), "armed, process %d", (int)active->pid);
	else if (active->state == WATCHER_FAILED)
		snprintf(text, sizeof(text), "%s", active->why);
	else if (active->was_failed)
		snprintf(text, sizeof(text),
			 "the watcher process is being started again; it ended with: %s",
			 active->why);
	else
		snprintf(text, sizeof(text), "the watcher process is being started; test again");
	add_step(active, "watcher", armed, text);
	/* A timer of 0 makes the answer come after this function has returned. */
	if (sd_event_add_time_relative(active->engine->event, &active->test_timer, CLOCK_MONOTONIC,
				       armed ? ANSWER_US : 0, 0, armed ? on_silence : on_unarmed,
				       active) < 0 ||
	    (armed && message_send(active->socket, question, -1)))
		add_step(active, "match", false, "the test cannot be sent to the watcher process");
	json_decref(question);
}
