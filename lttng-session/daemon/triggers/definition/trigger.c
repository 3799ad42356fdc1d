// SPDX-License-Identifier: LGPL-2.1-only
/* Creates triggers, and converts them to and from JSON. */
#include "lttng-session/daemon/triggers/definition/trigger.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "instrumentation/wire/fn.h"
#include "lttng-session/daemon/triggers/definition/filter.h"
#include "lttng-session/recorder/recorder.h"
#include "lttng-session/snapshot/snapshot.h"
#include "util/duration.h"
#include "util/escape.h"

#define VERSION 1
/* Maximum of --max, such as 1000000/year. */
#define MAX_MAX 1000000

static const char *const kinds[] = {
	[TRIGGER_EVENT] = "event",
	[TRIGGER_RATE] = "rate",
	[TRIGGER_PRESSURE] = "pressure",
	[TRIGGER_FAILED_ALLOCATION] = "failed-allocation",
	[TRIGGER_KERNEL_MESSAGE] = "kernel-message",
	[TRIGGER_FILE] = "file",
	[TRIGGER_JOURNAL] = "journal",
};

/* Options whose values are numbers from @least to @most. */
static const struct {
	const char *name;
	size_t offset;
	int64_t least, most;
} numbers[] = {
	{ "after_ns", offsetof(struct trigger, after_ns), 0, MM_DURATION_MAX_NS },
	{ "last_ns", offsetof(struct trigger, last_ns), 1, MM_DURATION_MAX_NS },
	{ "cooldown_ns", offsetof(struct trigger, cooldown_ns), 0, MM_DURATION_MAX_NS },
	{ "warm_up_ns", offsetof(struct trigger, warm_up_ns), 0, MM_DURATION_MAX_NS },
	{ "max", offsetof(struct trigger, max), 1, MAX_MAX },
	{ "max_ns", offsetof(struct trigger, max_ns), 0, MM_DURATION_MAX_NS },
	{ "run_ns", offsetof(struct trigger, run_ns), 1, MM_DURATION_MAX_NS },
};

static const struct {
	const char *name;
	size_t offset, max;
} texts[] = {
	{ "on", offsetof(struct trigger, on), TRIGGER_TEXT_MAX },
	{ "session", offsetof(struct trigger, session), RECORDER_NAME_MAX - 1 },
	{ "run", offsetof(struct trigger, run), TRIGGER_TEXT_MAX },
	{ "spec", offsetof(struct trigger, spec), LTTNG_MM_FN_SPEC_MAX - 1 },
};

/*
 * Members that contain results of parsing the condition. "filter" is not listed, because its labels
 * are replaced later.
 */
