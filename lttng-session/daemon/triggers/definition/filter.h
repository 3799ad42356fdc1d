/* SPDX-License-Identifier: LGPL-2.1-only */
/* Splits LTTng's filter expressions into tokens. */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_FILTER_H
#define LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_FILTER_H

#include <stdbool.h>
#include <stddef.h>

/* Maximum length of a filter in which labels were replaced by numbers. */
#define FILTER_TEXT_MAX 4096
/* Maximum length of a filter in which comparisons were also rewritten (filter-signs.h). */
#define FILTER_REWRITTEN_MAX 16384

enum filter_kind {
	FILTER_END,
	/* a field or a label, such as pfn or args.flags; an index is a token of its own */
	FILTER_NAME,
	FILTER_CONTEXT,	 /* $ctx.cpu_id, $app.provider:name */
	FILTER_NUMBER,	 /* 10, 0x1f, 1.5 */
	FILTER_STRING,	 /* "text", with its quotation marks */
	FILTER_OPERATOR, /* &&, ==, (, [ */
	FILTER_UNKNOWN,	 /* a byte that cannot start a token, or an unterminated string */
};

struct filter_token {
	enum filter_kind kind;
	const char *text;
	size_t length;
};

/* Returns the next token, and moves *@at to the position after it. */
struct filter_token filter_next(const char **at);

/* Does the token have exactly the text @text? */
bool filter_token_is(const struct filter_token *token, const char *text);

/* Is @resolved equal to @given, except that some names are replaced by decimal numbers? */
bool filter_is_resolved_from(const char *resolved, const char *given);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_FILTER_H */
