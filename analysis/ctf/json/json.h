/* SPDX-License-Identifier: LGPL-2.1-only */
/* What the files that read CTF 2's metadata share; for them only. */
#ifndef LTTNG_MM_JSON_JSON_H
#define LTTNG_MM_JSON_JSON_H

#include <jansson.h>

#include "analysis/ctf/model/model.h"

/* Where fields are, in the order in which they are decoded. */
enum ctf_json_scope {
	CTF_JSON_PACKET_HEADER,
	CTF_JSON_PACKET_CONTEXT,
	CTF_JSON_EVENT_HEADER,
	CTF_JSON_COMMON_CONTEXT,
	CTF_JSON_SPECIFIC_CONTEXT,
	CTF_JSON_PAYLOAD,
	CTF_JSON_SCOPES,
};

/* A named field class and what using it costs. */
struct ctf_json_alias {
	struct ctf_field *field;
	uint64_t nodes; /* fields and labels in it */
	uint32_t depth;
};

struct ctf_json {
	struct ctf_trace_class *trace;
	const char *file;
	struct mm_error *err;
	size_t fragment, line; /* from 1; the line on which the fragment begins */
	const char *member;    /* the innermost name above what is read, or NULL */
	bool has_trace_class;
	/*
	 * What may still be made of the rest, so that a small file with aliases of aliases cannot
	 * take all memory; and how many names may be compared to find lengths and selectors.
	 */
	uint64_t nodes_left, steps_left;
	struct ctf_json_alias *aliases;
	size_t alias_count;
	/* Hash tables: an alias's name, a clock's id, a stream class's id to an index. */
	json_t *alias_by_name, *clock_by_id, *stream_by_id;
};

/*
 * One property that an object may have. Unknown ones are refused: a reader that passed over a
 * misspelt alignment would show nonsense.
 */
struct ctf_json_property {
	const char *name;
	bool required;
};

/* "trace: FILE: fragment 3 (line 7): field `x`: why; remedy"; returns -1. */
int ctf_json_fail(struct ctf_json *j, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int ctf_json_no_memory(struct ctf_json *j);

/*
 * Parses one fragment; NULL and the error set on failure. Integers above INT64_MAX, which jansson
 * does not know, are strings in it: ctf_json_integer() knows them.
 */
json_t *ctf_json_load(struct ctf_json *j, const char *text, size_t length);

/*
 * Checks that @value, called @what, is an object that has the properties of @properties (which ends
 * with a NULL name) that are required and no unknown ones. `type` is known always; attributes must
 * be an object, extensions an empty one.
 */
int ctf_json_check(struct ctf_json *j, const json_t *value, const char *what,
		   const struct ctf_json_property *properties);

/* An integer: *negative tells its sign, *bits are its lowest 64 bits. False: it is none. */
bool ctf_json_integer(const json_t *value, bool *negative, uint64_t *bits);

/*
 * Property @name of @object. *value is left alone where there is none. Return 0, or -1 with the
 * error set when it has a wrong type.
 */
int ctf_json_unsigned(struct ctf_json *j, const json_t *object, const char *name, uint64_t *value);
int ctf_json_string(struct ctf_json *j, const json_t *object, const char *name, const char **value);
/* The same; the copy replaces *value, which is released. */
int ctf_json_copy(struct ctf_json *j, const json_t *object, const char *name, char **value);
/* One of @names (ends with NULL): its index. Another string is an error. */
int ctf_json_choice(struct ctf_json *j, const json_t *object, const char *name,
		    const char *const *names, size_t *index);

/* Ranges of integers, told one by one to @add, which returns -1 when out of memory. */
typedef int (*ctf_json_range)(void *user, struct ctf_range range);
int ctf_json_ranges(struct ctf_json *j, const json_t *ranges, const char *what, bool allow_negative,
		    ctf_json_range add, void *user);

/* Takes @count from what may still be made. */
int ctf_json_charge(struct ctf_json *j, uint64_t count);

/* Tables of j: remembers that @key is number @index of its kind. 0, or -1 when out of memory. */
int ctf_json_remember(struct ctf_json *j, json_t *table, const char *key, size_t index);
bool ctf_json_recall(const json_t *table, const char *key, size_t *index);
void ctf_json_id_key(uint64_t id, char key[24]);

/*
 * The field class that @value describes or names, @depth levels (from 1) below a scope. Locations
 * of lengths and selectors are left in ctf_field.path, as JSON. NULL and the error set on failure.
 */
struct ctf_field *ctf_json_field(struct ctf_json *j, const json_t *value, uint32_t depth);

/*
 * Sets refs of all fields in @scopes[@scope]; the scopes before it are there already, or NULL.
 */
int ctf_json_locate(struct ctf_json *j, struct ctf_field *const *scopes, enum ctf_json_scope scope);

/*
 * Fills @scopes[@scope] with @fragment's property @name, located and its roles checked; it stays
 * NULL where there is none. Whatever is there afterwards is the caller's, after a failure too.
 */
int ctf_json_load_scope(struct ctf_json *j, const json_t *fragment, const char *name,
			struct ctf_field **scopes, enum ctf_json_scope scope,
			const struct ctf_clock *clock);

/* Each reads one fragment into the model. */
int ctf_json_load_trace_class(struct ctf_json *j, const json_t *fragment);
int ctf_json_load_clock(struct ctf_json *j, const json_t *fragment);
int ctf_json_load_stream_class(struct ctf_json *j, const json_t *fragment);
int ctf_json_load_event_class(struct ctf_json *j, const json_t *fragment);

#endif /* LTTNG_MM_JSON_JSON_H */
