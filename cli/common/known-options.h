/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads a command line as argp would, without acting on it. */
#ifndef LTTNG_MM_CLI_COMMON_KNOWN_OPTIONS_H
#define LTTNG_MM_CLI_COMMON_KNOWN_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "util/error.h"

/* An option as given: a letter, or a name of @length bytes without dashes. */
struct known_option {
	const char *name;
	size_t length;
	const char *word; /* of the command line, in which the letter is */
	char letter;
	bool found;
	bool has_value, needs_value; /* in this or the next word, if any; always */
	bool is_whole;		     /* only an option of that name, not one that starts with it */
};

struct known_words {
	const char *first; /* that is neither an option nor the value of one; NULL: none */
	bool has_unknown;
	struct known_option unknown; /* the first option that is not the parser's */
};

/*
 * Reads the arguments as @parser and its children do, but takes an option that they do not have for
 * one without a value.
 */
void known_options_scan(const struct argp *parser, int argc, char *const *argv,
			struct known_words *words);

/*
 * Fails if the arguments have a long option that neither @parser nor one of its children has. As
 * with argp, a long option may be abbreviated. The message names similar options, which that of
 * argp does not. Returns 0, or -1 with @err set.
 */
int known_options_check(const struct argp *parser, int argc, char *const *argv,
			struct mm_error *err);

#endif /* LTTNG_MM_CLI_COMMON_KNOWN_OPTIONS_H */