static const char *const parsed[] = {
	"kind",	    "event",	 "rate", "resource", "full",
	"stall_ns", "window_ns", "path", "unit",     "regex",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int64_t *number_of(struct trigger *trigger, size_t offset)
{
	return (int64_t *)(void *)((char *)trigger + offset);
}

static char **text_of(struct trigger *trigger, size_t offset)
{
	return (char **)(void *)((char *)trigger + offset);
}

struct trigger *trigger_create(void)
{
	struct trigger *trigger = calloc(1, sizeof(*trigger));

	if (!trigger)
		return NULL;
	trigger->uid = (uid_t)-1;
	trigger->gid = (gid_t)-1;
	trigger->last_ns = SNAPSHOT_NOT_GIVEN;
	trigger->cooldown_ns = TRIGGER_COOLDOWN_NS;
	trigger->warm_up_ns = TRIGGER_WARM_UP_NS;
	trigger->max = TRIGGER_MAX;
	trigger->max_ns = TRIGGER_MAX_NS;
	trigger->run_ns = TRIGGER_RUN_NS;
	return trigger;
}

void trigger_destroy(struct trigger *trigger)
{
	if (!trigger)
		return;
	for (size_t i = 0; i < trigger->capture_count; i++)
		free(trigger->captures[i]);
	free(trigger->on);
	free(trigger->event);
	free(trigger->filter);
	free(trigger->tracer_filter);
	free(trigger->spec);
	free(trigger->resource);
	free(trigger->path);
	free(trigger->unit);
	free(trigger->regex);
	free(trigger->session);
	free(trigger->run);
	free(trigger);
}

/* Converts @text to UTF-8, because command-line arguments may have any encoding. */
static json_t *string_json(const char *text)
{
	char *utf8 = mm_escape_to_utf8(text, strlen(text));
	json_t *json = utf8 ? json_string(utf8) : NULL;

	free(utf8);
	return json;
}

static int set(json_t *json, const char *name, json_t *value)
{
	return json_object_set_new(json, name, value);
}

static int set_text(json_t *json, const char *name, const char *text)
{
	return text ? set(json, name, string_json(text)) : 0;
}

static int set_options(json_t *json, const struct trigger *trigger)
{
	struct trigger *t = (struct trigger *)trigger;
	json_t *captures = json_array();
	int ret = 0;

	for (size_t i = 0; i < COUNT(texts); i++)
		ret |= set_text(json, texts[i].name, *text_of(t, texts[i].offset));
	for (size_t i = 0; i < trigger->capture_count; i++)
		ret |= json_array_append_new(captures, string_json(trigger->captures[i]));
	ret |= set(json, "captures", captures);
	for (size_t i = 0; i < COUNT(numbers); i++) {
		int64_t number = *number_of(t, numbers[i].offset);

		if (number != SNAPSHOT_NOT_GIVEN)
			ret |= set(json, numbers[i].name, json_integer(number));
	}
	return ret;
}

static int set_condition(json_t *json, const struct trigger *trigger)
{
	int ret = set_text(json, "kind", kinds[trigger->kind]);

	ret |= set_text(json, "event", trigger->event);
	ret |= set_text(json, "filter", trigger->filter);
	if (trigger->kind == TRIGGER_RATE)
		ret |= set(json, "rate", json_integer((json_int_t)trigger->rate));
	ret |= set_text(json, "resource", trigger->resource);
	if (trigger->kind == TRIGGER_PRESSURE) {
		ret |= set(json, "full", json_boolean(trigger->full));
		ret |= set(json, "stall_ns", json_integer(trigger->stall_ns));
		ret |= set(json, "window_ns", json_integer(trigger->window_ns));
	}
	ret |= set_text(json, "path", trigger->path);
	ret |= set_text(json, "unit", trigger->unit);
	ret |= set_text(json, "regex", trigger->regex);
	return ret;
}

json_t *trigger_to_json(const struct trigger *trigger)
{
	json_t *json = json_object();
	int ret =
		set(json, "version", json_integer(VERSION)) | set_text(json, "name", trigger->name);

	if (trigger->uid != (uid_t)-1)
		ret |= set(json, "uid", json_integer(trigger->uid));
	if (trigger->gid != (gid_t)-1)
		ret |= set(json, "gid", json_integer(trigger->gid));
	ret |= set_options(json, trigger) | set_condition(json, trigger);
	if (!ret)
		return json;
	json_decref(json);
	return NULL;
}

static int refuse(struct mm_error *err, const struct trigger *trigger, const char *member,
		  const char *why)
{
	return trigger_error(trigger, err, MM_EXIT_BAD_INPUT, "\"%s\": %s", member, why);
}

/*
 * Is the text free of control characters? They could split a line of output, or control a terminal.
 */
static bool is_line(const char *text)
{
	for (; *text; text++)
		if (((unsigned char)*text < ' ' && *text != '\t') || *text == 0x7f)
			return false;
	return true;
}

static int read_text(const json_t *value, const char *member, size_t max, char **text,
		     const struct trigger *trigger, struct mm_error *err)
{
	const char *string = json_string_value(value);
	char why[64];

	if (!value || json_is_null(value))
		return 0;
	if (!string || strlen(string) != json_string_length(value) || !*string || !is_line(string))
		return refuse(err, trigger, member, "not a line of text");
	if (strlen(string) > max) {
		snprintf(why, sizeof(why), "longer than %zu bytes", max);
		return refuse(err, trigger, member, why);
	}
	free(*text);
	*text = strdup(string);
	return *text ? 0 : mm_error_set(err, MM_EXIT_ENVIRONMENT, "trigger: out of memory");
}

static int read_number(const json_t *value, const char *member, int64_t least, int64_t most,
		       int64_t *number, const struct trigger *trigger, struct mm_error *err)
{
	char why[96];

	if (!value || json_is_null(value))
		return 0;
	if (!json_is_integer(value) || json_integer_value(value) < least ||
	    json_integer_value(value) > most) {
		snprintf(why, sizeof(why), "not a number from %" PRId64 " to %" PRId64, least,
			 most);
		return refuse(err, trigger, member, why);
	}
	*number = json_integer_value(value);
	return 0;
}

static int read_head(const json_t *json, struct trigger *trigger, struct mm_error *err)
{
	const char *name = json_string_value(json_object_get(json, "name"));
	int64_t version = VERSION, uid = -1, gid = -1;

	if (!json_is_object(json))
		return mm_error_set(err, MM_EXIT_BAD_INPUT, "trigger: not a JSON object");
	if (!name || !trigger_name_is_valid(name))
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"trigger: '%s' is not a valid name; use 1 to %d letters, digits, '-', '_' or '.', but neither '-' nor '.' at the start",
			name ? name : "", TRIGGER_NAME_MAX - 1);
	strcpy(trigger->name, name);
	if (read_number(json_object_get(json, "version"), "version", VERSION, VERSION, &version,
			trigger, err) ||
	    read_number(json_object_get(json, "uid"), "uid", 0, (uid_t)-2, &uid, trigger, err) ||
	    read_number(json_object_get(json, "gid"), "gid", 0, (gid_t)-2, &gid, trigger, err))
		return -1;
	trigger->uid = (uid_t)uid;
	trigger->gid = (gid_t)gid;
	return 0;
}

