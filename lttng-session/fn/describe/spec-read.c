// SPDX-License-Identifier: LGPL-2.1-only
/* The lexer of SPECs. */
#include "lttng-session/fn/describe/spec-read.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define POINTERS_MAX 8 /* maximum number of asterisks */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

unsigned int fn_column(const struct fn_reader *reader, const char *at)
{
	return (unsigned int)(at - reader->text) + 1;
}

int fn_refuse_at(const struct fn_reader *reader, const char *at, const char *fmt, ...)
{
	struct mm_error why = MM_ERROR_INIT;
	va_list args;

	va_start(args, fmt);
	mm_error_vset(&why, MM_EXIT_BAD_INPUT, fmt, args);
	va_end(args);
	return mm_error_set(reader->err, MM_EXIT_BAD_INPUT, "fn: %s: column %u: %s", reader->text,
			    fn_column(reader, at), why.message);
}

char fn_peek(struct fn_reader *reader)
{
	while (is_blank(*reader->at))
		reader->at++;
	return *reader->at;
}

bool fn_accept(struct fn_reader *reader, const char *text)
{
	size_t length = strlen(text);

	fn_peek(reader);
	if (strncmp(reader->at, text, length) != 0)
		return false;
	reader->at += length;
	return true;
}

static size_t word_at(const char *at)
{
	size_t length = 0;

	if (!is_letter(*at))
		return 0;
	while (is_letter(at[length]) || is_digit(at[length]))
		length++;
	return length;
}

size_t fn_word_length(const struct fn_reader *reader)
{
	return word_at(reader->at);
}

int fn_read_word(struct fn_reader *reader, char word[FN_WORD_MAX], const char *what)
{
	size_t length;

	fn_peek(reader);
	length = word_at(reader->at);
	if (!length && !*reader->at)
		return fn_refuse_at(reader, reader->at, "%s is missing", what);
	if (!length)
		return fn_refuse_at(reader, reader->at, "%s is expected here, not '%c'", what,
				    *reader->at);
	if (length >= FN_WORD_MAX)
		return fn_refuse_at(reader, reader->at, "the name is longer than %d bytes",
				    FN_WORD_MAX - 1);
	memcpy(word, reader->at, length);
	word[length] = '\0';
	reader->at += length;
	return 0;
}

