// SPDX-License-Identifier: LGPL-2.1-only
/*
 * lttng-mm trigger: manages triggers. The recorder daemon takes a snapshot when a trigger's
 * condition holds.
 */
#include <argp.h>
#include <jansson.h>
#include <pwd.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/common/command.h"
#include "cli/trigger/trigger-options.h"
#include "lttng-session/daemon/jobs/request.h"
#include "lttng-session/daemon/server/server.h"
#include "lttng-session/daemon/triggers/command.h"
#include "lttng-session/daemon/triggers/definition/store.h"
#include "lttng-session/daemon/triggers/definition/trigger.h"
#include "lttng-session/daemon/triggers/engine-plan.h"
#include "lttng-session/system/message.h"
#include "util/clock.h"
#include "util/escape.h"
#include "util/plural.h"
#include "util/time.h"

#define NO_DAEMON                                                                              \
	"trigger: no recorder daemon is running that serves this user; start a recorder: "     \
	"`lttng-mm record dax`, or the service: `systemctl start lttng-mm`; users other than " \
	"root must be in the group `tracing`"

/* Interval and time limit for polling whether a new trigger is armed. The daemon may hang. */
#define ARM_PAUSE_NS 50000000
#define ARM_WAIT_NS INT64_C(30000000000)

/* Sends @request to the daemon and releases it. Returns the answer, or NULL with @err set. */
static json_t *ask(json_t *request, struct mm_error *err)
{
	json_t *answer = NULL;
	int ret = request ? request_send(request, -1, &answer, err)
			  : mm_error_set(err, MM_EXIT_ENVIRONMENT, "trigger: out of memory");

	json_decref(request);
	if (ret == 1)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, NO_DAEMON);
	return answer;
}

/* Removes the trigger from the stored triggers. Only for use while no daemon is running. */
static void remove_stored(const char *name, struct mm_error *err)
{
	int lock = server_prevent(err);
	int ret = 0;

	if (lock < 0)
		return;
	if (trigger_store_has(name))
		trigger_store_remove(name, err);
	else
		ret = engine_plan_remove(name, err) == 0;
	if (ret)
		mm_error_set(err, MM_EXIT_BAD_INPUT, "trigger: %s: there is no such trigger", name);
	close(lock);
}

/* Prints another user's text, escaped. */
static void print_text(const char *before, const char *text, const char *after)
{
	fputs(before, stdout);
	mm_escape_message_print(stdout, text);
	fputs(after, stdout);
}

static void remove_trigger(const char *name, struct mm_error *err)
{
	json_t *request = json_pack("{s:s,s:s}", "request", "trigger-remove", "name", name);
	json_t *answer = NULL;
	int ret = request_send(request, -1, &answer, err);

	if (ret == 1 && !geteuid())
		remove_stored(name, err);
	else if (ret == 1)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, NO_DAEMON);
	if (!err->code)
		print_text("trigger ", name, " removed\n");
	json_decref(answer);
	json_decref(request);
}

static void print_json(const json_t *json)
{
	json_dumpf(json, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII);
	putchar('\n');
}

/*
 * Checks the trigger as far as this is possible without the daemon. Returns the trigger as JSON, or
 * NULL with @err set.
 */
static json_t *check_definition(const struct trigger_options *options, struct mm_error *err)
{
	struct trigger *trigger = trigger_from_json(options->definition, err);
	json_t *json = NULL;

	if (trigger) {
		trigger->uid = getuid();
		trigger->gid = getgid();
	}
	if (trigger && !command_check(trigger, err) && !trigger_check_text(trigger, err) &&
	    !trigger_check_pressure(trigger, err) &&
	    !(options->dry_run && trigger_check_event(trigger, err))) {
		json = trigger_to_json(trigger);
		if (!json)
			mm_error_set(err, MM_EXIT_ENVIRONMENT, "trigger: out of memory");
	}
	trigger_destroy(trigger);
	return json;
}

