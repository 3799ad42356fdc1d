// SPDX-License-Identifier: LGPL-2.1-only
// Parses and checks JSON texts and values of CTF 2's metadata.

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/ctf/json/json.h"
#include "util/json-file.h"

/* The first character of strings that replace integers above INT64_MAX. */
#define BIG_MARK '\x1e'
#define BIG_ESCAPE "\\u001e"
#define BIG_DIGITS 20

int ctf_json_fail(struct ctf_json *j, const char *fmt, ...)
{
	char why[300];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	return mm_error_set(
		j->err, MM_EXIT_BAD_INPUT,
		"trace: %s: fragment %zu (line %zu): %s%.80s%s%s; the metadata is damaged or its tracer is at fault",
		j->file, j->fragment, j->line, j->member ? "field `" : "",
		j->member ? j->member : "", j->member ? "`: " : "", why);
}

int ctf_json_no_memory(struct ctf_json *j)
{
	return mm_error_set(j->err, MM_EXIT_ENVIRONMENT,
			    "trace: %s: out of memory; free some memory and try again", j->file);
}

int ctf_json_charge(struct ctf_json *j, uint64_t count)
{
	if (count > j->nodes_left)
		return ctf_json_fail(
			j, "the metadata describes far more fields than its size justifies");
	j->nodes_left -= count;
	return 0;
}

/*
 * If the digits at @text form an integer above INT64_MAX and up to UINT64_MAX, returns the number
 * of digits. Otherwise returns 0.
 */
static size_t big_integer(const char *text, size_t length)
{
	char digits[BIG_DIGITS + 1];
	unsigned long long value;
	size_t count = 0;

	while (count < length && text[count] >= '0' && text[count] <= '9')
		count++;
	if (count < BIG_DIGITS - 1 || count > BIG_DIGITS ||
	    (count < length && strchr(".eE", text[count])))
		return 0;
	memcpy(digits, text, count);
	digits[count] = '\0';
	errno = 0;
	value = strtoull(digits, NULL, 10);
	return errno || value <= INT64_MAX ? 0 : count;
}

/*
 * Copies @text to @out (if not NULL), and turns integers above INT64_MAX into strings with
 * BIG_MARK. Returns the length.
 */
static size_t mark_big(const char *text, size_t length, char *out)
{
	static const char before[] = "\"" BIG_ESCAPE;
	bool in_string = false;
	size_t i = 0, n = 0, count;

	while (i < length) {
		char c = text[i];
		bool starts = !in_string && c >= '1' && c <= '9' &&
			      (!i || !strchr("-+.eE0123456789", text[i - 1]));

		count = starts ? big_integer(text + i, length - i) : 0;
		if (count) {
			if (out) {
				memcpy(out + n, before, sizeof(before) - 1);
				memcpy(out + n + sizeof(before) - 1, text + i, count);
				out[n + sizeof(before) - 1 + count] = '"';
			}
			n += sizeof(before) + count;
			i += count;
			continue;
		}
		/* Skip the character after a backslash, because it may be a quote. */
		count = in_string && c == '\\' && i + 1 < length ? 2 : 1;
		if (count == 1 && c == '"')
			in_string = !in_string;
		if (out)
			memcpy(out + n, text + i, count);
		n += count;
		i += count;
	}
	return n;
}

json_t *ctf_json_load(struct ctf_json *j, const char *text, size_t length)
{
	size_t marked = mark_big(text, length, NULL);
	char *copy = NULL;
	json_error_t error;
	json_t *value;

	if (mm_json_is_large(text, length)) {
		ctf_json_fail(j, "more than %u values, which are not supported",
			      MM_JSON_VALUES_MAX);
		return NULL;
	}
	if (marked != length) {
		copy = malloc(marked);
		if (!copy) {
			ctf_json_no_memory(j);
			return NULL;
		}
		mark_big(text, length, copy);
	}
	value = json_loadb(copy ? copy : text, marked, JSON_REJECT_DUPLICATES, &error);
	free(copy);
	if (!value)
		ctf_json_fail(j, "line %zu: %s", j->line + (error.line > 0 ? error.line - 1 : 0),
			      error.text);
	return value;
}

bool ctf_json_integer(const json_t *value, bool *negative, uint64_t *bits)
{
	const char *text;

	*negative = false;
	if (json_is_integer(value)) {
		*negative = json_integer_value(value) < 0;
		*bits = json_integer_value(value);
		return true;
	}
	text = json_string_value(value);
	if (!text || text[0] != BIG_MARK || !big_integer(text + 1, strlen(text + 1)))
		return false;
	*bits = strtoull(text + 1, NULL, 10);
	return true;
}

static const struct ctf_json_property *find_property(const struct ctf_json_property *properties,
						     const char *name)
{
	for (; properties->name; properties++)
		if (!strcmp(properties->name, name))
			return properties;
	return NULL;
}

