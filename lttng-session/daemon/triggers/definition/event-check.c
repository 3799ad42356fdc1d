// SPDX-License-Identifier: LGPL-2.1-only
/* Checks a trigger's filter and captures against the fields of its event. */
#include "lttng-session/daemon/triggers/definition/event-check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lttng-session/daemon/triggers/definition/filter-signs.h"
#include "lttng-session/profile/event-names.h"
#include "util/text.h"

/* Maximum number of tokens in a text of TRIGGER_TEXT_MAX bytes, including an end token. */
#define TOKENS_MAX (TRIGGER_TEXT_MAX + 1)
/* Maximum size of a list of names in a message. */
#define SHOWN_MAX 700

struct filter_check {
	const struct trigger *trigger;
	const struct ctf_event_class *event;
	struct filter_token tokens[TOKENS_MAX + 1];
	size_t count;
	struct mm_error *err;
};

/*
 * The contexts that the tracer supports in filters. `prio` is omitted, because it crashes some
 * kernel versions.
 */
static const char *const contexts[] = {
	"cgroup_ns",
	"cpu_id",
	"egid",
	"euid",
	"gid",
	"hostname",
	"interruptible",
	"ipc_ns",
	"migratable",
	"mnt_ns",
	"need_reschedule",
	"net_ns",
	"nice",
	"pid",
	"pid_ns",
	"ppid",
	"preemptible",
	"procname",
	"sgid",
	"suid",
	"tid",
	"time_ns",
	"uid",
	"user_ns",
	"uts_ns",
	"vegid",
	"veuid",
	"vgid",
	"vpid",
	"vppid",
	"vsgid",
	"vsuid",
	"vtid",
	"vuid",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int refuse(struct filter_check *check, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int refuse(struct filter_check *check, const char *fmt, ...)
{
	struct mm_error why = MM_ERROR_INIT;
	va_list args;

	va_start(args, fmt);
	mm_error_vset(&why, MM_EXIT_BAD_INPUT, fmt, args);
	va_end(args);
	return trigger_error(check->trigger, check->err, MM_EXIT_BAD_INPUT, "event %s: %s",
			     check->trigger->event, why.message);
}

/* Writes the names to @text, the most similar to @wrong first. */
static void show_names(const struct event_names *names, const char *wrong, char *text, size_t size)
{
	char near[256];

	event_names_nearest(names, wrong, near, sizeof(near));
	snprintf(text, size, "%s", near);
	for (size_t i = 0; i < names->count; i++) {
		const char *found = strstr(near, names->names[i]);
		size_t length = strlen(names->names[i]);

		/* Skip a match that is only a part of a longer word. */
		while (found && !((found == near || found[-1] == ' ') &&
				  (!found[length] || found[length] == ',')))
			found = strstr(found + 1, names->names[i]);
		if (found)
			continue;
		if (strlen(text) + length + sizeof(", ...") >= size) {
			mm_words_add(text, size, "...");
			return;
		}
		mm_words_add(text, size, names->names[i]);
	}
}

/*
 * Is @name the hidden field _NAME_length, the length of the sequence NAME? Filters cannot use this
 * field.
 */
static bool is_length(const struct ctf_field *payload, const char *name)
{
	for (size_t i = 0; i < payload->member_count && *name == '_'; i++) {
		const char *sequence = payload->members[i].name;
		size_t length = strlen(sequence);

		if (!strncmp(name + 1, sequence, length) && !strcmp(name + 1 + length, "_length"))
			return true;
	}
	return false;
}

static int refuse_field(struct filter_check *check, const char *name)
{
	const struct ctf_field *payload = check->event->payload;
	struct event_names names = { .count = 0 };
	char text[SHOWN_MAX];

	for (size_t i = 0; payload && i < payload->member_count; i++)
		if (!is_length(payload, payload->members[i].name))
			mm_strings_add(&names.names, &names.count, payload->members[i].name);
	show_names(&names, name, text, sizeof(text));
	event_names_release(&names);
	return refuse(check, "there is no field '%s'; the event's fields: %s", name, text);
}

static void copy_token(const struct filter_token *token, char *text, size_t size)
{
	snprintf(text, size, "%.*s", (int)token->length, token->text);
}

static const struct ctf_field *find_field(const struct filter_check *check,
					  const struct filter_token *token)
{
	const struct ctf_field *field = check->event->payload;
	char path[TRIGGER_TEXT_MAX + 1], *rest = path, *name;

	copy_token(token, path, sizeof(path));
	while (field && (name = strsep(&rest, "."))) {
		if (field->kind != CTF_STRUCT ||
		    (field == check->event->payload && is_length(field, name)))
			return NULL;
		field = ctf_field_find(field, name, NULL);
	}
	return field;
}

static int check_context(struct filter_check *check, const struct filter_token *token)
{
	const struct event_names names = { (char **)contexts, COUNT(contexts) };
	char name[TRIGGER_TEXT_MAX + 1], text[SHOWN_MAX];

	copy_token(token, name, sizeof(name));
	if (strncmp(name, "$ctx.", 5) != 0)
		return refuse(check, "%s: kernel events only have contexts that start with $ctx.",
			      name);
	for (size_t i = 0; i < names.count; i++)
		if (!strcmp(contexts[i], name + 5))
			return 0;
	show_names(&names, name + 5, text, sizeof(text));
	return refuse(check, "there is no context '%s'; known after $ctx.: %s", name + 5, text);
}

static bool is_string(const struct ctf_field *field)
{
	return field->kind == CTF_STRING || field->kind == CTF_STATIC_STRING ||
	       field->kind == CTF_DYNAMIC_STRING;
}

static bool is_array(const struct ctf_field *field)
{
	return field->kind == CTF_STATIC_ARRAY || field->kind == CTF_DYNAMIC_ARRAY;
}

/*
 * Requires an index after the name of an array, and forbids an index after other names. Returns the
 * next token, or NULL with the error set.
 */
static const struct filter_token *check_index(struct filter_check *check,
					      const struct filter_token *token,
					      const struct ctf_field *field)
{
	const int length = (int)token->length;
	bool indexed = filter_token_is(&token[1], "[") && token[2].kind == FILTER_NUMBER &&
		       filter_token_is(&token[3], "]");

	if (!is_array(field) && filter_token_is(&token[1], "["))
		refuse(check, "%.*s is not an array; leave out the index", length, token->text);
	else if (is_array(field) && !indexed)
		refuse(check, "%.*s is an array; add an index, as in %.*s[0]", length, token->text,
		       length, token->text);
	else if (field->kind == CTF_STATIC_ARRAY &&
		 strtoull(token[2].text, NULL, 0) >= field->length)
		refuse(check, "%.*s has only %" PRIu64 " elements; the first one is %.*s[0]",
		       length, token->text, field->length, length, token->text);
	else if (field->kind == CTF_STRUCT || field->kind == CTF_VARIANT)
		refuse(check, "%.*s is a structure; name a field in it", length, token->text);
	else
		return is_array(field) ? token + 4 : token + 1;
	return NULL;
}

static bool is_comparison(const struct filter_token *token)
{
	return filter_token_is(token, "==") || filter_token_is(token, "!=");
}

/* Refuses the comparison of a string with a number, because it never matches. */
static int check_operand(struct filter_check *check, const struct filter_token *name,
			 const struct ctf_field *field, const struct filter_token *operand)
{
	if (operand->kind == FILTER_STRING && !is_string(field))
		return refuse(
			check,
			"%.*s is a number, but it is compared with a string; leave out the quotation marks",
			(int)name->length, name->text);
	if (operand->kind == FILTER_NUMBER && is_string(field))
		return refuse(check, "%.*s is a string; put quotation marks around the value",
			      (int)name->length, name->text);
	return 0;
}

static int check_field(struct filter_check *check, size_t at, const struct ctf_field *field)
{
	const struct filter_token *token = &check->tokens[at], *next;

	next = check_index(check, token, field);
	if (!next)
		return -1;
	if (is_array(field))
		return 0;
	if (is_comparison(next) && check_operand(check, token, field, next + 1))
		return -1;
	return at >= 2 && is_comparison(token - 1) ? check_operand(check, token, field, token - 2)
						   : 0;
}

static bool ends_clause(const struct filter_token *token)
{
	return filter_token_is(token, "&&") || filter_token_is(token, "||") ||
	       token->kind == FILTER_END;
}

/*
 * Returns the field whose labels apply to the token @at. It is the nearest field with labels in the
 * same operand of && or ||; fields on the left are preferred. Both `flags == READ` and `READ ==
 * flags` find the field `flags`.
 */
static const struct ctf_field *find_labeled(const struct filter_check *check, size_t at,
					    const struct filter_token **name)
{
	for (int step = -1; step <= 1; step += 2) {
		for (size_t i = at; !ends_clause(&check->tokens[i]); i += (size_t)step) {
			const struct ctf_field *field;

			*name = &check->tokens[i];
			field = (*name)->kind == FILTER_NAME ? find_field(check, *name) : NULL;
			if (field && field->mapping_count)
				return field;
			if (step < 0 && !i)
				break;
		}
	}
	return NULL;
}

static int refuse_label(struct filter_check *check, const char *label,
			const struct filter_token *name, const struct ctf_field *field)
{
	struct event_names names = { .count = 0 };
	char text[SHOWN_MAX];

	for (size_t i = 0; i < field->mapping_count; i++)
		mm_strings_add(&names.names, &names.count, field->mappings[i].label);
	show_names(&names, label, text, sizeof(text));
	event_names_release(&names);
	return refuse(check, "'%s' is neither a field nor a label of %.*s; its labels: %s", label,
		      (int)name->length, name->text, text);
}

static int resolve_label(struct filter_check *check, size_t at, char *text, size_t size)
{
	const struct filter_token *name;
	const struct ctf_field *field = find_labeled(check, at, &name);
	const struct ctf_mapping *mapping = NULL;
	char label[TRIGGER_TEXT_MAX + 1];
	uint64_t value;

	copy_token(&check->tokens[at], label, sizeof(label));
	if (!field)
		return refuse_field(check, label);
	for (size_t i = 0; i < field->mapping_count && !mapping; i++)
		if (!strcmp(field->mappings[i].label, label))
			mapping = &field->mappings[i];
	if (!mapping)
		return refuse_label(check, label, name, field);
	value = mapping->ranges[0].lower.u;
	if (mapping->range_count != 1 || mapping->ranges[0].upper.u != value || value > INT64_MAX)
		return refuse(
			check,
			"the label %s of %.*s stands for several numbers or a negative one; compare with numbers",
			label, (int)name->length, name->text);
	if (field->kind == CTF_BITMAP)
		value = UINT64_C(1) << (value & 63);
	snprintf(text, size, "%" PRIu64, value);
	return 0;
}

/*
 * Splits @text into tokens. Appends empty tokens, so that callers can look at tokens after the end.
 */
static int tokenize(struct filter_check *check, const char *text)
{
	const char *at = text;

	memset(check->tokens, 0, sizeof(check->tokens));
	check->count = 0;
	while (check->count < TOKENS_MAX - 4) {
		struct filter_token *token = &check->tokens[check->count];

		*token = filter_next(&at);
		if (token->kind == FILTER_END)
			return 0;
		check->count++;
		if (token->kind == FILTER_UNKNOWN || filter_token_is(token, "->"))
			return refuse(check, "'%.*s' in '%s' is not part of LTTng's filter syntax",
				      (int)token->length, token->text, text);
	}
	return refuse(check, "'%.40s...' is too long", text);
}

static bool is_one_of(const struct filter_token *token, const char *const *operators)
{
	for (; *operators; operators++)
		if (filter_token_is(token, *operators))
			return true;
	return false;
}

/*
 * Refuses a bitwise result as an operand of && or ||, as in `a & 1 && b == 2`. The tracer rejects
 * the bytecode of such a filter, which then never matches.
 */
static int check_joined(struct filter_check *check)
{
	static const char *const bitwise[] = { "&", "|", "^", "~", "<<", ">>", NULL };
	static const char *const comparisons[] = { "==", "!=", "<", ">", "<=", ">=", NULL };
	bool joined = false, has_bits = false, is_compared = false;

	for (size_t i = 0; i <= check->count; i++) {
		const struct filter_token *token = &check->tokens[i];

		if (i < check->count)
			joined |= ends_clause(token);
		if (!ends_clause(token)) {
			has_bits |= is_one_of(token, bitwise);
			is_compared |= is_one_of(token, comparisons);
			continue;
		}
		if (joined && has_bits && !is_compared)
			return refuse(
				check,
				"the tracer never matches the result of a bitwise operator next to && or ||; compare it, as in (flags & 1) != 0");
		has_bits = is_compared = false;
	}
	return 0;
}

static int check_filter(struct filter_check *check, char *resolved, size_t size)
{
	size_t length = 0;

	if (check_joined(check))
		return -1;
	for (size_t i = 0; i < check->count; i++) {
		const struct filter_token *token = &check->tokens[i];
		const struct ctf_field *field = NULL;
		char text[TRIGGER_TEXT_MAX + 1];

		copy_token(token, text, sizeof(text));
		if (token->kind == FILTER_CONTEXT && check_context(check, token))
			return -1;
		if (token->kind == FILTER_NAME) {
			field = find_field(check, token);
			if (field ? check_field(check, i, field)
				  : resolve_label(check, i, text, sizeof(text)))
				return -1;
		}
		length += (size_t)snprintf(resolved + length, size - length, "%s%s", i ? " " : "",
					   text);
		if (length >= size)
			return refuse(check, "the filter is too long");
	}
	return 0;
}

/* Does the event declare the field as hexadecimal? Addresses are declared so. */
static bool is_hex(const struct ctf_field *field)
{
	if (is_array(field))
		field = field->element;
	return field->base == 16 && !is_string(field) && !field->is_enum;
}

static int check_capture(struct filter_check *check, const char *capture, bool *hex)
{
	const struct filter_token *token = check->tokens, *next;
	const struct ctf_field *field;

	*hex = false;
	if (tokenize(check, capture))
		return -1;
	if (token->kind == FILTER_CONTEXT && check->count == 1)
		return check_context(check, token);
	if (token->kind != FILTER_NAME)
		return refuse(check, "'%s' cannot be captured; name a field, or $ctx.NAME",
			      capture);
	field = find_field(check, token);
	if (!field)
		return refuse_field(check, capture);
	next = check_index(check, token, field);
	if (next && next->kind != FILTER_END)
		return refuse(check, "'%s' cannot be captured: unexpected '%s' after the name",
			      capture, next->text);
	*hex = is_hex(field);
	return next ? 0 : -1;
}

static struct filter_type type_of(const struct filter_token *name, void *user)
{
	const struct ctf_field *field = find_field(user, name);

	if (field && is_array(field))
		field = field->element;
	if (field && field->kind == CTF_SIGNED)
		return (struct filter_type){ .sign = FILTER_SIGNED };
	if (!field ||
	    (field->kind != CTF_UNSIGNED && field->kind != CTF_BOOL && field->kind != CTF_BITMAP))
		return (struct filter_type){ .sign = FILTER_NO_INTEGER };
	return (struct filter_type){ .sign = field->size < 64 ? FILTER_SMALL : FILTER_LARGE,
				     .bits = field->size,
				     .is_wide = field->size == 64 };
}

static int rewrite(struct filter_check *check, const char *resolved, char *rewritten, size_t size)
{
	struct mm_error why = MM_ERROR_INIT;

	return filter_rewrite_signs(resolved, type_of, check, rewritten, size, &why)
		       ? refuse(check, "%s", why.message)
		       : 0;
}

int trigger_set_filter(struct trigger *trigger, const char *resolved, const char *rewritten,
		       struct mm_error *err)
{
	char *filter = strdup(resolved), *tracer_filter = strdup(rewritten);

	if (!filter || !tracer_filter) {
		free(filter);
		free(tracer_filter);
		return trigger_error(trigger, err, MM_EXIT_ENVIRONMENT, "out of memory");
	}
	free(trigger->filter);
	free(trigger->tracer_filter);
	trigger->filter = filter;
	trigger->tracer_filter = tracer_filter;
	return 0;
}

int event_check(struct trigger *trigger, const struct ctf_event_class *event, struct mm_error *err)
{
	struct filter_check *check = calloc(1, sizeof(*check));
	char resolved[FILTER_TEXT_MAX + 1] = "", rewritten[FILTER_REWRITTEN_MAX + 1];
	int ret = 0;

	if (!check)
		return trigger_error(trigger, err, MM_EXIT_ENVIRONMENT, "out of memory");
	check->trigger = trigger;
	check->event = event;
	check->err = err;
	for (size_t i = 0; i < trigger->capture_count && !ret; i++)
		ret = check_capture(check, trigger->captures[i], &trigger->capture_hex[i]);
	if (!ret && trigger->filter)
		ret = tokenize(check, trigger->filter) ||
				      check_filter(check, resolved, sizeof(resolved)) ||
				      rewrite(check, resolved, rewritten, sizeof(rewritten))
			      ? -1
			      : 0;
	free(check);
	return ret || !trigger->filter ? ret
				       : trigger_set_filter(trigger, resolved, rewritten, err);
}

int event_check_call(struct trigger *trigger, const struct ctf_event_class *entry,
		     const struct ctf_event_class *exit, struct mm_error *err)
{
	trigger->at_exit = false;
	if (entry && !event_check(trigger, entry, err))
		return 0;
	if (!exit || event_check(trigger, exit, entry ? NULL : err))
		return -1;
	trigger->at_exit = true;
	mm_error_clear(err);
	return 0;
}
