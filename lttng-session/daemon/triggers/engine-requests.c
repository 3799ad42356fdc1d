// SPDX-License-Identifier: LGPL-2.1-only
/* Serves requests about triggers. */
#include "lttng-session/daemon/triggers/engine-requests.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "lttng-session/daemon/jobs/child.h"
#include "lttng-session/daemon/jobs/reserve.h"
#include "lttng-session/daemon/triggers/command.h"
#include "lttng-session/daemon/triggers/definition/store.h"
#include "lttng-session/daemon/triggers/engine-plan.h"
#include "lttng-session/system/journal.h"
#include "lttng-session/system/message.h"

/*
 * Maximum time for a change. If a change takes longer, the session daemon or the disk probably
 * hangs, and the change fails.
 */
#define CHANGE_US (60 * 1000000ull)
/* Maximum number of changes at the same time. */
#define CHANGES_MAX 64

struct trigger_change {
	struct engine_requests *requests;
	struct trigger_change *next;
	void *client; /* NULL: the client no longer waits */
	struct requester requester;
	struct trigger *trigger; /* the trigger to add; NULL: remove @name */
	/* the trigger to remove belongs to a profile, and is stored in the plan */
	bool planned;
	char name[TRIGGER_NAME_MAX];
	int socket;
	sd_event_source *child, *timer;
};

struct engine_requests {
	sd_event *event;
	struct engine *engine;
	client_answer *answer;
	struct engine_plan *plan;
	struct trigger_change *first;
};

struct engine_requests *engine_requests_create(sd_event *event, struct engine *engine,
					       client_answer *answer)
{
	struct engine_requests *requests = calloc(1, sizeof(*requests));

	if (requests)
		*requests = (struct engine_requests){ event, engine, answer, NULL, NULL };
	return requests;
}

static void free_change(struct trigger_change *change)
{
	sd_event_source_disable_unref(change->child);
	sd_event_source_disable_unref(change->timer);
	if (change->socket >= 0)
		close(change->socket);
	trigger_destroy(change->trigger);
	free(change);
}

void engine_requests_destroy(struct engine_requests *requests)
{
	if (!requests)
		return;
	while (requests->first) {
		struct trigger_change *change = requests->first;

		requests->first = change->next;
		free_change(change);
	}
	engine_plan_destroy(requests->plan);
	free(requests);
}

static void take_stored(void *user, struct trigger *trigger, const struct mm_error *refused)
{
	struct engine_requests *requests = user;
	struct mm_error err = MM_ERROR_INIT;

	if (!trigger)
		journal_note(LOG_WARNING, "%s", refused->message);
	else if (engine_add(requests->engine, NULL, trigger, &err))
		journal_note(LOG_WARNING, "%s", err.message);
}

void engine_requests_load(struct engine_requests *requests)
{
	struct mm_error err = MM_ERROR_INIT;

	if (trigger_store_list(take_stored, requests, &err))
		journal_note(LOG_ERR, "%s", err.message);
	requests->plan = engine_plan_create(requests->event, requests->engine);
	if (!requests->plan)
		journal_note(
			LOG_ERR,
			"triggers of profiles are disabled: changes of the plan in /run/lttng-mm cannot be watched: %s",
			strerror(errno));
}

/*
 * Runs in the child process: stores or removes a trigger. Sends the result to the daemon: the
 * checked trigger, {} after a removal, or an error.
 */
static void change_stored(struct trigger_change *change, int socket)
{
	struct mm_error err = MM_ERROR_INIT;
	json_t *answer;

	if (change->planned)
		engine_plan_remove(change->name, &err);
	else if (!change->trigger)
		trigger_store_remove(change->name, &err);
	else if (!trigger_check_pressure(change->trigger, &err) &&
		 !trigger_check_event(change->trigger, &err))
		trigger_store_add(change->trigger, &err);
	if (err.code)
		answer = message_of_error(&err);
	else
		answer = change->trigger ? trigger_to_json(change->trigger) : json_object();
	message_send(socket, answer, -1);
	_exit(err.code);
}

/*
 * Completes a change after the child process has written or removed the file. Adds the trigger to
 * the engine or removes it, and returns the answer.
 */
