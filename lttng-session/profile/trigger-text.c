// SPDX-License-Identifier: LGPL-2.1-only
/* Converts the options of triggers from text to JSON. */
#include "lttng-session/profile/trigger-text.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/duration.h"
#include "util/escape.h"

/* Maximum value of the option "max", which limits a trigger's snapshots per interval. */
#define MAX_MAX 1000000

bool trigger_name_is_valid(const char *name)
{
	return *name && *name != '.' && *name != '-' && strlen(name) < TRIGGER_NAME_MAX &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") ==
		       strlen(name);
}

static int set(json_t *definition, const char *member, json_t *value, struct mm_error *err)
{
	return json_object_set_new(definition, member, value)
		       ? mm_error_set(err, MM_EXIT_ENVIRONMENT, "trigger: out of memory")
		       : 0;
}

static json_t *text_json(const char *text, size_t length)
{
	char *utf8 = mm_escape_to_utf8(text, length);
	json_t *json = utf8 ? json_string(utf8) : NULL;

	free(utf8);
	return json;
}

static int set_text(json_t *definition, const char *member, const char *shown, const char *text,
		    struct mm_error *err)
{
	return set(definition, member, text_json(text, strlen(text)), err);
}

static int set_time(json_t *definition, const char *member, const char *shown, const char *text,
		    struct mm_error *err)
{
	int64_t ns;

	return mm_duration_parse(text, shown, &ns, err)
		       ? -1
		       : set(definition, member, json_integer(ns), err);
}

static int64_t parse_unit(const char *text)
{
	static const struct {
		const char *name;
		int64_t s;
	} units[] = { { "minute", 60 }, { "hour", 3600 }, { "day", 86400 } };
	int64_t ns;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(units[i].name, text))
			return units[i].s * 1000000000;
	return mm_duration_parse(text, "max", &ns, NULL) ? 0 : ns;
}

static int set_max(json_t *definition, const char *member, const char *shown, const char *text,
		   struct mm_error *err)
{
	char *end;
	unsigned long max;
	int64_t ns;

	if (!strcmp(text, "none"))
		return set(definition, member, json_integer(0), err);
	errno = 0;
	max = strtoul(text, &end, 10);
	ns = *end == '/' ? parse_unit(end + 1) : 0;
	if (*text < '0' || *text > '9' || errno || !max || max > MAX_MAX || ns <= 0)
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"%s: %s: not a number of snapshots per interval; examples: 20/day, 3/12h, none",
			shown, text);
	return set(definition, "max", json_integer((json_int_t)max), err) ||
			       set(definition, member, json_integer(ns), err)
		       ? -1
		       : 0;
}

static int set_captures(json_t *definition, const char *member, const char *shown, const char *text,
			struct mm_error *err)
{
	json_t *captures = json_array();

	for (;; text++) {
		size_t length = strcspn(text, ",");

		if (!length) {
			json_decref(captures);
			return mm_error_set(err, MM_EXIT_BAD_INPUT,
					    "%s: a name is empty; example: address,pgoff", shown);
		}
		if (json_array_append_new(captures, text_json(text, length))) {
			json_decref(captures);
			return mm_error_set(err, MM_EXIT_ENVIRONMENT, "trigger: out of memory");
		}
		text += length;
		if (!*text)
			return set(definition, member, captures, err);
	}
}

/*
 * The options by name. @set converts the text and sets the member. It fails if the text is invalid.
 */
static const struct trigger_text_option {
	const char *name, *member;
	int (*set)(json_t *definition, const char *member, const char *shown, const char *text,
		   struct mm_error *err);
} options[] = {
	{ "after", "after_ns", set_time },
	{ "capture", "captures", set_captures },
	{ "cooldown", "cooldown_ns", set_time },
	{ "last", "last_ns", set_time },
	{ "max", "max_ns", set_max },
	{ "on", "on", set_text },
	{ "run", "run", set_text },
	{ "run-timeout", "run_ns", set_time },
	{ "session", "session", set_text },
	{ "warm-up", "warm_up_ns", set_time },
};

static const struct trigger_text_option *find(const char *name)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (!strcmp(options[i].name, name))
			return &options[i];
	return NULL;
}

int trigger_text_set(json_t *definition, const char *option, const char *shown, const char *text,
		     struct mm_error *err)
{
	const struct trigger_text_option *found = find(option);

	return found ? found->set(definition, found->member, shown, text, err) : 1;
}

bool trigger_text_is_set(const json_t *definition, const char *option)
{
	const struct trigger_text_option *found = find(option);

	return found && json_object_get(definition, found->member);
}