static int check_extensions(struct ctf_json *j, const json_t *extensions)
{
	void *first = json_object_iter((json_t *)extensions);
	void *inner;

	if (!json_is_object(extensions))
		return ctf_json_fail(j, "`extensions` is not an object");
	if (!first)
		return 0;
	inner = json_object_iter(json_object_iter_value(first));
	return mm_error_set(
		j->err, MM_EXIT_BAD_INPUT,
		"trace: %s: fragment %zu (line %zu): the extension `%.80s%s%.80s` changes the format and is not supported; record without it",
		j->file, j->fragment, j->line, json_object_iter_key(first), inner ? "/" : "",
		inner ? json_object_iter_key(inner) : "");
}

int ctf_json_check(struct ctf_json *j, const json_t *value, const char *what,
		   const struct ctf_json_property *properties)
{
	const struct ctf_json_property *property;
	const char *name;
	json_t *item;

	if (!json_is_object(value))
		return ctf_json_fail(j, "%s is not an object", what);
	for (property = properties; property->name; property++)
		if (property->required && !json_object_get(value, property->name))
			return ctf_json_fail(j, "%s without `%s`", what, property->name);
	json_object_foreach((json_t *)value, name, item)
	{
		if (!strcmp(name, "type") || find_property(properties, name))
			continue;
		if (!strcmp(name, "extensions")) {
			if (check_extensions(j, item))
				return -1;
		} else if (strcmp(name, "attributes") != 0) {
			return ctf_json_fail(j, "%s with the unknown property `%.60s`", what, name);
		} else if (!json_is_object(item)) {
			return ctf_json_fail(j, "`attributes` is not an object");
		}
	}
	return 0;
}

int ctf_json_unsigned(struct ctf_json *j, const json_t *object, const char *name, uint64_t *value)
{
	const json_t *item = json_object_get(object, name);
	bool negative;
	uint64_t bits;

	if (!item)
		return 0;
	if (!ctf_json_integer(item, &negative, &bits) || negative)
		return ctf_json_fail(j, "`%s` is not an integer of at least 0", name);
	*value = bits;
	return 0;
}

int ctf_json_string(struct ctf_json *j, const json_t *object, const char *name, const char **value)
{
	const json_t *item = json_object_get(object, name);

	if (!item)
		return 0;
	if (!json_is_string(item))
		return ctf_json_fail(j, "`%s` is not a string", name);
	*value = json_string_value(item);
	return 0;
}

int ctf_json_copy(struct ctf_json *j, const json_t *object, const char *name, char **value)
{
	const char *text = NULL;
	char *copy;

	if (ctf_json_string(j, object, name, &text))
		return -1;
	if (!text)
		return 0;
	copy = strdup(text);
	if (!copy)
		return ctf_json_no_memory(j);
	free(*value);
	*value = copy;
	return 0;
}

int ctf_json_choice(struct ctf_json *j, const json_t *object, const char *name,
		    const char *const *names, size_t *index)
{
	const char *text = NULL;
	size_t i;

	if (ctf_json_string(j, object, name, &text))
		return -1;
	if (!text)
		return 0;
	for (i = 0; names[i]; i++) {
		if (!strcmp(names[i], text)) {
			*index = i;
			return 0;
		}
	}
	return ctf_json_fail(j, "`%s` has the unknown value `%.60s`", name, text);
}

static int load_range(struct ctf_json *j, const json_t *pair, const char *what, bool allow_negative,
		      struct ctf_range *range)
{
	bool lower_negative, upper_negative;

	if (!json_is_array(pair) || json_array_size(pair) != 2 ||
	    !ctf_json_integer(json_array_get(pair, 0), &lower_negative, &range->lower.u) ||
	    !ctf_json_integer(json_array_get(pair, 1), &upper_negative, &range->upper.u))
		return ctf_json_fail(j, "a range of `%.60s` that is not a pair of integers", what);
	if ((lower_negative || upper_negative) && !allow_negative)
		return ctf_json_fail(j, "a range of `%.60s` below 0", what);
	if (lower_negative != upper_negative ? upper_negative : range->lower.u > range->upper.u)
		return ctf_json_fail(j, "a range of `%.60s` ends before it starts", what);
	return 0;
}

int ctf_json_ranges(struct ctf_json *j, const json_t *ranges, const char *what, bool allow_negative,
		    ctf_json_range add, void *user)
{
	struct ctf_range range;
	const json_t *pair;
	size_t i;

	if (!json_is_array(ranges) || !json_array_size(ranges))
		return ctf_json_fail(j, "`%.60s` is not an array of ranges", what);
	json_array_foreach((json_t *)ranges, i, pair)
	{
		if (load_range(j, pair, what, allow_negative, &range) || ctf_json_charge(j, 1))
			return -1;
		if (add(user, range))
			return ctf_json_no_memory(j);
	}
	return 0;
}
