// SPDX-License-Identifier: LGPL-2.1-only
/* Handles a match: requests a snapshot, and runs the command when the snapshot is written. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "lttng-session/daemon/triggers/active-trigger.h"
#include "lttng-session/daemon/jobs/reserve.h"
#include "lttng-session/snapshot/output.h"
#include "lttng-session/snapshot/snapshot.h"
#include "lttng-session/system/message.h"
#include "lttng-session/daemon/triggers/definition/functions.h"
#include "lttng-session/daemon/triggers/watch/watch.h"
#include "lttng-session/system/journal.h"
#include "util/json-file.h"

/*
 * Maximum quiet time that is sent to a watcher. In a quiet time, no match can get a snapshot. After
 * the quiet time, the watcher registers the condition again.
 */
#define QUIET_MAX_NS (INT64_C(3600) * 1000000000)
/* Maximum number of bytes of a text in a match. Longer texts are truncated. */
#define TEXT_MAX 1024
/*
 * Maximum number of running commands: of each user, and of all users except root together.
 * COMMANDS_MAX leaves a part of CONFINE_ALL_TASKS_MAX for commands of root.
 */
#define COMMANDS_PER_USER 4
#define COMMANDS_MAX 6

static json_t *copy_text(const char *text)
{
	char truncated[TEXT_MAX + 1];

	snprintf(truncated, sizeof(truncated), "%s", text);
	return mm_json_text(truncated);
}

static json_t *copy_value(const json_t *value)
{
	if (json_is_string(value))
		return copy_text(json_string_value(value));
	if (json_is_integer(value))
		return json_integer(json_integer_value(value));
	return json_is_real(value) ? json_real(json_real_value(value)) : json_null();
}

static json_t *copy_fields(const json_t *fields)
{
	json_t *copy = json_object(), *value;
	size_t count = 0;
	const char *name;

	json_object_foreach((json_t *)fields, name, value)
	{
		if (count++ == TRIGGER_CAPTURES_MAX)
			break;
		json_object_set_new(copy, name, copy_value(value));
	}
	return copy;
}

/*
 * Returns a copy of the times of a match. If they are absent or in the future, returns the current
 * time and sets *@now.
 */
static json_t *copy_times(const json_t *times, bool *now)
{
	struct snapshot_times at, given;

	snapshot_now(&at);
	given = (struct snapshot_times){
		.realtime_ns = message_number(times, "realtime_ns", at.realtime_ns),
		.monotonic_ns = message_number(times, "monotonic_ns", -1),
		.boottime_ns = message_number(times, "boottime_ns", -1),
	};
	*now = given.monotonic_ns < 0 || given.monotonic_ns > at.monotonic_ns ||
	       given.boottime_ns < 0 || given.boottime_ns > at.boottime_ns;
	return snapshot_times_json(*now ? &at : &given);
}

json_t *engine_copy_match(const struct active_trigger *active, const json_t *match)
{
	const json_t *fields = json_object_get(match, "fields");
	const char *text = message_text(match, "text", NULL);
	json_int_t cpu = message_number(match, "cpu", -1);
	json_t *copy = json_object();
	bool now;

	json_object_set_new(copy, "time", copy_times(json_object_get(match, "time"), &now));
	/*
	 * LTTng's notifications have no timestamp, so the time of the match is the time of its
	 * receipt.
	 */
	if (now || active->trigger->event)
		json_object_set_new(copy, "received", json_true());
	if (cpu >= 0)
		json_object_set_new(copy, "cpu", json_integer(cpu));
	if (json_object_size(fields))
		json_object_set_new(copy, "fields", copy_fields(fields));
	if (text)
		json_object_set_new(copy, "text", copy_text(text));
	return copy;
}

json_t *engine_request(const struct active_trigger *active, json_t *match)
{
	const struct trigger *trigger = active->trigger;
	json_t *cause = json_pack("{s:s,s:s,s:o,s:I}", "kind", "trigger", "trigger", trigger->name,
				  "on", mm_json_text(trigger->on), "uid", (json_int_t)trigger->uid);
	json_t *options =
		json_pack("{s:s,s:I,s:I,s:s*}", "name",
			  snapshot_name_is_valid(trigger->name) ? trigger->name : "snapshot",
			  "last_ns", (json_int_t)trigger->last_ns, "after_ns",
			  (json_int_t)trigger->after_ns, "session", trigger->session);

	json_object_set_new(cause, "match", match);
	/*
	 * "cause_reveals" is for events, whose fields may contain kernel addresses. In a matching
	 * line, the watcher has masked the addresses.
	 */
	return json_pack("{s:s,s:O*,s:o,s:o,s:b}", "request", "snapshot", "requested",
			 json_object_get(match, "time"), "options", options, "cause", cause,
			 "cause_reveals", trigger_reveals(trigger));
}

static void remember(struct active_trigger *active, const char *key, const char *text)
{
	json_decref(active->last);
	active->last =
		json_pack("{s:I,s:o}", "time", (json_int_t)time(NULL), key, mm_json_text(text));
}

static void failed(struct active_trigger *active, const char *why)
{
	active->failures++;
	engine_save_counts_later(active);
	remember(active, "error", why);
	journal_note(LOG_ERR, "trigger: %s: %s", active->trigger->name, why);
}

static void on_command(void *user, const char *status, bool success)
{
	struct active_trigger *active = user;

	json_decref(active->run);
	active->run = json_pack("{s:I,s:o,s:b}", "time", (json_int_t)time(NULL), "status",
				mm_json_text(status), "ok", success);
	journal_note(success ? LOG_INFO : LOG_WARNING, "trigger: %s: the command ended: %s",
		     active->trigger->name, status);
	command_destroy(active->command);
	active->command = NULL;
}

