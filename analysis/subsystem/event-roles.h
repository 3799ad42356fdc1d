/* SPDX-License-Identifier: LGPL-2.1-only */
/* Describes the meaning of a subsystem's events to other analyses, such as `report why`. */
#ifndef LTTNG_MM_SUBSYSTEM_EVENT_ROLES_H
#define LTTNG_MM_SUBSYSTEM_EVENT_ROLES_H

#include <stdint.h>

/* An operation of a thread, such as a fault. It starts with one event and ends with another. */
struct mm_operation {
	const char *name; /* name in tables: "dax_pmd" */
	const char *noun; /* noun in sentences; its plural ends in -s */
	const char *start, *end;
	/* the field with the outcome, which has a value only in the event @end; NULL: none */
	const char *outcome;
};

/* Fields that identify a file: the inode number and the device. */
enum { MM_FILE_INO, MM_FILE_MAJOR, MM_FILE_MINOR, MM_FILE_FIELDS };

/* Maximum number of fields in @same. */
#define MM_OPERATION_SAME_MAX 2
/* Maximum number of operations of all subsystems. */
#define MM_OPERATIONS_MAX 32

struct mm_event_roles {
	/*
	 * Prefixes of all events, such as "dax_", then NULL. The events' field `tid` is the thread.
	 */
	const char *const *prefixes;
	/* Events that allocate `bytes_req` bytes or 2^`order` pages, then NULL. May be NULL. */
	const char *const *allocations;
	/* Events that record a touch of a page, then NULL; may be NULL. */
	const char *const *touches;
	/*
	 * The recorder may have recorded touches of only a sample of the pages. The share of the
	 * pages in the sample is the value of the field @sample_field of the event @sample_event,
	 * divided by @sample_all. NULL: touches of all pages are always recorded.
	 */
	const char *sample_event, *sample_field;
	uint64_t sample_all;
	/* Ends with a NULL name; may be NULL. */
	const struct mm_operation *operations;
	const char *operations_noun; /* noun for all operations: "DAX fault" */
	/* Names of fields, indexed by MM_FILE_INO etc. NULL: the operations are not on files. */
	const char *const *file;
	/* Fields, except `tid`, that are equal in @start and @end of an operation; then NULL. */
	const char *const *same;
	/*
	 * Returns the value of a packed field that means "does not fit": all ones in its width. The
	 * complete value is in the wide variant, NAME_wide, which precedes the event on its CPU. If
	 * the function is NULL, the subsystem packs no events.
	 */
	uint64_t (*packed_ones)(const char *field);
};

#endif /* LTTNG_MM_SUBSYSTEM_EVENT_ROLES_H */
