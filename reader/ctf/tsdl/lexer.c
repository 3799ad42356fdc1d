// SPDX-License-Identifier: LGPL-2.1-only
// TSDL's tokens, and messages with positions in the metadata.

#include "reader/ctf/tsdl/tsdl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static struct tsdl_token bad_token(const char *at, const char *why)
{
	return (struct tsdl_token){ .kind = TSDL_BAD, .at = at, .length = 1, .bad = why };
}

static const char *skip_blank(const char *at, const char *end, const char **why)
{
	while (at < end) {
		if (*at == ' ' || (*at >= '\t' && *at <= '\r')) {
			at++;
		} else if (end - at >= 2 && at[0] == '/' && at[1] == '/') {
			while (at < end && *at != '\n')
				at++;
		} else if (end - at >= 2 && at[0] == '/' && at[1] == '*') {
			const char *stop = memmem(at + 2, (size_t)(end - at - 2), "*/", 2);

			if (!stop) {
				*why = "comment without an end";
				return at;
			}
			at = stop + 2;
		} else {
			break;
		}
	}
	return at;
}

/* Skips C's suffixes for unsigned and long constants; TSDL ignores them. */
static const char *skip_suffix(const char *at, const char *end)
{
	unsigned int longs = 0, unsigneds = 0;

	for (; at < end; at++) {
		if ((*at == 'u' || *at == 'U') && !unsigneds)
			unsigneds++;
		else if ((*at == 'l' || *at == 'L') && longs < 2)
			longs++;
		else
			break;
	}
	return at;
}

static struct tsdl_token lex_integer(const char *at, const char *end)
{
	struct tsdl_token token = { .kind = TSDL_INTEGER, .at = at };
	unsigned int base = 10;

	if (*at == '0') {
		base = 8;
		if (end - at >= 3 && (at[1] == 'x' || at[1] == 'X') && hex_digit(at[2]) >= 0) {
			base = 16;
			at += 2;
		}
	}
	for (; at < end; at++) {
		int digit = hex_digit(*at);

		if (digit < 0 || (unsigned int)digit >= base)
			break;
		if (__builtin_mul_overflow(token.value, base, &token.value) ||
		    __builtin_add_overflow(token.value, (unsigned int)digit, &token.value))
			return bad_token(token.at, "number of more than 64 bits");
	}
	at = skip_suffix(at, end);
	if (at < end && is_word(*at))
		return bad_token(token.at, "neither a number nor a name");
	token.length = (size_t)(at - token.at);
	return token;
}

static struct tsdl_token lex_string(const char *at, const char *end)
{
	struct tsdl_token token = { .kind = *at == '"' ? TSDL_STRING : TSDL_CHARACTER, .at = at };
	char quote = *at++;

	while (at < end && *at != quote)
		at += *at == '\\' && end - at >= 2 ? 2 : 1;
	if (at >= end)
		return bad_token(token.at, "string without an end");
	token.length = (size_t)(at + 1 - token.at);
	return token;
}

/*
 * Returns the length of a letter, or of an escape \uXXXX or \UXXXXXXXX (which C allows in names).
 * Returns 0 if there is neither.
 */
static size_t name_part(const char *at, const char *end)
{
	size_t digits;

	if (at >= end)
		return 0;
	if (is_word(*at))
		return 1;
	if (*at != '\\' || end - at < 2 || (at[1] != 'u' && at[1] != 'U'))
		return 0;
	digits = at[1] == 'u' ? 4 : 8;
	if ((size_t)(end - at) < 2 + digits)
		return 0;
	for (size_t i = 0; i < digits; i++)
		if (hex_digit(at[2 + i]) < 0)
			return 0;
	return 2 + digits;
}

struct tsdl_token tsdl_lex(const char *at, const char *end)
{
	struct tsdl_token token = { .kind = TSDL_PUNCTUATION };
	const char *why = NULL;
	size_t part;

	at = skip_blank(at, end, &why);
	token.at = at;
	token.length = 1;
	if (why)
		return bad_token(at, why);
	if (at == end) {
		token.kind = TSDL_END;
		token.length = 0;
	} else if (is_digit(*at)) {
		return lex_integer(at, end);
	} else if (*at == '"' || *at == '\'') {
		return lex_string(at, end);
	} else if (*at == 'L' && end - at >= 2 && (at[1] == '"' || at[1] == '\'')) {
		return bad_token(at, "strings of wide characters are not supported");
	} else if ((part = name_part(at, end))) {
		token.kind = TSDL_IDENTIFIER;
		for (token.length = 0; part; part = name_part(at + token.length, end))
			token.length += part;
	} else if (end - at >= 2 && !memcmp(at, ":=", 2)) {
		token.kind = TSDL_ASSIGN_TYPE;
		token.length = 2;
	} else if (end - at >= 2 && !memcmp(at, "->", 2)) {
		token.kind = TSDL_ARROW;
		token.length = 2;
	} else if (end - at >= 3 && !memcmp(at, "...", 3)) {
		token.kind = TSDL_ELLIPSIS;
		token.length = 3;
	} else if (!*at || !strchr("[](){}<>*+-:;.=,", *at)) {
		return bad_token(at, "a character that TSDL does not have");
	}
	return token;
}

