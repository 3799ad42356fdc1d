/* SPDX-License-Identifier: LGPL-2.1-only */
/* Values of arguments, kept beyond their event, and their text. */
#ifndef LTTNG_MM_FN_DECODE_VALUES_H
#define LTTNG_MM_FN_DECODE_VALUES_H

#include "analysis/fn/decode/classes.h"
#include "util/error.h"

/* The arguments of a call: a number each; of a text, where it is. Can be moved. */
struct fn_values {
	uint32_t bytes; /* of all */
	uint32_t reserved;
	uint64_t numbers[];
};

/* More bytes than fn_values_keep() writes for any event of @class. */
static inline size_t fn_values_room(const struct fn_class *class)
{
	return class->values_room;
}

void fn_values_keep_texts(const struct fn_class *class, const struct mm_event *event,
			  struct fn_values *values);

/* Copies the arguments of @event to @values, which has that room. */
static inline void fn_values_keep(const struct fn_class *class, const struct mm_event *event,
				  struct fn_values *values)
{
	const union mm_scalar *from = event->fields + class->first;

	values->bytes = (uint32_t)(sizeof(*values) + class->count * sizeof(uint64_t));
	for (unsigned int i = 0; i < class->count; i++)
		values->numbers[i] = from[i].u;
	if (class->has_texts)
		fn_values_keep_texts(class, event, values);
}

const char *fn_values_string(const struct fn_values *values, uint64_t number);

/* Text of values, hostile: of strings, quotes and backslashes are escaped, and nothing else. */
enum { FN_TEXT_MAX = 4096 };

/* `-2`, `0x1f`, `WRITE|USER`, `"/etc/passwd"`, bytes `7f 45 4c`, `?` where it was not read. */
size_t fn_value_format(const struct fn_value_form *form, const struct fn_values *values,
		       uint64_t number, bool unread, char *text, size_t size);

/* `dfd=-100, filename="/etc/passwd"`, each name after @before. Always terminated. */
void fn_arguments_text(const struct fn_class *class, const struct fn_values *values,
		       uint64_t unread, const char *before, char *text, size_t size);

/* What the text of values has that a reader may not know. */
struct fn_text_remarks {
	bool unread;  /* a `?` */
	bool encoded; /* a pointer, see doc/events.md */
};

/* Adds those of a value. */
void fn_value_add_remarks(const struct fn_value_form *form, uint64_t number, bool unread,
			  struct fn_text_remarks *seen);

/* Errors of results: what is counted for one. */
struct fn_error {
	bool is_bits;  /* @value has error bits of a vm_fault_t, and no others */
	int64_t value; /* otherwise a negative number */
};

/*
 * Is the result an error? Errors are negative numbers, error pointers and errors in other unsigned
 * 64-bit numbers, and error bits of a vm_fault_t.
 */
static inline bool fn_result_error(const struct fn_class *class, uint64_t ret,
				   struct fn_error *error)
{
	int64_t value = (int64_t)ret;

	if (class->ret_errors) {
		*error = (struct fn_error){ true, (int64_t)(ret & class->ret_errors) };
		return error->value;
	}
	*error = (struct fn_error){ false, value };
	if (class->ret.kind == MM_KIND_SIGNED)
		return value < 0;
	return class->ret.kind == MM_KIND_UNSIGNED && value < 0 && value >= -MM_ERRNO_MAX;
}

/* `-ENOENT`, `VM_FAULT_OOM`. */
void fn_error_text(const struct fn_class *class, const struct fn_error *error, char *text,
		   size_t size);

/* The result: as fn_value_format(), errors by name. */
void fn_result_text(const struct fn_class *class, uint64_t ret, bool unread, char *text,
		    size_t size);

#endif /* LTTNG_MM_FN_DECODE_VALUES_H */
