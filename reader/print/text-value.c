// SPDX-License-Identifier: LGPL-2.1-only
/* Appends the text of fields without a special step, in both styles. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/ctf/packet/map.h"
#include "reader/print/text-escape.h"
#include "reader/print/text-step.h"
#include "util/escape.h"

static const char too_long[] =
	"its text is longer than 64 MiB, or longer than the limit for a trace with this many streams";

char *mm_text_more_room(struct mm_text *text, size_t length)
{
	size_t most = text->max && text->max < MM_TEXT_MAX ? text->max : MM_TEXT_MAX;

	if (length < most && text->length - text->start < most - length)
		return mm_text_reserve(text, length);
	text->problem = too_long;
	return NULL;
}

static int put(struct mm_text *text, const char *string, size_t length)
{
	char *out = mm_text_room(text, length);

	if (!out)
		return -1;
	memcpy(out, string, length);
	text->length += length;
	return 0;
}

static int put_string(struct mm_text *text, const char *string)
{
	return put(text, string, strlen(string));
}

static int put_label(struct mm_text *text, const struct mm_label *label)
{
	return put(text, label->text, label->length);
}

static int put_number(struct mm_text *text, const struct mm_text_number *number,
		      enum mm_text_show show, uint64_t value)
{
	char *out = mm_text_room(text, MM_TEXT_NUMBER_ROOM);

	if (!out)
		return -1;
	text->length = (size_t)(mm_text_put_number(out, number, show, value) - text->data);
	return 0;
}

/* Writes @label, if there is one, and then ` : container = 1 )`. */
static int put_container(struct mm_text *text, const char *label, size_t length,
			 const struct mm_text_number *number, enum mm_text_show show,
			 uint64_t value)
{
	char *out = mm_text_room(text, length + 32 + MM_TEXT_NUMBER_ROOM);

	if (!out)
		return -1;
	out = mempcpy(out, label, length);
	out = mempcpy(out, " : container = ", 15);
	out = mm_text_put_number(out, number, show, value);
	out = mempcpy(out, " )", 2);
	text->length = (size_t)(out - text->data);
	return 0;
}

/*
 * Writes `( "a" : container = 1 )`, `( { "a", "b" } : container = 1 )` or `( <unknown> : container
 * = 9 )`.
 */
static int put_pretty_enumeration(struct mm_text *text, const struct mm_text_number *number,
				  const struct mm_text_labels *labels, uint64_t value)
{
	enum mm_text_show show = mm_text_base_show(labels->field);
	const struct mm_label *label, *next;
	size_t at = 0;
	int ret = put(text, "( ", 2);

	label = mm_text_labels_next(labels, value, &at);
	next = label ? mm_text_labels_next(labels, value, &at) : NULL;
	if (!label)
		return ret | put_container(text, "<unknown>", 9, number, show, value);
	if (!next)
		return ret | put_container(text, label->text, label->length, number, show, value);
	ret |= put(text, "{ ", 2) | put_label(text, label);
	for (label = next; label && !ret; label = mm_text_labels_next(labels, value, &at))
		ret |= put(text, ", ", 2) | put_label(text, label);
	return ret | put_container(text, " }", 2, number, show, value);
}

/* Writes `0x6 { "b", "c" }`. */
static int put_pretty_flags(struct mm_text *text, const struct mm_text_number *number,
			    const struct mm_text_labels *labels, uint64_t value)
{
	const char *separator = " { ";
	const struct mm_label *label;
	size_t at = 0;
	int ret = put_number(text, number, MM_TEXT_SHOW_HEX, value);

	while (!ret && (label = mm_text_flags_next(labels, value, &at))) {
		ret = put_string(text, separator) | put_label(text, label);
		separator = ", ";
	}
	return *separator == ',' ? ret | put_string(text, " }") : ret;
}

/*
 * Appends the label of the value. If the value has no label, appends the joined labels of its bits,
 * or else the number.
 */
static int put_line_enumeration(struct mm_text *text, const struct mm_text_number *number,
				const struct mm_text_labels *labels, uint64_t value)
{
	static const struct mm_text_number hex = { .letter = 'a', .mask = UINT64_MAX };
	const struct mm_label *label;
	const char *separator = "";
	size_t at = 0;
	int ret = 0;

	label = mm_text_labels_next(labels, value, &at);
	if (label)
		return put_label(text, label);
	/* A bias means that the values are signed. */
	if (!value || !labels->field->is_flags || (labels->bias && (int64_t)value < 0))
		return put_number(text, number, mm_text_base_show(labels->field), value);
	for (uint64_t rest = value; rest && !ret; rest &= rest - 1) {
		label = mm_text_labels_bit(labels, (unsigned int)__builtin_ctzll(rest));
		ret = put_string(text, separator);
		ret |= label ? put_label(text, label)
			     : put_number(text, &hex, MM_TEXT_SHOW_HEX, rest & -rest);
		separator = "|";
	}
	return ret;
}

