/* SPDX-License-Identifier: LGPL-2.1-only */
/* Symbols of the traced kernel and its modules, from the system information of a snapshot. */
#ifndef LTTNG_MM_SYSINFO_SYMBOLS_H
#define LTTNG_MM_SYSINFO_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct mm_symbols;

/*
 * Reads @folder/symbols.txt. A line has four fields between tabs: owner (`kernel` or a module),
 * hexadecimal offset from the start of the owner's text, type, name. Ignores malformed lines. If
 * the file does not exist or @folder is NULL, there are no symbols. Returns NULL when out of
 * memory.
 */
struct mm_symbols *mm_symbols_load(const char *folder);
void mm_symbols_destroy(struct mm_symbols *symbols);

/*
 * Returns the last symbol of @owner at or before @offset, or NULL if there is none. Sets *@from to
 * the distance from the symbol to @offset. The name is untrusted, and owned by @symbols.
 */
const char *mm_symbols_find(const struct mm_symbols *symbols, const char *owner, uint64_t offset,
			    uint64_t *from);

#endif /* LTTNG_MM_SYSINFO_SYMBOLS_H */
