// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests the recording of page references: the order of its steps, the status of the command,
 * signals, kills, and that nothing is left after a failure. The control file is a regular file.
 * Functions in this file replace liblttng-ctl's, and the state of the session daemon is in shared
 * memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <lttng/lttng.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lttng-session/pageref/record.h"
#include "tests/unit/machine.h"

#define CONTROL "dev/lttng-mm-pageref"
#define SESSION "page-ref"

static struct {
	/* The simulated session: it exists if @created is not 0. */
	uint64_t created;
	char output[PATH_MAX];
	unsigned int channels, overwriting, starts, stops, destroys;
	bool foreign; /* it has other events than the profile */
	/* Conditions of a case. */
	bool busy, unstartable;
	uint64_t discarded;
	size_t bytes; /* size of the trace when the session has started */
	/* Was the control file open when the session was stopped for the first time? */
	bool controlled;
	/* Results of pageref_record(). */
	int ret;
	struct mm_error err;
	struct pageref_recorded recorded;
} * lttng;

int open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;

	va_start(args, flags);
	if (flags & (O_CREAT | O_TMPFILE))
		mode = va_arg(args, mode_t);
	va_end(args);
	if (lttng && lttng->busy && strstr(path, CONTROL)) {
		errno = EBUSY;
		return -1;
	}
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int lttng_session_daemon_alive(void)
{
	return 1;
}

struct lttng_session_descriptor *lttng_session_descriptor_local_create(const char *name,
								       const char *path)
{
	if (strcmp(name, SESSION) != 0)
		return NULL;
	snprintf(lttng->output, sizeof(lttng->output), "%s", path);
	return (struct lttng_session_descriptor *)strdup(name);
}

void lttng_session_descriptor_destroy(struct lttng_session_descriptor *descriptor)
{
	free(descriptor);
}

enum lttng_error_code lttng_create_session_ext(struct lttng_session_descriptor *descriptor)
{
	(void)descriptor;
	if (lttng->created)
		return LTTNG_ERR_EXIST_SESS;
	lttng->created = 1000 + lttng->destroys;
	return LTTNG_OK;
}

int lttng_list_sessions(struct lttng_session **sessions)
{
	*sessions = calloc(1, sizeof(**sessions));
	snprintf((*sessions)->name, sizeof((*sessions)->name), SESSION);
	return !!lttng->created;
}

enum lttng_error_code lttng_session_get_creation_time(const struct lttng_session *session,
						      uint64_t *created)
{
	(void)session;
	*created = lttng->created;
	return LTTNG_OK;
}

struct lttng_handle *lttng_create_handle(const char *name, struct lttng_domain *domain)
{
	(void)name;
	(void)domain;
	return calloc(1, sizeof(struct lttng_handle));
}

void lttng_destroy_handle(struct lttng_handle *handle)
{
	free(handle);
}

int lttng_enable_channel(struct lttng_handle *handle, struct lttng_channel *channel)
{
	(void)handle;
	lttng->channels++;
	lttng->overwriting += !!channel->attr.overwrite;
	return 0;
}

int lttng_enable_event_with_filter(struct lttng_handle *handle, struct lttng_event *event,
				   const char *channel, const char *filter)
{
	(void)handle;
	(void)event;
	(void)channel;
	(void)filter;
	return 0;
}

static void write_trace(void)
{
	char path[PATH_MAX + 16];
	int fd;

	snprintf(path, sizeof(path), "%s/kernel", lttng->output);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/kernel/stream", lttng->output);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	if (fd < 0 || ftruncate(fd, (off_t)lttng->bytes) || close(fd))
		tap_bail("%s: %s", path, strerror(errno));
}

int lttng_start_tracing(const char *name)
{
	(void)name;
	if (lttng->unstartable)
		return -LTTNG_ERR_KERN_START_FAIL;
	lttng->starts++;
	write_trace();
	return 0;
}

/* Does this process have the control file open? */
static bool is_controlling(void)
{
	bool found = false;

	for (int fd = 0; fd < 256; fd++) {
		char path[64], target[PATH_MAX];
		ssize_t length;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		length = readlink(path, target, sizeof(target) - 1);
		target[length < 0 ? 0 : length] = '\0';
		found |= strstr(target, CONTROL) != NULL;
	}
	return found;
}

int lttng_stop_tracing(const char *name)
{
	(void)name;
	if (!lttng->stops++)
		lttng->controlled = is_controlling();
	return 0;
}