static json_t *conclude(struct trigger_change *change)
{
	json_t *message = message_receive(change->socket, NULL), *answer;
	struct mm_error err = MM_ERROR_INIT;
	struct trigger *trigger;

	if (!message) {
		mm_error_set(&err, MM_EXIT_ENVIRONMENT,
			     "trigger: %s: the helper process was killed", change->name);
	} else if (!message_error(message, &err) && change->trigger) {
		trigger = trigger_from_json(message, &err);
		if (trigger)
			engine_add(change->requests->engine, &change->requester, trigger, &err);
	}
	if (change->planned && change->requests->plan)
		engine_plan_read(change->requests->plan);
	else if (!change->trigger && !change->planned)
		engine_end_removal(change->requests->engine, change->name, !err.code);
	answer = err.code ? message_of_error(&err) : json_object();
	json_decref(message);
	return answer;
}

static int on_child(sd_event_source *source, const siginfo_t *info, void *user)
{
	struct trigger_change *change = user, **at = &change->requests->first;
	json_t *answer = conclude(change);

	if (change->client)
		change->requests->answer(change->client, answer);
	json_decref(answer);
	while (*at != change)
		at = &(*at)->next;
	*at = change->next;
	free_change(change);
	return 0;
}

static int on_late(sd_event_source *source, uint64_t now, void *user)
{
	struct trigger_change *change = user;
	pid_t pid;

	if (sd_event_source_get_child_pid(change->child, &pid) >= 0)
		kill(pid, SIGKILL);
	return 0;
}

/* Starts the child process. Returns 0, or -1 with errno set. */
static int start(struct trigger_change *change)
{
	sd_event *event = change->requests->event;
	pid_t pid = child_fork_with_socket(&change->socket);

	if (!pid)
		change_stored(change, change->socket);
	if (pid < 0)
		return -1;
	if (sd_event_add_child(event, &change->child, pid, WEXITED, on_child, change) < 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return -1;
	}
	sd_event_add_time_relative(event, &change->timer, CLOCK_MONOTONIC, CHANGE_US, 0, on_late,
				   change);
	return 0;
}

/*
 * Starts to add @trigger, and takes ownership of it. If @trigger is NULL, starts to remove the
 * trigger @name.
 */
static int begin(struct engine_requests *requests, void *client, const struct requester *requester,
		 struct trigger *trigger, const char *name, bool planned, struct mm_error *err)
{
	struct trigger_change *change;
	size_t count = 0;

	for (change = requests->first; change; change = change->next) {
		count++;
		if (!strcmp(change->name, name) || count == CHANGES_MAX) {
			trigger_destroy(trigger);
			return mm_error_set(
				err, MM_EXIT_ENVIRONMENT,
				"trigger: %s: another change is in progress; try again later",
				name);
		}
	}
	change = calloc(1, sizeof(*change));
	if (!change) {
		trigger_destroy(trigger);
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "trigger: out of memory");
	}
	*change = (struct trigger_change){ .requests = requests,
					   .next = requests->first,
					   .client = client,
					   .requester = *requester,
					   .trigger = trigger,
					   .planned = planned,
					   .socket = -1 };
	snprintf(change->name, sizeof(change->name), "%s", name);
	if (start(change)) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "trigger: no process can be started: %s",
			     strerror(errno));
		free_change(change);
		return -1;
	}
	requests->first = change;
	return 0;
}

static struct engine_pending count_pending(const struct engine_requests *requests, uid_t uid)
{
	struct engine_pending pending = { 0, 0 };

	for (const struct trigger_change *change = requests->first; change; change = change->next) {
		pending.all += change->trigger != NULL;
		pending.own += change->trigger && change->requester.uid == uid;
	}
	return pending;
}