/* Appends the labels of the set flags, or the number if no flag has a label. */
static int put_line_flags(struct mm_text *text, const struct mm_text_number *number,
			  const struct mm_text_labels *labels, uint64_t value)
{
	const struct mm_label *label;
	bool any = false;
	size_t at = 0;
	int ret = 0;

	while (!ret && (label = mm_text_flags_next(labels, value, &at))) {
		ret = (any ? put_string(text, "|") : 0) | put_label(text, label);
		any = true;
	}
	return any ? ret : put_number(text, number, MM_TEXT_SHOW_HEX, value);
}

int mm_text_labelled(const struct mm_text_plan *plan, const struct mm_text_number *number,
		     const struct mm_text_labels *labels, uint64_t value, struct mm_text *text)
{
	bool pretty = plan->style == MM_TEXT_BABELTRACE;

	if (number->show == MM_TEXT_SHOW_FLAGS)
		return pretty ? put_pretty_flags(text, number, labels, value)
			      : put_line_flags(text, number, labels, value);
	return pretty ? put_pretty_enumeration(text, number, labels, value)
		      : put_line_enumeration(text, number, labels, value);
}

/*
 * Appends a string. With @quoted, adds quotes, as in compound fields. The style of babeltrace2
 * always has quotes.
 */
static int put_text(const struct mm_text_plan *plan, struct mm_text *text, const char *string,
		    size_t length, bool quoted)
{
	/* Both kinds of escaping write at most four characters per byte. */
	size_t room = length < MM_TEXT_MAX ? MM_QUOTED_ROOM(length) + 1 : MM_TEXT_MAX;
	char *out = mm_text_room(text, room);

	if (!out)
		return -1;
	if (plan->style == MM_TEXT_BABELTRACE) {
		text->length = (size_t)(mm_put_quoted(out, string, length) - text->data);
		return 0;
	}
	if (quoted) {
		*out = '"';
		text->length++;
	}
	text->length += mm_escape_terminal(out + quoted, room - quoted, string, length);
	return quoted ? put_string(text, "\"") : 0;
}

static int put_string_field(const struct mm_text_plan *plan, struct mm_text *text,
			    const struct ctf_field *field, const struct ctf_scalar *scalar,
			    bool quoted)
{
	size_t length;
	char *utf8;
	int ret;

	if (field->encoding == CTF_UTF8)
		return put_text(plan, text, (const char *)scalar->bytes, scalar->length, quoted);
	length = ctf_string_to_utf8(NULL, 0, field, scalar);
	if (length >= MM_TEXT_MAX) {
		text->problem = too_long;
		return -1;
	}
	/*
	 * If the file has changed, the string may be shorter and not fill the buffer. Clear the
	 * buffer.
	 */
	utf8 = calloc(length + 1, 1);
	if (!utf8)
		return -1;
	ctf_string_to_utf8(utf8, length + 1, field, scalar);
	ret = put_text(plan, text, utf8, strlen(utf8), quoted);
	free(utf8);
	return ret;
}

/* Writes `{ 00 ff }`, or in the style of lines `[ 0x0, 0xff ]`. */
static int put_blob(const struct mm_text_plan *plan, struct mm_text *text,
		    const struct ctf_scalar *scalar)
{
	static const char digits[] = "0123456789abcdef";
	bool pretty = plan->style == MM_TEXT_BABELTRACE;
	char *out = mm_text_room(text, scalar->length < MM_TEXT_MAX / 8
					       ? scalar->length * 6 + 3 + MM_NUMBER_ROOM
					       : MM_TEXT_MAX);

	if (!out)
		return -1;
	*out++ = pretty ? '{' : '[';
	for (uint64_t i = 0; i < scalar->length; i++) {
		uint8_t byte = (uint8_t)ctf_once(scalar->bytes[i]);

		if (i && !pretty)
			*out++ = ',';
		*out++ = ' ';
		if (pretty) {
			*out++ = digits[byte >> 4];
			*out++ = digits[byte & 15];
		} else {
			out = mm_put_hex(mempcpy(out, "0x", 2), byte, 'a');
		}
	}
	*out++ = ' ';
	*out++ = pretty ? '}' : ']';
	text->length = (size_t)(out - text->data);
	return 0;
}

static int put_real(struct mm_text *text, double value)
{
	char *out = mm_text_room(text, 64);

	if (!out)
		return -1;
	text->length += (size_t)snprintf(out, 64, "%g", value);
	return 0;
}