int lttng_destroy_session(const char *name)
{
	(void)name;
	if (!lttng->created)
		return -LTTNG_ERR_SESS_NOT_FOUND;
	lttng->created = 0;
	lttng->destroys++;
	return 0;
}

int lttng_list_channels(struct lttng_handle *handle, struct lttng_channel **channels)
{
	static const char *const names[] = { "lttng-mm", "lttng-mm-state" };

	(void)handle;
	*channels = calloc(2, sizeof(**channels));
	for (size_t i = 0; i < 2; i++)
		snprintf((*channels)[i].name, sizeof((*channels)[i].name), "%s", names[i]);
	return 2;
}

int lttng_channel_get_discarded_event_count(struct lttng_channel *channel, uint64_t *count)
{
	*count = strcmp(channel->name, "lttng-mm") ? 0 : lttng->discarded;
	return 0;
}

int lttng_list_events(struct lttng_handle *handle, const char *channel, struct lttng_event **events)
{
	(void)handle;
	*events = calloc(1, sizeof(**events));
	(*events)->enabled = 1;
	snprintf((*events)->name, sizeof((*events)->name), "%s",
		 lttng->foreign		       ? "other"
		 : strcmp(channel, "lttng-mm") ? "process_statedump_thread"
					       : "sched_process_fork");
	return 1;
}

int lttng_list_tracepoints(struct lttng_handle *handle, struct lttng_event **events)
{
	static const char *const names[] = { "sched_process_fork", "process_statedump_thread" };

	(void)handle;
	*events = calloc(2, sizeof(**events));
	for (size_t i = 0; i < 2; i++)
		snprintf((*events)[i].name, sizeof((*events)[i].name), "%s", names[i]);
	return 2;
}

int lttng_list_syscalls(struct lttng_event **events)
{
	*events = NULL;
	return 0;
}

static char out[4096]; /* the folder of the recording */

/* Records in a new process. @command NULL: records process 1. Returns the new process's ID. */
static pid_t start(char *const command[], uint64_t max_bytes)
{
	struct mm_error err = MM_ERROR_INIT;
	struct snapshot_notes notes = { .count = 0 };
	struct recorder_options options;
	struct pageref_request request = { .recorder = &options,
					   .targets.interval_ms = 500,
					   .command = command,
					   .output = out,
					   .max_bytes = max_bytes };
	pid_t pid = fork();

	if (pid)
		return pid;
	if (!command) {
		request.targets.ids.ids[TRACKER_PID][0] = 1;
		request.targets.ids.count[TRACKER_PID] = 1;
	}
	if (recorder_options_init(&options, NULL, &err) ||
	    recorder_options_add(&options, PAGEREF_PROFILE, NULL, &err))
		tap_bail("%s", err.message);
	lttng->ret = pageref_record(&request, &lttng->recorded, &notes, &lttng->err);
	recorder_options_release(&options);
	_exit(0);
}

/* Forgets the previous case. */
static void reset(void)
{
	memset(lttng, 0, sizeof(*lttng));
	machine_write(CONTROL, "");
}

