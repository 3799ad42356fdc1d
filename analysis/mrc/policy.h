/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Simulations of replacement policies on the recorded touches. A refault is a touch of an object
 * that was in memory before and has been evicted.
 */
#ifndef LTTNG_MM_MRC_POLICY_H
#define LTTNG_MM_MRC_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A reference: the number of an object, and flags. */
#define MRC_REFERENCE_FREED (1u << 31) /* not a touch: the object is freed */
#define MRC_REFERENCE_HUGE (1u << 30)
#define MRC_REFERENCE_OBJECT (MRC_REFERENCE_HUGE - 1)

struct mrc_references {
	uint32_t *all;
	size_t count, room;
	uint32_t objects; /* all object numbers are smaller */
	bool has_small, has_huge;
};

/* Adds a reference. Returns 0, or -1 when out of memory. */
int mrc_references_add(struct mrc_references *references, uint32_t reference);
void mrc_references_release(struct mrc_references *references);

#define MRC_POLICY_FAILED UINT64_MAX

/*
 * The functions below return the number of refaults of a memory of @size pages of 4 KiB, or
 * MRC_POLICY_FAILED when out of memory.
 *
 * FIFO evicts the page that was loaded first. Source: Belady, "A study of replacement algorithms
 * for virtual-storage computers", 1966.
 */
uint64_t mrc_policy_fifo(const struct mrc_references *references, uint64_t size);
/*
 * CLOCK examines the oldest page. If the page was touched since CLOCK examined it last, it becomes
 * the newest page; otherwise, CLOCK evicts it. The touch that loads a page counts, too. Source:
 * Corbato, "A paging experiment with the Multics system", 1968.
 */
uint64_t mrc_policy_clock(const struct mrc_references *references, uint64_t size);
/*
 * OPT evicts the page whose next touch is the latest. No policy has fewer refaults. Uses that were
 * not recorded only add refaults, so the result is a lower bound. All pages must have the same
 * size. Sources: Belady, as above; Mattson et al., 1970.
 */
uint64_t mrc_policy_opt(const struct mrc_references *references, uint64_t size);

#endif /* LTTNG_MM_MRC_POLICY_H */
