/* SPDX-License-Identifier: LGPL-2.1-only */
/* The processes of the machine, as listed in /proc. */
#ifndef LTTNG_MM_SESSION_PROCESS_LIST_H
#define LTTNG_MM_SESSION_PROCESS_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct listed_process {
	int pid, parent;
	/* start time in clock ticks since boot (sysconf(_SC_CLK_TCK) per second) */
	int64_t started;
	char name[64];
	/* the process no longer runs its program, but may still be closing its files */
	bool exiting;
	bool marked; /* free for use by the caller */
};

/* A list of processes in the order of their IDs. Zero-initialize it. */
struct process_list {
	struct listed_process *all;
	size_t count, room;
};

/* Reads /proc/@pid/stat. Returns false if the process does not exist. */
bool process_read(int pid, struct listed_process *process);

/* Reads all processes. Returns 0, or -1 when out of memory. Release the list in both cases. */
int process_list_read(struct process_list *list);
void process_list_release(struct process_list *list);

/* Marks those descendants of marked processes that started at @since or later. */
void process_list_mark_descendants(struct process_list *list, int64_t since);

#endif /* LTTNG_MM_SESSION_PROCESS_LIST_H */
