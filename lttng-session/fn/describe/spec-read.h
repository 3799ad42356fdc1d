/* SPDX-License-Identifier: LGPL-2.1-only */
/* The parts of the parser of SPECs: words, and types. */
#ifndef LTTNG_MM_FN_DESCRIBE_SPEC_READ_H
#define LTTNG_MM_FN_DESCRIBE_SPEC_READ_H

#include "lttng-session/fn/describe/spec.h"

struct fn_reader {
	const char *text, *at;
	struct mm_error *err;
};

/* The column of @at, from 1. */
unsigned int fn_column(const struct fn_reader *reader, const char *at);

/* Sets the error to one at @at. Returns -1. */
int fn_refuse_at(const struct fn_reader *reader, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The next character after blanks, which are skipped. */
char fn_peek(struct fn_reader *reader);

/* Skips @text, if it follows. */
bool fn_accept(struct fn_reader *reader, const char *text);

/* Does a name, of letters, digits and underscores, follow? Its length, or 0. */
size_t fn_word_length(const struct fn_reader *reader);

/* Reads a name into @word. @what is for the message. Returns 0, or -1 with the error set. */
int fn_read_word(struct fn_reader *reader, char word[FN_WORD_MAX], const char *what);

/* Reads a number, decimal or after 0x hexadecimal, of at most @max. */
int fn_read_number(struct fn_reader *reader, uint64_t max, uint64_t *number, const char *what);

/* The type after a colon; FN_TYPE_VOID only if @is_result, strings only if not. */
int fn_read_type(struct fn_reader *reader, bool is_result, struct fn_type *type);

/* Does the parenthesis at @reader open a cast? */
bool fn_is_cast(const struct fn_reader *reader);

/* Reads `struct folio *`. */
int fn_read_named_type(struct fn_reader *reader, struct fn_named_type *type);

#endif /* LTTNG_MM_FN_DESCRIBE_SPEC_READ_H */
