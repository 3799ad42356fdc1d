/* SPDX-License-Identifier: LGPL-2.1-only */
/* The processes of the machine, as /proc lists them. */
#ifndef LTTNG_MM_SESSION_PROCESS_LIST_H
#define LTTNG_MM_SESSION_PROCESS_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct listed_process {
	int pid, parent;
	int64_t started; /* in clock ticks since boot (sysconf(_SC_CLK_TCK) per second) */
	char name[64];
	bool exiting; /* it runs no more code of its program, but may still close its files */
	bool marked;  /* for the caller */
};

/* Processes in the order of their IDs; zero-initialized. */
struct process_list {
	struct listed_process *all;
	size_t count, room;
};

/* Reads /proc/@pid/stat. Returns whether the process exists. */
bool process_read(int pid, struct listed_process *process);

/* Reads all processes. Returns 0, or -1 when out of memory; release the list in either case. */
int process_list_read(struct process_list *list);
void process_list_release(struct process_list *list);

/* Marks the descendants of marked processes that started at @since or later. */
void process_list_mark_descendants(struct process_list *list, int64_t since);

#endif /* LTTNG_MM_SESSION_PROCESS_LIST_H */