/* Requests the list of triggers. A long list takes several messages. */
static json_t *ask_all(struct mm_error *err)
{
	json_t *all = json_array(), *answer, *list;
	char last[TRIGGER_NAME_MAX] = "";
	const char *next;

	do {
		answer = ask(json_pack("{s:s,s:s}", "request", "trigger-list", "after", last), err);
		list = json_object_get(answer, "triggers");
		if (!json_is_array(list) || json_array_extend(all, list)) {
			mm_error_set(err, MM_EXIT_ENVIRONMENT,
				     "trigger: the recorder daemon did not list its triggers");
			json_decref(answer);
			json_decref(all);
			return NULL;
		}
		/*
		 * Stop if the names do not increase, because a faulty daemon could otherwise cause
		 * an endless loop.
		 */
		next = message_text(answer, "next", "");
		snprintf(last, sizeof(last), "%s", strcmp(next, last) > 0 ? next : "");
		json_decref(answer);
	} while (*last);
	return all;
}

/* Returns the state of the trigger @name, or "" if it is not in @all. Sets *@why to its "why". */
static const char *find_state(const json_t *all, const char *name, const char **why)
{
	const json_t *state;
	size_t i;

	json_array_foreach(all, i, state)
	{
		if (strcmp(message_text(json_object_get(state, "definition"), "name", ""), name))
			continue;
		*why = message_text(state, "why", "");
		return message_text(state, "state", "");
	}
	return "";
}

static void note(const char *name, const char *text, const char *why)
{
	fprintf(stderr, "lttng-mm: note: trigger %s: %s%s", name, text, *why ? ": " : "");
	mm_escape_message_print(stderr, why);
	fputc('\n', stderr);
}

/*
 * Waits until the daemon watches for matches of the trigger @name, so that a match after the end of
 * the command is not missed. If the daemon fails to watch, prints a note; the daemon tries again.
 */
static void await_armed(const char *name)
{
	const int64_t until_ns = mm_clock_ns(CLOCK_MONOTONIC) + ARM_WAIT_NS;
	const struct timespec pause = { .tv_nsec = ARM_PAUSE_NS };
	bool starting = true;

	while (starting) {
		struct mm_error ignored = MM_ERROR_INIT;
		const char *why = "", *state = "starting";
		json_t *all;

		nanosleep(&pause, NULL);
		all = ask_all(&ignored);
		mm_error_clear(&ignored);
		if (all)
			state = find_state(all, name, &why);
		starting = !strcmp(state, "starting");
		if (!strcmp(state, "failed"))
			note(name, "not watched yet", why);
		else if (!*state)
			note(name, "it has been removed again", "");
		json_decref(all);
		if (starting && mm_clock_ns(CLOCK_MONOTONIC) > until_ns) {
			note(name, "not watched yet; see `lttng-mm trigger list`", "");
			return;
		}
	}
}

static void add(const struct trigger_options *options, struct mm_error *err)
{
	json_t *checked = check_definition(options, err), *answer;

	if (checked && options->dry_run)
		print_json(checked);
	json_decref(checked);
	if (!checked || options->dry_run)
		return;
	answer = ask(
		json_pack("{s:s,s:O}", "request", "trigger-add", "trigger", options->definition),
		err);
	if (answer && !err->code) {
		const char *name = message_text(options->definition, "name", "");

		await_armed(name);
		print_text("trigger ", name, " added: ");
		print_text("a snapshot is taken on ", message_text(options->definition, "on", ""),
			   "; `lttng-mm trigger test` checks this\n");
	}
	json_decref(answer);
}

static void print_time(const char *before, json_int_t seconds)
{
	char text[MM_TIME_TEXT];

	mm_time_format_local(text, sizeof(text), MM_TIME_DATE, seconds);
	printf("%s%s", before, text);
}

