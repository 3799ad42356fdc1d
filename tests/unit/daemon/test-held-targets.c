// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests how the supervisor sets the targets of page references: which processes it finds again
 * after a restart, and when it closes the control file. The control file is a regular file, /proc
 * is simulated, and functions in this file replace the C library's functions that access the
 * control file.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lttng-session/daemon/supervisor/held-targets.h"
#include "lttng-session/pageref/targets.h"
#include "lttng-session/system/process-list.h"
#include "tests/unit/machine.h"

#define CONTROL "dev/lttng-mm-pageref"
#define PLAN "run/lttng-mm/recorder.json"

static bool busy;    /* another process has the control file open */
static int refused;  /* the probe has no process with this ID */
static int accepted; /* the probe accepts this number of processes; 0: any */
static int born;     /* child that process 13 starts when it is selected; 0: none */

int open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;

	va_start(args, flags);
	if (flags & (O_CREAT | O_TMPFILE))
		mode = va_arg(args, mode_t);
	va_end(args);
	if (busy && strstr(path, CONTROL)) {
		errno = EBUSY;
		return -1;
	}
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

/* Makes a process of the simulated machine. */
static void make_process(int pid, const char *name, int parent, int started)
{
	char file[64], text[256];

	snprintf(file, sizeof(file), "proc/%d", pid);
	mkdir(machine_path(file), 0755);
	snprintf(file, sizeof(file), "proc/%d/stat", pid);
	snprintf(text, sizeof(text),
		 "%d (%s) S %d 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 %d 4096 1 1 1\n", pid, name,
		 parent, started);
	machine_write(file, text);
}

static void end_process(int pid)
{
	char file[64];

	snprintf(file, sizeof(file), "proc/%d/stat", pid);
	unlink(machine_path(file));
	snprintf(file, sizeof(file), "proc/%d", pid);
	rmdir(machine_path(file));
}

ssize_t write(int fd, const void *text, size_t size)
{
	char word[32] = "";
	int pid = 0;

	memcpy(word, text, size < sizeof(word) - 1 ? size : sizeof(word) - 1);
	if (sscanf(word, "pid %d\n", &pid) == 1 && (pid == refused || accepted == 1)) {
		errno = pid == refused ? ESRCH : E2BIG;
		return -1;
	}
	accepted -= pid && accepted;
	if (pid == 13 && born)
		make_process(born, "born", pid, 900);
	return syscall(SYS_write, fd, text, size);
}

static void read_control(char text[4096])
{
	FILE *file = fopen(machine_path(CONTROL), "r");
	size_t length = file ? fread(text, 1, 4095, file) : 0;

	text[length] = '\0';
	if (file)
		fclose(file);
}

/* Were exactly these commands written? Their order may differ. */
static bool has_commands(const char *commands)
{
	char text[4096], *copy = strdup(commands), *rest = copy, *line;
	bool same;

	read_control(text);
	same = strlen(text) == strlen(commands);
	while ((line = strsep(&rest, "\n")))
		same &= strstr(text, line) != NULL;
	free(copy);
	if (!same)
		printf("# commands: %s", text);
	return same;
}

/* Sets the targets in the JSON text @text. Returns whether that succeeds. */
static bool set(const char *text, char lacking[256])
{
	json_t *json = json_loads(text, 0, NULL);
	struct mm_error err = MM_ERROR_INIT;
	int control, ret;

	machine_write(CONTROL, "");
	control = pageref_control_open(&err);
	if (control < 0)
		tap_bail("%s", err.message);
	ret = pageref_targets_set(control, json, lacking, 256, &err);
	close(control);
	json_decref(json);
	if (ret)
		printf("# %s\n", err.message);
	return !ret;
}

static const struct {
	const char *name, *json, *commands, *lacking;
} cases[] = {
	{ "a user", "{\"interval_ms\":100,\"noted\":500,\"uid\":0}", "interval 100\nuid 0\n", "" },
	{ "a cgroup", "{\"interval_ms\":100,\"noted\":500,\"cgroup\":\"/sys/fs/cgroup/a\"}",
	  "interval 100\ncgroup /a\n", "" },
	{ "a process, and what it has started since then",
	  "{\"interval_ms\":500,\"noted\":500,\"pid\":[{\"id\":10,\"started\":100}]}",
	  "interval 500\npid 10\npid 12\npid 13\n", "" },
	{ "an ID that another process has now, and one that none has",
	  "{\"interval_ms\":500,\"noted\":500,\"pid\":[{\"id\":20,\"started\":99},"
	  "{\"id\":10,\"started\":101},{\"id\":21,\"started\":7}]}",
	  "interval 500\npid 20\n", "process 10 (ended), process 21 (ended)" },
	{ "DAX mappings", "{\"interval_ms\":100,\"noted\":500,\"uid\":0,\"dax\":true}",
	  "interval 100\ndax 1\nuid 0\n", "" },
	{ "a limit of the overhead, and a size",
	  "{\"interval_ms\":100,\"noted\":500,\"uid\":0,\"max_overhead\":500,\"from_bytes\":65536}",
	  "interval 100\nmax-overhead 500\nfrom 65536\nuid 0\n", "" },
	{ "an invalid limit is none",
	  "{\"interval_ms\":100,\"uid\":0,\"max_overhead\":10001,\"from_bytes\":-1}",
	  "interval 100\nuid 0\n", "" },
	{ "an invalid interval is the default", "{\"interval_ms\":-1,\"uid\":7}",
	  "interval 500\nuid 7\n", "" },
};

