// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests how recorders are listed and stopped: the names of other users' sessions must be escaped,
 * and the session daemon must get few requests.
 */
#include "lttng-session/recorder/recorder.h"

#include "tests/unit/commands.h"

#define EVIL "lttng-mm-\033[2J;reboot #\xc2\x9b\n"

/* Do the lines with commands (`-> ...`) lack @word? */
static bool commands_lack(const char *text, const char *word)
{
	for (const char *c = text; (c = strstr(c, "-> ")); c++) {
		size_t length = strcspn(c, "\n");
		char *line = strndup(c, length);
		bool found = strstr(line, word);

		free(line);
		if (found)
			return false;
	}
	return true;
}

static const struct {
	const char *name, *session;
	bool finds_note;
} names[] = {
	{ "controls and a command", EVIL, false },
	{ "a state dump without its recorder", EVIL "-state", true },
	{ "a plain name", "lttng-mm-harmless-state", true },
};

static void test_names(void)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *name = names[i].name;
		int status;

		sessions[0] = names[i].session;
		status = run(cmd_status, NULL, NULL);
		tap(!status && is_clean(out) &&
			    strstr(out, names[i].finds_note ? ": state dump for dax, "
							    : ": profile ?, "),
		    "status: %s", name);
		status = run(cmd_status, "--json", NULL);
		tap(!status && is_clean(out) && strstr(out, "lttng-mm-"), "status --json: %s",
		    name);
		run(cmd_doctor, NULL, NULL);
		tap(is_clean(out) && commands_lack(out, "reboot") &&
			    commands_lack(out, "harmless") &&
			    !strstr(out, "dumps state for a recorder") == !names[i].finds_note,
		    "doctor: %s", name);
		run(cmd_doctor, "--json", NULL);
		tap(is_clean(out) && strstr(out, "\"recorders\"") &&
			    !strstr(out, "dumps state for a recorder") == !names[i].finds_note,
		    "doctor --json: %s", name);
		status = run(cmd_snapshot, "--output", top);
		tap(status == 4 && !*out && is_clean(err_out), "snapshot: %s", name);
		status = run(cmd_stop, NULL, NULL);
		tap(!status && is_clean(out) && !strncmp(out, "stopped lttng-mm-", 17), "stop: %s",
		    name);
		tap(is_clean(err_out), "... and nothing else");
	}
}

/* Tests names of LTTng's maximum of 254 bytes: no name may be confused with another one. */
static void test_long_names(void)
{
	char one[255], other[255];
	struct recorder_status *list = NULL;
	struct mm_error err = MM_ERROR_INIT;
	struct recorder_stopped stopped;
	struct recorder_session *found = NULL;

	memset(one, 'x', sizeof(one));
	memcpy(one, "lttng-mm-", 9);
	one[254] = '\0';
	memcpy(other, one, sizeof(one));
	strcpy(other + 240, "-state");
	sessions[0] = one;
	sessions[1] = other;
	tap(recorder_list(&list, NULL, &err) == 2 && !strcmp(list[0].session, one),
	    "long names are whole");
	free(list);
	tap(recorder_sessions(one, &found, &err) == 1 && !strcmp(found[0].name, one) &&
		    !found[0].dumps,
	    "a state dump is not assigned to another recorder");
	free(found);
	recorder_stop(one, &stopped, &err);
	tap(!err.code && !strcmp(destroyed, one), "one session is destroyed");
	sessions[1] = NULL;
}

/* Tests that a message names the command and suggests similar names. */
static void test_not_found(void)
{
	static const struct {
		const char *command, *session, *profile, *message;
	} cases[] = {
		{ "snapshot", "lttng-mm-slba", NULL,
		  "snapshot: no recorder is running in the session lttng-mm-slba; did you mean 'lttng-mm-slab'? `lttng-mm status` lists the running recorders" },
		{ "snapshot", "other", NULL,
		  "snapshot: no recorder is running in the session other; `lttng-mm status` lists the running recorders" },
		{ "stop", NULL, "fn",
		  "stop: no recorder with the profile fn is running; start it with `lttng-mm record fn`" },
		{ "stop", NULL, NULL, "stop: no recorder is running; there is nothing to stop" },
		{ "snapshot", NULL, NULL,
		  "snapshot: no recorder is running; start one with `lttng-mm record dax`" },
	};
	char name[RECORDER_NAME_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mm_error err = MM_ERROR_INIT;

		sessions[0] = cases[i].session || cases[i].profile ? "lttng-mm-slab" : NULL;
		sessions[1] = NULL;
		tap(recorder_find(cases[i].command, cases[i].session, cases[i].profile, name,
				  sizeof(name), &err) == -1 &&
			    err.code == MM_EXIT_ENVIRONMENT &&
			    !strcmp(err.message, cases[i].message),
		    "%s", err.message);
	}
}

/*
 * Tests that a snapshot does not ask for details of sessions. It looks up its sessions twice before
 * the freeze, and each request to the session daemon would delay the freeze.
 */