void tsdl_go(struct tsdl_parser *p, const char *at)
{
	p->token = tsdl_lex(at, p->end);
	p->next = p->token.at + p->token.length;
}

void tsdl_next(struct tsdl_parser *p)
{
	tsdl_go(p, p->next);
}

struct tsdl_token tsdl_peek(const struct tsdl_parser *p)
{
	return tsdl_lex(p->next, p->end);
}

bool tsdl_token_is(const struct tsdl_token *token, const char *text)
{
	return token->kind != TSDL_STRING && token->kind != TSDL_CHARACTER &&
	       token->length == strlen(text) && !memcmp(token->at, text, token->length);
}

bool tsdl_is(const struct tsdl_parser *p, const char *text)
{
	return tsdl_token_is(&p->token, text);
}

bool tsdl_take(struct tsdl_parser *p, const char *text)
{
	if (!tsdl_is(p, text))
		return false;
	tsdl_next(p);
	return true;
}

int tsdl_expect(struct tsdl_parser *p, const char *text, const char *where)
{
	char wanted[80];

	if (tsdl_take(p, text))
		return 0;
	snprintf(wanted, sizeof(wanted), "`%s` %s", text, where);
	return tsdl_fail_token(p, wanted);
}

static int decode_escape(const char **at, const char *end)
{
	static const char names[] = "abfnrtv\\'\"?", values[] = "\a\b\f\n\r\t\v\\'\"?";
	const char *name = **at ? strchr(names, **at) : NULL;
	int value = 0, digit;
	unsigned int digits = 0;

	if (name) {
		(*at)++;
		return values[name - names];
	}
	if (**at == 'x') {
		for ((*at)++; digits < 3 && *at < end && (digit = hex_digit(**at)) >= 0; digits++) {
			value = value * 16 + digit;
			(*at)++;
		}
	} else {
		for (; digits < 3 && *at < end && **at >= '0' && **at <= '7'; digits++)
			value = value * 8 + *(*at)++ - '0';
	}
	return digits ? value & 0xff : -1;
}

char *tsdl_token_text(struct tsdl_parser *p, const struct tsdl_token *token)
{
	const char *at = token->at, *end = at + token->length;
	bool quoted = token->kind == TSDL_STRING || token->kind == TSDL_CHARACTER;
	char *text = malloc(token->length + 1);
	size_t length = 0;

	if (!text) {
		tsdl_fail_memory(p);
		return NULL;
	}
	if (quoted) {
		at++;
		end--;
	}
	while (at < end) {
		int c = (unsigned char)*at++;

		if (quoted && c == '\\') {
			c = decode_escape(&at, end);
			if (c < 0) {
				tsdl_fail(p, at - 1, "unknown escape sequence in a string");
				free(text);
				return NULL;
			}
		}
		text[length++] = (char)c;
	}
	text[length] = '\0';
	return text;
}

int tsdl_fail(struct tsdl_parser *p, const char *at, const char *fmt, ...)
{
	size_t line = 1, column = 1;
	char why[320];
	va_list args;

	for (const char *c = p->text; c < at; c++) {
		line += *c == '\n';
		column = *c == '\n' ? 1 : column + 1;
	}
	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	return mm_error_set(p->err, MM_EXIT_BAD_INPUT, "trace: %s:%zu:%zu: %s%s", p->file, line,
			    column, why,
			    strchr(fmt, ';') ? "" : "; the metadata is damaged or not CTF 1.8");
}

int tsdl_fail_memory(struct tsdl_parser *p)
{
	return mm_error_set(
		p->err, MM_EXIT_ENVIRONMENT,
		"trace: %s: out of memory for the metadata; free some memory and try again",
		p->file);
}

int tsdl_fail_token(struct tsdl_parser *p, const char *wanted)
{
	int length = p->token.length < 40 ? (int)p->token.length : 40;

	if (p->token.kind == TSDL_END)
		return tsdl_fail(p, p->token.at, "the text ends where %s is expected", wanted);
	return tsdl_fail(p, p->token.at, "`%.*s` where %s is expected", length, p->token.at,
			 wanted);
}
