/* SPDX-License-Identifier: LGPL-2.1-only */
/* Names of call sites. Maps call-site numbers to code ranges in the state dump, and to symbols. */
#ifndef LTTNG_MM_SYSINFO_CALL_SITES_H
#define LTTNG_MM_SYSINFO_CALL_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/sysinfo/symbols.h"

struct mm_code_range {
	uint32_t code, size;
	/*
	 * The last state dump lists the range. If this is false, the module was unloaded. It may
	 * have been loaded again at another place, so the current symbols may not fit.
	 */
	bool alive;
	char name[64];
};

/* A zero-initialized object is empty. */
struct mm_call_sites {
	/* sorted by start; if ranges overlap, the last one applies */
	struct mm_code_range *ranges;
	uint32_t count;
	size_t room;
	struct mm_symbols *symbols; /* NULL: not loaded */
};

void mm_call_sites_release(struct mm_call_sites *sites);

/*
 * Adds a range. If a range already starts at @code, only updates its `alive`. @name is untrusted;
 * long names are truncated. Returns 0, or -1 when out of memory.
 */
int mm_call_sites_add(struct mm_call_sites *sites, uint32_t code, uint32_t size, bool alive,
		      const char *name);

/* Reads the symbols in @folder (may be NULL). Returns 0, or -1 when out of memory. */
int mm_call_sites_load(struct mm_call_sites *sites, const char *folder);

/*
 * Writes the name of a call site: `kfree_skb+0x2a`, `ext4_alloc_inode+0x23 [ext4]`, or
 * `ext4+0x4021` without a symbol. Returns false with an empty @text if no range contains @code.
 */
bool mm_call_sites_name(const struct mm_call_sites *sites, uint32_t code, char *text, size_t size);

#endif /* LTTNG_MM_SYSINFO_CALL_SITES_H */
