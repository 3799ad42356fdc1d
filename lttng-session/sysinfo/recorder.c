// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Lists the processes that record, so that reports can exclude their activity. They are the session
 * daemon, its children (consumer daemons), and all processes of this program (the recorder daemon
 * and its clients).
 */
#include "lttng-session/sysinfo/sysinfo.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/system/process-list.h"
#include "lttng-session/sysinfo/write-json.h"
#include "util/json-file.h"
#include "util/mounts.h"

#define DAEMON "lttng-sessiond"

/*
 * Returns the process ID in the session daemon's PID file. If the file is stale, returns the lowest
 * ID of any session daemon. Returns 0 if none is running.
 */
static int find_daemon(const struct process_list *processes)
{
	int said, found = 0;
	char line[64];

	mounts_read_line("/run/lttng/" DAEMON ".pid", line, sizeof(line));
	said = atoi(line);
	for (size_t i = 0; i < processes->count; i++) {
		const struct listed_process *process = &processes->all[i];

		if (strcmp(process->name, DAEMON))
			continue;
		if (process->pid == said)
			return said;
		if (!found || process->pid < found)
			found = process->pid;
	}
	return found;
}

/* Writes the path of the process's program to @path; empty if it is unknown. */
static void read_program(const char *pid, char *path, size_t size)
{
	static const char deleted[] = " (deleted)";
	char link[64], full[4096];
	ssize_t length = -1;

	snprintf(link, sizeof(link), "/proc/%.16s/exe", pid);
	if (!mounts_path(full, sizeof(full), link))
		length = readlink(full, path, size - 1);
	path[length < 0 ? 0 : length] = '\0';
	/* After an upgrade, the kernel appends " (deleted)" to the path of the old program. */
	length = (ssize_t)strlen(path) - (ssize_t)strlen(deleted);
	if (length > 0 && !strcmp(path + length, deleted))
		path[length] = '\0';
}

/*
 * Replaces this program's path PREFIX/lib/lttng-mm/lttng-mm by PREFIX/bin/lttng-mm, the client that
 * requests snapshots. Does not change other paths, such as the path of a test.
 */
static void name_client(char *path)
{
	static const char all[] = "/lib/lttng-mm/lttng-mm", client[] = "/bin/lttng-mm";
	const size_t length = strlen(path);

	if (length >= strlen(all) && !strcmp(path + length - strlen(all), all))
		memcpy(path + length - strlen(all), client, sizeof(client));
}

/*
 * Does the process run this program or the client? The check is needed because commands of
 * triggers, which also are children of the recorder daemon, run other programs.
 */
static bool runs_this_program(int pid, const char *own, const char *client)
{
	char number[16], program[PATH_MAX];

	snprintf(number, sizeof(number), "%d", pid);
	read_program(number, program, sizeof(program));
	return *own && (!strcmp(own, program) || !strcmp(client, program));
}

static void find_recorders(struct process_list *processes)
{
	int daemon = find_daemon(processes), self = (int)getpid();
	char own[PATH_MAX], client[PATH_MAX];

	for (size_t i = 0; i < processes->count; i++)
		processes->all[i].marked = processes->all[i].pid == daemon;
	process_list_mark_descendants(processes, 0);
	read_program("self", own, sizeof(own));
	snprintf(client, sizeof(client), "%s", own);
	name_client(client);
	/* Mark processes of this program, but no other children of the recorder daemon. */
	for (size_t i = 0; i < processes->count; i++) {
		struct listed_process *process = &processes->all[i];

		process->marked |=
			process->pid == self || runs_this_program(process->pid, own, client);
	}
}

int sysinfo_write_recorder(int folder, struct mm_error *err)
{
	const int64_t tick_ns = 1000000000 / sysconf(_SC_CLK_TCK);
	struct process_list processes = { .count = 0 };
	json_t *list = json_array();

	if (process_list_read(&processes)) {
		json_decref(list);
		list = NULL;
	} else {
		find_recorders(&processes);
	}
	for (size_t i = 0; list && i < processes.count; i++) {
		const struct listed_process *process = &processes.all[i];

		if (process->marked)
			json_array_append_new(
				list, json_pack("{s:i, s:I, s:o}", "pid", process->pid, "start_ns",
						(json_int_t)(process->started * tick_ns), "name",
						mm_json_text(process->name)));
	}
	process_list_release(&processes);
	return sysinfo_write_json(folder, "recorder.json",
				  list ? json_pack("{s:o}", "processes", list) : NULL, err);
}
