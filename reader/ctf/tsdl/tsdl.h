/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Declarations shared by the parts of the TSDL parser: tokens, scopes of named types, budgets,
 * errors.
 */
#ifndef LTTNG_MM_CTF_TSDL_TSDL_H
#define LTTNG_MM_CTF_TSDL_TSDL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/ctf/model/model.h"
#include "util/error.h"

/*
 * The text is read twice. The first pass finds the start of each block and declaration, and checks
 * that all tokens are valid. The second pass builds the model in this order: environment, clocks,
 * types, trace, streams, events. Therefore, parts can refer to parts that come later in the text.
 * References by path are resolved at the end.
 */
enum tsdl_kind {
	TSDL_END,
	TSDL_BAD,	 /* only in the first pass */
	TSDL_IDENTIFIER, /* including keywords */
	TSDL_INTEGER,
	TSDL_STRING,	  /* in double quotes, as written */
	TSDL_CHARACTER,	  /* in single quotes */
	TSDL_ASSIGN_TYPE, /* := */
	TSDL_ARROW,	  /* -> */
	TSDL_ELLIPSIS,	  /* ... */
	TSDL_PUNCTUATION, /* any other character; @at points to it */
};

struct tsdl_token {
	enum tsdl_kind kind;
	const char *at;
	size_t length;
	uint64_t value;
	const char *bad; /* why the token is invalid */
};

/* A map from names to numbers. Initialize with zeros; release with tsdl_map_clear(). */
struct tsdl_map {
	struct tsdl_map_slot {
		char *key;
		size_t value;
	} * slots;
	size_t count, room; /* room: a power of two, or 0 */
	uint64_t seed;
};

/* A field class under construction. Depth and weight are limited. */
struct tsdl_type {
	struct ctf_field *field; /* owned by the user of the type */
	unsigned int depth;	 /* nesting depth, 1 for a scalar */
	uint64_t weight;	 /* number of field classes, labels and ranges in the type */
};

/* The names declared in a block. */
struct tsdl_scope {
	struct tsdl_scope *parent;
	struct tsdl_map names; /* a key is a letter for the kind of name, followed by the name */
	struct tsdl_type *types;
	size_t count, room;
};

enum tsdl_name { TSDL_ALIAS = 'a', TSDL_STRUCT = 's', TSDL_VARIANT = 'v', TSDL_ENUM = 'e' };

struct tsdl_parser {
	const char *text, *end, *file;
	struct ctf_trace_class *trace;
	struct mm_error *err;
	struct tsdl_token token;
	const char *next; /* where to look for the next token */
	struct tsdl_scope *scope;
	unsigned int depth; /* number of open braces; its limit also limits the recursion */
	uint64_t weight, weight_max;  /* weight of all types so far, and its limit */
	uint64_t steps;		      /* number of name comparisons while resolving references */
	struct tsdl_map env, streams; /* values: indexes in @trace; keys of streams: decimal ids */
	bool is_lttng;
};

/* lexer.c */

/* Reads the next token at or after @at. Skips comments and white space. */
struct tsdl_token tsdl_lex(const char *at, const char *end);
/* Advances to the next token; tsdl_peek() returns it without advancing. */
void tsdl_next(struct tsdl_parser *p);
struct tsdl_token tsdl_peek(const struct tsdl_parser *p);
/* Moves to the first token at or after @at. */
void tsdl_go(struct tsdl_parser *p, const char *at);
bool tsdl_token_is(const struct tsdl_token *token, const char *text);
/*
 * tsdl_is() returns whether the current token is @text. tsdl_take() also advances if it is.
 * tsdl_expect() fails if it is not.
 */
bool tsdl_is(const struct tsdl_parser *p, const char *text);
bool tsdl_take(struct tsdl_parser *p, const char *text);
int tsdl_expect(struct tsdl_parser *p, const char *text, const char *where);
/*
 * Returns the token's text, with the escape sequences of strings decoded, or NULL with the error
 * set.
 */
char *tsdl_token_text(struct tsdl_parser *p, const struct tsdl_token *token);
/*
 * Sets the error `trace: FILE:LINE:COLUMN: why; remedy`. Adds a general remedy if @fmt has no `;`.
 */
