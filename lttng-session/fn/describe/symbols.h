/* SPDX-License-Identifier: LGPL-2.1-only */
/* The functions of the running kernel, and which of them can be hooked. */
#ifndef LTTNG_MM_FN_DESCRIBE_SYMBOLS_H
#define LTTNG_MM_FN_DESCRIBE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/* Variants of a function that the compiler made. */
#define FN_CLONE_ISRA 1u
#define FN_CLONE_CONSTPROP 2u
#define FN_CLONE_PART 4u
#define FN_CLONE_OTHER 8u

/* A name in the kernel or in a module. */
struct fn_symbol {
	const char *name;
	const char *module;	/* empty: the kernel */
	unsigned int addresses; /* 0: it has variants only */
	unsigned int clones;
	/* Of the kernel, and local to its source file: calls of it may be inlined. */
	bool is_static;
	bool is_traceable;
	uint32_t next; /* the symbol of the same name in another module; FN_SYMBOL_NONE: none */
};

#define FN_SYMBOL_NONE UINT32_MAX

struct fn_symbols;

/*
 * Reads /proc/kallsyms. Returns NULL with @err set. Release with fn_symbols_destroy().
 */
struct fn_symbols *fn_symbols_read(struct mm_error *err);
void fn_symbols_destroy(struct fn_symbols *symbols);

/*
 * Reads which functions can be hooked, from tracefs. Returns 0, or -1 with @err set; it is not
 * known then.
 */
int fn_symbols_read_traceable(struct fn_symbols *symbols, struct mm_error *err);

/* In the order of /proc/kallsyms. */
size_t fn_symbols_count(const struct fn_symbols *symbols);
const struct fn_symbol *fn_symbols_get(const struct fn_symbols *symbols, size_t number);

/* Why a function is not hooked. */
enum fn_refusal {
	FN_TRACEABLE,
	FN_NO_SYMBOL,
	FN_ONLY_CLONES,
	FN_SEVERAL_ADDRESSES,
	FN_NOT_TRACEABLE,
	FN_OWN_PATH,
	FN_REFUSALS,
};

/* "it has several addresses" */
const char *fn_refusal_text(enum fn_refusal refusal);

/*
 * Finds the function @name of @module; "vmlinux" is the kernel, and NULL any, if it is in one place
 * only. *@symbol is set unless there is none of the name.
 */
enum fn_refusal fn_symbols_find(const struct fn_symbols *symbols, const char *module,
				const char *name, const struct fn_symbol **symbol);

/* The same for a symbol: its name is in one place only, unless @is_qualified by its module. */
enum fn_refusal fn_symbols_check(const struct fn_symbols *symbols, const struct fn_symbol *symbol,
				 bool is_qualified);

/*
 * Writes the names of functions of @module (NULL: any) that may be meant by @name to @text, as
 * mm_nearest_hint() does. Returns @text.
 */
const char *fn_symbols_hint(const struct fn_symbols *symbols, const char *module, const char *name,
			    char *text, size_t size);

/* Writes the variants of the function to @text, such as ".constprop, .part"; empty: none. */
void fn_symbol_clones(const struct fn_symbol *symbol, char *text, size_t size);

#endif /* LTTNG_MM_FN_DESCRIBE_SYMBOLS_H */
