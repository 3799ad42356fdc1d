// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests how the plan is written, read and locked. Malformed files and files of other users are
 * refused, and plans of another boot are ignored.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lttng-session/recorder/plan-limits.h"
#include "lttng-session/recorder/plan-file.h"
#include "lttng-session/recorder/plan.h"
#include "lttng-session/recorder/recorder.h"
#include "tests/tap.h"

#define NOBODY 65534
#define FILE_NAME "run/lttng-mm/recorder.json"

static char root[] = "/tmp/test-plan-XXXXXX";

static void put(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	if (!file || fputs(text, file) == EOF || fclose(file))
		tap_bail("%s cannot be written", name);
}

#define SESSION(name, role, since, channels)                                           \
	"{\"name\":" name ",\"role\":" role ",\"profiles\":[\"dax\"],\"since\":" since \
	",\"callstack\":false,\"kaslr_safe\":true,\"channels\":" channels "}"
#define CHANNEL \
	"[{\"name\":\"c\",\"subbuf_bytes\":4096,\"subbuf_count\":8,\"events\":[\"dax_*\"],\"contexts\":[]}]"
#define SESSION_REST                                                               \
	"\"name\":\"one\",\"role\":\"events\",\"profiles\":[\"dax\"],\"since\":7," \
	"\"callstack\":false,\"kaslr_safe\":true,\"channels\":" CHANNEL "}"
#define TRACKED(trackers)                                                                         \
	"{\"name\":\"a\",\"role\":\"events\",\"profiles\":[\"dax\"],\"since\":7,"                 \
	"\"callstack\":false,\"kaslr_safe\":true,\"channels\":" CHANNEL ",\"trackers\":" trackers \
	"}"
#define ONE SESSION("\"one\"", "\"events\"", "7", CHANNEL)
#define PLAN(recorders) "{\"version\":1,\"boot_id\":\"here\",\"recorders\":" recorders "}"
#define UNFINISHED(list) \
	"{\"version\":1,\"boot_id\":\"here\",\"recorders\":[],\"unfinished\":" list "}"
#define SESSIONS(sessions) \
	PLAN("[{\"name\":\"lttng-mm\",\"budget_bytes\":null,\"sessions\":" sessions "}]")

