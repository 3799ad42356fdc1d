/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What the events of a subsystem mean to the analyses of others: `report why` measures the
 * operations, and counts the allocations.
 */
#ifndef LTTNG_MM_SUBSYSTEM_EVENT_ROLES_H
#define LTTNG_MM_SUBSYSTEM_EVENT_ROLES_H

#include <stdint.h>

/* Something that a thread does from one event to another, such as a fault. */
struct mm_operation {
	const char *name;	 /* as tables name it: "dax_pmd" */
	const char *noun;	 /* as sentences name it, after `a` or with a plural s */
	const char *start, *end; /* events */
	/* The field of @end with the outcome, which @start has, too, without a value; or NULL. */
	const char *outcome;
};

/* Fields that identify a file. */
enum { MM_FILE_INO, MM_FILE_MAJOR, MM_FILE_MINOR, MM_FILE_FIELDS };

/* Fields that a start and its end may have in common, besides the thread. */
#define MM_OPERATION_SAME_MAX 2
/* Operations of all subsystems. */
#define MM_OPERATIONS_MAX 32

struct mm_event_roles {
	/*
	 * The names of all events begin with one of these, as in "dax_"; ends with NULL. Their
	 * field `tid` is the thread.
	 */
	const char *const *prefixes;
	/* Events that allocate memory: `bytes_req` or `order` is the size. NULL: there are none. */
	const char *const *allocations;
	/* Ends with a NULL name; NULL: there are none. */
	const struct mm_operation *operations;
	const char *operations_noun; /* of all of them: "DAX fault" */
	/*
	 * The fields that identify the file of an operation: its inode number, and the major and
	 * minor number of its device. NULL: operations are on no file.
	 */
	const char *const *file;
	/* Fields with the same value at the start and at the end; ends with NULL. */
	const char *const *same;
	/*
	 * The value of a packed field of that name if the value of the event does not fit; the
	 * event's wide variant, NAME_wide, precedes it then on the same CPU. NULL: the subsystem
	 * has no such events.
	 */
	uint64_t (*packed_ones)(const char *field);
};

#endif /* LTTNG_MM_SUBSYSTEM_EVENT_ROLES_H */