static int digit_of(char c, unsigned int base)
{
	if (is_digit(c))
		return c - '0';
	if (base == 16 && c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (base == 16 && c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

int fn_read_number(struct fn_reader *reader, uint64_t max, uint64_t *number, const char *what)
{
	unsigned int base = 10;
	const char *start;

	*number = 0;
	fn_peek(reader);
	start = reader->at;
	if (start[0] == '0' && (start[1] == 'x' || start[1] == 'X')) {
		base = 16;
		reader->at += 2;
	}
	if (digit_of(*reader->at, base) < 0)
		return fn_refuse_at(reader, start, "%s is missing", what);
	for (int digit; (digit = digit_of(*reader->at, base)) >= 0; reader->at++) {
		*number = base * *number + (unsigned int)digit;
		if (*number > max)
			return fn_refuse_at(reader, start, "%s is more than %llu", what,
					    (unsigned long long)max);
	}
	return word_at(reader->at) ? fn_refuse_at(reader, start, "%s is not a number", what) : 0;
}

static const struct {
	const char *name;
	enum fn_type_kind kind;
	unsigned int bits;
} types[] = {
	{ "u8", FN_TYPE_UNSIGNED, 8 },
	{ "u16", FN_TYPE_UNSIGNED, 16 },
	{ "u32", FN_TYPE_UNSIGNED, 32 },
	{ "u64", FN_TYPE_UNSIGNED, 64 },
	{ "s8", FN_TYPE_SIGNED, 8 },
	{ "s16", FN_TYPE_SIGNED, 16 },
	{ "s32", FN_TYPE_SIGNED, 32 },
	{ "s64", FN_TYPE_SIGNED, 64 },
	{ "x8", FN_TYPE_HEX, 8 },
	{ "x16", FN_TYPE_HEX, 16 },
	{ "x32", FN_TYPE_HEX, 32 },
	{ "x64", FN_TYPE_HEX, 64 },
	{ "bool", FN_TYPE_BOOL, 8 },
	{ "ptr", FN_TYPE_POINTER, 64 },
	{ "enum", FN_TYPE_ENUM, 0 },
	{ "string", FN_TYPE_STRING, 0 },
	{ "ustring", FN_TYPE_USER_STRING, 0 },
	{ "bytes", FN_TYPE_BYTES, 0 },
};

static bool has_length(const struct fn_type *type)
{
	return type->kind == FN_TYPE_STRING || type->kind == FN_TYPE_USER_STRING ||
	       type->kind == FN_TYPE_BYTES;
}

static int read_length(struct fn_reader *reader, struct fn_type *type)
{
	const uint64_t min = type->kind == FN_TYPE_BYTES ? 1 : 2;
	const char *what =
		type->kind == FN_TYPE_BYTES ? "the number of bytes" : "the length of the string";
	const char *start;
	uint64_t max;

	type->max = FN_TEXT_DEFAULT;
	if (fn_peek(reader) != '[')
		return 0;
	start = ++reader->at;
	if (fn_read_number(reader, LTTNG_MM_FN_TEXT_MAX, &max, what))
		return -1;
	if (max < min)
		return fn_refuse_at(reader, start, "%s is not between %u and %d%s", what,
				    (unsigned int)min, LTTNG_MM_FN_TEXT_MAX,
				    type->kind == FN_TYPE_BYTES ? "" : " bytes");
	type->max = (unsigned int)max;
	return fn_accept(reader, "]")
		       ? 0
		       : fn_refuse_at(reader, reader->at, "']' is missing after the length");
}

static int check_kind(const struct fn_reader *reader, const char *start, bool is_result,
		      const struct fn_type *type)
{
	if (type->kind == FN_TYPE_VOID && !is_result)
		return fn_refuse_at(reader, start, "void is a type of results only");
	if (has_length(type) && is_result)
		return fn_refuse_at(reader, start,
				    "a result cannot be %s: memory is read at the entry only",
				    type->kind == FN_TYPE_BYTES ? "bytes" : "a string");
	return 0;
}

/* Words of C's basic types. */
static const char *const basic_words[] = { "unsigned", "signed", "long", "short",
					   "char",     "int",	 "void", "_Bool" };

static bool is_basic_word(const char *word, size_t length)
{
	for (size_t i = 0; i < COUNT(basic_words); i++)
		if (strlen(basic_words[i]) == length && !strncmp(basic_words[i], word, length))
			return true;
	return false;
}

/*
 * Basic types: @words in the SPEC, @name in BTF (`long unsigned int`), kind and width of the
 * number.
 */
static const struct basic_type {
	const char *words, *name;
	enum fn_type_kind kind;
	unsigned int bits;
} basic_types[] = {
	{ "char", "char", FN_TYPE_SIGNED, 8 },
	{ "signed char", "signed char", FN_TYPE_SIGNED, 8 },
	{ "unsigned char", "unsigned char", FN_TYPE_UNSIGNED, 8 },
	{ "short", "short int", FN_TYPE_SIGNED, 16 },
	{ "short int", "short int", FN_TYPE_SIGNED, 16 },
	{ "unsigned short", "short unsigned int", FN_TYPE_UNSIGNED, 16 },
	{ "unsigned short int", "short unsigned int", FN_TYPE_UNSIGNED, 16 },
	{ "int", "int", FN_TYPE_SIGNED, 32 },
	{ "signed", "int", FN_TYPE_SIGNED, 32 },
	{ "signed int", "int", FN_TYPE_SIGNED, 32 },
	{ "unsigned", "unsigned int", FN_TYPE_UNSIGNED, 32 },
	{ "unsigned int", "unsigned int", FN_TYPE_UNSIGNED, 32 },
	{ "long", "long int", FN_TYPE_SIGNED, 64 },
	{ "long int", "long int", FN_TYPE_SIGNED, 64 },
	{ "unsigned long", "long unsigned int", FN_TYPE_UNSIGNED, 64 },
	{ "unsigned long int", "long unsigned int", FN_TYPE_UNSIGNED, 64 },
	{ "long long", "long long int", FN_TYPE_SIGNED, 64 },
	{ "long long int", "long long int", FN_TYPE_SIGNED, 64 },
	{ "unsigned long long", "long long unsigned int", FN_TYPE_UNSIGNED, 64 },
	{ "unsigned long long int", "long long unsigned int", FN_TYPE_UNSIGNED, 64 },
	{ "_Bool", "_Bool", FN_TYPE_BOOL, 8 },
	{ "void", "void", FN_TYPE_VOID, 0 },
};

/* Reads a basic type of one or more words. Returns NULL with the error set. */
static const struct basic_type *read_basic_type(struct fn_reader *reader, const char *start)
{
	char words[FN_WORD_MAX] = "", word[FN_WORD_MAX];

	while (fn_peek(reader), is_basic_word(reader->at, fn_word_length(reader))) {
		size_t length = strlen(words);

		fn_read_word(reader, word, "a type");
		if (length + strlen(word) + 2 > sizeof(words))
			break;
		snprintf(words + length, sizeof(words) - length, "%s%s", length ? " " : "", word);
	}
	for (size_t i = 0; i < COUNT(basic_types); i++)
		if (!strcmp(basic_types[i].words, words))
			return &basic_types[i];
	fn_refuse_at(reader, start, "'%s' is not a type of C", words);
	return NULL;
}

int fn_read_type(struct fn_reader *reader, bool is_result, struct fn_type *type)
{
	char word[FN_WORD_MAX];
	const char *start;

	fn_peek(reader);
	start = reader->at;
	type->column = fn_column(reader, start);
	if (is_basic_word(start, fn_word_length(reader))) {
		const struct basic_type *basic = read_basic_type(reader, start);

		if (!basic)
			return -1;
		type->kind = basic->kind;
		type->bits = basic->bits;
		return check_kind(reader, start, is_result, type);
	}
	if (fn_read_word(reader, word, "a type"))
		return -1;
	for (size_t i = 0; i < COUNT(types); i++) {
		if (strcmp(types[i].name, word) != 0)
			continue;
		type->kind = types[i].kind;
		type->bits = types[i].bits;
		if (check_kind(reader, start, is_result, type))
			return -1;
		if (type->kind == FN_TYPE_ENUM)
			return fn_read_word(reader, type->name, "the name of the enumeration");
		if (has_length(type))
			return read_length(reader, type);
		return 0;
	}
	return fn_refuse_at(
		reader, start,
		"'%s' is not a type; known: u8 to u64, s8 to s64, x8 to x64, bool, ptr, enum NAME, string[N], ustring[N], bytes[N]",
		word);
}

static enum fn_tag tag_at(const char *at, size_t length)
{
	static const char *const tags[] = { "", "struct", "union", "enum" };

	for (enum fn_tag tag = FN_TAG_STRUCT; tag <= FN_TAG_ENUM; tag++)
		if (strlen(tags[tag]) == length && !strncmp(tags[tag], at, length))
			return tag;
	return FN_TAG_NONE;
}

static bool is_qualifier(const char *at, size_t length)
{
	return (length == 5 && !strncmp(at, "const", 5)) ||
	       (length == 8 && !strncmp(at, "volatile", 8));
}

/* Distinguishes the casts `(NAME *` and `(NAME) x` from the parentheses `(x)` and `(x->m)`. */
bool fn_is_cast(const struct fn_reader *reader)
{
	const char *at = reader->at + 1;
	size_t length;

	at += strspn(at, " \t");
	length = word_at(at);
	if (!length)
		return false;
	if (tag_at(at, length) || is_basic_word(at, length) || is_qualifier(at, length))
		return true;
	at += length;
	at += strspn(at, " \t");
	if (*at != ')')
		return *at == '*';
	at++;
	at += strspn(at, " \t");
	return is_letter(*at) || *at == '(' || *at == '*';
}

static void skip_qualifiers(struct fn_reader *reader)
{
	while (fn_peek(reader), is_qualifier(reader->at, fn_word_length(reader)))
		reader->at += fn_word_length(reader);
}

int fn_read_named_type(struct fn_reader *reader, struct fn_named_type *type)
{
	const char *start;
	int ret;

	*type = (struct fn_named_type){ .pointers = 0 };
	skip_qualifiers(reader);
	start = reader->at;
	type->column = fn_column(reader, start);
	type->tag = tag_at(start, fn_word_length(reader));
	if (type->tag) {
		reader->at += fn_word_length(reader);
		ret = fn_read_word(reader, type->name, "the name of the type");
	} else if (is_basic_word(start, fn_word_length(reader))) {
		const struct basic_type *basic = read_basic_type(reader, start);

		ret = basic ? 0 : -1;
		if (basic)
			strcpy(type->name, basic->name);
	} else {
		ret = fn_read_word(reader, type->name, "a type");
	}
	if (ret)
		return -1;
	for (skip_qualifiers(reader); fn_accept(reader, "*"); skip_qualifiers(reader))
		if (++type->pointers > POINTERS_MAX)
			return fn_refuse_at(reader, reader->at - 1, "too many asterisks");
	return 0;
}

int fn_named_type_parse(const char *text, const char *option, struct fn_named_type *type,
			struct mm_error *err)
{
	struct mm_error why = MM_ERROR_INIT;
	struct fn_reader reader = { .text = text, .at = text, .err = &why };

	if (!fn_read_named_type(&reader, type) && (fn_peek(&reader) || !type->pointers))
		fn_refuse_at(&reader, reader.at, "not a pointer type");
	return why.code ? mm_error_set(err, MM_EXIT_BAD_INPUT,
				       "fn: %s: %s: not a pointer type; example: 'struct folio *'",
				       option, text)
			: 0;
}
