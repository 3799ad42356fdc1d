/* SPDX-License-Identifier: LGPL-2.1-only */
/* Symbols of the traced machine, from the snapshot's context: names for offsets into its code. */
#ifndef LTTNG_MM_SYSINFO_SYMBOLS_H
#define LTTNG_MM_SYSINFO_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct mm_symbols;

/*
 * Reads @folder/symbols.txt: lines `OWNER\tHEX OFFSET\tTYPE\tNAME`, the owner `kernel` or a module,
 * the offset from where its text begins. Lines that are none are passed over. @folder may be NULL.
 * NULL: memory is short; without a file there are just no symbols.
 */
struct mm_symbols *mm_symbols_load(const char *folder);
void mm_symbols_destroy(struct mm_symbols *symbols);

/*
 * The last symbol of @owner at or before @offset, NULL when there is none; @from: how far behind
 * it. The name is hostile and the symbols'.
 */
const char *mm_symbols_find(const struct mm_symbols *symbols, const char *owner, uint64_t offset,
			    uint64_t *from);

#endif /* LTTNG_MM_SYSINFO_SYMBOLS_H */