/* Returns 0 if the user may run another command, or -1 with @err set. */
static int check_commands(const struct active_trigger *active, struct mm_error *err)
{
	const uid_t uid = active->trigger->uid;
	unsigned int own = 0, users = 0;

	for (const struct active_trigger *other = active->engine->first; other;
	     other = other->next) {
		if (!other->command)
			continue;
		own += other->trigger->uid == uid;
		users += other->trigger->uid != 0;
	}
	if (!uid || (own < COMMANDS_PER_USER && users < COMMANDS_MAX))
		return 0;
	return mm_error_set(err, MM_EXIT_ENVIRONMENT,
			    "not run: %u commands of %s are already running",
			    own < COMMANDS_PER_USER ? users : own,
			    own < COMMANDS_PER_USER ? "users" : "this user");
}

/*
 * Runs the command. Does nothing if the previous command is still running, so that hanging commands
 * do not pile up.
 */
static void run_command(struct active_trigger *active, const char *path)
{
	const struct trigger *trigger = active->trigger;
	struct mm_error err = MM_ERROR_INIT;

	if (!trigger->run)
		return;
	if (active->command) {
		journal_note(
			LOG_WARNING,
			"trigger: %s: the command was not run for %s, because the previous one is still running",
			trigger->name, path);
		return;
	}
	if (check_commands(active, &err) || reserve_check(trigger->uid, &err)) {
		on_command(active, err.message, false);
		return;
	}
	active->command =
		command_start(active->engine->event, trigger->run, path, &active->requester,
			      trigger->run_ns, on_command, active, &err);
	if (!active->command)
		on_command(active, err.message, false);
}

/*
 * Sends the end of the quiet time (on CLOCK_BOOTTIME) to the watcher of an event. Until then, no
 * match can get a snapshot, so the watcher can unregister the condition. While a requested snapshot
 * is not frozen, the end is unknown. The watcher then gets the latest possible end (QUIET_MAX_NS
 * from now).
 */
static void send_quiet_time(struct active_trigger *active, int64_t now_ns)
{
	int64_t next_ns = active->waits ? INT64_MAX : engine_next_limits(active, now_ns);
	int64_t until_ns = next_ns > now_ns + QUIET_MAX_NS ? now_ns + QUIET_MAX_NS : next_ns;
	json_t *message;

	/*
	 * Watchers of lines and pressure ignore quiet times. Other watchers need no message if the
	 * end is unchanged, and the time in the last message is still to come. They also need none
	 * if there is no quiet time now, and the quiet time that was sent is over.
	 */
	if (watch_has(active->trigger->kind) ||
	    (next_ns == active->sent_ns && now_ns < active->sent_until_ns) ||
	    (next_ns <= now_ns && active->sent_ns <= now_ns))
		return;
	message = json_pack("{s:I}", "quiet_until_ns", (json_int_t)until_ns);
	if (!message_send(active->socket, message, -1)) {
		active->sent_ns = next_ns;
		active->sent_until_ns = until_ns;
	}
	json_decref(message);
}

static void on_answer(void *client, const json_t *answer)
{
	struct active_trigger *active = client;
	const char *path = message_text(answer, "path", NULL);

	/*
	 * The first answer reports the freeze of the snapshot, or a failure before the freeze. In
	 * both cases, clear @waits. An answer with "was_frozen" reports the end of a frozen
	 * snapshot. The next snapshot may then be waiting for its freeze, so keep @waits.
	 */
	if (!json_is_true(json_object_get(answer, "was_frozen")))
		active->waits = false;
	send_quiet_time(active, engine_now_ns());
	if (message_text(answer, "frozen", NULL))
		return;
	if (!path) {
		failed(active, message_text(answer, "error", "no answer"));
		return;
	}
	remember(active, "path", path);
	run_command(active, path);
}

static void request_snapshot_of(struct active_trigger *active, const json_t *match,
				uint64_t matches, bool at_least)
{
	struct mm_error err = MM_ERROR_INIT;
	json_t *copy = engine_copy_match(active, match), *request;

	json_object_set_new(copy, "matches", json_integer((json_int_t)matches));
	json_object_set_new(copy, "at_least", json_boolean(at_least));
	request = engine_request(active, copy);
	active->snapshots++;
	active->waits = true;
	journal_note(LOG_NOTICE, "trigger: %s: a snapshot is taken", active->trigger->name);
	if (reserve_check(active->trigger->uid, &err) || !request ||
	    job_queue_add_triggered(active->engine->queue, active, on_answer, request, &err)) {
		active->waits = false;
		failed(active, err.code ? err.message : "out of memory");
	}
	json_decref(request);
}

static void take_match(struct active_trigger *active, const json_t *match, int64_t now_ns)
{
	json_int_t count = message_number(match, "matches", 1);
	bool at_least = json_is_true(json_object_get(match, "at_least"));
	uint64_t matches = count > 0 ? (uint64_t)count : 1;

	if (__builtin_add_overflow(active->matches, matches, &active->matches))
		active->matches = INT64_MAX;
	active->at_least |= at_least;
	engine_save_counts_later(active);
	limits_count(&active->limits, now_ns, matches, at_least);
	/* If a requested snapshot is not frozen yet, it will contain this match. */
	if (active->engine->finishing || active->waits ||
	    engine_check_limits(active, now_ns) != LIMITS_TAKE ||
	    engine_take_limits(active, now_ns, &matches, &at_least))
		return;
	request_snapshot_of(active, match, matches, at_least);
	engine_save_limits(active);
}

void engine_match(struct active_trigger *active, const json_t *message)
{
	int64_t now_ns = engine_now_ns();

	take_match(active, json_object_get(message, "match"), now_ns);
	send_quiet_time(active, now_ns);
}
