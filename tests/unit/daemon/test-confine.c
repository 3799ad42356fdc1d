// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests commands whose processes try to survive the command or to use up the machine's tasks: new
 * sessions, orphans, and fork bombs.
 */
#include "lttng-session/daemon/jobs/confine.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include "lttng-session/daemon/triggers/command.h"
#include "tests/tap.h"

#define S INT64_C(1000000000)
/* Start of a range of unused user IDs. Each run of the test uses another ID. */
#define FIRST_USER 1000000000
#define PATIENCE 600
#define BOMB_TASKS 700
/* RLIMIT_NPROC of commands if no cgroup limits the tasks. */
#define TASKS_MAX 512

/* The user who runs the commands. */
static uid_t command_user;

/* Returns the number of running processes of the user. */
static unsigned int count_processes(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	unsigned int count = 0;

	while (proc && (entry = readdir(proc))) {
		char path[300], state = '?';
		struct stat st;
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%s", entry->d_name);
		if (strspn(entry->d_name, "0123456789") != strlen(entry->d_name) ||
		    stat(path, &st) || st.st_uid != command_user)
			continue;
		snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
		file = fopen(path, "re");
		if (file && fscanf(file, "%*d (%*[^)]) %c", &state) == 1 && state != 'Z')
			count++;
		if (file)
			fclose(file);
	}
	if (proc)
		closedir(proc);
	return count;
}

static void on_command(void *user, const char *status, bool success)
{
	snprintf(user, 128, "%s%s", success ? "ok " : "", status);
}

static struct command *start(sd_event *event, const char *text, int64_t limit_ns, char status[128])
{
	/* RLIMIT_NPROC has no effect on a process with root's capabilities. */
	struct requester user = { .uid = command_user, .gid = command_user };
	struct mm_error err = MM_ERROR_INIT;
	struct command *command;

	*status = '\0';
	command =
		command_start(event, text, "/snapshot", &user, limit_ns, on_command, status, &err);
	if (!command)
		tap_bail("%s", err.message);
	return command;
}

static void await(sd_event *event, const char *text)
{
	for (int i = 0; !*text && i < PATIENCE; i++)
		sd_event_run(event, 100000);
}

static const struct {
	const char *name, *text;
	int64_t limit_ns;
	const char *status;
} cases[] = {
	{ "processes in sessions of their own",
	  "sh -c 'setsid sleep 300 & setsid sleep 300 & sleep 0.2'", 60 * S, "ok exit status 0" },
	{ "orphans of orphans",
	  "sh -c '(setsid sh -c \"setsid sleep 300 & (sleep 300 &) ; exit\" &) ; sleep 0.3'",
	  60 * S, "ok exit status 0" },
	{ "a time limit, with SIGTERM ignored",
	  "sh -c 'trap \"\" TERM; setsid sleep 300 & while :; do sleep 1; done'", S / 2,
	  "killed by signal 9 after its time limit" },
};

static void check_ends(sd_event *event, const char *mode)
{
	char status[128];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct command *command = start(event, cases[i].text, cases[i].limit_ns, status);

		await(event, status);
		tap(!strcmp(status, cases[i].status), "%s: %s: %s", mode, cases[i].name, status);
		tap(!count_processes(), "%s: %s: nothing is left", mode, cases[i].name);
		command_destroy(command);
	}
}

/* Starts a fork bomb that runs long enough for this process to count its tasks. */
static void check_bomb(sd_event *event, const char *mode)
{
	unsigned int seen = 0, now;
	char status[128], text[256];
	struct command *command;

	snprintf(
		text, sizeof(text),
		"sh -c '(i=0; while [ $i -lt %d ]; do i=$((i+1)); setsid sleep 300 & done); exec sleep 3'",
		BOMB_TASKS);
	command = start(event, text, 20 * S, status);
	for (int i = 0; !*status && i < PATIENCE; i++) {
		sd_event_run(event, 50000);
		now = count_processes();
		seen = now > seen ? now : seen;
	}
	tap(seen > TASKS_MAX / 2 && seen <= TASKS_MAX, "%s: a command has up to %d tasks: %u", mode,
	    TASKS_MAX, seen);
	tap(!count_processes(), "%s: ... which end with it: %s", mode, status);
	command_destroy(command);
}

