// SPDX-License-Identifier: LGPL-2.1-only
/* Formats the fields of an event's line, either by the event's text format or as name=value. */
#include "reader/print/event-format.h"

#include <stdlib.h>
#include <string.h>

#include "util/escape.h"

#define TEXT_MAX 4096
#define LONG_TEXT_MAX (1u << 20) /* maximum length of a field's text */

struct placeholder {
	const char *name;
	size_t length;
	bool is_choice;		 /* `{field?set:clear}` and `{field&mask?set:clear}` */
	bool is_optional;	 /* `{field~bits}` */
	uint64_t mask;		 /* bits that a choice or optional field tests */
	char set[32], clear[32]; /* the two words */
};

static void copy_word(char *word, size_t size, const char *start, const char *end)
{
	size_t length = (size_t)(end - start) < size ? (size_t)(end - start) : size - 1;

	memcpy(word, start, length);
	word[length] = '\0';
}

/* Reads the placeholder at @text, which starts with its brace. Returns the text after it. */
static const char *read_placeholder(const char *text, struct placeholder *placeholder)
{
	const char *name = text + 1, *end = strchr(name, '}'), *colon;
	char *at;

	*placeholder = (struct placeholder){ .name = name, .length = strcspn(name, "?&~}") };
	at = (char *)name + placeholder->length;
	placeholder->mask = UINT64_MAX;
	placeholder->is_optional = *at == '~';
	placeholder->is_choice = *at == '&' || *at == '?';
	if (placeholder->is_optional)
		placeholder->mask = UINT64_MAX >> (64 - strtoul(at + 1, &at, 10));
	if (*at == '&')
		placeholder->mask = strtoull(at + 1, &at, 0);
	if (placeholder->is_choice) {
		colon = strchr(at, ':');
		copy_word(placeholder->set, sizeof(placeholder->set), at + 1, colon);
		copy_word(placeholder->clear, sizeof(placeholder->clear), colon + 1, end);
	}
	return end + 1;
}

static bool is_named(const struct placeholder *placeholder, const char *name)
{
	return name && !strncmp(name, placeholder->name, placeholder->length) &&
	       !name[placeholder->length];
}

static void plan_placeholder(struct mm_text_plan *plan, const struct placeholder *placeholder,
			     const struct ctf_field *payload)
{
	for (size_t i = 0; i < payload->member_count; i++) {
		if (!is_named(placeholder, payload->members[i].name))
			continue;
		if (placeholder->is_choice)
			mm_text_plan_choice(plan, payload, i, placeholder->mask, placeholder->set,
					    placeholder->clear);
		else if (placeholder->is_optional)
			mm_text_plan_optional(plan, payload, i);
		else
			mm_text_plan_member(plan, payload, i);
		return;
	}
	mm_text_plan_literal(plan, "?", 1);
}

static bool plan_format(struct mm_text_plan *plan, const char *format,
			const struct ctf_field *payload)
{
	struct placeholder placeholder;

	if (!payload || !mm_text_plan_open(plan, payload))
		return false;
	while (*format) {
		size_t length = strcspn(format, "{");

		mm_text_plan_literal(plan, format, length);
		format += length;
		if (*format) {
			format = read_placeholder(format, &placeholder);
			plan_placeholder(plan, &placeholder, payload);
		}
	}
	return true;
}

/* Is @name the field name @declared of the text format? Both may be NULL. */
static bool is_same(const char *declared, const char *name)
{
	return declared && name && !strcmp(declared, name);
}

static bool is_call_site(const struct mm_event_format *format, const char *name)
{
	return format->names && format->text && is_same(format->text->call_site, name);
}

static bool is_result(const struct mm_event_format *format, const char *name)
{
	return format->text && is_same(format->text->result, name);
}

static void plan_name(struct mm_text_plan *plan, const char *separator, const char *raw)
{
	char name[1024];

	raw = raw ? raw : "";
	mm_escape_terminal(name, sizeof(name), raw, strlen(raw));
	mm_text_plan_literal(plan, separator, strlen(separator));
	mm_text_plan_literal(plan, name, strlen(name));
	mm_text_plan_literal(plan, "=", 1);
}

static size_t count_numbers(const struct ctf_field *payload)
{
	size_t count = 0;

	while (count < payload->member_count && payload->members[count].field->fixed &&
	       payload->members[count].field->kind < CTF_STATIC_ARRAY)
		count++;
	return count;
}

/*
 * Plans the fields of a function's record in the order of the function's arguments. Returns false
 * if this order would change the order of the strings, because a plan must read strings in packet
 * order.
 */
