/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A consumer requests events by name or pattern, and their fields by path. Requests are built at
 * run time:
 *
 *	struct mm_requests requests;
 *
 *	mm_requests_init(&requests);
 *	mm_requests_add(&requests, "fn_*");
 *	mm_requests_add_field(&requests, "tid", MM_FIELD_INTEGER);
 *	mm_requests_add_field(&requests, "$ctx.callstack_kernel",
 *			      MM_FIELD_ARRAY | MM_FIELD_OPTIONAL);
 *	ret = mm_source_run(source, &requests, &handler, err);
 *	mm_requests_release(&requests);
 *
 * A builder need not check each call: the object remembers the first error (out of memory, an
 * invalid path). Later calls then do nothing, and mm_source_run() and mm_requests_check() report
 * the error.
 */
#ifndef LTTNG_MM_EVENTS_REQUEST_H
#define LTTNG_MM_EVENTS_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"
#include "util/hash.h"

/* Maximum number of fields in a request, of steps in a path, and of requests. */
#define MM_REQUEST_FIELDS_MAX 1024u
#define MM_PATH_STEPS_MAX 64u
#define MM_REQUESTS_MAX 65536u

/*
 * Kinds that a requested field may have. If an event class lacks the field, or the field has
 * another kind, no event of the class is delivered, because the class may belong to another tracer
 * that uses the same event name. Readers read the elements of arrays only with MM_FIELD_ARRAY.
 */
enum {
	MM_FIELD_ANY = 0,     /* any kind, but without the elements of arrays */
	MM_FIELD_INTEGER = 1, /* integers, enumerations, Booleans and bit maps */
	MM_FIELD_REAL = 2,
	MM_FIELD_STRING = 4,
	MM_FIELD_ARRAY = 8,  /* an array or sequence of scalars; delivered as a struct mm_span */
	MM_FIELD_KINDS = 15, /* any of the above */
	/*
	 * The class may lack the field. In this case, the field's kind is MM_KIND_NONE and its
	 * value is 0.
	 */
	MM_FIELD_OPTIONAL = 16,
	/*
	 * The field must be the first payload member. This distinguishes events that have the same
	 * name.
	 */
	MM_FIELD_FIRST = 32,
};

/*
 * The role of a request's events: which of them are state dumps, and whether other events depend on
 * them.
 */
enum mm_request_role {
	/* state dumps are events with `_statedump_` in their names, as LTTng names them */
	MM_ROLE_BY_NAME,
	MM_ROLE_NAMES, /* like MM_ROLE_BY_NAME, but the events only name threads */
	MM_ROLE_EVENT, /* no event is a state dump */
	/* like MM_ROLE_BY_NAME, but no other event depends on these events */
	MM_ROLE_COUNTED,
	MM_ROLE_STATE, /* all events are state dumps */
};

/* One step of a path: from a structure to a member, or from an array to an element. */
struct mm_path_step {
	const char *member; /* NULL: element @index */
	uint64_t index;
};

struct mm_requested_field {
	char *path; /* as requested */
	bool context;
	const char *name; /* @path without `$ctx.` */
	struct mm_path_step *steps;
	unsigned int step_count;
	char *members; /* memory of the steps' names */
	unsigned int flags;
};

struct mm_request {
	char *event; /* name or pattern */
	bool is_pattern;
	enum mm_request_role role;
	struct mm_requested_field *fields;
	unsigned int field_count;
	size_t field_room;
	bool rest; /* also request the payload members that @fields does not name, after @fields */
	unsigned int rest_flags;
};

struct mm_source;

/* Requests, numbered in the order in which they were added. */
struct mm_requests {
	/* The source that will run the requests. A builder may query it. NULL: unknown. */
	struct mm_source *source;
	struct mm_request *all;
	unsigned int count;
	unsigned int current; /* number of the request that new fields are added to */
	size_t room;
	struct mm_hash by_name; /* requests without patterns */
	struct mm_error error;
};

void mm_requests_init(struct mm_requests *requests);
void mm_requests_release(struct mm_requests *requests);

/*
 * Adds a request for the events named @event: a name, or a shell pattern (`*`, `?`, `[...]`; a
 * backslash escapes a character). If an event matches several requests, an exact name wins over a
 * pattern, and an earlier pattern over a later one. If @event was added before, continues that
 * request. Returns the request's number, or -1 on error.
 */
int mm_requests_add(struct mm_requests *requests, const char *event);

/*
 * Adds a field to the request that was added last. @path names
 *
 *	NAME		a member of the payload
 *	$ctx.NAME	a context: the event's own, or else its stream's
 *	A.B		member B of the structure A
 *	A[3]		element 3, counted from 0, of the array or sequence A. If an event's
 *			sequence is too short, the value is 0, or an empty string or array.
 *	A		all elements of the array or sequence A
 *
 * and their combinations, as in `$ctx.a.b[0].c`. If a member's whole name is equal to the path,
 * this member is used. Paths do not lead into variants. Adding a path twice adds only one field.
 * Returns the field's number in the request, or -1 on error.
 */
int mm_requests_add_field(struct mm_requests *requests, const char *path, unsigned int flags);

/* One line of a table of requests, which ends with a NULL name. */
struct mm_event_fields {
	const char *event;
	const char *const *fields; /* paths, ends with NULL; NULL: none */
};

/*
 * Adds the requests of a table. All fields get @flags. The events in the table must be distinct. If
 * this is the first call for @requests, the request of line N has number N.
 */
void mm_requests_add_table(struct mm_requests *requests, const struct mm_event_fields *table,
			   unsigned int flags);

/*
 * Also requests all payload members that the last added request does not name. In an event, they
 * follow the requested fields in payload order, up to MM_REQUEST_FIELDS_MAX fields in total.
 * @flags: MM_FIELD_ARRAY to read elements of arrays, or MM_FIELD_ANY.
 */
void mm_requests_add_rest(struct mm_requests *requests, unsigned int flags);

/* Did mm_requests_add_rest() request payload member @name? */
bool mm_request_is_rest(const struct mm_request *request, const char *name);

/* Changes the flags of fields with this path in all requests added so far. */
void mm_requests_expect(struct mm_requests *requests, const char *path, unsigned int flags);

/* Changes the role of the request added last; the default is MM_ROLE_BY_NAME. */
void mm_requests_set_role(struct mm_requests *requests, enum mm_request_role role);

/* Returns 0, or -1 with @err set if building the requests failed. */
int mm_requests_check(const struct mm_requests *requests, struct mm_error *err);

/* Returns the number of the request that events named @event match, or -1. */
int mm_requests_find(const struct mm_requests *requests, const char *event);

/* Returns true if @event is the name of a state dump. It must match request @number. */
bool mm_request_is_state(const struct mm_requests *requests, int number, const char *event);

/* Do events that match request @number only name threads? */
bool mm_request_is_for_names(const struct mm_requests *requests, int number);
/* May the meaning of other events depend on events of request @number? */
bool mm_request_affects_others(const struct mm_requests *requests, int number);

/* May any request match state dumps? */
bool mm_requests_have_state(const struct mm_requests *requests);

#endif /* LTTNG_MM_EVENTS_REQUEST_H */