/* Tests that a command ends when it is destroyed and when the daemon exits. */
static void check_destroyed(sd_event *event, const char *mode)
{
	char status[128];
	struct command *command = start(
		event, "sh -c 'setsid sleep 300 & setsid sleep 300 & sleep 300'", 60 * S, status);
	int tries;

	for (tries = 0; count_processes() < 3 && tries < PATIENCE; tries++)
		usleep(10000);
	tap(tries < PATIENCE, "%s: a command with three processes", mode);
	command_destroy(command);
	for (tries = 0; count_processes() && tries < PATIENCE; tries++)
		sd_event_run(event, 10000);
	tap(!count_processes() && !*status, "%s: ... all end when it is given up", mode);
}

static void check_killed_daemon(const char *mode)
{
	pid_t pid = fork();
	int tries;

	if (!pid) {
		char status[128];
		sd_event *event;

		if (sd_event_new(&event) < 0)
			_exit(1);
		start(event, "sh -c 'setsid sleep 300 & sleep 300'", 60 * S, status);
		await(event, status);
		_exit(0);
	}
	for (tries = 0; count_processes() < 2 && tries < PATIENCE; tries++)
		usleep(10000);
	kill(pid, SIGKILL);
	for (tries = 0; count_processes() && tries < PATIENCE; tries++)
		usleep(10000);
	tap(tries < PATIENCE, "%s: the processes of a command end with the daemon", mode);
}

static void check_mode(sd_event *event, const char *mode)
{
	check_ends(event, mode);
	check_bomb(event, mode);
	check_destroyed(event, mode);
	check_killed_daemon(mode);
}

/* Waits until the confining process has removed the cgroup. */
static bool becomes_empty(const char *group)
{
	char path[100];
	int tries;

	snprintf(path, sizeof(path), "%s/lttng-mm", group);
	for (tries = 0; rmdir(path) && tries < PATIENCE; tries++)
		usleep(10000);
	return tries < PATIENCE;
}

/* Mounts cgroup2. It may lack controllers, because this machine may use them with cgroup v1. */
static bool mount_hierarchy(char *folder)
{
	if (!mkdtemp(folder))
		return false;
	if (!mount("cgroup2", folder, "cgroup2", 0, NULL))
		return true;
	tap_skip("commands in a cgroup", strerror(errno));
	rmdir(folder);
	return false;
}

static void check_cgroup(sd_event *event)
{
	char folder[] = "/tmp/test-confine-XXXXXX", group[64], commands[100];

	if (!mount_hierarchy(folder))
		return;
	/* All mounts show the same hierarchy, so each run creates a separate cgroup. */
	snprintf(group, sizeof(group), "%s/test-confine-%d", folder, (int)getpid());
	snprintf(commands, sizeof(commands), "%s/lttng-mm", group);
	if (mkdir(group, 0755) || mkdir(commands, 0755)) {
		tap_skip("commands in a cgroup", strerror(errno));
	} else {
		/* Set the mode, whether or not systemd runs here. */
		confine_set(CONFINE_CGROUP, group);
		/* Without cgroup controllers, RLIMIT_NPROC limits the tasks. */
		check_mode(event, "cgroup");
		tap(becomes_empty(group), "cgroup: no cgroup of a command is left");
	}
	rmdir(group);
	umount(folder);
	rmdir(folder);
}

int main(void)
{
	sd_event *event;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (geteuid()) {
		tap_skip("commands of triggers", "only root can start them for another user");
		return tap_status();
	}
	if (sd_event_new(&event) < 0)
		tap_bail("no event loop");
	command_user = FIRST_USER + (uid_t)getpid();
	check_mode(event, "no cgroup");
	check_cgroup(event);
	sd_event_unref(event);
	return tap_status();
}