static const char *const invalid[] = {
	"{\"uid\":-1}",
	"{\"uid\":\"root\"}",
	"{\"uid\":4294967296}",
	"{\"pid\":7}",
	"{\"pid\":[{\"id\":0}]}",
	"{\"pid\":[7]}",
	"{\"pid\":[{\"id\":4294967306,\"started\":100}]}",
};

static void check_targets(void)
{
	char lacking[256];

	make_process(10, "target", 1, 100);
	make_process(11, "older) child 1 (x", 10, 499);
	make_process(12, "a) S 1 (\nb", 10, 500);
	make_process(13, "grandchild", 12, 600);
	make_process(20, "other", 1, 99);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		tap(set(cases[i].json, lacking) && has_commands(cases[i].commands) &&
			    !strcmp(lacking, cases[i].lacking),
		    "%s: not recorded: '%s'", cases[i].name, lacking);
	for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++)
		tap(!set(invalid[i], lacking), "refused: %s", invalid[i]);
	refused = 10;
	tap(set(cases[2].json, lacking) && has_commands("interval 500\n") &&
		    !strcmp(lacking, "process 10 (ended)"),
	    "a process that ends meanwhile: %s", lacking);
	refused = 0;
	accepted = 2;
	tap(set(cases[2].json, lacking) && has_commands("interval 500\npid 10\n") &&
		    !strcmp(lacking, "descendants beyond 256 processes"),
	    "more processes than the probe accepts: %s", lacking);
	accepted = 0;
	born = 14;
	tap(set(cases[2].json, lacking) &&
		    has_commands("interval 500\npid 10\npid 12\npid 13\npid 14\n"),
	    "a process that starts meanwhile");
	born = 0;
	end_process(14);
}

/* The kernel's PF_EXITING is 4. */
static void check_exiting(void)
{
	struct listed_process process;

	machine_make_folder("proc/50");
	machine_write("proc/50/stat",
		      "50 (a) S 1 1 1 0 -1 4194308 0 0 0 0 0 0 0 0 20 0 1 0 7 4096 1 1 1\n");
	tap(process_read(50, &process) && process.exiting && process.started == 7,
	    "a process that exits");
	tap(process_read(10, &process) && !process.exiting && !process_read(51, &process),
	    "... and one that does not");
	end_process(50);
}

static void check_note(void)
{
	struct pageref_targets targets = { .interval_ms = 200,
					   .max_overhead = 500,
					   .from_bytes = 65536 };
	struct mm_error err = MM_ERROR_INIT;
	char text[64];
	json_t *json;

	targets.ids.ids[TRACKER_PID][0] = 10;
	targets.ids.ids[TRACKER_PID][1] = 12;
	targets.ids.count[TRACKER_PID] = 2;
	json = pageref_targets_note(&targets, &err);
	pageref_targets_text(json, text, sizeof(text));
	tap(json_integer_value(json_object_get(json_array_get(json_object_get(json, "pid"), 1),
					       "started")) == 500 &&
		    !strcmp(text, "pid 10, 12"),
	    "processes are noted with their start times: %s", text);
	tap(pageref_targets_max_overhead(json) == 500 &&
		    json_integer_value(json_object_get(json, "from_bytes")) == 65536,
	    "a limit of the overhead and a size are noted");
	json_decref(json);
	targets.ids.ids[TRACKER_PID][1] = 30;
	tap(!pageref_targets_note(&targets, &err) &&
		    !strcmp(err.message, "page-ref: --pid: 30: there is no process with this ID"),
	    "a process that does not exist: %s", err.message);
}

/* Writes a plan with @targets, or without targets if @targets is NULL. */
static void write_plan(const char *targets)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "{\"version\":1,\"boot_id\":\"here\",\"recorders\":[{\"name\":\"r\","
		 "\"budget_bytes\":null,\"sessions\":[{\"name\":\"s\",\"role\":\"events\","
		 "\"profiles\":[\"page-ref\"],\"since\":7,\"callstack\":false,"
		 "\"kaslr_safe\":true,\"channels\":[{\"name\":\"c\",\"subbuf_bytes\":4096,"
		 "\"subbuf_count\":8,\"events\":[\"pageref_touch\"],\"contexts\":[]}]%s%s}]}]}",
		 targets ? ",\"targets\":" : "", targets ? targets : "");
	machine_write(PLAN, text);
}

