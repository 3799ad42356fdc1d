// SPDX-License-Identifier: LGPL-2.1-only
/* Tests the limits of triggers and of users, also after a restart of the daemon. */
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lttng-session/daemon/triggers/engine-requests.h"
#include "lttng-session/daemon/triggers/engine.h"
#include "lttng-session/daemon/jobs/job.h"
#include "lttng-session/system/message.h"
#include "tests/tap.h"
#include "tests/unit/engine.h"

/* While late_writers is set, child processes write their files a second late. */
#define LATE_US 1000000
static unsigned int late_writers;

int flock(int fd, int operation)
{
	if (late_writers)
		usleep(LATE_US);
	return (int)syscall(SYS_flock, fd, operation);
}

static bool has_limits(const char *text)
{
	char command[256];

	snprintf(command, sizeof(command),
		 "grep -q '%s' %s/root/var/lib/lttng-mm/triggers/.t.limits 2>/dev/null", text,
		 stage);
	return !system(command);
}

/* Tests that a limit continues after a restart, unless its trigger is added anew. */
static void check_restart(sd_event *event, struct job_queue *queue)
{
	struct requester self = { .uid = getuid(), .gid = getgid() };
	struct engine *engine = engine_create(event, queue, watch);
	struct mm_error err = MM_ERROR_INIT;
	json_t *state;

	engine_persist(engine);
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

	engine = engine_create(event, queue, watch);
	engine_persist(engine);
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

/*
 * Returns the member "at_least" of the trigger's state in a second daemon, which loads the trigger.
 */
static bool reads_at_least(sd_event *event, struct job_queue *queue)
{
	struct engine *engine = engine_create(event, queue, watch);
	struct mm_error err = MM_ERROR_INIT;
	json_t *list;
	bool at_least;

	engine_persist(engine);
	engine_add(engine, NULL, make_trigger(1, NULL), &err);
	list = engine_list(engine);
	at_least = json_is_true(json_object_get(json_array_get(list, 0), "at_least"));
	json_decref(list);
	engine_destroy(engine);
	run_for(event, 200);
	return at_least;
}

/* Tests a daemon that is killed before it has saved its last matches. */
static void check_crash(sd_event *event, struct job_queue *queue)
{
	struct requester self = { .uid = getuid(), .gid = getgid() };
	struct engine *engine = engine_create(event, queue, watch);
	struct mm_error err = MM_ERROR_INIT;

	send_matches = 0;
	engine_persist(engine);
	engine_add(engine, &self, make_trigger(1, NULL), &err);
	for (int i = 0; i < 3000 && !has_limits("\"ended\": false"); i++)
		sd_event_run(event, 10000);
	tap(reads_at_least(event, queue), "after a crash, there may have been more matches");
	engine_destroy(engine);
	tap(!reads_at_least(event, queue), "after an end, there were none");
	run_for(event, 200);
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

/* Returns the number of snapshots of all listed triggers. */
static json_int_t count_snapshots(const struct engine *engine)
{
	json_t *list = engine_list(engine), *state;
	json_int_t count = 0;
	size_t i;

	json_array_foreach(list, i, state) count += message_number(state, "snapshots", 0);
	json_decref(list);
	return count;
}

/*
 * Runs the loop until the triggers have @count snapshots, and then for longer, to detect surplus
 * snapshots.
 */
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

/* Tests that a limit applies to all triggers of a user together, also after a restart. */
static void check_user_limits(sd_event *event, struct job_queue *queue)
{
	static const struct requester user = { .uid = 4711 };
	struct engine *engine = engine_create(event, queue, watch);
	struct mm_error err = MM_ERROR_INIT;
	json_int_t before;
	json_t *list;

	tap_shell("rm -rf %s/root/var/lib/lttng-mm", stage);
	send_matches = 40;
	send_gap_us = 20000;
	engine_limit_users(engine, 3, 3600 * S);
	engine_persist(engine);
	add_of_user(engine, &user, "one", 4711);
	add_of_user(engine, &user, "two", 4711);
	await_snapshots(event, engine, 3);
	tap(count_snapshots(engine) == 3, "two triggers of a user get %d snapshots together",
	    (int)count_snapshots(engine));
	list = engine_list(engine);
	tap(!strncmp(message_text(json_array_get(list, 0), "limits", ""),
		     "at the maximum of snapshots for all triggers of this user, for ", 63),
	    "... as the list says: %s", message_text(json_array_get(list, 0), "limits", ""));
	json_decref(list);
	/* A trigger that is added anew does not reset the limit of its user. */
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
	engine = engine_create(event, queue, watch);
	engine_limit_users(engine, 3, 3600 * S);
	engine_persist(engine);
	add_of_user(engine, NULL, "two", 4711);
	run_for(event, 1000);
	tap(count_snapshots(engine) == before,
	    "after a restart of the daemon, the user is at the maximum");
	engine_remove(engine, 4711, "two", &err);
	engine_destroy(engine);
	run_for(event, 200);
	engine = engine_create(event, queue, watch);
	engine_limit_users(engine, 3, 3600 * S);
	engine_persist(engine);
	add_of_user(engine, &user, "three", 4711);
	run_for(event, 1000);
	tap(!count_snapshots(engine), "... also with a new trigger, after the others were removed");
	engine_destroy(engine);
	run_for(event, 200);
}

/* Returns the number of snapshots in the saved limits of the user. */
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

/* Runs the loop until the saved limits contain @count snapshots and all late writers have ended. */
static void await_kept(sd_event *event, int count)
{
	int64_t end_ns = now_of(CLOCK_MONOTONIC) + PATIENCE_US * INT64_C(1000);

	while (kept_snapshots() < count && now_of(CLOCK_MONOTONIC) < end_ns)
		sd_event_run(event, 10000);
	run_for(event, 2 * LATE_US / 1000);
}

/* Tests that a late writer does not overwrite the state of a later snapshot. */
static void check_late_write(sd_event *event, struct job_queue *queue)
{
	static const struct requester user = { .uid = 4711 };
	struct engine *engine = engine_create(event, queue, watch);
	struct mm_error err = MM_ERROR_INIT;

	tap_shell("rm -rf %s/root/var/lib/lttng-mm", stage);
	engine_persist(engine);
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

/* Tests that only root may add triggers without a limit. */
static void check_none(sd_event *event, struct job_queue *queue)
{
	static const struct requester user = { .uid = 4711 };
	struct engine *engine = engine_create(event, queue, no_watch);
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

/* Tests that a user cannot use up the triggers of other users or of root. */
static void check_shares(sd_event *event, struct job_queue *queue)
{
	struct engine *engine = engine_create(event, queue, no_watch);
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

int main(void)
{
	sd_event *event;
	struct job_queue *queue = set_up(&event);

	check_restart(event, queue);
	check_crash(event, queue);
	check_shares(event, queue);
	check_user_limits(event, queue);
	check_late_write(event, queue);
	check_none(event, queue);
	return tear_down(event, queue);
}
