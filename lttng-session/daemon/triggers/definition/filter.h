/* SPDX-License-Identifier: LGPL-2.1-only */
/* The tokens of LTTng's filter expressions. */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_FILTER_H
#define LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_FILTER_H

#include <stdbool.h>
#include <stddef.h>

/* Maximum length of a filter after numbers have replaced labels. */
#define FILTER_TEXT_MAX 4096
/* Maximum length of a filter after also rewriting comparisons (filter-signs.h). */
#define FILTER_REWRITTEN_MAX 16384

enum filter_kind {
	FILTER_END,
	FILTER_NAME,	 /* a field or a label, such as pfn or args.flags, without an index */
	FILTER_CONTEXT,	 /* $ctx.cpu_id, $app.provider:name */
	FILTER_NUMBER,	 /* 10, 0x1f, 1.5 */
	FILTER_STRING,	 /* "text", with its quotation marks */
	FILTER_OPERATOR, /* &&, ==, (, [ */
	FILTER_UNKNOWN,	 /* a byte that cannot start a token, or a string without an end */
};

struct filter_token {
	enum filter_kind kind;
	const char *text;
	size_t length;
};

/* Reads the next token, and moves *@at after it. */
struct filter_token filter_next(const char **at);

/* Is the token equal to @text? */
bool filter_token_is(const struct filter_token *token, const char *text);

/* Does @resolved equal @given, except that decimal numbers may replace names? */
bool filter_is_resolved_from(const char *resolved, const char *given);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_FILTER_H */
