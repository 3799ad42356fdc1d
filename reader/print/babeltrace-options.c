// SPDX-License-Identifier: LGPL-2.1-only
/* Parses the arguments of --names and --fields as babeltrace2 does. */
#include <string.h>

#include "reader/print/babeltrace.h"

#define NAMES_DEFAULT (MM_BABELTRACE_NAME_PAYLOAD | MM_BABELTRACE_NAME_CONTEXT)
#define FIELDS_DEFAULT \
	(MM_BABELTRACE_FIELD_HOSTNAME | MM_BABELTRACE_FIELD_PROCNAME | MM_BABELTRACE_FIELD_VPID)

#define ALL (1u << 31)
#define NONE (1u << 30)
/* Options that babeltrace2 accepts, but that have no effect on its output. */
#define IGNORED (1u << 29)

struct option_word {
	const char *word;
	unsigned int what;
};

static const struct option_word name_words[] = {
	{ "payload", MM_BABELTRACE_NAME_PAYLOAD },
	{ "args", MM_BABELTRACE_NAME_PAYLOAD },
	{ "arg", MM_BABELTRACE_NAME_PAYLOAD },
	{ "context", MM_BABELTRACE_NAME_CONTEXT },
	{ "ctx", MM_BABELTRACE_NAME_CONTEXT },
	{ "scope", MM_BABELTRACE_NAME_SCOPE },
	{ "header", MM_BABELTRACE_NAME_HEADER },
	{ "all", ALL },
	{ "none", NONE },
	{ NULL, 0 },
};

static const struct option_word field_words[] = {
	{ "trace", MM_BABELTRACE_FIELD_TRACE },
	{ "trace:hostname", MM_BABELTRACE_FIELD_HOSTNAME },
	{ "trace:domain", MM_BABELTRACE_FIELD_DOMAIN },
	{ "trace:procname", MM_BABELTRACE_FIELD_PROCNAME },
	{ "trace:vpid", MM_BABELTRACE_FIELD_VPID },
	{ "loglevel", MM_BABELTRACE_FIELD_LOGLEVEL },
	{ "emf", MM_BABELTRACE_FIELD_EMF },
	{ "callsite", IGNORED },
	{ "all", ALL },
	{ NULL, 0 },
};

static unsigned int find_word(const struct option_word *words, const char *text, size_t length)
{
	for (; words->word; words++)
		if (strlen(words->word) == length && !memcmp(words->word, text, length))
			return words->what;
	return 0;
}

static int read_list(struct mm_babeltrace_choice *choice, const struct option_word *words,
		     const char *option, const char *list, struct mm_error *err)
{
	static const char separators[] = ", \t\n";
	unsigned int seen = 0;

	for (list += strspn(list, separators); *list; list += strspn(list, separators)) {
		size_t length = strcspn(list, separators);
		unsigned int what = find_word(words, list, length);

		if (!what)
			return mm_error_set(
				err, MM_EXIT_BAD_INPUT,
				"%s: unknown value '%.*s'; babeltrace2-convert(1) lists the values of this option",
				option, (int)(length < 64 ? length : 64), list);
		seen |= what;
		list += length;
	}
	if (seen & ALL && seen & NONE)
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "%s: 'all' and 'none' contradict each other; give one of them",
				    option);
	choice->shown |= seen & ~(ALL | NONE | IGNORED);
	if (seen)
		choice->rest = seen & ALL ? MM_BABELTRACE_SHOW : MM_BABELTRACE_HIDE;
	return 0;
}

int mm_babeltrace_set_names(struct mm_babeltrace_options *options, const char *list,
			    struct mm_error *err)
{
	return read_list(&options->names, name_words, "--names", list, err);
}

int mm_babeltrace_set_fields(struct mm_babeltrace_options *options, const char *list,
			     struct mm_error *err)
{
	return read_list(&options->fields, field_words, "--fields", list, err);
}

static unsigned int resolve(const struct mm_babeltrace_choice *choice, unsigned int defaults)
{
	switch (choice->rest) {
	case MM_BABELTRACE_SHOW:
		return ~0u;
	case MM_BABELTRACE_HIDE:
		return choice->shown;
	default:
		return defaults;
	}
}

unsigned int mm_babeltrace_names(const struct mm_babeltrace_options *options)
{
	return resolve(&options->names, NAMES_DEFAULT);
}

unsigned int mm_babeltrace_fields(const struct mm_babeltrace_options *options)
{
	return resolve(&options->fields, FIELDS_DEFAULT);
}
