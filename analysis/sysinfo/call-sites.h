/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Names of call sites: from their numbers to code ranges, which the state dump reports, to symbols.
 */
#ifndef LTTNG_MM_SYSINFO_CALL_SITES_H
#define LTTNG_MM_SYSINFO_CALL_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/sysinfo/symbols.h"

struct mm_code_range {
	uint32_t code, size;
	/* by the last state dump: symbols of what has the name now are not a dead one's */
	bool alive;
	char name[64];
};

/* Zero-initialised means empty. */
struct mm_call_sites {
	/* by where they begin; of what overlaps, the last one counts */
	struct mm_code_range *ranges;
	uint32_t count;
	size_t room;
	struct mm_symbols *symbols; /* NULL: none were read */
};

void mm_call_sites_release(struct mm_call_sites *sites);

/*
 * Adds a range; of several that begin at @code the first stays, with what the last says of @alive.
 * @name is hostile, and cut where it is longer than any. 0, or -1: out of memory.
 */
int mm_call_sites_add(struct mm_call_sites *sites, uint32_t code, uint32_t size, bool alive,
		      const char *name);

/*
 * Reads the symbols in @folder (may be NULL), once all ranges are there. 0, or -1: out of memory.
 */
int mm_call_sites_load(struct mm_call_sites *sites, const char *folder);

/*
 * `kfree_skb+0x2a`, `ext4_alloc_inode+0x23 [ext4]`, without a symbol `ext4+0x4021`. False, and
 * @text is empty, where
 * @code is in no range.
 */
bool mm_call_sites_name(const struct mm_call_sites *sites, uint32_t code, char *text, size_t size);

#endif /* LTTNG_MM_SYSINFO_CALL_SITES_H */
