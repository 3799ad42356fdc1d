// SPDX-License-Identifier: LGPL-2.1-only
/* Splits LTTng's filter expressions (lttng-enable-event(1)) into tokens. */
#include "lttng-session/daemon/triggers/definition/filter.h"

#include <ctype.h>
#include <string.h>

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

static bool starts_name(char c)
{
	return c && strchr(LETTERS, c);
}

static size_t name_length(const char *text)
{
	size_t length = strspn(text, LETTERS DIGITS);

	while (text[length] == '.' && starts_name(text[length + 1]))
		length += 1 + strspn(text + length + 1, LETTERS DIGITS);
	return length;
}

static size_t context_length(const char *text)
{
	if (strncmp(text, "$ctx.", 5) != 0 && strncmp(text, "$app.", 5) != 0)
		return 0;
	return starts_name(text[5]) ? 5 + strspn(text + 5, LETTERS DIGITS ".:") : 0;
}

/*
 * Returns the length of a number. Includes letters, because LTTng's parser decides whether the
 * number is valid.
 */
static size_t number_length(const char *text)
{
	return strspn(text, LETTERS DIGITS ".");
}

static size_t string_length(const char *text)
{
	size_t length = 1;

	while (text[length] && text[length] != *text)
		length += text[length] == '\\' && text[length + 1] ? 2 : 1;
	return text[length] ? length + 1 : 0;
}

static size_t operator_length(const char *text)
{
	static const char *const pairs[] = { "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "->" };

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (!strncmp(text, pairs[i], 2))
			return 2;
	return strchr("!<>&|^~+-*/%()[]", *text) ? 1 : 0;
}

struct filter_token filter_next(const char **at)
{
	const char *text = *at + strspn(*at, " \t\n");
	struct filter_token token = { .kind = FILTER_UNKNOWN, .text = text, .length = 0 };

	if (!*text) {
		token.kind = FILTER_END;
	} else if (starts_name(*text)) {
		token.kind = FILTER_NAME;
		token.length = name_length(text);
	} else if (*text == '$' && (token.length = context_length(text))) {
		token.kind = FILTER_CONTEXT;
	} else if (isdigit((unsigned char)*text)) {
		token.kind = FILTER_NUMBER;
		token.length = number_length(text);
	} else if ((*text == '"' || *text == '\'') && (token.length = string_length(text))) {
		token.kind = FILTER_STRING;
	} else if ((token.length = operator_length(text))) {
		token.kind = FILTER_OPERATOR;
	} else {
		token.length = 1;
	}
	*at = text + token.length;
	return token;
}

bool filter_token_is(const struct filter_token *token, const char *text)
{
	return token->length == strlen(text) && !strncmp(token->text, text, token->length);
}

bool filter_is_resolved_from(const char *resolved, const char *given)
{
	struct filter_token a, b;

	do {
		a = filter_next(&resolved);
		b = filter_next(&given);
		if (a.kind == FILTER_NUMBER && b.kind == FILTER_NAME &&
		    strspn(a.text, DIGITS) == a.length)
			continue;
		if (a.kind != b.kind || a.length != b.length ||
		    strncmp(a.text, b.text, a.length) != 0)
			return false;
	} while (a.kind != FILTER_END);
	return true;
}