static int add(struct engine_requests *requests, void *client, const struct requester *requester,
	       const json_t *request, struct mm_error *err)
{
	const struct engine_pending pending = count_pending(requests, requester->uid);
	struct trigger *trigger = trigger_from_json(json_object_get(request, "trigger"), err);

	if (!trigger)
		return -1;
	if (requester->uid && !trigger->max_ns) {
		mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"trigger: %s: --max none: only root may add a trigger without a limit; use a number, as in --max %d/day",
			trigger->name, TRIGGER_MAX);
		trigger_destroy(trigger);
		return -1;
	}
	trigger->uid = requester->uid;
	trigger->gid = requester->gid;
	/* Only root may add functions, so ignore the client's SPEC. */
	free(trigger->spec);
	trigger->spec = NULL;
	/*
	 * Check the trigger before starting the child process, because the child replaces a stored
	 * trigger of the same name.
	 */
	if (!command_check(trigger, err) && !reserve_check(requester->uid, err) &&
	    !engine_check_name(requests->engine, requester->uid, trigger->name, &pending, err))
		return begin(requests, client, requester, trigger, trigger->name, false, err);
	trigger_destroy(trigger);
	return -1;
}

static int compare_names(const void *a, const void *b)
{
	const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;

	return strcmp(message_text(json_object_get(x, "definition"), "name", ""),
		      message_text(json_object_get(y, "definition"), "name", ""));
}

/* Returns a message with the triggers after the name @after, as far as they fit. */
static json_t *make_page(json_t *const *all, size_t count, const char *after)
{
	json_t *page = json_pack("{s:[]}", "triggers");
	json_t *list = json_object_get(page, "triggers");
	const char *last = "";

	for (size_t i = 0; i < count; i++) {
		const char *name = message_text(json_object_get(all[i], "definition"), "name", "");

		if (strcmp(name, after) <= 0)
			continue;
		json_array_append(list, all[i]);
		json_object_set_new(page, "next", json_string(last));
		/* The message always has room for a single trigger, so each page makes progress. */
		if (*last && !message_fits(page)) {
			json_array_remove(list, json_array_size(list) - 1);
			return page;
		}
		last = name;
	}
	json_object_del(page, "next");
	return page;
}

static void list(struct engine_requests *requests, void *client, const json_t *request)
{
	json_t *all = engine_list(requests->engine), *sorted[TRIGGERS_MAX], *page;
	size_t count = json_array_size(all);

	for (size_t i = 0; i < count && i < TRIGGERS_MAX; i++)
		sorted[i] = json_array_get(all, i);
	qsort(sorted, count, sizeof(sorted[0]), compare_names);
	page = make_page(sorted, count, message_text(request, "after", ""));
	requests->answer(client, page);
	json_decref(page);
	json_decref(all);
}

static int remove_trigger(struct engine_requests *requests, void *client,
			  const struct requester *requester, const char *name, struct mm_error *err)
{
	/*
	 * A profile's trigger is only in the plan. It comes back when the profile is recorded
	 * again.
	 */
	bool planned = engine_is_planned(requests->engine, name);

	if (planned && requester->uid)
		return mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"trigger: %s: belongs to a profile that is being recorded; only root may disable it",
			name);
	if (planned)
		return begin(requests, client, requester, NULL, name, true, err);
	/*
	 * Remove the file first, and then the trigger. In the reverse order, a restart of the
	 * daemon in between would restore a trigger that was already reported as removed.
	 */
	if (engine_begin_removal(requests->engine, requester->uid, name, err))
		return -1;
	if (!begin(requests, client, requester, NULL, name, false, err))
		return 0;
	engine_end_removal(requests->engine, name, false);
	return -1;
}

int engine_requests_serve(struct engine_requests *requests, void *client,
			  const struct requester *requester, const json_t *request,
			  struct mm_error *err)
{
	const char *what = message_text(request, "request", "");
	const char *name = message_text(request, "name", "");

	if (!strcmp(what, "trigger-add"))
		return add(requests, client, requester, request, err);
	if (!strcmp(what, "trigger-test") && reserve_check(requester->uid, err))
		return -1;
	if (!strcmp(what, "trigger-test"))
		return engine_test(requests->engine, requester->uid, name, client, requests->answer,
				   err);
	if (!strcmp(what, "trigger-list")) {
		list(requests, client, request);
		return 0;
	}
	if (strcmp(what, "trigger-remove"))
		return 1;
	return remove_trigger(requests, client, requester, name, err);
}

void engine_requests_forget(struct engine_requests *requests, void *client)
{
	for (struct trigger_change *change = requests->first; change; change = change->next)
		if (change->client == client)
			change->client = NULL;
	engine_forget(requests->engine, client);
}
