// SPDX-License-Identifier: LGPL-2.1-only
/* Lists processes, and finds their descendants. */
#include "lttng-session/system/process-list.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/mounts.h"

/* The kernel's flag PF_EXITING, in the flags of /proc/PID/stat. */
#define EXITING 0x4u

/*
 * Parses text such as `4711 (a) b) S 1 ...`. The name in parentheses may contain any character, so
 * its end is the last parenthesis. Field 22 is the start time. Returns false if the text has no
 * field 22.
 */
static bool parse(char *text, struct listed_process *process)
{
	enum { PARENT = 4, FLAGS = 9, START = 22 };
	char *name = strchr(text, '('), *field = strrchr(text, ')'), *rest = NULL;
	int number = PARENT - 1;

	if (!name || !field || field < name)
		return false;
	*field = '\0';
	snprintf(process->name, sizeof(process->name), "%s", name + 1);
	for (field = strtok_r(field + 1, " ", &rest); field && number < START;
	     field = strtok_r(NULL, " ", &rest), number++) {
		if (number == PARENT)
			process->parent = atoi(field);
		if (number == FLAGS)
			process->exiting = strtoul(field, NULL, 10) & EXITING;
	}
	process->started = field ? atoll(field) : 0;
	return field;
}

bool process_read(int pid, struct listed_process *process)
{
	char path[4096], text[1024];
	FILE *file =
		mounts_path(path, sizeof(path), "/proc/%d/stat", pid) ? NULL : fopen(path, "re");

	*process = (struct listed_process){ .pid = pid };
	text[file ? fread(text, 1, sizeof(text) - 1, file) : 0] = '\0';
	if (file)
		fclose(file);
	return parse(text, process);
}

static int add(struct process_list *list, int pid)
{
	struct listed_process process, *grown = list->all;

	if (!process_read(pid, &process))
		return 0;
	if (list->count == list->room) {
		list->room = list->room ? 2 * list->room : 256;
		grown = reallocarray(grown, list->room, sizeof(*grown));
		if (!grown)
			return -1;
		list->all = grown;
	}
	list->all[list->count++] = process;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct listed_process *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

int process_list_read(struct process_list *list)
{
	char path[4096];
	struct dirent *entry;
	int ret = 0;
	DIR *proc = mounts_path(path, sizeof(path), "/proc") ? NULL : opendir(path);

	while (proc && !ret && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]))
			ret = add(list, atoi(entry->d_name));
	if (proc)
		closedir(proc);
	if (list->count)
		qsort(list->all, list->count, sizeof(*list->all), compare);
	return ret;
}

void process_list_release(struct process_list *list)
{
	free(list->all);
	*list = (struct process_list){ .count = 0 };
}

static bool has_marked_parent(const struct process_list *list, const struct listed_process *process)
{
	const struct listed_process key = { .pid = process->parent };
	const struct listed_process *parent =
		bsearch(&key, list->all, list->count, sizeof(key), compare);

	return parent && parent->marked;
}

void process_list_mark_descendants(struct process_list *list, int64_t since)
{
	bool found = true;

	/* A child may have a lower ID than its parent, so repeat until no new process is found. */
	while (found) {
		found = false;
		for (size_t i = 0; i < list->count; i++) {
			struct listed_process *process = &list->all[i];

			if (process->marked || process->started < since ||
			    !has_marked_parent(list, process))
				continue;
			process->marked = found = true;
		}
	}
}
