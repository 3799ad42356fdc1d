// SPDX-License-Identifier: LGPL-2.1-only
/* Finds LTTng's daemons, and notices when they end. */
#include "lttng-session/daemon/supervisor/daemons.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <lttng/lttng.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/recorder/plan-file.h"
#include "lttng-session/system/session-daemon.h"
#include "lttng-session/system/process-list.h"
#include "lttng-session/system/process.h"

#define PID_FILE "/run/lttng/lttng-sessiond.pid"
#define SESSION_DAEMON "lttng-sessiond"
#define UNIT SESSION_DAEMON ".service"
#define ENDED_FILE "session-daemon-ended"
/* Seconds between requests to start the session daemon's unit. */
#define AGAIN_S 30
/* Seconds to wait for another program to restart the session daemon after it ended. */
#define ALONE_S 3

void daemons_init(struct daemons *daemons)
{
	*daemons = (struct daemons){ .session = -1, .consumer = -1 };
}

bool daemons_answer(void)
{
	return lttng_session_daemon_alive() == 1;
}

/* Does a service manager run this process? systemd sets INVOCATION_ID. */
static bool are_managed(void)
{
	return getenv("INVOCATION_ID");
}

static void wait_a_second(void)
{
	const struct timespec second = { .tv_sec = 1 };

	nanosleep(&second, NULL);
}

void daemons_await(void)
{
	struct mm_error ignored = MM_ERROR_INIT;

	if (are_managed())
		return;
	for (int i = 0; i < ALONE_S && !daemons_answer(); i++)
		wait_a_second();
	if (!daemons_answer())
		daemon_ensure(&ignored);
}

/*
 * Starts the session daemon's unit. Creates ENDED_FILE first. Without this file, the condition in
 * packaging/lttng-mm-boot.conf forbids the start on a machine that records from boot on.
 */
static void start_unit(void)
{
	/* NOLINTNEXTLINE(bugprone-suspicious-missing-comma): UNIT is one string */
	static const char *const argv[] = { "systemctl", "start", "--no-block", UNIT, NULL };
	int folder = plan_folder_open(true);
	char ignored[256];
	int file = folder < 0 ? -1
			      : openat(folder, ENDED_FILE,
				       O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);

	if (file >= 0)
		close(file);
	if (folder >= 0)
		close(folder);
	process_run(argv, ignored, sizeof(ignored));
}

void daemons_revive(struct daemons *daemons)
{
	daemons_await();
	if (are_managed() && daemons->absent_s++ % AGAIN_S == ALONE_S)
		start_unit();
}

static int open_process(pid_t pid)
{
	return pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
}

static bool has_ended(int process)
{
	struct pollfd fd = { .fd = process, .events = POLLIN };

	return process >= 0 && poll(&fd, 1, 0) > 0;
}

/*
 * Is the process exiting? A killed session daemon may take seconds to close its files. Meanwhile
 * its socket still accepts connections, but nobody answers them.
 */
static bool is_exiting(pid_t pid)
{
	struct listed_process process;

	return process_read(pid, &process) && process.exiting;
}

static void close_process(int *process)
{
	if (*process >= 0)
		close(*process);
	*process = -1;
}

pid_t daemons_pid(void)
{
	FILE *file = fopen(PID_FILE, "re");
	int pid = 0;

	if (file && fscanf(file, "%d", &pid) != 1)
		pid = 0;
	if (file)
		fclose(file);
	return pid;
}

/*
 * Is @pid a session daemon? A killed daemon leaves its PID file, so the PID may belong to another
 * process by now.
 */
static bool is_session_daemon(pid_t pid)
{
	char path[64], name[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	file = fopen(path, "re");
	if (file && !fgets(name, sizeof(name), file))
		name[0] = '\0';
	if (file)
		fclose(file);
	return !strcmp(name, SESSION_DAEMON "\n");
}

static bool is_for_kernel(pid_t pid)
{
	char path[64], line[4096];
	FILE *file;
	size_t length;
	bool found;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	file = fopen(path, "re");
	length = file ? fread(line, 1, sizeof(line), file) : 0;
	found = memmem(line, length, "lttng-consumerd", strlen("lttng-consumerd")) &&
		memmem(line, length, "kconsumerd", strlen("kconsumerd"));
	if (file)
		fclose(file);
	return found;
}

/* Sets the priority of each thread in turn, because setpriority() affects only one thread. */
static void set_priority(pid_t pid, int nice)
{
	char path[64];
	struct dirent *entry;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks)))
		if (atoi(entry->d_name) > 0)
			setpriority(PRIO_PROCESS, (id_t)atoi(entry->d_name), nice);
	if (tasks)
		closedir(tasks);
}

/* Looks for the consumer daemon among the children of a thread of the session daemon. */
static void find_consumer(struct daemons *daemons, const struct settings *settings,
			  const char *task)
{
	char path[NAME_MAX + 64];
	FILE *file;
	int pid;

	snprintf(path, sizeof(path), "/proc/%d/task/%s/children", (int)daemons->session_pid, task);
	file = fopen(path, "re");
	while (file && daemons->consumer < 0 && fscanf(file, "%d", &pid) == 1) {
		if (!is_for_kernel(pid))
			continue;
		daemons->consumer = open_process(pid);
		if (settings->has_nice)
			set_priority(pid, settings->nice);
	}
	if (file)
		fclose(file);
}

static void find_consumers(struct daemons *daemons, const struct settings *settings)
{
	char path[64];
	struct dirent *entry;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)daemons->session_pid);
	tasks = opendir(path);
	while (tasks && daemons->consumer < 0 && (entry = readdir(tasks)))
		if (atoi(entry->d_name) > 0)
			find_consumer(daemons, settings, entry->d_name);
	if (tasks)
		closedir(tasks);
}

bool daemons_find(struct daemons *daemons, const struct settings *settings)
{
	bool ended = has_ended(daemons->session) ||
		     (daemons->session >= 0 && is_exiting(daemons->session_pid));

	if (has_ended(daemons->consumer)) {
		close_process(&daemons->consumer);
		daemons->consumer_ended = true;
	}
	if (ended) {
		close_process(&daemons->session);
		/* Forget the consumer daemon, too: it exits when its session daemon has ended. */
		close_process(&daemons->consumer);
		daemons->consumer_ended = false;
		daemons->session_pid = 0;
		daemons->absent_s = 0;
	}
	if (daemons->session < 0) {
		daemons->session_pid = daemons_pid();
		daemons->session = open_process(daemons->session_pid);
		/*
		 * The PID file may be stale, and the process may have ended since the file was
		 * read.
		 */
		if (!is_session_daemon(daemons->session_pid) || has_ended(daemons->session) ||
		    is_exiting(daemons->session_pid))
			close_process(&daemons->session);
		/*
		 * A session daemon runs. If it ends later, daemons_revive() must again wait ALONE_S
		 * seconds.
		 */
		if (daemons->session >= 0)
			daemons->absent_s = 0;
	}
	if (daemons->session >= 0 && daemons->consumer < 0 && !daemons->consumer_ended)
		find_consumers(daemons, settings);
	return ended;
}

void daemons_check(const struct daemons *daemons, struct mm_error *err)
{
	if (daemons->consumer_ended)
		mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"LTTng's consumer daemon for the kernel has ended: recording continues, and `lttng-mm snapshot` works, but LTTng's commands fail until the session daemon is restarted. Take a snapshot first, because the restart empties the buffers; then run `systemctl restart lttng-sessiond`");
}
