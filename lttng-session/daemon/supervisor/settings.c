// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the settings of the recorder daemon. */
#include "lttng-session/daemon/supervisor/settings.h"

#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>

#include "lttng-session/profile/trigger-text.h"

struct parsing {
	struct settings *settings;
	const char *path;
	FILE *in;
	unsigned int line, bad_line; /* bad_line: the first that was refused; 0: none */
	struct mm_error *err;
};

static int fail(struct parsing *parsing, const char *what, const char *value)
{
	/* libinih continues after it. */
	if (parsing->bad_line)
		return 0;
	parsing->bad_line = parsing->line;
	mm_error_set(parsing->err, MM_EXIT_BAD_INPUT, "settings: %s:%u: '%s': %s", parsing->path,
		     parsing->line, value, what);
	return 0;
}

static void release_words(struct settings *settings)
{
	for (size_t i = 0; settings->record[i]; i++)
		free(settings->record[i]);
	settings->record[0] = NULL;
}

/* Words are separated by blanks; there is no shell, and there are no quotes. */
static int take_record(struct parsing *parsing, const char *value)
{
	char *copy = strdup(value), *rest = copy, *word;
	size_t count = 0;
	int ret = 1;

	release_words(parsing->settings);
	parsing->settings->record_line = parsing->line;
	while (ret && rest && (word = strsep(&rest, " \t"))) {
		if (!*word)
			continue;
		if (count == SETTINGS_WORDS_MAX)
			ret = fail(parsing, "too many words", value);
		else
			parsing->settings->record[count++] = strdup(word);
		parsing->settings->record[count] = NULL;
	}
	free(copy);
	return ret;
}

static int take_rescue(struct parsing *parsing, const char *value)
{
	if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
		return fail(parsing, "neither yes nor no", value);
	parsing->settings->rescue = *value == 'y';
	return 1;
}

static int take_nice(struct parsing *parsing, const char *value)
{
	char *end;
	long nice = strtol(value, &end, 10);

	if (!*value || *end || nice < -20 || nice > 19)
		return fail(parsing, "not a number from -20 to 19", value);
	parsing->settings->nice = (int)nice;
	parsing->settings->has_nice = true;
	return 1;
}

static int take_user_max(struct parsing *parsing, const char *value)
{
	struct mm_error err = MM_ERROR_INIT;
	json_t *json = json_object();
	struct settings *settings = parsing->settings;
	int ret = trigger_text_set(json, "max", "user-max", value, &err);

	if (!ret) {
		settings->user_max = (uint64_t)json_integer_value(json_object_get(json, "max"));
		settings->user_max_ns = json_integer_value(json_object_get(json, "max_ns"));
	}
	json_decref(json);
	return ret ? fail(parsing, "not a number of snapshots in a time, such as 10/hour, or none",
			  value)
		   : 1;
}

static const struct {
	const char *name;
	int (*take)(struct parsing *parsing, const char *value);
} keys[] = {
	{ "consumer-nice", take_nice },
	{ "record", take_record },
	{ "rescue", take_rescue },
	{ "user-max", take_user_max },
};

static int take(void *user, const char *section, const char *name, const char *value)
{
	struct parsing *parsing = user;

	if (strcmp(section, "recorder") != 0)
		return fail(parsing, "the only section is [recorder]", section);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcmp(keys[i].name, name))
			return keys[i].take(parsing, value);
	return fail(parsing, "unknown; known: consumer-nice, record, rescue, user-max", name);
}

static char *read_line(char *line, int size, void *user)
{
	struct parsing *parsing = user;
	char *read = fgets(line, size, parsing->in);

	parsing->line += !!read;
	return read;
}

void settings_init(struct settings *settings)
{
	*settings = (struct settings){ .rescue = true, .user_max_ns = -1 };
}

void settings_release(struct settings *settings)
{
	release_words(settings);
}

int settings_parse(struct settings *settings, FILE *in, const char *path, struct mm_error *err)
{
	struct parsing parsing = { .settings = settings, .path = path, .in = in, .err = err };
	int wrong;

	settings_init(settings);
	wrong = ini_parse_stream(read_line, &parsing, take, &parsing);
	if (wrong && (!parsing.bad_line || (unsigned int)wrong < parsing.bad_line)) {
		mm_error_clear(err);
		mm_error_set(err, MM_EXIT_BAD_INPUT, "settings: %s:%d: not of the form KEY = VALUE",
			     path, wrong);
	}
	if (wrong)
		settings_release(settings);
	return wrong ? -1 : 0;
}

int settings_read(struct settings *settings, const char *path, struct mm_error *err)
{
	FILE *in = fopen(path, "re");
	int ret;

	settings_init(settings);
	if (!in && errno == ENOENT)
		return 0;
	if (!in)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "settings: %s: %s", path,
				    strerror(errno));
	ret = settings_parse(settings, in, path, err);
	fclose(in);
	return ret;
}