static bool plan_ordered(struct mm_text_plan *plan, const struct mm_event_format *format,
			 const struct ctf_field *payload)
{
	const struct mm_argument_order *order = &format->order;
	size_t numbers = count_numbers(payload), next = numbers;

	if (order->count != payload->member_count ||
	    !mm_text_plan_open_first(plan, payload, numbers))
		return false;
	for (unsigned int i = 0; i < order->count; i++) {
		const struct ctf_member *member = &payload->members[order->at[i]];

		if (mm_text_is_hidden(member->field))
			return false;
		plan_name(plan, i ? " " : "", member->name);
		if (order->at[i] < numbers)
			mm_text_plan_opened(plan, payload, order->at[i],
					    is_result(format, member->name) &&
						    member->field->kind == CTF_UNSIGNED);
		else if (order->at[i] != next++)
			return false;
		else
			mm_text_plan_moving(plan, member->field);
	}
	return true;
}

static void plan_generic(struct mm_text_plan *plan, const struct mm_event_format *format,
			 const struct ctf_field *payload)
{
	const char *separator = "";

	if (!payload)
		return;
	mm_text_plan_enter(plan, payload);
	for (size_t i = 0; i < payload->member_count; i++) {
		const struct ctf_member *member = &payload->members[i];

		if (mm_text_is_hidden(member->field)) {
			mm_text_plan_skip(plan, member->field);
			continue;
		}
		plan_name(plan, separator, member->name);
		if (is_call_site(format, member->name) && member->field->kind == CTF_UNSIGNED)
			mm_text_plan_call_site(plan, member->field, format->names);
		else if (is_result(format, member->name) && member->field->kind == CTF_UNSIGNED)
			mm_text_plan_result(plan, member->field);
		else
			mm_text_plan_top_field(plan, member->field);
		separator = " ";
	}
}

static bool is_at_start(const struct mm_event_format *format, const char *name)
{
	return name && ((format->has_procname && !strcmp(name, "procname")) ||
			(format->has_tid && !strcmp(name, "tid")) ||
			(format->has_vtid && !strcmp(name, "vtid")));
}

static bool is_context_shown(const struct mm_event_format *format, const struct ctf_member *member)
{
	return !is_at_start(format, member->name) && !mm_text_is_hidden(member->field);
}

/*
 * Plans `{ vpid=1 prio=20 `. @any is true if an earlier call has opened the brace. Returns true if
 * the brace is open afterwards.
 */
static bool plan_context(struct mm_text_plan *plan, const struct mm_event_format *format,
			 const struct ctf_field *context, bool any)
{
	size_t shown = 0;

	for (size_t i = 0; context && i < context->member_count; i++)
		shown += is_context_shown(format, &context->members[i]);
	if (!shown) {
		mm_text_plan_skip(plan, context);
		return any;
	}
	mm_text_plan_enter(plan, context);
	for (size_t i = 0; i < context->member_count; i++) {
		const struct ctf_member *member = &context->members[i];

		if (!is_context_shown(format, member)) {
			mm_text_plan_skip(plan, member->field);
			continue;
		}
		plan_name(plan, any ? "" : "{ ", member->name);
		mm_text_plan_top_field(plan, member->field);
		mm_text_plan_literal(plan, " ", 1);
		any = true;
	}
	return any;
}

struct mm_text_plan *mm_event_format_plan(const struct mm_event_format *format,
					  const struct ctf_event_class *class)
{
	struct mm_text_plan *plan = mm_text_plan_create(MM_TEXT_LINE, class->stream_class->trace);

	if (!plan)
		return NULL;
	if (plan_context(plan, format, class->specific_context,
			 plan_context(plan, format, class->stream_class->common_context, false)))
		mm_text_plan_literal(plan, "} ", 2);
	if (format->text && format->text->format) {
		if (!plan_format(plan, format->text->format, class->payload))
			goto error;
	} else if (format->order.count) {
		if (!class->payload || !plan_ordered(plan, format, class->payload))
			goto error;
	} else {
		plan_generic(plan, format, class->payload);
	}
	mm_text_plan_literal(plan, "\n", 1);
	if (!mm_text_plan_finish(plan))
		return plan;
error:
	mm_text_plan_destroy(plan);
	return NULL;
}

static int append(struct mm_text *text, const char *string)
{
	size_t length = strlen(string);
	char *out = mm_text_reserve(text, length);

	if (!out)
		return -1;
	mempcpy(out, string, length);
	text->length += length;
	return 0;
}

static bool find_field(const struct mm_event *event, const struct placeholder *placeholder,
		       struct mm_value *value)
{
	const char *candidate;

