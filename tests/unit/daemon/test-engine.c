// SPDX-License-Identifier: LGPL-2.1-only
/* Tests the trigger engine: snapshots, stored triggers, and triggers of profiles. */
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lttng-session/daemon/jobs/job.h"
#include "lttng-session/daemon/triggers/command.h"
#include "lttng-session/daemon/triggers/engine-requests.h"
#include "lttng-session/daemon/triggers/engine.h"
#include "lttng-session/daemon/triggers/watch/flood.h"
#include "lttng-session/system/message.h"
#include "tests/tap.h"
#include "tests/unit/engine.h"

/* Writes each step of a test with its result, and the texts of failed steps, to @client. */
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

static void check_engine(sd_event *event, struct job_queue *queue)
{
	struct engine *engine = engine_create(event, queue, watch);
	struct mm_error err = MM_ERROR_INIT;
	char answer[1024] = "";
	json_t *state;

	send_matches = 300;
	tap(!engine_add(engine, NULL, make_trigger(5, "false"), &err), "a trigger is added");
	tap(engine_add(engine, NULL, make_trigger(5, NULL), &err) && strstr(err.message, "exists"),
	    "a second trigger with the same name is refused: %s", err.message);
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
	    "as many snapshots are taken as permitted: %d, %d failed",
	    (int)message_number(state, "snapshots", 0), (int)message_number(state, "failures", 0));
	tap(strstr(message_text(state, "limits", ""), "at its maximum"),
	    "the trigger is at its maximum");
	tap(!strcmp(message_text(json_object_get(state, "last"), "path", ""), "/x/y"),
	    "the state shows the last snapshot");
	if (geteuid())
		tap_skip("the state shows how the command ended",
			 "only root can become the user of a trigger");
	else
		tap(!strcmp(message_text(json_object_get(state, "run"), "status", ""),
			    "exit status 1"),
		    "the state shows how the command ended");
	json_decref(state);
	tap(!engine_test(engine, 0, "t", answer, on_test, &err), "a test of the trigger starts");
	await(event, answer);
	tap(!strncmp(answer, "watcher ok;match ok;limits held;request ok;recorder failed: ", 60) &&
		    strstr(answer, ";command ok;does not"),
	    "each step is named: %s", answer);
	tap(engine_test(engine, 0, "u", answer, on_test, &err),
	    "a trigger that does not exist cannot be tested");
	tap(engine_test(engine, 12345, "t", answer, on_test, &err),
	    "other users cannot test the trigger");
	tap(engine_remove(engine, 12345, "t", &err), "other users cannot remove the trigger");
	tap(!engine_remove(engine, 0, "t", &err), "root can remove the trigger");
	state = engine_list(engine);
	tap(!json_array_size(state), "no trigger is left");
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
	tap(!strcmp(message_text(state, "state", ""), "armed"),
	    "a process that failed is started again");
	json_decref(state);
	engine_destroy(engine);
	run_for(event, 200);
}

/* A match while the previous snapshot is being copied must get a new snapshot. */
static void check_copy(sd_event *event, struct job_queue *queue)
{
	struct engine *engine = engine_create(event, queue, watch);
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

/*
 * While a snapshot waits for its freeze, another match must not request another snapshot, even if
 * an earlier snapshot ends.
 */
static void check_held(sd_event *event, struct job_queue *queue)
{
	struct engine *engine = engine_create(event, queue, watch);
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
	for (int i = 0; job_queue_busy(queue) && i < 9000; i++)
		sd_event_run(event, 10000);
	held = false;
	send_gap_us = 1000;
	engine_destroy(engine);
	run_for(event, 200);
}

/* Removes a trigger while two of its snapshots are being copied. */
static void check_removed(sd_event *event, struct job_queue *queue)
{
	static const char *const marks[] = { "first", "second", "first-ended", "second-ended" };
	struct engine *engine = engine_create(event, queue, watch);
	struct mm_error err = MM_ERROR_INIT;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		remove_mark(marks[i]);
	send_matches = 100000;
	send_gap_us = 10000;
	copy_lasts = true;
	engine_add(engine, NULL, make_trigger(2, "false"), &err);
	for (int i = 0; !has_mark("second") && i < 9000; i++)
		sd_event_run(event, 10000);
	tap(job_queue_busy(queue) && !engine_remove(engine, 0, "t", &err),
	    "a trigger is removed while two snapshots of it are copied");
	for (int i = 0; job_queue_busy(queue) && i < 9000; i++)
		sd_event_run(event, 10000);
	tap(!job_queue_busy(queue), "... which are completed");
	copy_lasts = false;
	send_gap_us = 1000;
	engine_destroy(engine);
	run_for(event, 200);
}

/* Runs in a child process, after a simulated suspend of days. */
static int run_asleep(struct job_queue *queue)
{
	struct trigger *trigger = make_trigger_on("sched_switch", 1, NULL);
	struct mm_error err = MM_ERROR_INIT;
	struct engine *engine;
	sd_event *event;
	int64_t now;

	if (sd_event_new(&event) < 0)
		return 2;
	engine = engine_create(event, queue, watch);
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

static void check_quiet(struct job_queue *queue)
{
	static const char name[] = "until when no match counts is on the clock of the limits";
	pid_t pid = fork(), child;
	int status = 0;

	if (!pid) {
		if (!set_asleep())
			_exit(77);
		child = fork();
		if (!child)
			_exit(run_asleep(queue));
		waitpid(child, &status, 0);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 3);
	}
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		tap_skip(name, "no time namespace can be made");
	else
		tap(!status, "%s", name);
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

/* A trigger whose file cannot be removed must stay, because a restart would restore it. */
static void check_files(sd_event *event, struct job_queue *queue)
{
	static const char folder[] = "root/var/lib/lttng-mm/triggers";
	struct engine *engine = engine_create(event, queue, watch);
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

/* Tests the trigger t: the answer must contain @expected. */
static void test_says(sd_event *event, struct engine *engine, const char *expected,
		      const char *name)
{
	struct mm_error err = MM_ERROR_INIT;
	char answer[1024] = "";

	if (!engine_test(engine, 0, "t", answer, on_test, &err))
		await(event, answer);
	tap(strstr(answer, expected), "%s: %s", name, answer);
}

/* Replaces the plan, as `record` and `stop` do. @triggers: JSON for the profile dax; NULL: none. */
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

/* Writes the names and profiles of the engine's triggers. */
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

/* Tests the step "folder", which checks whether a trigger's snapshots can be written. */
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

/* Tests that triggers of profiles follow the plan, and that users' triggers take precedence. */
static void check_planned(sd_event *event, struct job_queue *queue)
{
	const struct engine_pending none = { 0, 0 };
	struct engine *engine = engine_create(event, queue, watch);
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
		    strstr(err.message, "only root may replace"),
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
	engine_becomes(event, engine, "v:dax:mine t:dax:mine ",
		       "and the profile's trigger is back");
	remove_by_request(event, requests, text);
	tap(!strcmp(text, "done"), "the profile's trigger is removed: %s", text);
	engine_becomes(event, engine, "v:dax:mine ", "... from the plan");
	put_plan(NULL);
	engine_becomes(event, engine, "", "none without a profile that has any");
	engine_requests_destroy(requests);
	engine_destroy(engine);
	run_for(event, 200);
}

int main(void)
{
	sd_event *event;
	struct job_queue *queue = set_up(&event);

	check_engine(event, queue);
	check_copy(event, queue);
	check_held(event, queue);
	check_removed(event, queue);
	check_quiet(queue);
	check_files(event, queue);
	check_planned(event, queue);
	return tear_down(event, queue);
}
