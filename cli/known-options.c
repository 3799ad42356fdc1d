// SPDX-License-Identifier: LGPL-2.1-only
/* Finds misspelt options before argp does, which does not say what may be meant. */
#include "cli/known-options.h"

#include <stdbool.h>
#include <string.h>

#include "util/nearest.h"

/* Those that argp adds. */
static const struct argp_option argp_own[] = {
	{ "help", '?', NULL, 0, NULL, 0 },
	{ "usage", 1, NULL, 0, NULL, 0 },
	{ "program-name", 2, "NAME", OPTION_HIDDEN, NULL, 0 },
	{ "HANG", 3, "SECS", OPTION_HIDDEN | OPTION_ARG_OPTIONAL, NULL, 0 },
	{ 0 },
};

/* An option as given: a long one of @length bytes, or else a letter. */
struct given {
	const char *name;
	size_t length;
	char letter;
	bool found, takes_argument;
};

static bool is_end(const struct argp_option *option)
{
	return !option->name && !option->key && !option->doc && !option->group;
}

static bool is_it(const struct given *given, const struct argp_option *option)
{
	if (given->letter)
		return option->key == given->letter;
	return option->name && !strncmp(option->name, given->name, given->length);
}

static void look_up(struct given *given, const struct argp_option *options)
{
	const struct argp_option *real = options; /* the one that an alias stands for */

	for (; options && !is_end(options) && !given->found; options++) {
		if (!(options->flags & OPTION_ALIAS))
			real = options;
		if ((options->flags & OPTION_DOC) || !is_it(given, options))
			continue;
		given->found = true;
		given->takes_argument = real->arg && !(real->flags & OPTION_ARG_OPTIONAL);
	}
}

static void offer(struct mm_nearest *nearest, const struct argp_option *options)
{
	for (; options && !is_end(options); options++)
		if (options->name && !(options->flags & (OPTION_DOC | OPTION_HIDDEN)))
			mm_nearest_offer(nearest, options->name);
}

static void look_up_all(struct given *given, const struct argp *parser)
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

static int refuse(const struct argp *parser, const struct given *given, struct mm_error *err)
{
	char wanted[128], names[MM_NEAREST_MAX][128], text[MM_NEAREST_TEXT];
	struct mm_nearest nearest = { .wanted = wanted };

	snprintf(wanted, sizeof(wanted), "%.*s", (int)given->length, given->name);
	offer_all(&nearest, parser);
	offer(&nearest, argp_own);
	for (size_t i = 0; i < nearest.count; i++) {
		snprintf(names[i], sizeof(names[i]), "--%s", nearest.best[i].name);
		nearest.best[i].name = names[i];
	}
	snprintf(wanted, sizeof(wanted), "--%.*s", (int)given->length, given->name);
	return mm_error_set(err, MM_EXIT_BAD_INPUT, "there is no option '%s'%s", wanted,
			    mm_nearest_hint(&nearest, text, sizeof(text)));
}

/* Does the last of the letters in @word take the next argument? Of unknown ones, argp complains. */
static bool takes_next(const struct argp *parser, const char *word)
{
	for (word++; *word; word++) {
		struct given given = { .letter = *word };

		look_up_all(&given, parser);
		if (given.takes_argument)
			return !word[1];
	}
	return false;
}

int known_options_check(const struct argp *parser, int argc, char *const *argv,
			struct mm_error *err)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		struct given given = { .name = argv[i] + 2 };

		if (argv[i][0] != '-' || !argv[i][1])
			continue;
		if (argv[i][1] != '-') {
			i += takes_next(parser, argv[i]);
			continue;
		}
		given.length = strcspn(given.name, "=");
		look_up_all(&given, parser);
		if (!given.found)
			look_up(&given, argp_own);
		if (!given.found)
			return refuse(parser, &given, err);
		i += given.takes_argument && !given.name[given.length];
	}
	return 0;
}