static int read_captures(const json_t *json, struct trigger *trigger, struct mm_error *err)
{
	const json_t *captures = json_object_get(json, "captures"), *capture;
	size_t i;

	if (!captures || json_is_null(captures))
		return 0;
	if (!json_is_array(captures) || json_array_size(captures) > TRIGGER_CAPTURES_MAX)
		return refuse(err, trigger, "captures", "not an array of names, or too many names");
	json_array_foreach(captures, i, capture)
	{
		char **text = &trigger->captures[trigger->capture_count];

		if (read_text(capture, "captures", TRIGGER_TEXT_MAX, text, trigger, err))
			return -1;
		if (!*text)
			return refuse(err, trigger, "captures", "a name is null");
		trigger->capture_count++;
	}
	return 0;
}

static int read_options(const json_t *json, struct trigger *trigger, struct mm_error *err)
{
	for (size_t i = 0; i < COUNT(texts); i++)
		if (read_text(json_object_get(json, texts[i].name), texts[i].name, texts[i].max,
			      text_of(trigger, texts[i].offset), trigger, err))
			return -1;
	for (size_t i = 0; i < COUNT(numbers); i++)
		if (read_number(json_object_get(json, numbers[i].name), numbers[i].name,
				numbers[i].least, numbers[i].most,
				number_of(trigger, numbers[i].offset), trigger, err))
			return -1;
	if (!trigger->on)
		return refuse(err, trigger, "on", "the condition is missing");
	return read_captures(json, trigger, err);
}

/* Refuses unknown members, because a later version may give them a meaning. */
static int check_names(const json_t *json, const struct trigger *trigger, struct mm_error *err)
{
	static const char *const others[] = {
		"version", "name", "uid", "gid", "captures", "filter"
	};
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)json, name, value)
	{
		bool known = false;

		for (size_t i = 0; i < COUNT(others); i++)
			known |= !strcmp(name, others[i]);
		for (size_t i = 0; i < COUNT(parsed); i++)
			known |= !strcmp(name, parsed[i]);
		for (size_t i = 0; i < COUNT(texts); i++)
			known |= !strcmp(name, texts[i].name);
		for (size_t i = 0; i < COUNT(numbers); i++)
			known |= !strcmp(name, numbers[i].name);
		if (!known)
			return refuse(
				err, trigger, name,
				"this version does not know this member; add the trigger again");
	}
	return 0;
}

static int check_captures(const struct trigger *trigger, struct mm_error *err)
{
	bool has_fields = trigger->kind == TRIGGER_EVENT || trigger->kind == TRIGGER_RATE;

	return trigger->capture_count && !has_fields
		       ? refuse(err, trigger, "captures",
				"only events have fields that can be captured; leave the captures out")
		       : 0;
}

/*
 * Compares the parsed members in @json with the result of parsing the condition again. The numbers
 * that replaced labels may differ, because trigger_check_event() will replace the labels again.
 */
static int check_parsed(const json_t *json, struct trigger *trigger, struct mm_error *err)
{
	static const char other[] =
		"the condition means something else in this version; add the trigger again";
	json_t *again = trigger_to_json(trigger), *filter = json_object_get(json, "filter");
	const char *differs = NULL;

	for (size_t i = 0; again && i < COUNT(parsed) && !differs; i++) {
		const json_t *given = json_object_get(json, parsed[i]);

		if (given && !json_equal(given, json_object_get(again, parsed[i])))
			differs = parsed[i];
	}
	json_decref(again);
	if (!again)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "trigger: out of memory");
	if (!differs && filter && !json_is_null(filter) &&
	    (!trigger->filter || !json_is_string(filter) ||
	     json_string_length(filter) > FILTER_TEXT_MAX ||
	     !filter_is_resolved_from(json_string_value(filter), trigger->filter)))
		differs = "filter";
	return differs ? refuse(err, trigger, differs, other) : 0;
}

struct trigger *trigger_from_json(const json_t *json, struct mm_error *err)
{
	struct trigger *trigger = trigger_create();

	if (!trigger) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "trigger: out of memory");
		return NULL;
	}
	if (!read_head(json, trigger, err) && !read_options(json, trigger, err) &&
	    !check_names(json, trigger, err) && !trigger_parse_condition(trigger, err) &&
	    !check_captures(trigger, err) && !check_parsed(json, trigger, err))
		return trigger;
	trigger_destroy(trigger);
	return NULL;
}
