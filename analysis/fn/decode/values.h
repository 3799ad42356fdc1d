/* SPDX-License-Identifier: LGPL-2.1-only */
/* Copies of arguments, which stay valid after their event, and the text of values. */
#ifndef LTTNG_MM_FN_DECODE_VALUES_H
#define LTTNG_MM_FN_DECODE_VALUES_H

#include "analysis/fn/decode/classes.h"
#include "util/error.h"

/*
 * The arguments of a call. @numbers has one element for each argument, followed by the texts of
 * strings and arrays. The element of a string or an array is the offset of its text from the start
 * of the struct, so the struct can be moved in memory.
 */
struct fn_values {
	uint32_t bytes; /* size of the struct including its texts */
	uint32_t reserved;
	uint64_t numbers[];
};

/* Returns an upper bound of the bytes that fn_values_keep() writes for an event of @class. */
static inline size_t fn_values_room(const struct fn_class *class)
{
	return class->values_room;
}

void fn_values_keep_texts(const struct fn_class *class, const struct mm_event *event,
			  struct fn_values *values);

/* Copies the arguments of @event to @values, which must have fn_values_room() bytes. */
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

/* Text of values is untrusted. Only quotes and backslashes in strings are escaped. */
enum { FN_TEXT_MAX = 4096 };

/*
 * Writes a value: `-2`, `0x1f`, `WRITE|USER`, `"/etc/passwd"`, bytes as `7f 45 4c`. Writes `?` for
 * a value that the probe could not read. Returns the length, which may exceed @size.
 */
size_t fn_value_format(const struct fn_value_form *form, const struct fn_values *values,
		       uint64_t number, bool unread, char *text, size_t size);

/* Writes `dfd=-100, filename="/etc/passwd"`, with @before in front of each name. */
void fn_arguments_text(const struct fn_class *class, const struct fn_values *values,
		       uint64_t unread, const char *before, char *text, size_t size);

/* Unusual notations in the texts of values. A note of the report explains those that occur. */
struct fn_text_remarks {
	bool unread;  /* a `?` */
	bool encoded; /* an encoded pointer (see doc/events.md) */
};

/* Marks in @seen which notations the value's text uses. */
void fn_value_add_remarks(const struct fn_value_form *form, uint64_t number, bool unread,
			  struct fn_text_remarks *seen);

/* The error in a result. Equal errors are counted together. */
struct fn_error {
	bool is_bits;  /* @value contains only the error bits of a vm_fault_t */
	int64_t value; /* error bits, or a negative number */
};

/*
 * Is the result an error? If so, sets @error. Errors are negative numbers, unsigned 64-bit numbers
 * that are -4095 to -1 when read as signed (such as error pointers), and error bits of a
 * vm_fault_t.
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

/* Writes an error: `-ENOENT`, `VM_FAULT_OOM`. */
void fn_error_text(const struct fn_class *class, const struct fn_error *error, char *text,
		   size_t size);

/* Writes a result like fn_value_format(), except that errors are written by name. */
void fn_result_text(const struct fn_class *class, uint64_t ret, bool unread, char *text,
		    size_t size);

#endif /* LTTNG_MM_FN_DECODE_VALUES_H */
