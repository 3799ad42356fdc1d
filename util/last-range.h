/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Finds the most recently set range that contains an address. One object contains the ranges of all
 * address spaces. The caller chooses the unit of addresses, such as pages.
 */
#ifndef LTTNG_MM_UTIL_LAST_RANGE_H
#define LTTNG_MM_UTIL_LAST_RANGE_H

#include <stddef.h>
#include <stdint.h>

/* All addresses are smaller than this. */
#define MM_LAST_RANGE_END (UINT64_C(1) << 52)

struct mm_range_node;

/*
 * All ranges, without the parts that later ranges cover. They are stored in a treap: a search tree
 * with random priorities, which keep the tree balanced whatever the trace contains (Seidel and
 * Aragon, "Randomized search trees", 1996). Each range adds at most two nodes and removes the nodes
 * that it covers. Memory therefore grows at most with the number of ranges, and adding a range
 * takes logarithmic time.
 */
struct mm_last_ranges {
	struct mm_range_node *nodes; /* node 0 is unused */
	size_t count, room;
	uint32_t root, free; /* 0: none */
	uint64_t random;
};

/* The result of a search: a range, or the part of a range that later ranges do not cover. */
struct mm_last_range {
	uint64_t number; /* number of the range; 0: no range was found */
	uint32_t value;
	uint64_t first, last;
};

/* Returns 0, or -1 when out of memory. */
int mm_last_ranges_init(struct mm_last_ranges *ranges);
void mm_last_ranges_release(struct mm_last_ranges *ranges);

/*
 * Sets the range from @first to @last in address space @mm. @number must exceed the numbers of all
 * ranges that were set before. Returns 0. When out of memory, changes nothing and returns -1.
 */
int mm_last_ranges_set(struct mm_last_ranges *ranges, uint32_t mm, uint64_t first, uint64_t last,
		       uint64_t number, uint32_t value);

/* Among the ranges that contain @at, finds the range with the highest number. */
struct mm_last_range mm_last_ranges_find(const struct mm_last_ranges *ranges, uint32_t mm,
					 uint64_t at);

/* Finds the lowest range that contains @at or a higher address. */
struct mm_last_range mm_last_ranges_from(const struct mm_last_ranges *ranges, uint32_t mm,
					 uint64_t at);

#endif /* LTTNG_MM_UTIL_LAST_RANGE_H */
