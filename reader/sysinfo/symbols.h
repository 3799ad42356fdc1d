/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Symbols of the traced machine, from the snapshot's system information: names for offsets into its
 * code.
 */
#ifndef LTTNG_MM_SYSINFO_SYMBOLS_H
#define LTTNG_MM_SYSINFO_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct mm_symbols;

/*
 * Reads @folder/symbols.txt: lines `OWNER\tHEX OFFSET\tTYPE\tNAME`, with the owner `kernel` or a
 * module, and the offset from the start of its text. Malformed lines are ignored. @folder may be
 * NULL. Without a file, there are no symbols. Returns NULL when out of memory.
 */
struct mm_symbols *mm_symbols_load(const char *folder);
void mm_symbols_destroy(struct mm_symbols *symbols);

/*
 * Finds the last symbol of @owner at or before @offset; NULL if there is none. *@from: distance of
 * @offset from it. The name is untrusted, and owned by @symbols.
 */
const char *mm_symbols_find(const struct mm_symbols *symbols, const char *owner, uint64_t offset,
			    uint64_t *from);

#endif /* LTTNG_MM_SYSINFO_SYMBOLS_H */