/* Waits for all processes. Returns true if the recording process ended by itself. */
static bool await(pid_t pid)
{
	int status = 0, any;
	pid_t ended;

	while ((ended = wait(&any)) > 0)
		if (ended == pid)
			status = any;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static bool record(char *const command[])
{
	return await(start(command, 0));
}

static bool exists(const char *name)
{
	return !access(machine_path(name), F_OK);
}

static void read_text(const char *name, char text[4096])
{
	FILE *file = fopen(machine_path(name), "r");
	size_t length = file ? fread(text, 1, 4095, file) : 0;

	text[length] = '\0';
	if (file)
		fclose(file);
}

/* Does the file have exactly this text? */
static bool has_text(const char *name, const char *text)
{
	char found[4096];

	read_text(name, found);
	if (!strcmp(found, text))
		return true;
	printf("# %s: %s", name, found);
	return false;
}

static void remove_out(void)
{
	folder_remove(AT_FDCWD, out);
}

static char script[512];
static char *const shell[] = { "/bin/sh", "-c", script, NULL };

__attribute__((format(printf, 1, 2))) static char *const *run(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(script, sizeof(script), fmt, args);
	va_end(args);
	return shell;
}

/* Waits until the script has created the file @name. */
static void await_file(const char *name)
{
	for (int i = 0; i < 1000 && !exists(name); i++)
		usleep(10000);
	tap(exists(name), "the command runs");
}

static void check_command(void)
{
	char commands[4096];

	reset();
	lttng->discarded = 7;
	tap(record(run("echo \"interval 500\npid $$\" >%s; exit 3", machine_path("commands"))) &&
		    !lttng->ret && lttng->recorded.status == 3 && lttng->recorded.executed,
	    "the status of the command is the result: %s", lttng->err.message);
	tap(lttng->starts == 1 && !lttng->created && !lttng->controlled,
	    "the session is destroyed after the control file was closed");
	tap(lttng->channels == 2 && !lttng->overwriting,
	    "the channels of events and of the state keep what they have");
	tap(!strcmp(lttng->output, out) && !strcmp(lttng->recorded.path, out),
	    "the trace is in the folder");
	tap(exists("out/kernel/stream") && exists("out/sysinfo/system.json"),
	    "the system information is beside it");
	tap(lttng->recorded.discarded == 7, "discarded events are counted");
	read_text("commands", commands);
	tap(*commands && has_text(CONTROL, commands),
	    "the command was a target before it executed");
	remove_out();

	reset();
	record(run("kill -9 $$"));
	tap(!lttng->ret && lttng->recorded.status == 137,
	    "the status of a killed command is 128 and the signal: %d", lttng->recorded.status);
	remove_out();
}

/* Reads the signal mask with cp, because a shell would unblock signals itself. */
static void check_inherited(void)
{
	char file[4096], status[4096];
	char *const copy[] = { "/bin/cp", "/proc/self/status", file, NULL };

	reset();
	snprintf(file, sizeof(file), "%s", machine_path("status"));
	record(copy);
	read_text("status", status);
	tap(strstr(status, "\nSigBlk:\t0000000000000000\n"), "the command gets no blocked signals");
	remove_out();

	reset();
	record(run("/bin/ls -l /proc/self/fd | /bin/grep -c /lttng-mm-pageref >%s/fds",
		   machine_root));
	tap(has_text("fds", "0\n"), "... and not the control file");
	remove_out();
}

static void check_failures(void)
{
	static char *const missing[] = { "/nonexistent/program", NULL };
	static char *unexecutable[] = { NULL, NULL };

	reset();
	record(missing);
	tap(lttng->ret && lttng->recorded.status == 127 && !lttng->recorded.executed &&
		    strstr(lttng->err.message, "/nonexistent/program"),
	    "a missing program: 127: %s", lttng->err.message);
	tap(lttng->starts && !lttng->created && !exists("out"), "... and nothing is left");

	reset();
	unexecutable[0] = strdup(machine_path(CONTROL));
	machine_make_folder("out");
	record(unexecutable);
	tap(lttng->ret && lttng->recorded.status == 126 && !lttng->recorded.executed,
	    "a file that is not executable: 126: %s", lttng->err.message);
	tap(!lttng->created && exists("out") && !exists("out/kernel"),
	    "... and a folder that existed is empty");
	free(unexecutable[0]);
	remove_out();

	reset();
	lttng->unstartable = true;
	record(run(": >%s", machine_path("executed")));
	tap(lttng->ret && lttng->err.code == MM_EXIT_ENVIRONMENT && !exists("executed") &&
		    !lttng->recorded.executed,
	    "a session that cannot start: the command does not execute: %s", lttng->err.message);
	tap(!lttng->created && !exists("out"), "... and nothing is left");

	reset();
	lttng->busy = true;
	record(run("exit 0"));
	tap(lttng->ret && lttng->err.code == MM_EXIT_ENVIRONMENT && !exists("out") &&
		    strstr(lttng->err.message, "another process records page references"),
	    "a second recording: %s", lttng->err.message);

	reset();
	machine_make_folder("out");
	machine_write("out/file", "x");
	record(run("exit 0"));
	tap(lttng->ret && lttng->err.code == MM_EXIT_BAD_INPUT && exists("out/file") &&
		    !lttng->starts && strstr(lttng->err.message, "is not empty"),
	    "a folder that is not empty stays as it is: %s", lttng->err.message);
	remove_out();
}

/* Tests a recording while a session of its name exists. */
static void check_existing(void)
{
	reset();
	lttng->created = 5;
	record(run("exit 0"));
	tap(!lttng->ret && lttng->destroys == 2,
	    "the session of a killed recording is replaced: %s", lttng->err.message);
	remove_out();

	reset();
	lttng->created = 5;
	lttng->foreign = true;
	record(run("exit 0"));
	tap(lttng->ret && lttng->err.code == MM_EXIT_ENVIRONMENT && lttng->created == 5 &&
		    !exists("out"),
	    "a session of another program is not: %s", lttng->err.message);
}

static void check_signals(void)
{
	pid_t pid;

	reset();
	pid = start(run("trap 'exit 5' TERM; : >%s/ready; while :; do /bin/sleep 0.1; done",
			machine_root),
		    0);
	await_file("ready");
	kill(pid, SIGTERM);
	tap(await(pid) && !lttng->ret && lttng->recorded.status == 5 && !lttng->created,
	    "SIGTERM is forwarded to the command, whose status is the result");
	remove_out();

	reset();
	pid = start(NULL, 0);
	for (int i = 0; i < 1000 && !lttng->starts; i++)
		usleep(10000);
	kill(pid, SIGINT);
	tap(await(pid) && !lttng->ret && !lttng->recorded.status && !lttng->created &&
		    !lttng->controlled && exists("out/sysinfo/system.json"),
	    "without a command, SIGINT ends the recording");
	tap(has_text(CONTROL, "interval 500\npid 1\n"), "... of the given process");
	remove_out();
}

/* The test is a subreaper: await() also waits for the guard and the command. */
static void check_kill(void)
{
	pid_t pid;

	unlink(machine_path("ready"));
	reset();
	pid = start(run(": >%s/ready; while [ ! -e %s/go ]; do /bin/sleep 0.1; done; : >%s/done",
			machine_root, machine_root, machine_root),
		    0);
	await_file("ready");
	kill(pid, SIGKILL);
	for (int i = 0; i < 1000 && lttng->created; i++)
		usleep(10000);
	tap(!lttng->created && lttng->destroys == 1,
	    "a guard destroys the session of a killed recording");
	machine_write("go", "");
	await(pid);
	tap(exists("done"), "... and the command continues to its end");
	remove_out();
}

static void check_limits(void)
{
	pid_t pid;

	unlink(machine_path("ready"));
	reset();
	lttng->bytes = 5000;
	pid = start(run(": >%s/ready; while [ ! -e %s/go2 ]; do /bin/sleep 0.1; done; exit 4",
			machine_root, machine_root),
		    4096);
	await_file("ready");
	for (int i = 0; i < 1000 && !lttng->stops; i++)
		usleep(10000);
	tap(lttng->stops == 1 && !lttng->controlled && lttng->created,
	    "recording stops when the folder has its maximum size");
	machine_write("go2", "");
	tap(await(pid) && !lttng->ret && lttng->recorded.full && lttng->recorded.status == 4,
	    "... the command continues");
	remove_out();

	unlink(machine_path("ready"));
	reset();
	pid = start(run(": >%s/ready; while [ ! -e %s/go3 ]; do /bin/sleep 0.1; done; exit 4",
			machine_root, machine_root),
		    0);
	await_file("ready");
	lttng->created = 0;
	machine_write("go3", "");
	await(pid);
	tap(lttng->ret && lttng->err.code == MM_EXIT_ENVIRONMENT && lttng->recorded.executed &&
		    lttng->recorded.status == 4 && exists("out/kernel/stream"),
	    "a session that another program destroyed is an error: %s", lttng->err.message);
	remove_out();
}

int main(void)
{
	static const char *const folders[] = {
		"dev", "etc", "etc/lttng-mm", "etc/lttng-mm/profiles", "proc", "proc/self", "run",
		"sys", NULL
	};

	lttng = mmap(NULL, sizeof(*lttng), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (lttng == MAP_FAILED)
		tap_bail("no memory");
	machine_create(folders);
	snprintf(out, sizeof(out), "%s", machine_path("out"));
	machine_write("etc/lttng-mm/profiles/" PAGEREF_PROFILE ".conf",
		      "[profile]\n[buffers]\nsubbuf-size = 4k\nnum-subbuf = 2\n"
		      "[events]\nrecord = sched_process_fork\nstate = process_statedump_thread\n");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* No module is loaded. */
	setenv("PATH", machine_root, 1);
	check_command();
	check_inherited();
	check_failures();
	check_existing();
	check_signals();
	check_kill();
	check_limits();
	setenv("PATH", "/usr/bin:/bin", 1);
	tap(machine_remove(), "the folder is removed");
	return tap_status();
}