	for (size_t i = 0; !mm_event_field_at(event, i, &candidate, value); i++)
		if (is_named(placeholder, candidate))
			return true;
	return false;
}

/* Appends a field's text. Most texts are short. A longer text is written again with more room. */
static int append_field(struct mm_text *text, const struct mm_event *event,
			const struct mm_value *value)
{
	for (size_t room = TEXT_MAX;; room *= 4) {
		char *out = mm_text_reserve(text, room);
		size_t length;

		if (!out)
			return -1;
		mm_event_field_text(event, value, out, room);
		length = strlen(out);
		/*
		 * Is the text complete? An escape sequence has at most 10 bytes, and
		 * mm_event_field_text() omits a sequence that does not fit. If more than 10 bytes
		 * are left, nothing was omitted.
		 */
		if (length + 11 < room || room >= LONG_TEXT_MAX) {
			text->length += length;
			return 0;
		}
	}
}

static int append_placeholder(struct mm_text *text, const struct mm_event *event,
			      const struct placeholder *placeholder)
{
	struct mm_value value;
	char string[TEXT_MAX];

	if (!find_field(event, placeholder, &value))
		return append(text, "?");
	if (placeholder->is_choice)
		return append(text,
			      value.u & placeholder->mask ? placeholder->set : placeholder->clear);
	/*
	 * If all bits of a packed field (or of its wide variant) are set, the field has no value.
	 */
	if (placeholder->is_optional && (value.u == placeholder->mask || value.u == UINT64_MAX))
		return append(text, "?");
	mm_event_field_text(event, &value, string, sizeof(string));
	/* Print nothing if no bit is set, like the kernel's __print_flags(). */
	return strcmp(string, "NONE") ? append(text, string) : 0;
}

static int append_format(struct mm_text *text, const struct mm_event *event, const char *format)
{
	struct placeholder placeholder;
	char literal[2] = "";

	while (*format) {
		if (*format == '{') {
			format = read_placeholder(format, &placeholder);
			if (append_placeholder(text, event, &placeholder))
				return -1;
		} else {
			literal[0] = *format++;
			if (append(text, literal))
				return -1;
		}
	}
	return 0;
}

static int append_call_site(struct mm_text *text, const struct mm_event *event,
			    const struct mm_value *value, struct mm_names *names)
{
	int named = mm_names_call_site(names, value->u, text);

	if (named)
		return named < 0 ? -1 : 0;
	return append_field(text, event, value);
}

/* Appends the value of the field @name. Call sites and errors are shown by name. */
static int append_value(struct mm_text *text, const struct mm_event *event, const char *name,
			const struct mm_value *value, const struct mm_event_format *format)
{
	int named;

	if (value->kind == MM_KIND_UNSIGNED && is_call_site(format, name))
		return append_call_site(text, event, value, format->names);
	if (value->kind != MM_KIND_UNSIGNED || !is_result(format, name))
		return append_field(text, event, value);
	named = mm_names_error(value->u, text);
	if (named)
		return named < 0 ? -1 : 0;
	return append_field(text, event, value);
}

static int append_generic(struct mm_text *text, const struct mm_event *event,
			  const struct mm_event_format *format)
{
	const struct mm_argument_order *order = &format->order;
	const char *name, *separator = "";
	char string[TEXT_MAX];
	struct mm_value value;

	for (size_t i = 0;
	     !mm_event_field_at(event, i < order->count ? order->at[i] : i, &name, &value); i++) {
		if (append(text, separator))
			return -1;
		mm_escape_terminal(string, sizeof(string), name, strlen(name));
		if (append(text, string) || append(text, "="))
			return -1;
		if (append_value(text, event, name, &value, format))
			return -1;
		separator = " ";
	}
	return 0;
}

static int append_contexts(struct mm_text *text, const struct mm_event *event,
			   const struct mm_event_format *format)
{
	const char *name, *brace = "{ ";
	char string[TEXT_MAX];
	struct mm_value value;

	for (size_t i = 0; !mm_event_context_at(event, i, &name, &value); i++) {
		if (is_at_start(format, name))
			continue;
		mm_escape_terminal(string, sizeof(string), name, strlen(name));
		if (append(text, brace) || append(text, string) || append(text, "=") ||
		    append_field(text, event, &value) || append(text, " "))
			return -1;
		brace = "";
	}
	return *brace ? 0 : append(text, "} ");
}

int mm_event_format_append(const struct mm_event_format *format, const struct mm_event *event,
			   struct mm_text *text)
{
	if (append_contexts(text, event, format) ||
	    (format->text && format->text->format ? append_format(text, event, format->text->format)
						  : append_generic(text, event, format)))
		return -1;
	return append(text, "\n");
}
