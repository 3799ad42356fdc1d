/* SPDX-License-Identifier: LGPL-2.1-only */
/* Functions of the running kernel and its modules, and whether they can be hooked. */
#ifndef LTTNG_MM_FN_DESCRIBE_SYMBOLS_H
#define LTTNG_MM_FN_DESCRIBE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/* Bits for the kinds of clones that the compiler makes of a function. */
#define FN_CLONE_ISRA 1u
#define FN_CLONE_CONSTPROP 2u
#define FN_CLONE_PART 4u
#define FN_CLONE_OTHER 8u

/* All functions and clones of the same name in the kernel or in one module. */
struct fn_symbol {
	const char *name;
	const char *module;	/* the module; empty: the kernel */
	unsigned int addresses; /* number of functions with this name; 0: there are only clones */
	unsigned int clones;	/* mask of FN_CLONE_* */
	/* static, so some calls may be inlined; always false for a module's function */
	bool is_static;
	bool is_traceable;
	uint32_t next; /* index of the next symbol with this name, or FN_SYMBOL_NONE */
};

#define FN_SYMBOL_NONE UINT32_MAX

struct fn_symbols;

/*
 * Reads /proc/kallsyms. Release the result with fn_symbols_destroy(). Returns NULL with @err set on
 * failure.
 */
struct fn_symbols *fn_symbols_read(struct mm_error *err);
void fn_symbols_destroy(struct fn_symbols *symbols);

/*
 * Reads from tracefs which functions can be hooked. Returns 0, or -1 with @err set. After a
 * failure, later checks assume that all functions can be hooked.
 */
int fn_symbols_read_traceable(struct fn_symbols *symbols, struct mm_error *err);

/*
 * fn_symbols_count() returns the number of symbols. fn_symbols_get() returns symbol @number, in the
 * order of /proc/kallsyms.
 */
size_t fn_symbols_count(const struct fn_symbols *symbols);
const struct fn_symbol *fn_symbols_get(const struct fn_symbols *symbols, size_t number);

/* Reasons why a function cannot be hooked; fn_refusal_text() explains them. */
enum fn_refusal {
	FN_TRACEABLE,
	FN_NO_SYMBOL,
	FN_ONLY_CLONES,
	FN_SEVERAL_ADDRESSES,
	FN_NOT_TRACEABLE,
	FN_OWN_PATH,
	FN_REFUSALS,
};

/* Returns the reason as a clause, such as "several functions have this name". */
const char *fn_refusal_text(enum fn_refusal refusal);

/*
 * Finds the function @name of @module. "vmlinux" stands for the kernel. If @module is NULL, the
 * name must be unique in the kernel and all modules. Sets *@symbol unless the result is
 * FN_NO_SYMBOL.
 */
enum fn_refusal fn_symbols_find(const struct fn_symbols *symbols, const char *module,
				const char *name, const struct fn_symbol **symbol);

/*
 * Checks whether a function can be hooked. @is_qualified is true if the SPEC names the module. If
 * it is false, the function's name must be unique in the kernel and all modules.
 */
enum fn_refusal fn_symbols_check(const struct fn_symbols *symbols, const struct fn_symbol *symbol,
				 bool is_qualified);

/*
 * Writes a hint to @text, like mm_nearest_hint(). The hint lists functions of @module with names
 * similar to @name. If @module is NULL, considers the kernel and all modules. Returns @text.
 */
const char *fn_symbols_hint(const struct fn_symbols *symbols, const char *module, const char *name,
			    char *text, size_t size);

/*
 * Writes the kinds of the symbol's clones to @text, such as ".constprop, .part"; empty: there are
 * no clones.
 */
void fn_symbol_clones(const struct fn_symbol *symbol, char *text, size_t size);

#endif /* LTTNG_MM_FN_DESCRIBE_SYMBOLS_H */
