// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Lists the processes that record. They are the session daemon, its children (consumer daemons),
 * and all processes of this program (the recorder daemon and clients). Reports exclude their
 * activity.
 */
#include "lttng-session/sysinfo/sysinfo.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/sysinfo/write-json.h"
#include "util/json-file.h"
#include "util/mounts.h"

#define DAEMON "lttng-sessiond"

struct running_process {
	int pid, parent;
	int64_t start_ns; /* start time since boot */
	char name[64];
	bool records;
};

struct running_processes {
	struct running_process *all;
	size_t count, room;
};

/*
 * Parses /proc/PID/stat, such as `4711 (a) b) S 1 ...`. The name ends at the last parenthesis.
 * Field 22 is the start time in clock ticks. Returns 0 or -1.
 */
static int read_process(const char *pid, struct running_process *process)
{
	enum { PARENT = 4, START = 22 };
	char path[64], line[1024], *name, *field, *rest = NULL;
	long ticks = sysconf(_SC_CLK_TCK);
	int number = PARENT - 1;

	snprintf(path, sizeof(path), "/proc/%.16s/stat", pid);
	mounts_read_line(path, line, sizeof(line));
	name = strchr(line, '(');
	field = strrchr(line, ')');
	if (!name || !field || field < name || ticks <= 0)
		return -1;
	*field = '\0';
	*process = (struct running_process){ .pid = atoi(pid) };
	snprintf(process->name, sizeof(process->name), "%s", name + 1);
	for (field = strtok_r(field + 1, " ", &rest); field; field = strtok_r(NULL, " ", &rest)) {
		if (number == PARENT)
			process->parent = atoi(field);
		if (number == START) {
			process->start_ns = atoll(field) * (1000000000 / ticks);
			return 0;
		}
		number++;
	}
	return -1;
}

static int read_processes(struct running_processes *processes)
{
	char path[4096];
	struct dirent *entry;
	int ret = 0;
	DIR *proc;

	mounts_path(path, sizeof(path), "/proc");
	proc = opendir(path);
	while (proc && !ret && (entry = readdir(proc))) {
		struct running_process process, *grown = processes->all;

		if (!isdigit((unsigned char)entry->d_name[0]) ||
		    read_process(entry->d_name, &process))
			continue;
		if (processes->count == processes->room) {
			processes->room = processes->room ? 2 * processes->room : 256;
			grown = reallocarray(grown, processes->room, sizeof(*grown));
			ret = grown ? 0 : -1;
		}
		if (ret)
			break;
		processes->all = grown;
		grown[processes->count++] = process;
	}
	if (proc)
		closedir(proc);
	return ret;
}

/*
 * Returns the process id in the session daemon's pid file. If the file is stale, returns the lowest
 * id of a session daemon. 0: none is running.
 */
static int find_daemon(const struct running_processes *processes)
{
	int said, found = 0;
	char line[64];

	mounts_read_line("/run/lttng/" DAEMON ".pid", line, sizeof(line));
	said = atoi(line);
	for (size_t i = 0; i < processes->count; i++) {
		const struct running_process *process = &processes->all[i];

		if (strcmp(process->name, DAEMON))
			continue;
		if (process->pid == said)
			return said;
		if (!found || process->pid < found)
			found = process->pid;
	}
	return found;
}

static int compare_processes(const void *a, const void *b)
{
	const struct running_process *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Is the parent of @process a recording process? @processes is sorted for a binary search. */
static bool is_child(const struct running_processes *processes,
		     const struct running_process *process)
{
	const struct running_process key = { .pid = process->parent };
	const struct running_process *parent =
		bsearch(&key, processes->all, processes->count, sizeof(key), compare_processes);

	return parent && parent->records;
}

/* Writes the path of the process's program to @path; empty: unknown. */
static void read_program(const char *pid, char *path, size_t size)
{
	static const char deleted[] = " (deleted)";
	char link[64], full[4096];
	ssize_t length = -1;

	snprintf(link, sizeof(link), "/proc/%.16s/exe", pid);
	if (!mounts_path(full, sizeof(full), link))
		length = readlink(full, path, size - 1);
	path[length < 0 ? 0 : length] = '\0';
	/* After an upgrade, the program is a deleted file. */
	length = (ssize_t)strlen(path) - (ssize_t)strlen(deleted);
	if (length > 0 && !strcmp(path + length, deleted))
		path[length] = '\0';
}

/*
 * Replaces this program's path PREFIX/lib/lttng-mm/lttng-mm with PREFIX/bin/lttng-mm, the client
 * that requests snapshots. Keeps other paths, such as a test's.
 */
static void name_client(char *path)
{
	static const char all[] = "/lib/lttng-mm/lttng-mm", client[] = "/bin/lttng-mm";
	const size_t length = strlen(path);

	if (length >= strlen(all) && !strcmp(path + length - strlen(all), all))
		memcpy(path + length - strlen(all), client, sizeof(client));
}

/* Does the process run this program or the client? Commands of triggers run other programs. */
static bool runs_this_program(int pid, const char *own, const char *client)
{
	char number[16], program[PATH_MAX];

	snprintf(number, sizeof(number), "%d", pid);
	read_program(number, program, sizeof(program));
	return *own && (!strcmp(own, program) || !strcmp(client, program));
}

static void find_recorders(struct running_processes *processes)
{
	int daemon = find_daemon(processes), self = (int)getpid();
	char own[PATH_MAX], client[PATH_MAX];
	bool found = true;

	for (size_t i = 0; i < processes->count; i++)
		processes->all[i].records = processes->all[i].pid == daemon;
	while (found) {
		found = false;
		for (size_t i = 0; i < processes->count; i++) {
			struct running_process *process = &processes->all[i];

			if (process->records || !is_child(processes, process))
				continue;
			process->records = found = true;
		}
	}
	read_program("self", own, sizeof(own));
	snprintf(client, sizeof(client), "%s", own);
	name_client(client);
	/* Other children of this program do not record. */
	for (size_t i = 0; i < processes->count; i++) {
		struct running_process *process = &processes->all[i];

		process->records |=
			process->pid == self || runs_this_program(process->pid, own, client);
	}
}

int sysinfo_write_recorder(int folder, struct mm_error *err)
{
	struct running_processes processes = { NULL, 0, 0 };
	json_t *list = json_array();

	if (read_processes(&processes)) {
		json_decref(list);
		list = NULL;
	} else {
		if (processes.count)
			qsort(processes.all, processes.count, sizeof(*processes.all),
			      compare_processes);
		find_recorders(&processes);
	}
	for (size_t i = 0; list && i < processes.count; i++) {
		const struct running_process *process = &processes.all[i];

		if (process->records)
			json_array_append_new(list,
					      json_pack("{s:i, s:I, s:o}", "pid", process->pid,
							"start_ns", (json_int_t)process->start_ns,
							"name", mm_json_text(process->name)));
	}
	free(processes.all);
	return sysinfo_write_json(folder, "recorder.json",
				  list ? json_pack("{s:o}", "processes", list) : NULL, err);
}
