// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the settings of the recorder daemon. */
#include "lttng-session/daemon/supervisor/settings.h"

#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>

#include "lttng-session/profile/trigger-text.h"

struct settings_parser {
	struct settings *settings;
	const char *path;
	FILE *in;
	unsigned int line, bad_line; /* @bad_line: the first line with an error; 0: none */
	struct mm_error *err;
};

static int fail(struct settings_parser *parser, const char *what, const char *value)
{
	/* libinih continues after an error. Report only the first one. */
	if (parser->bad_line)
		return 0;
	parser->bad_line = parser->line;
	mm_error_set(parser->err, MM_EXIT_BAD_INPUT, "settings: %s:%u: '%s': %s", parser->path,
		     parser->line, value, what);
	return 0;
}

static void release_words(struct settings *settings)
{
	for (size_t i = 0; settings->record[i]; i++)
		free(settings->record[i]);
	settings->record[0] = NULL;
}

/* Splits the value at blanks. Quotes and shell syntax have no meaning here. */
static int take_record(struct settings_parser *parser, const char *value)
{
	char *copy = strdup(value), *rest = copy, *word;
	size_t count = 0;
	int ret = 1;

	release_words(parser->settings);
	parser->settings->record_line = parser->line;
	while (ret && rest && (word = strsep(&rest, " \t"))) {
		if (!*word)
			continue;
		if (count == SETTINGS_WORDS_MAX)
			ret = fail(parser, "too many words", value);
		else
			parser->settings->record[count++] = strdup(word);
		parser->settings->record[count] = NULL;
	}
	free(copy);
	return ret;
}

static int take_rescue(struct settings_parser *parser, const char *value)
{
	if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
		return fail(parser, "neither yes nor no", value);
	parser->settings->rescue = *value == 'y';
	return 1;
}

static int take_nice(struct settings_parser *parser, const char *value)
{
	char *end;
	long nice = strtol(value, &end, 10);

	if (!*value || *end || nice < -20 || nice > 19)
		return fail(parser, "not a number from -20 to 19", value);
	parser->settings->nice = (int)nice;
	parser->settings->has_nice = true;
	return 1;
}

static int take_user_max(struct settings_parser *parser, const char *value)
{
	struct mm_error err = MM_ERROR_INIT;
	json_t *json = json_object();
	struct settings *settings = parser->settings;
	int ret = trigger_text_set(json, "max", "user-max", value, &err);

	if (!ret) {
		settings->user_max = (uint64_t)json_integer_value(json_object_get(json, "max"));
		settings->user_max_ns = json_integer_value(json_object_get(json, "max_ns"));
	}
	json_decref(json);
	return ret ? fail(parser, "neither a limit of snapshots, such as 10/hour, nor none", value)
		   : 1;
}

static const struct {
	const char *name;
	int (*take)(struct settings_parser *parser, const char *value);
} keys[] = {
	{ "consumer-nice", take_nice },
	{ "record", take_record },
	{ "rescue", take_rescue },
	{ "user-max", take_user_max },
};

static int take(void *user, const char *section, const char *name, const char *value)
{
	struct settings_parser *parser = user;

	if (strcmp(section, "recorder") != 0)
		return fail(parser, "unknown section; the only section is [recorder]", section);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcmp(keys[i].name, name))
			return keys[i].take(parser, value);
	return fail(parser, "unknown; known: consumer-nice, record, rescue, user-max", name);
}

static char *read_line(char *line, int size, void *user)
{
	struct settings_parser *parser = user;
	char *read = fgets(line, size, parser->in);

	parser->line += !!read;
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
	struct settings_parser parser = {
		.settings = settings, .path = path, .in = in, .err = err
	};
	int wrong;

	settings_init(settings);
	wrong = ini_parse_stream(read_line, &parser, take, &parser);
	if (wrong && (!parser.bad_line || (unsigned int)wrong < parser.bad_line)) {
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
