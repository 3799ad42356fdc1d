// SPDX-License-Identifier: LGPL-2.1-only
/* Copies values of arguments, and writes values as text. */
#include "analysis/fn/decode/values.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/*
 * Writes an array as `7f 45 4c`, or as `{...}` if an element is larger than a byte. Returns the
 * length.
 */
static size_t write_bytes(const struct mm_span *span, char text[FN_BYTES_TEXT_MAX])
{
	size_t length = 0;

	text[0] = '\0';
	for (uint64_t i = 0; i < span->count && i < FN_BYTES_MAX; i++) {
		static const char digits[] = "0123456789abcdef";
		uint64_t byte = span->values[i].u;

		if (byte > 0xff)
			return (size_t)sprintf(text, "{...}");
		if (length)
			text[length++] = ' ';
		text[length++] = digits[byte >> 4];
		text[length++] = digits[byte & 0xf];
		text[length] = '\0';
	}
	if (span->recorded > FN_BYTES_MAX)
		length += (size_t)sprintf(text + length, "...");
	return length;
}

void fn_values_keep_texts(const struct fn_class *class, const struct mm_event *event,
			  struct fn_values *values)
{
	const union mm_scalar *from = event->fields + class->first;
	char *text = (char *)&values->numbers[class->count];

	for (unsigned int i = 0; i < class->count; i++) {
		size_t length;

		if (!fn_form_is_text(&class->arguments[i]))
			continue;
		if (class->arguments[i].kind == MM_KIND_ARRAY) {
			length = write_bytes(from[i].span, text);
		} else {
			length = strnlen(from[i].s, FN_STRING_MAX - 1);
			memcpy(text, from[i].s, length);
			text[length] = '\0';
		}
		values->numbers[i] = (uint64_t)(text - (char *)values);
		text += length + 1;
	}
	values->bytes = (uint32_t)((text - (char *)values + 7) & ~7);
}

const char *fn_values_string(const struct fn_values *values, uint64_t number)
{
	return (const char *)values + number;
}

/* Buffer for text. Text that does not fit is truncated. */
struct value_text {
	char *text;
	size_t size, length;
};

__attribute__((format(printf, 2, 3))) static void put(struct value_text *out, const char *fmt, ...)
{
	size_t left = out->length < out->size ? out->size - out->length : 0;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(out->text + out->size - left, left, fmt, args);
	va_end(args);
	if (n > 0)
		out->length += (size_t)n;
}

static void put_string(struct value_text *out, const char *string)
{
	put(out, "\"");
	for (; *string; string++)
		put(out, *string == '"' || *string == '\\' ? "\\%c" : "%c", *string);
	put(out, "\"");
}

static void put_value(struct value_text *out, const struct fn_value_form *form,
		      const struct fn_values *values, uint64_t number, bool unread)
{
	size_t left = out->length < out->size ? out->size - out->length : 0;
	union mm_scalar value = { .u = number };
	size_t length;

	if (unread) {
		put(out, "?");
		return;
	}
	length = fn_value_labels_text(&form->labels, number, out->text + out->size - left, left);
	if (length) {
		out->length += length;
		return;
	}
	switch (form->kind) {
	case MM_KIND_STRING:
		put_string(out, fn_values_string(values, number));
		return;
	case MM_KIND_ARRAY:
		put(out, "%s", fn_values_string(values, number));
		return;
	case MM_KIND_SIGNED:
		put(out, "%" PRId64, value.i);
		return;
	case MM_KIND_REAL:
		put(out, "%g", value.r);
		return;
	case MM_KIND_UNSIGNED:
		if (form->is_hex)
			put(out, "0x%" PRIx64, number);
		else
			put(out, "%" PRIu64, number);
		return;
	default:
		put(out, "{...}");
	}
}

void fn_value_add_remarks(const struct fn_value_form *form, uint64_t number, bool unread,
			  struct fn_text_remarks *seen)
{
	/*
	 * Values of the top byte of encoded pointers. (Addresses of user space have 0, addresses of
	 * the kernel 0xff.)
	 */
	enum { FIRST_REGION = 1, LAST_REGION = 6 };
	unsigned int region = (unsigned int)(number >> 56);

	if (unread)
		seen->unread = true;
	else if (form->kind == MM_KIND_UNSIGNED && form->is_hex && region >= FIRST_REGION &&
		 region <= LAST_REGION)
		seen->encoded = true;
}

size_t fn_value_format(const struct fn_value_form *form, const struct fn_values *values,
		       uint64_t number, bool unread, char *text, size_t size)
{
	struct value_text out = { text, size, 0 };

	put_value(&out, form, values, number, unread);
	return out.length;
}

void fn_arguments_text(const struct fn_class *class, const struct fn_values *values,
		       uint64_t unread, const char *before, char *text, size_t size)
{
	struct value_text out = { text, size, 0 };

	if (size)
		*text = '\0';
	for (unsigned int i = 0; i < class->count; i++) {
		unsigned int number = class->order[i];
		const struct fn_value_form *form = &class->arguments[number];

		put(&out, "%s%s%s=", i ? ", " : "", before, form->name);
		put_value(&out, form, values, values->numbers[number], form->unread & unread);
	}
}

void fn_error_text(const struct fn_class *class, const struct fn_error *error, char *text,
		   size_t size)
{
	const char *name = mm_errno_name(error->value);

	if (error->is_bits ||
	    fn_value_labels_text(&class->ret.labels, (uint64_t)error->value, text, size)) {
		fn_value_labels_text(&class->ret.labels, (uint64_t)error->value, text, size);
		return;
	}
	if (name)
		snprintf(text, size, "-%s", name);
	else
		snprintf(text, size, "%" PRId64, error->value);
}

void fn_result_text(const struct fn_class *class, uint64_t ret, bool unread, char *text,
		    size_t size)
{
	struct fn_error error;

	if (!unread && fn_result_error(class, ret, &error) && !error.is_bits)
		fn_error_text(class, &error, text, size);
	else
		fn_value_format(&class->ret, NULL, ret, unread, text, size);
}
