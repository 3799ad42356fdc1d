/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Parses a SPEC, the text with which a user names a function and the values to record.
 * lttng-mm-fn(1) describes the language:
 *
 *   handle_mm_fault(vma->vm_start, flags:enum fault_flag) : enum vm_fault_reason
 */
#ifndef LTTNG_MM_FN_DESCRIBE_SPEC_H
#define LTTNG_MM_FN_DESCRIBE_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instrumentation/wire/fn.h"
#include "util/error.h"

/* Maximum number of members, elements and casts in one expression. */
#define FN_ACCESSES_MAX 32
/* Maximum sizes of names, including the NUL. */
#define FN_WORD_MAX 128
#define FN_MODULE_MAX 64
/* Default length of the types `string` (including the NUL) and `bytes`. */
#define FN_TEXT_DEFAULT 64

/* The type that follows a colon. */
enum fn_type_kind {
	FN_TYPE_OWN, /* no type is given, so the type in BTF applies */
	FN_TYPE_UNSIGNED,
	FN_TYPE_SIGNED,
	FN_TYPE_HEX,
	FN_TYPE_BOOL,
	FN_TYPE_POINTER,
	FN_TYPE_ENUM,
	FN_TYPE_STRING,
	FN_TYPE_USER_STRING,
	FN_TYPE_BYTES,
	FN_TYPE_VOID, /* only for a result: the result is not recorded */
};

struct fn_type {
	enum fn_type_kind kind;
	/* width of a number; 0 for an enumeration: it has the width of the expression */
	unsigned int bits;
	unsigned int max; /* length of a string (including the NUL) or of bytes */
	unsigned int column;
	char name[FN_WORD_MAX]; /* name of an enumeration */
};

enum fn_access_kind {
	FN_MEMBER,  /* x.name */
	FN_ARROW,   /* x->name */
	FN_ELEMENT, /* x[index]; *x is x[0] */
	FN_CAST,    /* (TYPE *)x */
};

enum fn_tag { FN_TAG_NONE, FN_TAG_STRUCT, FN_TAG_UNION, FN_TAG_ENUM };

/* A pointer type, such as `struct folio *` or `unsigned long *`. */
struct fn_named_type {
	enum fn_tag tag;
	unsigned int pointers;
	unsigned int column;
	char name[FN_WORD_MAX];
};

/* One member, element or cast of an expression. Columns start at 1. */
struct fn_access {
	enum fn_access_kind kind;
	unsigned int column;
	uint64_t index;
	char name[FN_WORD_MAX];
	struct fn_named_type type;
};

/*
 * One value of a SPEC, such as `vma->vm_start:x64`: an argument, the accesses to its parts in
 * order, and a type.
 */
struct fn_spec_item {
	unsigned int column;
	char argument[FN_WORD_MAX];
	size_t count;
	struct fn_access accesses[FN_ACCESSES_MAX];
	struct fn_type type;
};

struct fn_spec {
	char text[LTTNG_MM_FN_SPEC_MAX]; /* the SPEC as given */
	unsigned int column;		 /* column of @function */
	char module[FN_MODULE_MAX];	 /* the module; empty: not given */
	char function[LTTNG_MM_FN_NAME_MAX];
	bool is_pattern; /* @function is a shell pattern */
	bool selects;	 /* the SPEC has parentheses; otherwise, all arguments are recorded */
	size_t count;
	struct fn_spec_item items[LTTNG_MM_FN_FIELDS];
	struct fn_type result;
};

/*
 * Parses @text. Release the SPEC with fn_spec_destroy(). On failure, returns NULL and sets @err to
 * a message that states the column.
 */
struct fn_spec *fn_spec_parse(const char *text, struct mm_error *err);
void fn_spec_destroy(struct fn_spec *spec);

/*
 * Can the SPEC record raw memory, which may contain kernel addresses? It can with the type `bytes`,
 * or with a cast to a pointer to a number. Casts to structures do not count. In a SPEC for a
 * function without BTF, the stated types do not count.
 */
bool fn_spec_reveals(const struct fn_spec *spec);

/*
 * Parses @text, the argument of the option @option, such as `struct folio *`. Returns 0, or -1 with
 * @err set.
 */
int fn_named_type_parse(const char *text, const char *option, struct fn_named_type *type,
			struct mm_error *err);

/* Sets @err to the message `fn: SPEC: column N: ...`. Returns -1. */
int fn_spec_refuse(const struct fn_spec *spec, unsigned int column, struct mm_error *err,
		   const char *fmt, ...) __attribute__((format(printf, 4, 5)));

#endif /* LTTNG_MM_FN_DESCRIBE_SPEC_H */
