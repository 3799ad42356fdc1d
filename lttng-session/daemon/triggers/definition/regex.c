// SPDX-License-Identifier: LGPL-2.1-only
/* Bounds the cost of users' regular expressions before they are compiled. */
#include "lttng-session/daemon/triggers/definition/regex.h"

#include <ctype.h>
#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX 512
#define DEPTH_MAX 32
/*
 * Maximum size of an expression with all repetitions written out. Most expressions have a size of
 * about 100.
 */
#define SIZE_MAX_WRITTEN 10000

struct regex_size {
	uint64_t group[DEPTH_MAX]; /* the size so far of each open group */
	uint64_t last;		   /* size of the last atom, which a repetition multiplies */
	unsigned int depth;
	bool too_deep, refers_back;
};

static void add_atom(struct regex_size *sizes, uint64_t size)
{
	sizes->last = size;
	sizes->group[sizes->depth] += size;
}

static void repeat(struct regex_size *sizes, uint64_t times)
{
	uint64_t size = sizes->last * times;

	if (size > SIZE_MAX_WRITTEN + 1)
		size = SIZE_MAX_WRITTEN + 1;
	sizes->group[sizes->depth] += size - sizes->last;
	sizes->last = size;
}

static void open_group(struct regex_size *sizes)
{
	if (sizes->depth + 1 == DEPTH_MAX) {
		sizes->too_deep = true;
		return;
	}
	sizes->group[++sizes->depth] = 1;
}

static void close_group(struct regex_size *sizes)
{
	uint64_t size = sizes->group[sizes->depth];

	if (!sizes->depth)
		return;
	sizes->depth--;
	add_atom(sizes, size);
}

/* Returns the end of the bracket expression at @at. A ] right after [ or [^ does not end it. */
static const char *skip_bracket(const char *at)
{
	at += at[1] == '^' ? 2 : 1;
	if (*at == ']')
		at++;
	while (*at && *at != ']') {
		if (*at == '[' && at[1] && strchr(".=:", at[1])) {
			const char closing[] = { at[1], ']', '\0' };
			const char *end = strstr(at + 2, closing);

			at = end ? end + 2 : at + 2;
		} else {
			at++;
		}
	}
	return *at ? at + 1 : at;
}

/*
 * Reads {m}, {m,n} or {m,}. Multiplies the size of the last atom by the larger bound; by m + 1 for
 * {m,}.
 */
static const char *read_interval(const char *at, struct regex_size *sizes)
{
	char *end;
	unsigned long least = strtoul(at + 1, &end, 10), most = least;

	if (*end == ',') {
		const char *from = end + 1;

		most = strtoul(from, &end, 10);
		if (end == from)
			most = least + 1;
	}
	if (*end != '}')
		return at + 1;
	repeat(sizes, most > 1 ? (most <= SIZE_MAX_WRITTEN ? most : SIZE_MAX_WRITTEN + 1) : 1);
	return end + 1;
}

static const char *read_one(const char *at, struct regex_size *sizes)
{
	switch (*at) {
	case '(':
		open_group(sizes);
		return at + 1;
	case ')':
		close_group(sizes);
		return at + 1;
	case '[':
		add_atom(sizes, 1);
		return skip_bracket(at);
	case '{':
		return read_interval(at, sizes);
	case '+':
		/* x+ compiles like xx*, so it doubles the size. */
		repeat(sizes, 2);
		return at + 1;
	case '\\':
		sizes->refers_back |= isdigit((unsigned char)at[1]) != 0;
		add_atom(sizes, 1);
		return at[1] ? at + 2 : at + 1;
	case '*':
	case '?':
	case '|':
		return at + 1;
	default:
		add_atom(sizes, 1);
		return at + 1;
	}
}

int trigger_compile_regex(const char *text, const char *what, struct mm_error *err)
{
	char why[256];
	regex_t regex;
	int ret = regcomp(&regex, text, REG_EXTENDED | REG_NOSUB);

	if (!ret) {
		regfree(&regex);
		return 0;
	}
	regerror(ret, &regex, why, sizeof(why));
	return mm_error_set(err, MM_EXIT_BAD_INPUT, "%s: '%s' is not a regular expression: %s",
			    what, text, why);
}

int trigger_check_regex(const char *text, const char *what, struct mm_error *err)
{
	struct regex_size sizes = { .depth = 0 };

	if (strlen(text) > BYTES_MAX)
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "%s: the regular expression has more than %d bytes", what,
				    BYTES_MAX);
	for (const char *at = text; *at && !sizes.too_deep;)
		at = read_one(at, &sizes);
	while (sizes.depth)
		close_group(&sizes);
	if (sizes.refers_back)
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"%s: '%s' contains a back reference, which may take exponential time to match; remove it",
			what, text);
	if (sizes.too_deep || sizes.group[0] > SIZE_MAX_WRITTEN)
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"%s: '%s' is too large when its repetitions are written out; nest fewer groups and use smaller numbers in {}",
			what, text);
	return 0;
}
