// SPDX-License-Identifier: LGPL-2.1-only
/* Scans a command line like argp, without running the parser. */
#include "cli/common/known-options.h"

#include <stdbool.h>
#include <string.h>

#include "util/nearest.h"

/* Options that argp adds. */
static const struct argp_option argp_own[] = {
	{ "help", '?', NULL, 0, NULL, 0 },
	{ "usage", 1, NULL, 0, NULL, 0 },
	{ "program-name", 2, "NAME", OPTION_HIDDEN, NULL, 0 },
	{ "HANG", 3, "SECS", OPTION_HIDDEN | OPTION_ARG_OPTIONAL, NULL, 0 },
	{ 0 },
};

static bool is_end(const struct argp_option *option)
{
	return !option->name && !option->key && !option->doc && !option->group;
}

static bool is_it(const struct known_option *given, const struct argp_option *option)
{
	if (given->letter)
		return option->key == given->letter;
	return option->name && !strncmp(option->name, given->name, given->length) &&
	       (!given->is_whole || !option->name[given->length]);
}

static void look_up(struct known_option *given, const struct argp_option *options)
{
	const struct argp_option *real = options; /* the last option that is not an alias */

	for (; options && !is_end(options) && !given->found; options++) {
		if (!(options->flags & OPTION_ALIAS))
			real = options;
		if ((options->flags & OPTION_DOC) || !is_it(given, options))
			continue;
		given->found = true;
		given->has_value = real->arg;
		given->needs_value = real->arg && !(real->flags & OPTION_ARG_OPTIONAL);
	}
}

static void offer(struct mm_nearest *nearest, const struct argp_option *options)
{
	for (; options && !is_end(options); options++)
		if (options->name && !(options->flags & (OPTION_DOC | OPTION_HIDDEN)))
			mm_nearest_offer(nearest, options->name);
}

static void look_up_all(struct known_option *given, const struct argp *parser)
{
	look_up(given, parser->options);
	for (const struct argp_child *child = parser->children; child && child->argp; child++)
		look_up_all(given, child->argp);
}

static void offer_all(struct mm_nearest *nearest, const struct argp *parser)
{
	offer(nearest, parser->options);
	for (const struct argp_child *child = parser->children; child && child->argp; child++)
		offer_all(nearest, child->argp);
}

/* Looks up an option. The full name of one option has priority over an abbreviation of another. */
static void see(const struct argp *parser, struct known_option *given, struct known_words *words)
{
	given->is_whole = true;
	look_up_all(given, parser);
	given->is_whole = false;
	look_up_all(given, parser);
	look_up(given, argp_own);
	if (!given->found && !words->has_unknown)
		words->unknown = *given;
	words->has_unknown |= !given->found;
}

/*
 * Scans a word of letters, such as `-jn5`. The rest of the word may be the value of a letter.
 * Returns true if the next word is the value.
 */
static bool see_letters(const struct argp *parser, const char *letters, struct known_words *words)
{
	const char *word = letters - 1;

	for (; *letters; letters++) {
		struct known_option given = { .word = word, .letter = *letters };

		see(parser, &given, words);
		if (given.has_value)
			return given.needs_value && !letters[1];
	}
	return false;
}

/* Scans a long option. Returns true if its value is the next word. */
static bool see_long(const struct argp *parser, const char *name, struct known_words *words)
{
	struct known_option given = { .name = name, .length = strcspn(name, "=") };

	see(parser, &given, words);
	return given.needs_value && !name[given.length];
}

void known_options_scan(const struct argp *parser, int argc, char *const *argv,
			struct known_words *words)
{
	bool ended = false;

	*words = (struct known_words){ NULL };
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];

		if (ended || word[0] != '-' || !word[1]) {
			if (!words->first)
				words->first = word;
		} else if (word[1] != '-') {
			i += see_letters(parser, word + 1, words);
		} else if (word[2]) {
			bool had_unknown = words->has_unknown;

			i += see_long(parser, word + 2, words);
			if (words->has_unknown && !had_unknown)
				words->after = argv[i + 1];
		} else {
			ended = true;
		}
	}
}

/*
 * Refuses a word such as -10s if it is not the value of --begin, which accepts times before the end
 * of the trace. argp would treat the word as letters of options.
 */
static int check_time(const struct argp *parser, const struct known_option *unknown,
		      struct mm_error *err)
{
	struct known_option begin = { .name = "begin", .length = strlen("begin") };

	look_up_all(&begin, parser);
	if (!begin.found || unknown->letter < '0' || unknown->letter > '9' ||
	    unknown->word[1] != unknown->letter)
		return 0;
	return mm_error_set(
		err, MM_EXIT_BAD_INPUT,
		"there is no option '%s'; to start at a time before the end of the trace, use --begin=%s",
		unknown->word, unknown->word);
}

/*
 * Options of other tools that users may try. @meant is the option of lttng-mm with the same
 * meaning.
 */
static const struct {
	const char *tried, *meant;
	bool before_end; /* the value of @meant is the value of @tried with a minus sign */
} synonyms[] = {
	{ "process", "pid", false }, { "last", "begin", true }, { "from", "begin", false },
	{ "until", "end", false },   { "limit", "top", false },
};

/* Refuses an unknown option and names the known one with the same meaning. */
static int check_synonym(const struct argp *parser, const struct known_option *unknown,
			 const char *next, struct mm_error *err)
{
	const char *value = unknown->name + unknown->length;

	for (size_t i = 0; i < sizeof(synonyms) / sizeof(synonyms[0]); i++) {
		const char *meant = synonyms[i].meant;
		struct known_option known = { .name = meant, .length = strlen(meant) };

		if (strlen(synonyms[i].tried) != unknown->length ||
		    strncmp(synonyms[i].tried, unknown->name, unknown->length) != 0)
			continue;
		look_up_all(&known, parser);
		if (!known.found)
			return 0;
		value = *value ? value + 1 : next && *next != '-' ? next : "";
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "there is no option '--%s'; use --%s=%s%s", synonyms[i].tried,
				    meant, synonyms[i].before_end ? "-" : "",
				    *value		     ? value
				    : synonyms[i].before_end ? "10s"
							     : "...");
	}
	return 0;
}

int known_options_check(const struct argp *parser, int argc, char *const *argv,
			struct mm_error *err)
{
	char wanted[128], names[MM_NEAREST_MAX][128], text[MM_NEAREST_TEXT];
	struct mm_nearest nearest = { .wanted = wanted };
	struct known_words words;

	known_options_scan(parser, argc, argv, &words);
	if (!words.has_unknown)
		return 0;
	/* Only refuse times, such as -10s. argp itself reports other unknown letters. */
	if (words.unknown.letter)
		return check_time(parser, &words.unknown, err);
	if (check_synonym(parser, &words.unknown, words.after, err))
		return -1;
	snprintf(wanted, sizeof(wanted), "%.*s", (int)words.unknown.length, words.unknown.name);
	offer_all(&nearest, parser);
	offer(&nearest, argp_own);
	for (size_t i = 0; i < nearest.count; i++) {
		snprintf(names[i], sizeof(names[i]), "--%s", nearest.best[i].name);
		nearest.best[i].name = names[i];
	}
	snprintf(wanted, sizeof(wanted), "--%.*s", (int)words.unknown.length, words.unknown.name);
	return mm_error_set(err, MM_EXIT_BAD_INPUT, "there is no option '%s'%s", wanted,
			    mm_nearest_hint(&nearest, text, sizeof(text)));
}
