/* SPDX-License-Identifier: LGPL-2.1-only */
/* Scans a command line like argp, without running the parser. */
#ifndef LTTNG_MM_CLI_COMMON_KNOWN_OPTIONS_H
#define LTTNG_MM_CLI_COMMON_KNOWN_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "util/error.h"

/* An option on the command line: a letter, or a name of @length bytes without dashes. */
struct known_option {
	const char *name;
	size_t length;
	const char *word; /* the word with the letter */
	char letter;
	bool found;
	bool has_value, needs_value; /* the option accepts a value; it requires a value */
	bool is_whole;		     /* only full names match, not abbreviations */
};

struct known_words {
	const char *first; /* first word that is neither an option nor an option's value; or NULL */
	bool has_unknown;
	struct known_option unknown;
	/* the word after @unknown if @unknown is a long option; or NULL */
	const char *after;
};

/*
 * Scans the arguments with the options of @parser and its children. Assumes that unknown options
 * have no value.
 */
void known_options_scan(const struct argp *parser, int argc, char *const *argv,
			struct known_words *words);

/*
 * Refuses long options that are unknown to @parser and its children. Options may be abbreviated.
 * Unlike the message of argp, the error suggests similar options. Returns 0, or -1 with @err set.
 */
int known_options_check(const struct argp *parser, int argc, char *const *argv,
			struct mm_error *err);

#endif /* LTTNG_MM_CLI_COMMON_KNOWN_OPTIONS_H */