static const struct {
	const char *name, *text, *error;
} malformed[] = {
	{ "empty", "", "recorder.json:1: " },
	{ "not JSON", "{\n\"version\"", "recorder.json:2: " },
	{ "a list", "[]", "it has no boot ID" },
	{ "a member twice", "{\"version\":1,\"version\":2}", "duplicate object key" },
	{ "no boot", "{\"version\":1,\"recorders\":[]}", "it has no boot ID" },
	{ "another version", "{\"version\":2,\"boot_id\":\"here\",\"recorders\":[]}",
	  "written by another version" },
	{ "no recorders", "{\"version\":1,\"boot_id\":\"here\"}", "no list of recorders" },
	{ "recorders that are none", PLAN("[7]"), "a recorder has no valid name" },
	{ "unfinished sessions that are no list", UNFINISHED("{}"),
	  "unfinished sessions is not valid" },
	{ "an unfinished session without a name", UNFINISHED("[{\"since\":7}]"),
	  "unfinished sessions is not valid" },
	{ "an unfinished session that is an option", UNFINISHED("[{\"name\":\"-a\",\"since\":7}]"),
	  "unfinished sessions is not valid" },
	{ "an unfinished session without a time", UNFINISHED("[{\"name\":\"a\"}]"),
	  "unfinished sessions is not valid" },
	{ "an unfinished session of any time", UNFINISHED("[{\"name\":\"a\",\"since\":true}]"),
	  "unfinished sessions is not valid" },
	{ "a recorder without sessions", PLAN("[{\"name\":\"a\",\"budget_bytes\":null}]"),
	  "a recorder has no sessions" },
	{ "a name for a shell", PLAN("[{\"name\":\"a;b\",\"budget_bytes\":null,\"sessions\":[]}]"),
	  "a recorder has no valid name" },
	{ "a budget", PLAN("[{\"name\":\"a\",\"budget_bytes\":-1,\"sessions\":[]}]"),
	  "the budget of a recorder is neither" },
	{ "a folder that is not absolute",
	  PLAN("[{\"name\":\"a\",\"budget_bytes\":null,\"output\":\"x\",\"sessions\":[]}]"),
	  "the output folder or the limits of a recorder are not valid" },
	{ "a folder that is a number",
	  PLAN("[{\"name\":\"a\",\"budget_bytes\":null,\"output\":7,\"sessions\":[]}]"),
	  "the output folder or the limits of a recorder are not valid" },
	{ "limits that are a list",
	  PLAN("[{\"name\":\"a\",\"budget_bytes\":null,\"keep\":[],\"sessions\":[]}]"),
	  "the output folder or the limits of a recorder are not valid" },
	{ "a limit of nothing",
	  PLAN("[{\"name\":\"a\",\"budget_bytes\":null,\"keep\":{\"count\":0},\"sessions\":[]}]"),
	  "the output folder or the limits of a recorder are not valid" },
	{ "all of the filesystem free",
	  PLAN("[{\"name\":\"a\",\"budget_bytes\":null,\"keep\":{\"min_free_percent\":100},\"sessions\":[]}]"),
	  "the output folder or the limits of a recorder are not valid" },
	{ "a window",
	  PLAN("[{\"name\":\"a\",\"budget_bytes\":null,\"window_ns\":\"30s\",\"sessions\":[]}]"),
	  "the window of a recorder is neither" },
	{ "a session that is a number", SESSIONS("[3]"),
	  "a session has a missing or invalid member" },
	{ "a session with an odd name",
	  SESSIONS("[" SESSION("\"a\\u0000b\"", "\"events\"", "7", CHANNEL) "]"),
	  "is not allowed" },
	{ "a session that is an option",
	  SESSIONS("[" SESSION("\"-a\"", "\"events\"", "7", CHANNEL) "]"),
	  "a session has a missing or invalid member" },
	{ "an unknown role", SESSIONS("[" SESSION("\"a\"", "\"spare\"", "7", CHANNEL) "]"),
	  "a session has a missing or invalid member" },
	{ "a time that is a text",
	  SESSIONS("[" SESSION("\"a\"", "\"state\"", "\"7\"", CHANNEL) "]"),
	  "a session has a missing or invalid member" },
	{ "no channel", SESSIONS("[" SESSION("\"a\"", "\"events\"", "7", "[]") "]"),
	  "a session has a missing or invalid member" },
	{ "a size that is not a power of two",
	  SESSIONS("[" SESSION(
		  "\"a\"", "\"events\"", "7",
		  "[{\"name\":\"c\",\"subbuf_bytes\":4097,\"subbuf_count\":8,\"events\":[],\"contexts\":[]}]") "]"),
	  "a session has a missing or invalid member" },
	{ "events that are not text",
	  SESSIONS("[" SESSION(
		  "\"a\"", "\"events\"", "7",
		  "[{\"name\":\"c\",\"subbuf_bytes\":4096,\"subbuf_count\":8,\"events\":[1],\"contexts\":[]}]") "]"),
	  "a session has a missing or invalid member" },
	{ "triggers that are no list", SESSIONS("[{\"triggers\":{}," SESSION_REST "]"),
	  "a session has a missing or invalid member" },
	{ "a trigger without a name", SESSIONS("[{\"triggers\":[{}]," SESSION_REST "]"),
	  "a session has a missing or invalid member" },
	{ "a trigger with the name of a path",
	  SESSIONS("[{\"triggers\":[{\"name\":\"../x\"}]," SESSION_REST "]"),
	  "a session has a missing or invalid member" },
	{ "trackers that are a list", SESSIONS("[" TRACKED("[]") "]"),
	  "a session has a missing or invalid member" },
	{ "a tracker of nothing", SESSIONS("[" TRACKED("{\"pid\":[]}") "]"),
	  "a session has a missing or invalid member" },
	{ "a tracker of a text", SESSIONS("[" TRACKED("{\"uid\":[\"root\"]}") "]"),
	  "a session has a missing or invalid member" },
	{ "a tracker of a process that cannot be", SESSIONS("[" TRACKED("{\"pid\":[0]}") "]"),
	  "a session has a missing or invalid member" },
	{ "a session twice", SESSIONS("[" ONE "," ONE "]"), "two sessions have the same name" },
};