int tsdl_fail(struct tsdl_parser *p, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int tsdl_fail_memory(struct tsdl_parser *p);
/* Reports that the current token is not @wanted. */
int tsdl_fail_token(struct tsdl_parser *p, const char *wanted);

/* value.c: values after `=` and in brackets, and paths */

struct tsdl_value {
	const char *at;
	char *text; /* a string or a dotted path; NULL: a number */
	uint64_t u; /* a negative number is in two's complement */
	bool negative;
};

int tsdl_parse_value(struct tsdl_parser *p, struct tsdl_value *value);
void tsdl_value_clear(struct tsdl_value *value);
/* Parses a dotted path. Returns NULL on failure. */
char *tsdl_parse_path(struct tsdl_parser *p);
/*
 * Returns the value for ctf_field.path, or NULL on failure. The value is `POSITION PATH`, where
 * POSITION is the place of the path in the text.
 */
char *tsdl_reference(struct tsdl_parser *p, const char *at, const char *path);
char *tsdl_parse_reference(struct tsdl_parser *p);
/*
 * Convert @value. Report an error if the value is of another kind. @name: the attribute's name in
 * messages.
 */
int tsdl_value_unsigned(struct tsdl_parser *p, const struct tsdl_value *value, const char *name,
			uint64_t *u);
int tsdl_value_signed(struct tsdl_parser *p, const struct tsdl_value *value, const char *name,
		      int64_t *i);
int tsdl_value_text(struct tsdl_parser *p, const struct tsdl_value *value, const char *name);
int tsdl_value_bool(struct tsdl_parser *p, const struct tsdl_value *value, const char *name,
		    bool *b);
int tsdl_value_uuid(struct tsdl_parser *p, const struct tsdl_value *value, uint8_t uuid[16]);
int tsdl_value_alignment(struct tsdl_parser *p, const struct tsdl_value *value, uint32_t *align);
/* Converts a byte order. *@native: is `native` big-endian? NULL: refuse `native`. */
int tsdl_value_byte_order(struct tsdl_parser *p, const struct tsdl_value *value, const bool *native,
			  bool *big_endian);

struct tsdl_block {
	const char *what; /* kind of block for messages: "integer", "clock" */
	/*
	 * Known attributes; ends with NULL. Each may occur once. Other attributes are skipped.
	 * NULL: all are allowed.
	 */
	const char *const *names;
	int (*attribute)(struct tsdl_parser *p, void *user, const char *name,
			 const struct tsdl_value *value);
	/* parses the type in `name := type`; NULL: no types are allowed */
	int (*type)(struct tsdl_parser *p, void *user, const char *name, const char *at);
	bool declarations; /* type declarations are allowed */
};

/* Parses a block after its opening brace, including the closing brace. */
int tsdl_parse_block(struct tsdl_parser *p, const struct tsdl_block *block, void *user);

/* scope.c */

size_t *tsdl_map_find(const struct tsdl_map *map, const char *key);
/* Returns 1 if @key was added, 0 if the map already has it, or -1 when out of memory. */
int tsdl_map_add(struct tsdl_map *map, const char *key, size_t value);
void tsdl_map_clear(struct tsdl_map *map);

void tsdl_scope_push(struct tsdl_parser *p, struct tsdl_scope *scope);
void tsdl_scope_pop(struct tsdl_parser *p);
/*
 * Strips a leading underscore from the names of all members. Tracers add it to distinguish names
 * from keywords.
 */
void tsdl_strip_names(struct ctf_field *field);
/* Declares a copy of @type in the current scope. */
int tsdl_declare(struct tsdl_parser *p, const char *at, enum tsdl_name kind, const char *name,
		 const struct tsdl_type *type);
/* Copies the type declared as @name to @type. Returns 1 if found, 0 if not, -1 on error. */
int tsdl_lookup(struct tsdl_parser *p, const char *at, enum tsdl_name kind, const char *name,
		struct tsdl_type *type);
int tsdl_copy(struct tsdl_parser *p, const char *at, const struct tsdl_type *from,
	      struct tsdl_type *to);
/* Creates a field class and charges its weight to the budget. */
int tsdl_create(struct tsdl_parser *p, const char *at, enum ctf_kind kind, struct tsdl_type *type);
/* Charges @weight to the budget. Returns 0, or -1 with the error set. */
int tsdl_charge(struct tsdl_parser *p, const char *at, uint64_t weight);
/*
 * Updates the depth and weight of the type @outer, which contains the type @inner. Fails if the
 * depth exceeds its limit.
 */
int tsdl_nest(struct tsdl_parser *p, const char *at, struct tsdl_type *outer,
	      const struct tsdl_type *inner);
void tsdl_type_clear(struct tsdl_type *type);

/* type.c: types such as `integer {...}`, after their first word */

int tsdl_parse_integer(struct tsdl_parser *p, struct tsdl_type *type);
int tsdl_parse_float(struct tsdl_parser *p, struct tsdl_type *type);
int tsdl_parse_string(struct tsdl_parser *p, struct tsdl_type *type);

/* enum.c, compound.c: @name receives the name of a named type, else NULL */

int tsdl_parse_enum(struct tsdl_parser *p, struct tsdl_type *type, char **name);
int tsdl_parse_struct(struct tsdl_parser *p, struct tsdl_type *type, char **name);
int tsdl_parse_variant(struct tsdl_parser *p, struct tsdl_type *type, char **name);

/* declare.c */

/* Parses a complete type without a declarator, as after `:=`. */
int tsdl_parse_type(struct tsdl_parser *p, struct tsdl_type *type);
/* Parses the integer type of an enumeration, which precedes the brace. */
int tsdl_parse_container(struct tsdl_parser *p, struct tsdl_type *type);
/* Does a typedef, a typealias or the declaration of a named type start at the current token? */
bool tsdl_at_declaration(const struct tsdl_parser *p);
/*
 * Parses one declaration with its semicolon. @compound receives members; NULL if only types may be
 * declared. @names: the names of the members so far.
 */
int tsdl_parse_declaration(struct tsdl_parser *p, struct tsdl_type *compound,
			   struct tsdl_map *names);

/* block.c: the six kinds of blocks, after the opening brace */

int tsdl_parse_trace(struct tsdl_parser *p);
int tsdl_parse_env(struct tsdl_parser *p);
int tsdl_parse_clock(struct tsdl_parser *p);
int tsdl_parse_stream(struct tsdl_parser *p);
int tsdl_parse_event(struct tsdl_parser *p);
/* Finds the byte order that `native` means, in the trace block. */
int tsdl_find_byte_order(struct tsdl_parser *p);

/* resolve.c: resolves references to lengths and tags, and sets the ranges of options */
int tsdl_resolve(struct tsdl_parser *p);

/* role.c: strips underscores from names, and sets the roles of fields and the clocks of streams */
int tsdl_assign_roles(struct tsdl_parser *p);

#endif /* LTTNG_MM_CTF_TSDL_TSDL_H */
