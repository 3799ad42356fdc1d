/* SPDX-License-Identifier: LGPL-2.1-only */
/* What the parts of the TSDL parser share: tokens, scopes of named types, budgets, errors. */
#ifndef LTTNG_MM_TSDL_TSDL_H
#define LTTNG_MM_TSDL_TSDL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/ctf/model/model.h"
#include "util/error.h"

/*
 * The text is read twice. The first time finds where each block and declaration begins and proves
 * that every token is sound; the second time visits them in the order that lets one use another
 * wherever it stands in the text (environment, clocks, types, trace, streams, events) and builds
 * the model at once: there is no tree in between. References by path are resolved at the end.
 */
enum tsdl_kind {
	TSDL_END,
	TSDL_BAD,	 /* only in the first pass */
	TSDL_IDENTIFIER, /* keywords among them */
	TSDL_INTEGER,
	TSDL_STRING,	  /* in double quotes, as written */
	TSDL_CHARACTER,	  /* in single quotes */
	TSDL_ASSIGN_TYPE, /* := */
	TSDL_ARROW,	  /* -> */
	TSDL_ELLIPSIS,	  /* ... */
	TSDL_PUNCTUATION, /* any other: the character itself is *at */
};

struct tsdl_token {
	enum tsdl_kind kind;
	const char *at;
	size_t length;
	uint64_t value;	 /* of an integer */
	const char *bad; /* why the token is none */
};

/* Names to numbers; release with tsdl_map_clear(). All zeros is an empty one. */
struct tsdl_map {
	struct tsdl_map_slot {
		char *key;
		size_t value;
	} * slots;
	size_t count, room; /* room: a power of two, or 0 */
	uint64_t seed;
};

/* A field class under construction, with what bounds it. */
struct tsdl_type {
	struct ctf_field *field; /* owned by whoever holds the type */
	unsigned int depth;	 /* of nesting, 1 for a scalar */
	uint64_t weight;	 /* field classes, labels and ranges in it */
};

/* Names declared between two braces. */
struct tsdl_scope {
	struct tsdl_scope *parent;
	struct tsdl_map names; /* a letter for the kind of name, then the name */
	struct tsdl_type *types;
	size_t count, room;
};

enum tsdl_name { TSDL_ALIAS = 'a', TSDL_STRUCT = 's', TSDL_VARIANT = 'v', TSDL_ENUM = 'e' };

struct tsdl_parser {
	const char *text, *end, *file;
	struct ctf_trace_class *trace;
	struct mm_error *err;
	struct tsdl_token token; /* the current one */
	const char *next;	 /* where the one after it is looked for */
	struct tsdl_scope *scope;
	unsigned int depth;	      /* of braces, which is the depth of recursion */
	uint64_t weight, weight_max;  /* of all types made so far */
	uint64_t steps;		      /* of looking for names, while references are resolved */
	struct tsdl_map env, streams; /* streams: by id in decimal */
	bool is_lttng;
};

/* tsdl-lexer.c */