static void test_malformed(void)
{
	for (size_t i = 0; i < sizeof(malformed) / sizeof(malformed[0]); i++) {
		struct mm_error err = MM_ERROR_INIT;
		struct plan plan;
		int ret;

		put(FILE_NAME, malformed[i].text);
		ret = plan_read(&plan, &err);
		tap(ret && err.code == MM_EXIT_ENVIRONMENT && !plan.count && !plan.json &&
			    strstr(err.message, malformed[i].error) &&
			    strstr(err.message, "remove the file"),
		    "%s: %s", malformed[i].name, err.message);
		plan_release(&plan);
	}
}

/* Tests plans with deep nesting, a large size, and many sessions. */
static void test_large(void)
{
	static char text[2 << 20];
	struct mm_error err = MM_ERROR_INIT;
	struct plan plan;
	size_t length;

	memset(text, '[', sizeof(text) / 4);
	text[sizeof(text) / 4] = '\0';
	put(FILE_NAME, text);
	tap(plan_read(&plan, &err) && strstr(err.message, "recorder.json:1: "), "deeply nested: %s",
	    err.message);
	mm_error_clear(&err);
	memset(text, ' ', sizeof(text) - 1);
	put(FILE_NAME, text);
	tap(plan_read(&plan, &err) && strstr(err.message, "File too large"), "too long: %s",
	    err.message);
	mm_error_clear(&err);
	length = (size_t)sprintf(
		text,
		"{\"version\":1,\"boot_id\":\"here\",\"recorders\":[{\"name\":\"a\",\"budget_bytes\":null,\"sessions\":[");
	for (int i = 0; i < PLAN_SESSIONS_MAX + 1; i++)
		length += (size_t)sprintf(
			text + length,
			"%s{\"name\":\"s%d\",\"role\":\"state\",\"profiles\":[\"a\"],\"since\":1,"
			"\"callstack\":false,\"kaslr_safe\":true,\"channels\":" CHANNEL "}",
			i ? "," : "", i);
	sprintf(text + length, "]}]}");
	put(FILE_NAME, text);
	tap(plan_read(&plan, &err) && strstr(err.message, "too many sessions"), "%s", err.message);
}

static void test_other_boot(void)
{
	struct mm_error err = MM_ERROR_INIT;
	struct plan plan;

	put(FILE_NAME, SESSIONS("[" ONE "]"));
	tap(!plan_read(&plan, &err) && plan.count == 1 && !plan.other_boot &&
		    !strcmp(plan.sessions[0].name, "one") &&
		    plan.sessions[0].ring_bytes == (uint64_t)9 * 4096,
	    "a plan of this boot");
	plan_release(&plan);
	put("proc/sys/kernel/random/boot_id", "later\n");
	tap(!plan_read(&plan, &err) && !plan.count && plan.other_boot,
	    "a plan of another boot has no sessions, and is reported");
	plan_release(&plan);
	put("proc/sys/kernel/random/boot_id", "here\n");
}

