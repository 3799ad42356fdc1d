/* SPDX-License-Identifier: LGPL-2.1-only */
/* The exact distribution of any number of latencies, in little memory. */
#ifndef LTTNG_MM_UTIL_LATENCIES_H
#define LTTNG_MM_UTIL_LATENCIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Latencies below 2^20 ns have one counter per nanosecond. The counters are in pages, which are
 * allocated on demand and have at most 8 MiB in total. Each longer latency is stored separately, in
 * 8 bytes. New values are first added to a buffer of at most 256 KiB, and counted when it is full,
 * so a few values need no pages. The order of adding and merging values does not affect the result.
 */
#define MM_LATENCIES_PAGES 4096ul
#define MM_LATENCIES_PAGE 256ul
#define MM_LATENCIES_COUNTED (MM_LATENCIES_PAGES * MM_LATENCIES_PAGE)

struct mm_latencies {
	uint64_t count;
	/* MM_LATENCIES_PAGES pointers; NULL until the buffer has been full once */
	uint64_t **pages;
	uint32_t *buffer;
	size_t buffered, buffer_room;
	uint64_t *slow;
	size_t slow_count, slow_room;
};

/* Frees the memory and makes the object empty. An object whose bytes are all zero is empty, too. */
void mm_latencies_release(struct mm_latencies *latencies);

/*
 * Both functions return 0, or -1 when out of memory. mm_latencies_make_room() is the slow path of
 * mm_latencies_add(), and also adds @ns.
 */
int mm_latencies_make_room(struct mm_latencies *latencies, uint64_t ns);
int mm_latencies_merge(struct mm_latencies *latencies, const struct mm_latencies *from);

static inline int mm_latencies_add(struct mm_latencies *latencies, uint64_t ns)
{
	if (ns < MM_LATENCIES_COUNTED && latencies->buffered < latencies->buffer_room) {
		latencies->buffer[latencies->buffered++] = (uint32_t)ns;
		latencies->count++;
		return 0;
	}
	return mm_latencies_make_room(latencies, ns);
}

/*
 * Sorts the values. Call this after adding the last value and before the functions below. Returns
 * 0, or -1 when out of memory.
 */
int mm_latencies_sort(struct mm_latencies *latencies);

struct mm_latencies_cursor {
	size_t page, at, buffered, slow;
};

/*
 * Sets *@ns to the next value in ascending order, and *@count to the number of its occurrences. May
 * instead return equal values one by one. Returns false after the last value.
 */
bool mm_latencies_next(const struct mm_latencies *latencies, struct mm_latencies_cursor *cursor,
		       uint64_t *ns, uint64_t *count);

/*
 * Computes nearest-rank quantiles: @ns[i] is the smallest value V such that the share of values
 * that do not exceed V is at least @q[i]. @q has @count ascending elements. If there are no values,
 * all results are 0.
 */
void mm_latencies_quantiles(const struct mm_latencies *latencies, const double *q, uint64_t *ns,
			    size_t count);
double mm_latencies_mean(const struct mm_latencies *latencies);

#endif /* LTTNG_MM_UTIL_LATENCIES_H */
