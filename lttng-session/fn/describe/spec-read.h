/* SPDX-License-Identifier: LGPL-2.1-only */
/* The lexer of SPECs: reads words, numbers and types. */
#ifndef LTTNG_MM_FN_DESCRIBE_SPEC_READ_H
#define LTTNG_MM_FN_DESCRIBE_SPEC_READ_H

#include "lttng-session/fn/describe/spec.h"

struct fn_reader {
	const char *text, *at;
	struct mm_error *err;
};

/* Returns the column of @at, counted from 1. */
unsigned int fn_column(const struct fn_reader *reader, const char *at);

/* Sets the error with the column of @at. Returns -1. */
int fn_refuse_at(const struct fn_reader *reader, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Skips blanks, and returns the next character without consuming it. */
char fn_peek(struct fn_reader *reader);

/* Skips blanks. If @text follows, consumes it and returns true. */
bool fn_accept(struct fn_reader *reader, const char *text);

/* Returns the length of the name (letters, digits, underscores) at the current position, or 0. */
size_t fn_word_length(const struct fn_reader *reader);

/* Reads a name into @word. Messages call the name @what. Returns 0, or -1 with the error set. */
int fn_read_word(struct fn_reader *reader, char word[FN_WORD_MAX], const char *what);

/*
 * Reads a decimal or hexadecimal (0x) number of at most @max. Messages call the number @what.
 * Returns 0, or -1 with the error set.
 */
int fn_read_number(struct fn_reader *reader, uint64_t max, uint64_t *number, const char *what);

/*
 * Reads the type after a colon. The type of a result may be void, but it cannot be a string or
 * bytes. Other values cannot be void.
 */
int fn_read_type(struct fn_reader *reader, bool is_result, struct fn_type *type);

/* Does the parenthesis at the current position open a cast? */
bool fn_is_cast(const struct fn_reader *reader);

/* Reads a type name and asterisks, such as `struct folio *`. */
int fn_read_named_type(struct fn_reader *reader, struct fn_named_type *type);

#endif /* LTTNG_MM_FN_DESCRIBE_SPEC_READ_H */
