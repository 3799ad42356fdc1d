// SPDX-License-Identifier: LGPL-2.1-only
/* A synthetic match through the whole chain. */
#include <stdio.h>
#include <string.h>

#include "lttng-session/serve/engine-work.h"
#include "lttng-session/sysinfo/sysinfo.h"
#include "lttng-session/system/message.h"
#include "util/json-file.h"

/* For the process that watches to return the match. */
#define ANSWER_US (5 * 1000000ull)

static void add_step(struct watched *watched, const char *step, bool ok, const char *text)
{
	json_array_append_new(watched->test_steps, json_pack("{s:s,s:b,s:o}", "step", step, "ok",
							     ok, "text", mm_json_text(text)));
	watched->test_ok &= ok;
}

void engine_end_test(struct watched *watched)
{
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

/* What would happen to a match from here on. */
static void check_rest(struct watched *watched, json_t *match)
{
	const struct trigger *trigger = watched->trigger;
	char text[LIMITS_TEXT + 256];
	int64_t now_ns = engine_now_ns();
	bool taken = limits_check(&watched->limits, now_ns) == LIMITS_TAKE;
	struct mm_error err = MM_ERROR_INIT;
	json_t *request;

	limits_explain(&watched->limits, now_ns, text, sizeof(text));
	/* What the limits hold back is as it must be. */
	add_step(watched, "limits", true, text);
	request = engine_request(watched, match);
	if (!request || jobs_check_triggered(watched->engine->jobs, &err))
		snprintf(text, sizeof(text), "%s", request ? err.message : "out of memory");
	else
		snprintf(text, sizeof(text), "%s be requested%s%s",
			 taken ? "one would" : "after that, one would",
			 trigger->session ? " of recorder " : "",
			 trigger->session ? trigger->session : "");
	add_step(watched, "snapshot", request && !err.code, text);
	json_decref(request);
	if (trigger->run) {
		bool busy = watched->command;

		snprintf(text, sizeof(text), "%s as user %lu: ",
			 busy ? "the last one is still running; then, it would run"
			      : "then, it would run",
			 (unsigned long)trigger->uid);
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s", trigger->run);
		add_step(watched, "command", !busy, text);
	}
}

void engine_test_match(struct watched *watched, const json_t *message)
{
	json_t *match;

	/* One that is late. */
	if (!watched->tester)
		return;
	match = engine_copy_match(watched, json_object_get(message, "match"));
	add_step(watched, "match", json_object_get(message, "match"),
		 json_object_get(message, "match") ? "the process returned a synthetic match"
						   : "the process returned no match");
	check_rest(watched, match);
	finish(watched);
}

static int on_silence(sd_event_source *source, uint64_t now, void *user)
{
	struct watched *watched = user;

	add_step(watched, "match", false, "the process that watches does not answer");
	finish(watched);
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
	else
		snprintf(text, sizeof(text), "%s",
			 watched->state == WATCHED_FAILED ? watched->why : "it is being started");
	add_step(watched, "watcher", armed, text);
	/* The answer must not come before this returns. */
	if (sd_event_add_time_relative(watched->engine->event, &watched->test_timer,
				       CLOCK_MONOTONIC, armed ? ANSWER_US : 0, 0, on_silence,
				       watched) < 0 ||
	    (armed && message_send(watched->socket, question, -1)))
		add_step(watched, "match", false, "it cannot be sent to the process");
	json_decref(question);
}
