/* SPDX-License-Identifier: LGPL-2.1-only */
/* Latencies of any number of operations, every nanosecond kept, in little memory. */
#ifndef LTTNG_MM_UTIL_LATENCIES_H
#define LTTNG_MM_UTIL_LATENCIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What is below 2^20 ns is counted nanosecond by nanosecond, in pages that exist where there is
 * something to count: at most 8 MiB, however many there are. What takes longer is kept one by one,
 * 8 bytes each. New values wait in a buffer (at most 256 KiB) and are counted in one go, so that
 * few values need no pages. The same values in any order, added or merged, give the same result.
 */
#define MM_LATENCIES_PAGES 4096ul
#define MM_LATENCIES_PAGE 256ul
#define MM_LATENCIES_COUNTED (MM_LATENCIES_PAGES * MM_LATENCIES_PAGE)

struct mm_latencies {
	uint64_t count;
	uint64_t **pages; /* MM_LATENCIES_PAGES; NULL until the buffer was full once */
	uint32_t *buffer;
	size_t buffered, buffer_room;
	uint64_t *slow;
	size_t slow_count, slow_room;
};

/* All zeros is an empty one. */
void mm_latencies_release(struct mm_latencies *latencies);

/* Both return 0, or -1: memory is short. */
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

/* To be called before what follows, after the last value. Returns 0, or -1: memory is short. */
int mm_latencies_sort(struct mm_latencies *latencies);

struct mm_latencies_cursor {
	size_t page, at, buffered, slow;
};

/* The next value, ascending, with how often it is there; values may come in several steps. */
bool mm_latencies_next(const struct mm_latencies *latencies, struct mm_latencies_cursor *cursor,
		       uint64_t *ns, uint64_t *count);

/*
 * Nearest-rank quantiles: the smallest value that at least @q[i] of all reach. @q rises; 0 of
 * nothing.
 */
void mm_latencies_quantiles(const struct mm_latencies *latencies, const double *q, uint64_t *ns,
			    size_t count);
double mm_latencies_mean(const struct mm_latencies *latencies);

#endif /* LTTNG_MM_UTIL_LATENCIES_H */