static void print_last(const json_t *state)
{
	const json_t *last = json_object_get(state, "last"), *run = json_object_get(state, "run");

	if (json_is_object(last)) {
		const char *path = message_text(last, "path", NULL);

		print_time("  last snapshot ", message_number(last, "time", 0));
		print_text(path ? ": " : " failed: ",
			   path ? path : message_text(last, "error", "for an unknown reason"),
			   "\n");
	}
	if (json_is_object(run)) {
		print_time("  last command ", message_number(run, "time", 0));
		print_text(": ", message_text(run, "status", ""), "\n");
	}
}

/* Prints the origin of the trigger: the user who added it, or its profile. */
static void print_origin(const json_t *state)
{
	json_int_t uid = message_number(json_object_get(state, "definition"), "uid", -1);
	const char *profile = message_text(state, "profile", NULL);
	const struct passwd *user = uid < 0 || profile ? NULL : getpwuid((uid_t)uid);

	if (profile) {
		print_text("  of the profile ", profile, ", which ");
		print_text("the recorder ", message_text(state, "recorder", "?"), " records\n");
	} else if (user) {
		print_text("  added by ", user->pw_name, "\n");
	} else if (uid >= 0) {
		printf("  added by user %lld\n", (long long)uid);
	}
}

static void print_trigger(const json_t *state)
{
	const json_t *definition = json_object_get(state, "definition");
	json_int_t matches = message_number(state, "matches", 0);
	json_int_t snapshots = message_number(state, "snapshots", 0);
	const char *why = message_text(state, "why", ""),
		   *limits = message_text(state, "limits", "");

	print_text("", message_text(definition, "name", ""), ": ");
	print_text("", message_text(definition, "on", ""), "\n");
	print_text("  ", message_text(state, "state", ""), "");
	print_text(*why ? ": " : "", why, "");
	printf("; %s%lld match%s, %lld snapshot%s",
	       json_is_true(json_object_get(state, "at_least")) ? "at least " : "",
	       (long long)matches, matches == 1 ? "" : "es", (long long)snapshots,
	       mm_plural_s((uint64_t)snapshots));
	print_text(*limits ? "; " : "", limits, "\n");
	print_origin(state);
	print_last(state);
}

static void list(bool json, struct mm_error *err)
{
	json_t *all = ask_all(err);
	const json_t *state;
	size_t i;

	if (all && json)
		print_json(all);
	if (all && !json && !json_array_size(all))
		printf("no trigger has been added; add one with `lttng-mm trigger add`\n");
	if (!json)
		json_array_foreach(all, i, state) print_trigger(state);
	json_decref(all);
}

static void test(const char *name, struct mm_error *err)
{
	json_t *answer = ask(json_pack("{s:s,s:s}", "request", "trigger-test", "name", name), err);
	const json_t *steps = json_object_get(answer, "steps"), *step;
	size_t i;

	json_array_foreach(steps, i, step)
	{
		printf("%s ", !json_is_true(json_object_get(step, "ok"))    ? "failed"
			      : json_is_true(json_object_get(step, "held")) ? "held  "
									    : "ok    ");
		print_text("", message_text(step, "step", ""), ": ");
		print_text("", message_text(step, "text", ""), "\n");
	}
	if (answer && !json_is_true(json_object_get(answer, "ok")))
		mm_error_set(
			err, MM_EXIT_FAILED,
			"trigger: %s: if the condition were met now, no snapshot would be taken",
			name);
	json_decref(answer);
}

int cmd_trigger(int argc, char **argv)
{
	struct trigger_options options = { .definition = json_object() };
	struct mm_error err = MM_ERROR_INIT;

	command_parse(&trigger_parser, argc, argv, &options);
	switch (options.action) {
	case TRIGGER_ADD:
		add(&options, &err);
		break;
	case TRIGGER_LIST:
		list(options.json, &err);
		break;
	case TRIGGER_REMOVE:
		remove_trigger(options.name, &err);
		break;
	case TRIGGER_TEST:
		test(options.name, &err);
		break;
	}
	json_decref(options.definition);
	return command_end(&err, MM_EXIT_OK);
}
