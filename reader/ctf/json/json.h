/* SPDX-License-Identifier: LGPL-2.1-only */
/* Declarations shared by the files that read CTF 2's metadata. */
#ifndef LTTNG_MM_CTF_JSON_JSON_H
#define LTTNG_MM_CTF_JSON_JSON_H

#include <jansson.h>

#include "reader/ctf/model/model.h"

/* The scopes of fields, in decoding order. */
enum ctf_json_scope {
	CTF_JSON_PACKET_HEADER,
	CTF_JSON_PACKET_CONTEXT,
	CTF_JSON_EVENT_HEADER,
	CTF_JSON_COMMON_CONTEXT,
	CTF_JSON_SPECIFIC_CONTEXT,
	CTF_JSON_PAYLOAD,
	CTF_JSON_SCOPES,
};

/* A named field class and the cost of using it. */
struct ctf_json_alias {
	struct ctf_field *field;
	uint64_t nodes; /* number of fields and labels in the class */
	uint32_t depth;
};

struct ctf_json {
	struct ctf_trace_class *trace;
	const char *file;
	struct mm_error *err;
	size_t fragment, line; /* number of the fragment and its first line, both from 1 */
	const char *member;    /* the innermost name above the current value, or NULL */
	bool has_trace_class;
	/*
	 * Remaining budgets. They stop small hostile files that would cause much work. @nodes_left
	 * limits the nodes of the model: an alias can use other aliases several times, and each use
	 * copies the nodes of the used alias. @steps_left limits name comparisons while resolving
	 * locations.
	 */
	uint64_t nodes_left, steps_left;
	struct ctf_json_alias *aliases;
	size_t alias_count;
	/* Hash tables from an alias's name, a clock's id, or a stream class's id to an index. */
	json_t *alias_by_name, *clock_by_id, *stream_by_id;
};

/*
 * A property of an object. Unknown properties are refused, because ignoring a misspelled alignment
 * would give wrong results.
 */
struct ctf_json_property {
	const char *name;
	bool required;
};

/* Sets an error like "trace: FILE: fragment 3 (line 7): field `x`: why; remedy". Returns -1. */
int ctf_json_fail(struct ctf_json *j, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int ctf_json_no_memory(struct ctf_json *j);

/*
 * Parses one fragment. Returns NULL with the error set on failure. Integers above INT64_MAX, which
 * jansson does not support, become strings that ctf_json_integer() accepts.
 */
json_t *ctf_json_load(struct ctf_json *j, const char *text, size_t length);

/*
 * Checks that @value is an object with all required properties and without unknown ones.
 * @properties lists the known properties, and ends with a NULL name. @what is the object's name in
 * messages. `type` is always accepted. `attributes` must be an object, and `extensions` an empty
 * object.
 */
int ctf_json_check(struct ctf_json *j, const json_t *value, const char *what,
		   const struct ctf_json_property *properties);

/* Gets the sign and the lowest 64 bits of an integer. Returns false if @value is not an integer. */
bool ctf_json_integer(const json_t *value, bool *negative, uint64_t *bits);

/*
 * Get property @name of @object. If it is absent, leave *value unchanged. Return 0, or -1 with the
 * error set if the property has a wrong type.
 */
int ctf_json_unsigned(struct ctf_json *j, const json_t *object, const char *name, uint64_t *value);
int ctf_json_string(struct ctf_json *j, const json_t *object, const char *name, const char **value);
/* Like ctf_json_string(), but releases *value and replaces it with a copy. */
int ctf_json_copy(struct ctf_json *j, const json_t *object, const char *name, char **value);
/* Gets the index of the string in @names (which ends with NULL). Other strings are errors. */
int ctf_json_choice(struct ctf_json *j, const json_t *object, const char *name,
		    const char *const *names, size_t *index);

/* Calls @add for each range of integers; @add returns -1 when out of memory. */
typedef int (*ctf_json_range)(void *user, struct ctf_range range);
int ctf_json_ranges(struct ctf_json *j, const json_t *ranges, const char *what, bool allow_negative,
		    ctf_json_range add, void *user);

/* Takes @count from the budget of nodes. Returns 0, or -1 with the error set. */
int ctf_json_charge(struct ctf_json *j, uint64_t count);

/*
 * ctf_json_remember() stores @index for @key in a table of @j. Returns 0, or -1 when out of memory.
 * ctf_json_recall() gets the index; it returns false if @key is not in the table.
 */
int ctf_json_remember(struct ctf_json *j, json_t *table, const char *key, size_t index);
bool ctf_json_recall(const json_t *table, const char *key, size_t *index);
void ctf_json_id_key(uint64_t id, char key[24]);

/*
 * Loads the field class that @value describes or names, @depth levels (from 1) below a scope.
 * Locations of lengths and selectors remain in ctf_field.path, as JSON. Returns NULL with the error
 * set on failure.
 */
struct ctf_field *ctf_json_field(struct ctf_json *j, const json_t *value, uint32_t depth);

/*
 * Sets the refs of all fields in @scopes[@scope]. Earlier entries of @scopes must be complete, or
 * NULL.
 */
int ctf_json_locate(struct ctf_json *j, struct ctf_field *const *scopes, enum ctf_json_scope scope);

/*
 * Loads @scopes[@scope] from @fragment's property @name, resolves its locations and checks its
 * roles. Without the property, @scopes[@scope] remains NULL. The caller owns the result, even after
 * a failure.
 */
int ctf_json_load_scope(struct ctf_json *j, const json_t *fragment, const char *name,
			struct ctf_field **scopes, enum ctf_json_scope scope,
			const struct ctf_clock *clock);

/* Each function loads one fragment into the model. */
int ctf_json_load_trace_class(struct ctf_json *j, const json_t *fragment);
int ctf_json_load_clock(struct ctf_json *j, const json_t *fragment);
int ctf_json_load_stream_class(struct ctf_json *j, const json_t *fragment);
int ctf_json_load_event_class(struct ctf_json *j, const json_t *fragment);

#endif /* LTTNG_MM_CTF_JSON_JSON_H */