static int put_scalar(const struct mm_text_plan *plan, struct ctf_cursor *cursor,
		      const struct ctf_field *field, bool top, struct mm_text *text)
{
	struct mm_text_number number;
	struct ctf_scalar scalar;

	if (ctf_read_scalar(cursor, field, &scalar))
		return -1;
	switch (field->kind) {
	case CTF_FLOAT:
		return put_real(text, scalar.r);
	case CTF_STRING:
	case CTF_STATIC_STRING:
	case CTF_DYNAMIC_STRING:
		return put_string_field(plan, text, field, &scalar, !top);
	case CTF_STATIC_BLOB:
	case CTF_DYNAMIC_BLOB:
		return put_blob(plan, text, &scalar);
	default:
		number = mm_text_number_of(plan, field);
		if (number.show >= MM_TEXT_SHOW_LABELS)
			return mm_text_labelled(plan, &number, mm_text_plan_labels(plan, field),
						scalar.u, text);
		return put_number(text, &number, number.show, scalar.u);
	}
}

static int put_structure(const struct mm_text_plan *plan, struct ctf_cursor *cursor,
			 const struct ctf_field *field, bool names, struct mm_text *text)
{
	const char *separator = "{ ";

	if (ctf_align(cursor, field))
		return -1;
	for (size_t i = 0; i < field->member_count; i++) {
		const struct ctf_member *member = &field->members[i];
		const char *name = member->name ? member->name : "";

		if (mm_text_is_hidden(member->field)) {
			if (ctf_skip(cursor, member->field, NULL, NULL))
				return -1;
			continue;
		}
		if (put_string(text, separator))
			return -1;
		separator = ", ";
		if (plan->style == MM_TEXT_LINE && put_text(plan, text, name, strlen(name), false))
			return -1;
		if (plan->style == MM_TEXT_BABELTRACE && names && put_string(text, name))
			return -1;
		if ((names || plan->style == MM_TEXT_LINE) && put_string(text, " = "))
			return -1;
		if (mm_text_value(plan, cursor, member->field, names, false, text))
			return -1;
	}
	return put_string(text, *separator == '{' ? "{ }" : " }");
}

static int put_array(const struct mm_text_plan *plan, struct ctf_cursor *cursor,
		     const struct ctf_field *field, bool names, struct mm_text *text)
{
	uint64_t length;

	if (ctf_read_length(cursor, field, &length))
		return -1;
	/* The packet's size does not limit the number of elements of size 0, so count them. */
	if (field->element->fixed && !field->element->fixed_bits && ctf_count_idle(cursor, length))
		return -1;
	if (put_string(text, "["))
		return -1;
	for (uint64_t i = 0; i < length; i++) {
		char *out = mm_text_room(text, MM_TEXT_NUMBER_ROOM);

		if (!out)
			return -1;
		if (i)
			*out++ = ',';
		*out++ = ' ';
		if (names && plan->style == MM_TEXT_BABELTRACE) {
			*out++ = '[';
			out = mm_put_unsigned(out, i);
			out = mempcpy(out, "] = ", 4);
		}
		text->length = (size_t)(out - text->data);
		if (mm_text_value(plan, cursor, field->element, names, false, text))
			return -1;
	}
	return put_string(text, " ]");
}

/*
 * Appends the content of a variant or option. In the style of lines, there are no braces around it.
 */
static int put_inner(const struct mm_text_plan *plan, struct ctf_cursor *cursor,
		     const struct ctf_field *field, bool names, struct mm_text *text)
{
	bool pretty = plan->style == MM_TEXT_BABELTRACE;

	if ((pretty && put_string(text, "{ ")) ||
	    mm_text_value(plan, cursor, field, names, false, text))
		return -1;
	return pretty ? put_string(text, " }") : 0;
}

int mm_text_value(const struct mm_text_plan *plan, struct ctf_cursor *cursor,
		  const struct ctf_field *field, bool names, bool top, struct mm_text *text)
{
	const struct ctf_member *member;
	bool present;

	switch (field->kind) {
	case CTF_STRUCT:
		return put_structure(plan, cursor, field, names, text);
	case CTF_STATIC_ARRAY:
	case CTF_DYNAMIC_ARRAY:
		return put_array(plan, cursor, field, names, text);
	case CTF_VARIANT:
		if (ctf_read_choice(cursor, field, &member))
			return -1;
		return put_inner(plan, cursor, member->field, names, text);
	case CTF_OPTION:
		if (ctf_read_presence(cursor, field, &present))
			return -1;
		if (present)
			return put_inner(plan, cursor, field->element, names, text);
		return put_string(text, plan->style == MM_TEXT_LINE ? "none" : "<none>");
	default:
		return put_scalar(plan, cursor, field, top, text);
	}
}