/* Lets the supervisor look at the plan. Returns the resulting state (a new reference). */
static json_t *look(struct held_targets *held, bool lost, struct mm_error *problem)
{
	struct mm_error err = MM_ERROR_INIT;
	struct plan plan;
	json_t *state;

	if (plan_read(&plan, &err))
		tap_bail("%s", err.message);
	mm_error_clear(problem);
	state = held_targets_look(held, &plan, lost, problem);
	plan_release(&plan);
	return state;
}

/* Does this process have the control file open? */
static bool is_open(void)
{
	char path[64], target[PATH_MAX];
	bool found = false;

	for (int fd = 0; fd < 256; fd++) {
		ssize_t length;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		length = readlink(path, target, sizeof(target) - 1);
		target[length < 0 ? 0 : length] = '\0';
		found |= strstr(target, CONTROL) != NULL;
	}
	return found;
}

/* Returns the member "held" of the state, and releases the state. */
static bool is_held(json_t *state)
{
	bool held = json_is_true(json_object_get(state, "held"));

	json_decref(state);
	return held;
}

static void check_held(void)
{
	struct held_targets held = HELD_TARGETS_INIT;
	struct mm_error problem = MM_ERROR_INIT;
	json_t *state;
	int status = 1;
	pid_t pid;

	machine_write(CONTROL, "");
	write_plan(NULL);
	tap(!look(&held, false, &problem) && !is_open(), "a plan without targets: nothing is open");
	write_plan(cases[2].json);
	busy = true;
	state = look(&held, false, &problem);
	tap(state && !is_open() && strstr(problem.message, "another process records") &&
		    !strcmp(json_string_value(json_object_get(state, "problem")), problem.message),
	    "a busy control file is a problem: %s", problem.message);
	tap(!is_held(state), "... and nothing is held");
	busy = false;
	machine_write(CONTROL, "marked 5\nrestored 3\n");
	state = look(&held, false, &problem);
	tap(is_open() && !problem.code &&
		    !strcmp(json_string_value(json_object_get(state, "targets")), "pid 10"),
	    "setting the targets is tried again: %s", problem.message);
	tap(is_held(state), "... and held");
	pid = fork();
	if (!pid)
		_exit(is_open());
	waitpid(pid, &status, 0);
	tap(!status, "... but not by child processes");
	machine_write(CONTROL, "");
	tap(is_held(look(&held, false, &problem)) && has_commands(""),
	    "the same targets are not set twice");
	write_plan(cases[0].json);
	tap(is_held(look(&held, false, &problem)) && has_commands(cases[0].commands),
	    "other targets replace them");
	state = look(&held, true, &problem);
	tap(!is_open() && !problem.code && json_is_string(json_object_get(state, "problem")),
	    "nothing is open while the session daemon is lost");
	json_decref(state);
	tap(is_held(look(&held, false, &problem)) && is_open(), "... and it is afterwards");
	write_plan("{\"uid\":-1}");
	tap(!is_held(look(&held, false, &problem)) && !is_open() && problem.code,
	    "invalid targets: %s", problem.message);
	write_plan(cases[0].json);
	json_decref(look(&held, false, &problem));
	unlink(machine_path(PLAN));
	tap(!look(&held, false, &problem) && !is_open(), "the end of the recorder closes it");
	held_targets_release(&held);
}

static void check_counters(void)
{
	struct mm_error err = MM_ERROR_INIT;
	json_t *counters;
	int control;

	machine_write(CONTROL, "interval 500\nmarked 18446744073\nrestored 3\n");
	control = pageref_control_open(&err);
	for (int i = 0; i < 2; i++) {
		counters = pageref_control_counters(control);
		tap(json_integer_value(json_object_get(counters, "marked")) == 18446744073 &&
			    json_integer_value(json_object_get(counters, "restored")) == 3 &&
			    json_object_size(counters) == 2,
		    "the counters, reading %d", i + 1);
		json_decref(counters);
	}
	close(control);
}

int main(void)
{
	static const char *const folders[] = {
		"dev", "proc",	       "proc/sys", "proc/sys/kernel", "proc/sys/kernel/random",
		"run", "run/lttng-mm", NULL
	};

	machine_create(folders);
	machine_write("proc/sys/kernel/random/boot_id", "here\n");
	check_targets();
	check_exiting();
	check_note();
	check_held();
	check_counters();
	tap(machine_remove(), "the folder is removed");
	return tap_status();
}
