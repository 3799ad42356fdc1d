/* SPDX-License-Identifier: LGPL-2.1-only */
/* Names of call sites: maps their numbers to code ranges, from the state dump, and to symbols. */
#ifndef LTTNG_MM_SYSINFO_CALL_SITES_H
#define LTTNG_MM_SYSINFO_CALL_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/sysinfo/symbols.h"

struct mm_code_range {
	uint32_t code, size;
	/*
	 * according to the last state dump; the symbols may be those of a module that was loaded
	 * again
	 */
	bool alive;
	char name[64];
};

/* A zero-initialized object is empty. */
struct mm_call_sites {
	/* sorted by start; of overlapping ranges, the last one applies */
	struct mm_code_range *ranges;
	uint32_t count;
	size_t room;
	struct mm_symbols *symbols; /* NULL: not loaded */
};

void mm_call_sites_release(struct mm_call_sites *sites);

/*
 * Adds a range. If there is one that starts at @code already, only its @alive is updated. @name is
 * untrusted, and truncated if too long. Returns 0, or -1 when out of memory.
 */
int mm_call_sites_add(struct mm_call_sites *sites, uint32_t code, uint32_t size, bool alive,
		      const char *name);

/*
 * Reads the symbols in @folder (may be NULL), after all ranges are added. Returns 0, or -1 when out
 * of memory.
 */
int mm_call_sites_load(struct mm_call_sites *sites, const char *folder);

/*
 * `kfree_skb+0x2a`, `ext4_alloc_inode+0x23 [ext4]`, without a symbol `ext4+0x4021`. Returns false
 * with an empty @text if @code is in no range.
 */
bool mm_call_sites_name(const struct mm_call_sites *sites, uint32_t code, char *text, size_t size);

#endif /* LTTNG_MM_SYSINFO_CALL_SITES_H */