/* Tests files that another user may have created. */
static void test_hostile(void)
{
	static const struct {
		const char *name, *make, *undo;
	} cases[] = {
		{ "a symbolic link", "mv " FILE_NAME " other && ln -s ../../other " FILE_NAME,
		  "rm " FILE_NAME " && mv other " FILE_NAME },
		{ "a named pipe", "mv " FILE_NAME " other && mkfifo " FILE_NAME,
		  "rm " FILE_NAME " && mv other " FILE_NAME },
		{ "a folder", "mv " FILE_NAME " other && mkdir " FILE_NAME,
		  "rmdir " FILE_NAME " && mv other " FILE_NAME },
		{ "a file that all can write", "chmod 666 " FILE_NAME, "chmod 644 " FILE_NAME },
		{ "a folder that all can write", "chmod 777 run/lttng-mm",
		  "chmod 755 run/lttng-mm" },
		{ "a folder that is a link", "mv run/lttng-mm other && ln -s ../other run/lttng-mm",
		  "rm run/lttng-mm && mv other run/lttng-mm" },
		{ "another user's file", "chown 65534 " FILE_NAME, "chown 0 " FILE_NAME },
		{ "another user's folder", "chown 65534 run/lttng-mm", "chown 0 run/lttng-mm" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mm_error err = MM_ERROR_INIT;
		struct plan plan;
		int ret;

		if (geteuid() && strstr(cases[i].make, "chown")) {
			tap_skip(cases[i].name, "only root can make it");
			continue;
		}
		tap_shell("cd %s && %s", root, cases[i].make);
		ret = plan_read(&plan, &err);
		tap(ret && strstr(err.message, "another user may have written it"), "%s: %s",
		    cases[i].name, err.message);
		plan_release(&plan);
		tap_shell("cd %s && %s", root, cases[i].undo);
	}
	tap(!access(FILE_NAME, F_OK), "the file is there again");
}

static void test_lock(void)
{
	struct mm_error err = MM_ERROR_INIT;
	int lock = plan_lock(0, &err), second;

	tap(lock >= 0, "locked: %s", err.message);
	second = plan_lock(40, &err);
	tap(second < 0 && err.code == MM_EXIT_ENVIRONMENT &&
		    strstr(err.message, "another `lttng-mm record` or `lttng-mm stop` is running"),
	    "a second command is refused: %s", err.message);
	mm_error_clear(&err);
	plan_unlock(lock);
	lock = plan_lock(0, &err);
	tap(lock >= 0, "... and not after the first has ended");
	plan_unlock(lock);
	tap_shell(
		"cd %s && rm run/lttng-mm/recorder.lock && ln -s /nowhere run/lttng-mm/recorder.lock",
		root);
	tap(plan_lock(0, &err) < 0 && access("/nowhere", F_OK), "a lock that is a link: %s",
	    err.message);
	tap_shell("rm %s/run/lttng-mm/recorder.lock", root);
}

/* Tests a rescue process that is forked while the plan is locked, and whose parent is killed. */
static void test_lock_of_killed(void)
{
	struct mm_error err = MM_ERROR_INIT;
	int forked[2], end[2], lock;
	char byte = 0;
	pid_t pid;

	if (pipe(forked) || pipe(end))
		tap_bail("no pipes");
	pid = fork();
	if (!pid) {
		byte = plan_lock(0, &err) >= 0;
		if (fork()) {
			pause();
		} else {
			close(end[1]);
			byte &= plan_lock(0, &err) < 0;
			if (write(forked[1], &byte, 1) < 0 || read(end[0], &byte, 1) < 0)
				_exit(1);
		}
		_exit(0);
	}
	tap(read(forked[0], &byte, 1) == 1 && byte, "a fork does not unlock the plan");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	lock = plan_lock(0, &err);
	tap(lock >= 0, "the lock ends with its process, although a child goes on: %s", err.message);
	plan_unlock(lock);
	for (int i = 0; i < 2; i++) {
		close(forked[i]);
		close(end[i]);
	}
}

static int add(struct plan *plan, const char *recorder, const char *name, bool state,
	       const char *profile, struct mm_error *err)
{
	static const char *const events[] = { "x_*", "y", NULL };
	static const char *const stacks[] = { "callstack-kernel", NULL };
	const char *const profiles[] = { profile, NULL };
	static const char *const rare[] = { "z", NULL };
	struct session_plan session = { .channel_count = state ? 1 : 2 };

	snprintf(session.session, sizeof(session.session), "%s", name);
	if (!strcmp(name, "a"))
		session.trackers =
			(struct trackers){ .ids = { { 4711, 1 }, { 0 } }, .count = { 2, 1 } };
	session.channels[0] = (struct session_channel){ .name = "c",
							.subbuf_bytes = 8192,
							.subbuf_count = 4,
							.events = events,
							.more_contexts = state ? NULL : stacks };
	session.channels[1] = (struct session_channel){
		.name = "c-rare", .subbuf_bytes = 4096, .subbuf_count = 2, .events = rare
	};

	return plan_add(plan, recorder, plan_make_session(&session, state, profiles, 99, true),
			err);
}

/* Writes, reads and changes the plan. */
static void test_changes(void)
{
	char text[64] = "";
	struct mm_error err = MM_ERROR_INIT;
	const struct plan_session *found;
	struct plan plan;
	struct stat st;

	tap_shell("rm -r %s/run/lttng-mm", root);
	tap(!plan_read(&plan, &err) && !plan.count && plan.json, "no plan at all");
	tap(!add(&plan, "lttng-mm", "a", false, "pa", &err) &&
		    !add(&plan, "lttng-mm", "s", true, "pa", &err) &&
		    !plan_share_state(&plan, "s", "pb", true, &err) &&
		    !add(&plan, "mine", "b", false, "pb", &err) &&
		    !plan_set_budget(&plan, "lttng-mm", 1 << 20, &err) &&
		    !plan_set_window(&plan, "mine", 5000000000, &err) && !plan_write(&plan, &err),
	    "three sessions of two recorders: %s", err.message);
	plan_release(&plan);
	tap(!stat(FILE_NAME, &st) && (st.st_mode & 07777) == 0644 && !stat("run/lttng-mm", &st) &&
		    (st.st_mode & 07777) == 0755,
	    "all may read the file, and only the owner may change it");
	tap(access("run/lttng-mm/recorder.json.new", F_OK), "no temporary file is left");
	tap(!plan_read(&plan, &err) && plan.count == 3, "read again: %s", err.message);
	found = plan_find(&plan, "s");
	tap(found && found->state && plan_session_is_for(found, "pa") &&
		    plan_session_is_for(found, "pb") && !plan_session_is_for(found, "pc") &&
		    found->since == 99 && found->kaslr_safe && !found->callstack,
	    "... the role and the profiles of a session");
	tap(found && plan_session_records(found, "y") && plan_session_records(found, "x_*") &&
		    !plan_session_records(found, "x_1") && found->ring_bytes == (uint64_t)5 * 8192,
	    "... its channel");
	found = plan_find(&plan, "a");
	tap(found && !strcmp(found->channels, "c,c-rare") && found->ring_count == 2 &&
		    found->rings[1].subbuf_bytes == 4096 && found->rings[1].subbuf_count == 2 &&
		    found->ring_bytes == 5 * 8192 + 3 * 4096 && plan_session_records(found, "z"),
	    "... its two channels");
	if (found)
		trackers_text(&found->trackers, text, sizeof(text));
	tap(found && !strcmp(text, "pid 4711, 1, uid 0") &&
		    !trackers_are_set(&plan_find(&plan, "b")->trackers),
	    "... what it tracks: %s", text);
	tap(found && found->callstack && !found->kaslr_safe && !strcmp(found->recorder, "lttng-mm"),
	    "... call stacks are not KASLR-safe");
	tap(plan_budget(&plan, "lttng-mm") == 1 << 20 && !plan_budget(&plan, "mine"),
	    "... the budget of one recorder");
	tap(plan_window(&plan, "mine") == 5000000000 && !plan_window(&plan, "lttng-mm"),
	    "... the window of the other one");
	tap(add(&plan, "mine", "s", false, "pc", &err) && strstr(err.message, "same name"),
	    "a second session of one name is refused");
	mm_error_clear(&err);
	plan_release(&plan);
	plan_read(&plan, &err);
	tap(!plan_share_state(&plan, "s", "pa", false, &err) &&
		    !plan_session_is_for(plan_find(&plan, "s"), "pa") &&
		    !plan_remove(&plan, "a", &err) && plan.count == 2 && plan_find(&plan, "b"),
	    "a session is removed, the others stay");
	tap(!plan_remove(&plan, "b", &err) && !plan_has_recorder(&plan, "mine") &&
		    !plan_remove(&plan, "s", &err) && !plan.count && !plan_write(&plan, &err) &&
		    access(FILE_NAME, F_OK),
	    "without sessions there is no file: %s", err.message);
	plan_release(&plan);
}

/* Adds triggers of profiles, and removes one of them. */
static void test_triggers(void)
{
	struct mm_error err = MM_ERROR_INIT;
	json_t *triggers = json_pack("[{s:s},{s:s,s:i}]", "name", "x", "name", "y", "after_ns", 7);
	const json_t *found;
	struct plan plan;

	plan_read(&plan, &err);
	tap(!add(&plan, "mine", "a", false, "pa", &err) &&
		    !add(&plan, "mine", "b", false, "pb", &err) &&
		    !plan_set_triggers(&plan, "a", triggers, &err) && !plan_write(&plan, &err),
	    "a session with triggers: %s", err.message);
	plan_release(&plan);
	plan_read(&plan, &err);
	tap(!plan_session_triggers(plan_find(&plan, "b")), "another one has none");
	tap(json_equal(plan_session_triggers(plan_find(&plan, "a")), triggers),
	    "the triggers are read as they were written");
	tap(plan_remove_trigger(&plan, "x", &err) == 1 && !plan_remove_trigger(&plan, "x", &err) &&
		    !plan_write(&plan, &err),
	    "one is removed, once: %s", err.message);
	plan_release(&plan);
	plan_read(&plan, &err);
	found = plan_session_triggers(plan_find(&plan, "a"));
	tap(json_array_size(found) == 1 &&
		    json_equal(json_array_get(found, 0), json_array_get(triggers, 1)),
	    "the other one stays");
	plan_remove(&plan, "a", &err);
	plan_remove(&plan, "b", &err);
	plan_write(&plan, &err);
	plan_release(&plan);
	json_decref(triggers);
}

/* Tests the folder of a recorder and the limits for its snapshots. */
static void test_keep(void)
{
	const struct retention_limits folder = { .output = "/srv/x",
						 .count = 7,
						 .min_free_percent = 10 };
	const struct retention_limits size = { .max_bytes = 1 << 30 }, none = { .count = 0 };
	struct retention_limits odd = { .output = "/\xff" }, limits;
	struct mm_error err = MM_ERROR_INIT;
	struct plan plan;

	plan_read(&plan, &err);
	tap(!add(&plan, "mine", "a", false, "pa", &err) &&
		    !plan_set_limits(&plan, "mine", &none, &err) && !plan_write(&plan, &err),
	    "a recorder without a folder: %s", err.message);
	plan_release(&plan);
	tap(!plan_read_limits("a", &limits, &err) && !strcmp(limits.output, RETENTION_OUTPUT) &&
		    !retention_limits_any(&limits),
	    "... has the default one, and no limits");
	plan_read(&plan, &err);
	tap(!plan_set_limits(&plan, "mine", &folder, &err) &&
		    !plan_set_limits(&plan, "mine", &size, &err) && !plan_write(&plan, &err),
	    "a folder with limits, then one more limit: %s", err.message);
	tap(plan_set_limits(&plan, "mine", &odd, &err) && strstr(err.message, "not UTF-8"),
	    "a path that cannot be stored in JSON: %s", err.message);
	mm_error_clear(&err);
	plan_release(&plan);
	tap(!plan_read_limits("a", &limits, &err) && !strcmp(limits.output, "/srv/x") &&
		    limits.count == 7 && limits.max_bytes == 1 << 30 &&
		    limits.min_free_percent == 10,
	    "... are read again, by the name of a session");
	tap(!plan_read_limits("mine", &limits, &err) && limits.count == 7,
	    "... or of the recorder");
	tap(!plan_read_limits("other", &limits, &err) && !strcmp(limits.output, RETENTION_OUTPUT) &&
		    !retention_limits_any(&limits),
	    "another recorder has the defaults");
	put(FILE_NAME, "[");
	tap(plan_read_limits("mine", &limits, &err) && !retention_limits_any(&limits),
	    "a plan that is malformed: %s", err.message);
	tap_shell("rm %s/" FILE_NAME, root);
}

/* Tests options of trackers. */
static void test_trackers(void)
{
	static const struct {
		enum tracker_kind kind;
		const char *list, *text, *error;
	} lists[] = {
		{ TRACKER_PID, "1,4711,1", "pid 1, 4711", NULL },
		{ TRACKER_UID, "0,1000", "uid 0, 1000", NULL },
		{ TRACKER_PID, "root", NULL, "--pid: 'root' is not a process id" },
		{ TRACKER_PID, "1,", NULL, "--pid: '' is not a process id" },
		{ TRACKER_PID, "-1", NULL, "--pid: '-1' is not a process id" },
		{ TRACKER_PID, "4294967296", NULL, "is not a process id" },
		{ TRACKER_UID, "no such user", NULL,
		  "--uid: 'no such user' is not a user ID or the name of a user" },
	};
	char many[64 * 8] = "";

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct trackers trackers = { .count = { 0 } };
		struct mm_error err = MM_ERROR_INIT;
		int ret = trackers_parse(&trackers, lists[i].kind, lists[i].list, &err);
		char text[64];

		trackers_text(&trackers, text, sizeof(text));
		tap(lists[i].text ? !ret && !strcmp(text, lists[i].text)
				  : ret && strstr(err.message, lists[i].error),
		    "trackers: %s: %s", lists[i].list, ret ? err.message : text);
	}
	for (int i = 1; i <= TRACKED_MAX + 1; i++) {
		struct trackers trackers = { .count = { 0 } };
		struct mm_error err = MM_ERROR_INIT;

		snprintf(many + strlen(many), sizeof(many) - strlen(many), "%s%d", i > 1 ? "," : "",
			 i);
		if (i >= TRACKED_MAX)
			tap(!trackers_parse(&trackers, TRACKER_PID, many, &err) ==
				    (i == TRACKED_MAX),
			    "trackers: %d of them: %s", i, err.message);
	}
}