static void test_details(void)
{
	struct recorder_status *list = NULL;
	struct recorder_session *found = NULL;
	struct mm_error err = MM_ERROR_INIT;
	char name[RECORDER_NAME_MAX];

	sessions[0] = "lttng-mm-slab";
	sessions[1] = "lttng-mm-slab-state";
	asked = 0;
	tap(!recorder_find("snapshot", NULL, NULL, name, sizeof(name), &err) &&
		    !strcmp(name, sessions[0]) && recorder_sessions(name, &found, &err) > 0 &&
		    !asked,
	    "looking up sessions does not ask for details");
	tap(recorder_list(&list, NULL, &err) == 2 && list[1].subbuf_count == 4 && asked == 1,
	    "listing them does");
	free(found);
	free(list);
	sessions[1] = NULL;
}

/* Writes the plan of a recorder with one profile. Its sessions were created at the given times. */
static void write_plan(int ring_since, int state_since)
{
	static const char session[] =
		"{\"name\":\"%s\",\"role\":\"%s\",\"profiles\":[\"slab\"],\"since\":%d,\"callstack\":false,"
		"\"kaslr_safe\":true,\"channels\":[{\"name\":\"c\",\"subbuf_bytes\":4096,\"subbuf_count\":8,"
		"\"events\":[\"x\"],\"contexts\":[]}]}";
	FILE *file;

	tap_shell("mkdir -p root/run/lttng-mm root/proc/sys/kernel/random &&"
		  " echo here >root/proc/sys/kernel/random/boot_id");
	file = fopen("root/run/lttng-mm/recorder.json", "w");
	if (!file)
		tap_bail("the plan cannot be written");
	fputs("{\"version\":1,\"boot_id\":\"here\",\"recorders\":[{\"name\":\"lttng-mm\","
	      "\"budget_bytes\":null,\"sessions\":[",
	      file);
	fprintf(file, session, sessions[0], "events", ring_since);
	fputc(',', file);
	fprintf(file, session, sessions[1], "state", state_since);
	fputs("]}]}", file);
	fclose(file);
}

/* Tests a session that the daemon has recreated, but that the plan does not describe yet. */
static void test_replaced(void)
{
	static const struct {
		const char *what;
		int ring, state;
	} cases[] = {
		{ "the session of the events", 7, 0 },
		{ "the state session", 0, 7 },
		{ "both", 7, 7 },
	};
	char name[RECORDER_NAME_MAX];

	sessions[0] = "lttng-mm-slab";
	sessions[1] = "lttng-mm-slab-state";
	setenv("LTTNG_MM_ROOT", "root", 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mm_error err = MM_ERROR_INIT;

		write_plan(cases[i].ring, cases[i].state);
		tap(!recorder_find("snapshot", NULL, NULL, name, sizeof(name), &err) &&
			    !strcmp(name, "lttng-mm-slab"),
		    "a recreated session is not another recorder: %s", cases[i].what);
	}
	unsetenv("LTTNG_MM_ROOT");
	sessions[1] = NULL;
}

/* Tests that the session daemon, which may be slow or hang, gets no request before the freeze. */
static void test_in_plan(void)
{
	struct recorder_session *found = NULL, *same = NULL;
	struct mm_error err = MM_ERROR_INIT;
	char name[RECORDER_NAME_MAX], other[RECORDER_NAME_MAX];
	unsigned int before;
	int count;

	sessions[0] = "lttng-mm-slab";
	sessions[1] = "lttng-mm-slab-state";
	setenv("LTTNG_MM_ROOT", "root", 1);
	write_plan(0, 0);
	before = calls;
	tap(!recorder_find_in_plan(NULL, "slab", name, sizeof(name), &err) &&
		    recorder_sessions_in_plan(name, &found, &err) == 2 && calls == before,
	    "in the plan: found without a request to the session daemon");
	tap(found && !strcmp(found[0].channels, "c") && !found[0].state && !found[0].dumps &&
		    found[1].state && found[1].dumps,
	    "... the plan has the channels and roles");
	count = recorder_sessions(name, &same, &err);
	tap(!recorder_find("snapshot", NULL, "slab", other, sizeof(other), &err) &&
		    !strcmp(name, other) && count == 2 && found &&
		    !memcmp(found, same, 2 * sizeof(*found)) && calls > before,
	    "... the session daemon gives the same answer");
	free(found);
	free(same);
	tap(recorder_find_in_plan("other", NULL, name, sizeof(name), &err) == 1 && !err.code,
	    "a recorder that is not in the plan is not found there");
	tap(recorder_sessions_in_plan("other", &found, &err) == 0 && !found, "... with no session");
	tap(recorder_find_in_plan("-", NULL, name, sizeof(name), &err) == -1,
	    "an invalid name is refused");
	unsetenv("LTTNG_MM_ROOT");
	sessions[1] = NULL;
}

int main(void)
{
	commands_begin();
	stream_text = "";
	test_names();
	test_long_names();
	test_details();
	test_not_found();
	test_replaced();
	test_in_plan();
	return commands_end();
}
