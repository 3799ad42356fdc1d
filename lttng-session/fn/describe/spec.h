/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A SPEC as text: which function, and which of its values are recorded. lttng-mm-fn(1) describes
 * the language:
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

/* Members, elements and casts of one expression. */
#define FN_ACCESSES_MAX 32
/* Of a name in an expression, its NUL included. */
#define FN_WORD_MAX 128
#define FN_MODULE_MAX 64
/* Bytes of a string, its NUL included, or of bytes, if the SPEC gives no length. */
#define FN_TEXT_DEFAULT 64

/* The type after a colon. */
enum fn_type_kind {
	FN_TYPE_OWN, /* none is given */
	FN_TYPE_UNSIGNED,
	FN_TYPE_SIGNED,
	FN_TYPE_HEX,
	FN_TYPE_BOOL,
	FN_TYPE_POINTER,
	FN_TYPE_ENUM,
	FN_TYPE_STRING,
	FN_TYPE_USER_STRING,
	FN_TYPE_BYTES,
	FN_TYPE_VOID, /* of a result: it is not recorded */
};

struct fn_type {
	enum fn_type_kind kind;
	unsigned int bits; /* of a number; 0 of an enumeration: those of the expression */
	unsigned int max;  /* of a string: bytes with its NUL; of bytes: how many */
	unsigned int column;
	char name[FN_WORD_MAX]; /* of an enumeration */
};

enum fn_access_kind {
	FN_MEMBER,  /* x.name */
	FN_ARROW,   /* x->name */
	FN_ELEMENT, /* x[index]; *x is x[0] */
	FN_CAST,    /* (TYPE *)x */
};

enum fn_tag { FN_TAG_NONE, FN_TAG_STRUCT, FN_TAG_UNION, FN_TAG_ENUM };

/* `struct folio *`, `unsigned long *` */
struct fn_named_type {
	enum fn_tag tag;
	unsigned int pointers; /* how many asterisks */
	unsigned int column;
	char name[FN_WORD_MAX];
};

/* One step of an expression. Columns are counted from 1. */
struct fn_access {
	enum fn_access_kind kind;
	unsigned int column;
	uint64_t index;
	char name[FN_WORD_MAX];
	struct fn_named_type type;
};

/* `vma->vm_start:x64`: an argument, what is done to it in this order, and the type. */
struct fn_spec_item {
	unsigned int column;
	char argument[FN_WORD_MAX];
	size_t count;
	struct fn_access accesses[FN_ACCESSES_MAX];
	struct fn_type type;
};

struct fn_spec {
	char text[LTTNG_MM_FN_SPEC_MAX]; /* as given */
	unsigned int column;		 /* of @function */
	char module[FN_MODULE_MAX];	 /* empty: none is given */
	char function[LTTNG_MM_FN_NAME_MAX];
	bool is_pattern; /* @function is a shell pattern */
	bool selects;	 /* it has parentheses; otherwise all arguments are recorded */
	size_t count;
	struct fn_spec_item items[LTTNG_MM_FN_FIELDS];
	struct fn_type result;
};

/*
 * Returns NULL with @err set, to a message with the column, if @text is not a SPEC. Release with
 * fn_spec_destroy().
 */
struct fn_spec *fn_spec_parse(const char *text, struct mm_error *err);
void fn_spec_destroy(struct fn_spec *spec);

/*
 * Does it record bytes as they are in memory, which may be addresses of the kernel: by its type, or
 * by a cast to a pointer to anything but a structure or union? What a SPEC says of the type of a
 * structure, or by hand, is taken at its word.
 */
bool fn_spec_reveals(const struct fn_spec *spec);

/* Reads `struct folio *` of the option @option. Returns 0, or -1 with @err set. */
int fn_named_type_parse(const char *text, const char *option, struct fn_named_type *type,
			struct mm_error *err);

/* Sets @err to `fn: SPEC: column N: ...`. Returns -1. */
int fn_spec_refuse(const struct fn_spec *spec, unsigned int column, struct mm_error *err,
		   const char *fmt, ...) __attribute__((format(printf, 4, 5)));

#endif /* LTTNG_MM_FN_DESCRIBE_SPEC_H */
