// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the triggers in a profile's file. */
#include "lttng-session/profile/triggers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTION "trigger"
/* Maximum length of a trigger's name: libinih truncates `trigger NAME` to 49 bytes. */
#define NAME_MAX_BYTES 40
/* Maximum length of a condition. definition/trigger.h has the same limit, TRIGGER_TEXT_MAX. */
#define TEXT_MAX 1024
#define KNOWN "after, capture, cooldown, last, max, on, warm-up"

bool profile_triggers_are_in(const char *section)
{
	size_t length = strlen(SECTION);

	return !strncmp(section, SECTION, length) && (!section[length] || section[length] == ' ');
}

static const char *name_of(const char *section)
{
	section += strlen(SECTION);
	return section + strspn(section, " ");
}

static struct profile_trigger *find(struct profile_triggers *triggers, const char *section)
{
	for (size_t i = 0; i < triggers->count; i++)
		if (!strcmp(triggers->all[i].name, name_of(section)))
			return &triggers->all[i];
	return NULL;
}

int profile_triggers_begin(struct profile_triggers *triggers, const char *section,
			   unsigned int line, struct mm_error *err)
{
	const char *name = name_of(section);
	struct profile_trigger *trigger;

	if (!*name)
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "the trigger has no name; write [trigger NAME]");
	if (!trigger_name_is_valid(name) || strlen(name) > NAME_MAX_BYTES)
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"'%s' is not a valid name for a trigger in a profile; use 1 to %d letters, digits, '-', '_' or '.', but neither '-' nor '.' at the start",
			name, NAME_MAX_BYTES);
	if (find(triggers, section))
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "there are two triggers '%s'; rename one of them", name);
	if (triggers->count == PROFILE_TRIGGERS_MAX)
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "more than %d triggers; add others with `lttng-mm trigger add`",
				    PROFILE_TRIGGERS_MAX);
	trigger = &triggers->all[triggers->count];
	*trigger = (struct profile_trigger){ .line = line,
					     .definition = json_pack("{s:s}", "name", name) };
	strcpy(trigger->name, name);
	if (!trigger->definition)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "out of memory");
	triggers->count++;
	return 0;
}

/* Does the line start with a blank? libinih appends such a line to the previous value. */
static bool is_continued(const struct profile_trigger_line *line)
{
	return *line->text == ' ' || *line->text == '\t';
}

/*
 * Does the text contain a semicolon at which libinih starts a comment? The author may have meant
 * the semicolon as a part of a regular expression.
 */
static bool has_comment(const char *text)
{
	while ((text = strpbrk(text, " \t")))
		if (*++text == ';')
			return true;
	return false;
}

static int take_condition(struct profile_trigger *trigger, const struct profile_trigger_line *line,
			  struct mm_error *err)
{
	const char *before = json_string_value(json_object_get(trigger->definition, "on"));
	char text[TEXT_MAX + 1];

	if (!before)
		trigger->line = line->line;
	if (snprintf(text, sizeof(text), "%s%s%s", before ? before : "", before ? " " : "",
		     line->value) >= (int)sizeof(text))
		return mm_error_set(err, MM_EXIT_BAD_INPUT, "the condition has more than %d bytes",
				    TEXT_MAX);
	return trigger_text_set(trigger->definition, "on", "on", text, err);
}

/* Adds captures. They are separated by commas or blanks, as in the other lists of a profile. */
static int take_captures(struct profile_trigger *trigger, const struct profile_trigger_line *line,
			 struct mm_error *err)
{
	json_t *before = json_incref(json_object_get(trigger->definition, "captures"));
	static const char between[] = ", \t";
	const char *value = line->value + strspn(line->value, between);
	char text[TEXT_MAX + 1];
	size_t length = 0;
	int ret;

	while (*value && length < TEXT_MAX) {
		if (strchr(between, *value)) {
			value += strspn(value, between);
			text[length] = ',';
			length += *value != '\0';
		} else {
			text[length++] = *value++;
		}
	}
	text[length] = '\0';
	ret = trigger_text_set(trigger->definition, "capture", "capture", text, err);
	if (!ret && before &&
	    (json_array_extend(before, json_object_get(trigger->definition, "captures")) ||
	     json_object_set(trigger->definition, "captures", before)))
		ret = mm_error_set(err, MM_EXIT_ENVIRONMENT, "out of memory");
	json_decref(before);
	return ret;
}

static int take_text(struct profile_trigger *trigger, const struct profile_trigger_line *line,
		     struct mm_error *err)
{
	return trigger_text_set(trigger->definition, line->key, line->key, line->value, err);
}

static int refuse_command(struct profile_trigger *trigger, const struct profile_trigger_line *line,
			  struct mm_error *err)
{
	return mm_error_set(
		err, MM_EXIT_BAD_INPUT,
		"%s: a profile runs no commands; add a trigger with the same name (`lttng-mm trigger add %s ...`), which replaces the profile's trigger",
		line->key, trigger->name);
}

static int take(struct profile_trigger *trigger, const struct profile_trigger_line *line,
		struct mm_error *err)
{
	static const struct {
		const char *key;
		int (*take)(struct profile_trigger *trigger,
			    const struct profile_trigger_line *line, struct mm_error *err);
	} keys[] = {
		{ "after", take_text },	   { "capture", take_captures },
		{ "cooldown", take_text }, { "last", take_text },
		{ "max", take_text },	   { "on", take_condition },
		{ "run", refuse_command }, { "run-timeout", refuse_command },
		{ "warm-up", take_text },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcmp(keys[i].key, line->key))
			return keys[i].take(trigger, line, err);
	return mm_error_set(err, MM_EXIT_BAD_INPUT, "unknown key '%s' in [%s]; known: " KNOWN,
			    line->key, line->section);
}

int profile_triggers_take(struct profile_triggers *triggers,
			  const struct profile_trigger_line *line, struct mm_error *err)
{
	struct profile_trigger *trigger = find(triggers, line->section);
	bool is_list = !strcmp(line->key, "capture"), is_condition = !strcmp(line->key, "on");

	/*
	 * If a byte order mark has hidden the line of the section, the trigger was not started
	 * there, so start it now.
	 */
	if (!trigger) {
		if (profile_triggers_begin(triggers, line->section, line->line, err))
			return -1;
		trigger = find(triggers, line->section);
	}
	if (has_comment(line->text))
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"%s: a semicolon after a blank starts a comment; write [;] in an expression, and comments in lines of their own",
			line->key);
	if (trigger_text_is_set(trigger->definition, line->key) && !is_list &&
	    !(is_condition && is_continued(line)))
		return mm_error_set(err, MM_EXIT_BAD_INPUT, "%s is given twice; remove one of them",
				    line->key);
	return take(trigger, line, err);
}

int profile_triggers_end(const struct profile_triggers *triggers, unsigned int *line,
			 struct mm_error *err)
{
	for (size_t i = 0; i < triggers->count; i++) {
		if (json_object_get(triggers->all[i].definition, "on"))
			continue;
		*line = triggers->all[i].line;
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"the trigger '%s' has no condition; add the key on, as in: on = kernel-message oom",
			triggers->all[i].name);
	}
	return 0;
}

void profile_triggers_release(struct profile_triggers *triggers)
{
	for (size_t i = 0; i < triggers->count; i++)
		json_decref(triggers->all[i].definition);
	triggers->count = 0;
}