#define PROFILE "[buffers]\nsubbuf-size = 4k\nnum-subbuf = 2\n[events]\nrecord = dax_*\n"

/* Profiles that a recorder already records must be removed from the options. */
static void test_missing(void)
{
	struct recorder_options options;
	struct mm_error err = MM_ERROR_INIT;
	int ret;

	tap_shell("mkdir -p %s/etc/lttng-mm/profiles", root);
	put("etc/lttng-mm/profiles/own.conf", PROFILE);
	put("etc/lttng-mm/profiles/dax.conf", PROFILE);
	put(FILE_NAME, SESSIONS("[" ONE "]"));
	if (recorder_options_init(&options, "other", &err) ||
	    recorder_options_add(&options, "dax", NULL, &err) ||
	    recorder_options_add(&options, "own", NULL, &err))
		tap_bail("%s", err.message);
	ret = recorder_options_leave_recorded(&options, &err);
	tap(!ret && options.count == 1 && !strcmp(options.profiles[0]->name, "own"),
	    "a profile that is recorded is left out: %s", err.message);
	put(FILE_NAME, "[]");
	tap(recorder_options_leave_recorded(&options, &err) && options.count == 1,
	    "... unless the plan cannot be read: %s", err.message);
	recorder_options_release(&options);
}

int main(void)
{
	if (!mkdtemp(root) || chmod(root, 0755) || chdir(root) || setenv("LTTNG_MM_ROOT", root, 1))
		return 2;
	umask(022);
	tap_shell("mkdir -p %s/run/lttng-mm %s/proc/sys/kernel/random", root, root);
	put("proc/sys/kernel/random/boot_id", "here\n");
	test_malformed();
	test_large();
	test_other_boot();
	test_hostile();
	test_lock();
	test_lock_of_killed();
	/* The modes must not depend on the umask. */
	umask(077);
	test_changes();
	test_triggers();
	test_keep();
	test_trackers();
	umask(022);
	test_missing();
	tap_shell("rm -r %s", root);
	return tap_status();
}