/* Reads a token at or after @at; comments and white space are skipped. */
struct tsdl_token tsdl_lex(const char *at, const char *end);
/* Makes the token after the current one the current one; tsdl_peek() only looks. */
void tsdl_next(struct tsdl_parser *p);
struct tsdl_token tsdl_peek(const struct tsdl_parser *p);
/* Goes to the first token at or after @at. */
void tsdl_go(struct tsdl_parser *p, const char *at);
bool tsdl_token_is(const struct tsdl_token *token, const char *text);
/* Is the current token @text? tsdl_take() also moves past it, tsdl_expect() fails otherwise. */
bool tsdl_is(const struct tsdl_parser *p, const char *text);
bool tsdl_take(struct tsdl_parser *p, const char *text);
int tsdl_expect(struct tsdl_parser *p, const char *text, const char *where);
/* The token's text, a quoted one with its escapes decoded. NULL and the error set on failure. */
char *tsdl_token_text(struct tsdl_parser *p, const struct tsdl_token *token);
/* Sets `trace: FILE:LINE:COLUMN: why; remedy` and returns -1. @fmt without `; ` gets a remedy. */
int tsdl_fail(struct tsdl_parser *p, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int tsdl_fail_memory(struct tsdl_parser *p);
/* The current token is not what @wanted says. */
int tsdl_fail_token(struct tsdl_parser *p, const char *wanted);

/* tsdl-value.c: what stands right of `=`, between brackets, and paths */

struct tsdl_value {
	const char *at;
	char *text; /* a string or a path joined by dots; NULL: it is a number */
	uint64_t u; /* of a negative number: the two's complement */
	bool negative;
};

int tsdl_parse_value(struct tsdl_parser *p, struct tsdl_value *value);
void tsdl_value_clear(struct tsdl_value *value);
/* A dotted name, its parts joined by dots; NULL on failure. */
char *tsdl_parse_path(struct tsdl_parser *p);
/*
 * What ctf_field.path holds: where the path stands in the text, a space, the path. NULL on failure.
 */
char *tsdl_reference(struct tsdl_parser *p, const char *at, const char *path);
char *tsdl_parse_reference(struct tsdl_parser *p);
/* These say what is wrong when @value is not of that form. @name: what it is the value of. */
int tsdl_value_unsigned(struct tsdl_parser *p, const struct tsdl_value *value, const char *name,
			uint64_t *u);
int tsdl_value_signed(struct tsdl_parser *p, const struct tsdl_value *value, const char *name,
		      int64_t *i);
int tsdl_value_text(struct tsdl_parser *p, const struct tsdl_value *value, const char *name);
int tsdl_value_bool(struct tsdl_parser *p, const struct tsdl_value *value, const char *name,
		    bool *b);
int tsdl_value_uuid(struct tsdl_parser *p, const struct tsdl_value *value, uint8_t uuid[16]);
int tsdl_value_alignment(struct tsdl_parser *p, const struct tsdl_value *value, uint32_t *align);
/* @native: may `native` be said, and is it big-endian? */
int tsdl_value_byte_order(struct tsdl_parser *p, const struct tsdl_value *value, const bool *native,
			  bool *big_endian);

/* A list `{ name = value; ... }`. */
struct tsdl_block {
	const char *what; /* for messages: "integer", "clock" */
	/*
	 * Known attributes, ends with NULL: each may come once, others are skipped. NULL: any may
	 * come.
	 */
	const char *const *names;
	int (*attribute)(struct tsdl_parser *p, void *user, const char *name,
			 const struct tsdl_value *value);
	/* `name := type`, at the type, for any name; NULL: none is allowed. */
	int (*type)(struct tsdl_parser *p, void *user, const char *name, const char *at);
	bool declarations; /* types may be declared in it */
};

/* Reads such a list from behind its first brace to behind its last one. */
int tsdl_parse_block(struct tsdl_parser *p, const struct tsdl_block *block, void *user);

/* tsdl-scope.c */

size_t *tsdl_map_find(const struct tsdl_map *map, const char *key);
/* 1: added, 0: there is one already, -1: out of memory. */
int tsdl_map_add(struct tsdl_map *map, const char *key, size_t value);
void tsdl_map_clear(struct tsdl_map *map);

void tsdl_scope_push(struct tsdl_parser *p, struct tsdl_scope *scope);
void tsdl_scope_pop(struct tsdl_parser *p);
/*
 * Takes a leading underscore, which keeps names apart from keywords, from the names of all members.
 */
void tsdl_strip_names(struct ctf_field *field);
/* Declares a copy of @type in the current scope. */
int tsdl_declare(struct tsdl_parser *p, const char *at, enum tsdl_name kind, const char *name,
		 const struct tsdl_type *type);
/* 1: @type is a copy of what is declared under that name, 0: nothing is, -1: error. */
int tsdl_lookup(struct tsdl_parser *p, const char *at, enum tsdl_name kind, const char *name,
		struct tsdl_type *type);
int tsdl_copy(struct tsdl_parser *p, const char *at, const struct tsdl_type *from,
	      struct tsdl_type *to);
/* A new field class of its own weight. */
int tsdl_create(struct tsdl_parser *p, const char *at, enum ctf_kind kind, struct tsdl_type *type);
/* Takes @weight from the budget. */
int tsdl_charge(struct tsdl_parser *p, const char *at, uint64_t weight);
/* @outer becomes a compound that has @inner in it, or fails because that is too deep. */
int tsdl_nest(struct tsdl_parser *p, const char *at, struct tsdl_type *outer,
	      const struct tsdl_type *inner);
void tsdl_type_clear(struct tsdl_type *type);

/* tsdl-type.c: `integer {...}` and its like, from behind the word that begins it */

int tsdl_parse_integer(struct tsdl_parser *p, struct tsdl_type *type);
int tsdl_parse_float(struct tsdl_parser *p, struct tsdl_type *type);
int tsdl_parse_string(struct tsdl_parser *p, struct tsdl_type *type);

/* tsdl-enum.c, tsdl-compound.c: @name comes back when the type is a named one, else NULL */

int tsdl_parse_enum(struct tsdl_parser *p, struct tsdl_type *type, char **name);
int tsdl_parse_struct(struct tsdl_parser *p, struct tsdl_type *type, char **name);
int tsdl_parse_variant(struct tsdl_parser *p, struct tsdl_type *type, char **name);

/* tsdl-declare.c */

/* A whole type without declarator, as right of `:=`. */
int tsdl_parse_type(struct tsdl_parser *p, struct tsdl_type *type);
/* Words of an integer type before `{`: an enumeration's container. */
int tsdl_parse_container(struct tsdl_parser *p, struct tsdl_type *type);
/* Does a typedef, a typealias or a named type's declaration begin here? */
bool tsdl_at_declaration(const struct tsdl_parser *p);
/*
 * One declaration with its semicolon. @compound, where members go, is NULL where only types can be
 * declared; @names keeps its members' names apart.
 */
int tsdl_parse_declaration(struct tsdl_parser *p, struct tsdl_type *compound,
			   struct tsdl_map *names);

/* tsdl-block.c: the six kinds of block, from behind the brace */

int tsdl_parse_trace(struct tsdl_parser *p);
int tsdl_parse_env(struct tsdl_parser *p);
int tsdl_parse_clock(struct tsdl_parser *p);
int tsdl_parse_stream(struct tsdl_parser *p);
int tsdl_parse_event(struct tsdl_parser *p);
/* Looks into the trace block for what `native` means. */
int tsdl_find_byte_order(struct tsdl_parser *p);

/* tsdl-resolve.c: lengths and tags become references, options get the ranges of their labels */
int tsdl_resolve(struct tsdl_parser *p);

/* tsdl-role.c: names lose their underscore, fields get roles, streams their clocks */
int tsdl_assign_roles(struct tsdl_parser *p);

#endif /* LTTNG_MM_TSDL_TSDL_H */
