// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests when the recorder daemon starts the recorder of recorder.conf, and when it repeats a failed
 * start. The daemon must not start a session daemon itself. This program replaces `lttng-mm`, a
 * script replaces lttng-sessiond and systemctl, and a variable simulates the session daemon.
 */
#include "lttng-session/daemon/supervisor/autostart.h"

#include <lttng/lttng.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/machine.h"

static bool answers;

/* Replaces the library's function. */
int lttng_session_daemon_alive(void)
{
	return answers;
}

/* Simulates `lttng-mm record`: notes its arguments, and succeeds if the file `permitted` exists. */
static int record(int argc, char **argv)
{
	FILE *out = fopen(machine_path("words"), "a");

	for (int i = 1; i < argc; i++)
		fprintf(out, "[%s]", argv[i]);
	fclose(out);
	if (!access(machine_path("permitted"), F_OK))
		return 0;
	fprintf(stderr, "lttng-mm: probe: none\nmore\n");
	return 4;
}

static const char *words(void)
{
	static char text[256];
	FILE *in = fopen(machine_path("words"), "r");

	text[in ? fread(text, 1, sizeof(text) - 1, in) : 0] = '\0';
	if (in)
		fclose(in);
	return text;
}

static void make_programs(void)
{
	static const char script[] = "#!/bin/sh\necho \"$0\" >>\"${0%/*}/started\"\n";
	char path[4096];

	machine_write("bin/lttng-sessiond", script);
	machine_write("bin/systemctl", script);
	tap_shell("chmod 755 %s/bin/*", machine_root);
	snprintf(path, sizeof(path), "%s/bin:%s", machine_root, getenv("PATH"));
	setenv("PATH", path, 1);
}

static bool has_started(const char *program)
{
	char command[4096];

	snprintf(command, sizeof(command), "grep -q '/%s$' %s/bin/started 2>/dev/null", program,
		 machine_root);
	return !system(command);
}

int main(int argc, char **argv)
{
	static const char *const folders[] = { "bin", "run", NULL };
	struct settings settings = { .record = { "slab", "--budget", "64M" }, .record_line = 7 };
	const struct settings nothing = { .rescue = true };
	struct autostart autostart = { .done = false };
	struct mm_error problem = MM_ERROR_INIT;
	struct daemons daemons;
	int64_t wait_ns;

	if (argc > 1) {
		const char *root = getenv("LTTNG_MM_ROOT");

		strcpy(machine_root, root ? root : "");
		return record(argc, argv);
	}
	machine_create(folders);
	make_programs();
	setenv("INVOCATION_ID", "as of systemd", 1);
	daemons_init(&daemons);
	autostart_check(&autostart, &nothing, &daemons, &problem);
	tap(!problem.code && !has_started("systemctl"), "without settings, no recorder is started");

	autostart_check(&autostart, &settings, &daemons, &problem);
	tap(!problem.code, "a session daemon may answer a little later");
	for (int i = 0; i < 10; i++)
		autostart_check(&autostart, &settings, &daemons, &problem);
	tap(strstr(problem.message, "the session daemon does not answer"),
	    "after a while, its absence is a problem");
	tap(has_started("systemctl") && !has_started("lttng-sessiond"),
	    "the service manager is asked to start a session daemon, and this process starts none");
	tap(!*words(), "no recorder is started without a session daemon");

	answers = true;
	mm_error_clear(&problem);
	autostart_check(&autostart, &settings, &daemons, &problem);
	tap(!strcmp(words(), "[record][--missing][slab][--budget][64M]"),
	    "all words of the setting are passed: %s", words());
	tap(!strcmp(problem.message, "recorder.conf:7: probe: none; trying again later"),
	    "a failure is a problem: %s", problem.message);
	mm_error_clear(&problem);
	autostart_check(&autostart, &settings, &daemons, &problem);
	tap(problem.code && strlen(words()) < 50,
	    "the problem remains, and the start is not repeated at once");
	wait_ns = autostart.wait_ns;
	for (int i = 0; i < 20; i++) {
		autostart.due_ns = 0;
		autostart_check(&autostart, &settings, &daemons, &problem);
		if (!i)
			tap(autostart.wait_ns == 2 * wait_ns, "the pause doubles each time");
	}
	tap(autostart.wait_ns > wait_ns && autostart.wait_ns <= INT64_C(300000000000),
	    "the pause is at most five minutes");

	machine_write("permitted", "");
	autostart.due_ns = 0;
	mm_error_clear(&problem);
	mm_error_set(&problem, MM_EXIT_ENVIRONMENT, "another");
	autostart_check(&autostart, &settings, &daemons, &problem);
	tap(autostart.done && !strcmp(problem.message, "another"),
	    "the recorder is started when that becomes possible");
	machine_write("words", NULL);
	mm_error_clear(&problem);
	autostart.due_ns = 0;
	autostart_check(&autostart, &settings, &daemons, &problem);
	tap(!*words() && !problem.code, "the recorder is started only once");
	machine_remove();
	return tap_status();
}
