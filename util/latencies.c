// SPDX-License-Identifier: LGPL-2.1-only
/* Counts short latencies in one counter per nanosecond, and stores each long one. */
#include "util/latencies.h"

#include <stdlib.h>

#include "util/hash.h"

#define BUFFER_MIN 64u
#define BUFFER_MAX (64u << 10)
/* Maximum number of values to sort. For more values, counting in pages is faster. */
#define SORTED_MAX 4096u

void mm_latencies_release(struct mm_latencies *latencies)
{
	for (size_t i = 0; latencies->pages && i < MM_LATENCIES_PAGES; i++)
		free(latencies->pages[i]);
	free(latencies->pages);
	free(latencies->buffer);
	free(latencies->slow);
	*latencies = (struct mm_latencies){ 0 };
}

/* Returns the counter for @ns. Allocates its page if necessary. */
static uint64_t *counter(struct mm_latencies *latencies, uint32_t ns)
{
	uint64_t **page;

	if (!latencies->pages) {
		latencies->pages = calloc(MM_LATENCIES_PAGES, sizeof(*latencies->pages));
		if (!latencies->pages)
			return NULL;
	}
	page = &latencies->pages[ns / MM_LATENCIES_PAGE];
	if (!*page) {
		*page = calloc(MM_LATENCIES_PAGE, sizeof(**page));
		if (!*page)
			return NULL;
	}
	return &(*page)[ns % MM_LATENCIES_PAGE];
}

static int count_buffer(struct mm_latencies *latencies)
{
	while (latencies->buffered) {
		uint64_t *count = counter(latencies, latencies->buffer[latencies->buffered - 1]);

		if (!count)
			return -1;
		(*count)++;
		latencies->buffered--;
	}
	return 0;
}

int mm_latencies_make_room(struct mm_latencies *latencies, uint64_t ns)
{
	size_t room = latencies->buffer_room ? 4 * latencies->buffer_room : BUFFER_MIN;
	void *grown;

	if (ns >= MM_LATENCIES_COUNTED) {
		grown = mm_array_grow(latencies->slow, latencies->slow_count, &latencies->slow_room,
				      sizeof(*latencies->slow));
		if (!grown)
			return -1;
		latencies->slow = grown;
		latencies->slow[latencies->slow_count++] = ns;
		latencies->count++;
		return 0;
	}
	if (latencies->buffer_room < BUFFER_MAX) {
		grown = reallocarray(latencies->buffer, room, sizeof(*latencies->buffer));
		if (!grown)
			return -1;
		latencies->buffer = grown;
		latencies->buffer_room = room;
	} else if (count_buffer(latencies)) {
		return -1;
	}
	return mm_latencies_add(latencies, ns);
}

static int merge_page(struct mm_latencies *latencies, uint32_t first, const uint64_t *page)
{
	for (uint32_t i = 0; page && i < MM_LATENCIES_PAGE; i++) {
		uint64_t *count = page[i] ? counter(latencies, first + i) : NULL;

		if (page[i] && !count)
			return -1;
		if (count)
			*count += page[i];
		latencies->count += page[i];
	}
	return 0;
}

int mm_latencies_merge(struct mm_latencies *latencies, const struct mm_latencies *from)
{
	for (size_t i = 0; from->pages && i < MM_LATENCIES_PAGES; i++)
		if (merge_page(latencies, (uint32_t)(i * MM_LATENCIES_PAGE), from->pages[i]))
			return -1;
	for (size_t i = 0; i < from->buffered; i++)
		if (mm_latencies_add(latencies, from->buffer[i]))
			return -1;
	for (size_t i = 0; i < from->slow_count; i++)
		if (mm_latencies_add(latencies, from->slow[i]))
			return -1;
	return 0;
}

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * If there are pages, or many values, moves all values in the buffer to the pages. Short latencies
 * must not be in both places, because the cursor returns all values in the pages first.
 */
int mm_latencies_sort(struct mm_latencies *latencies)
{
	if ((latencies->pages || latencies->buffered > SORTED_MAX) && count_buffer(latencies))
		return -1;
	if (latencies->buffered)
		qsort(latencies->buffer, latencies->buffered, sizeof(*latencies->buffer),
		      compare_u32);
	if (latencies->slow_count)
		qsort(latencies->slow, latencies->slow_count, sizeof(*latencies->slow),
		      compare_u64);
	return 0;
}

static bool next_counted(const struct mm_latencies *latencies, struct mm_latencies_cursor *cursor,
			 uint64_t *ns, uint64_t *count)
{
	for (; cursor->page < MM_LATENCIES_PAGES; cursor->page++, cursor->at = 0) {
		const uint64_t *page = latencies->pages[cursor->page];

		while (page && cursor->at < MM_LATENCIES_PAGE && !page[cursor->at])
			cursor->at++;
		if (!page || cursor->at == MM_LATENCIES_PAGE)
			continue;
		*ns = cursor->page * MM_LATENCIES_PAGE + cursor->at;
		*count = page[cursor->at++];
		return true;
	}
	return false;
}

bool mm_latencies_next(const struct mm_latencies *latencies, struct mm_latencies_cursor *cursor,
		       uint64_t *ns, uint64_t *count)
{
	if (latencies->pages && next_counted(latencies, cursor, ns, count))
		return true;
	*count = 1;
	if (cursor->buffered < latencies->buffered)
		*ns = latencies->buffer[cursor->buffered++];
	else if (cursor->slow < latencies->slow_count)
		*ns = latencies->slow[cursor->slow++];
	else
		return false;
	return true;
}

void mm_latencies_quantiles(const struct mm_latencies *latencies, const double *q, uint64_t *ns,
			    size_t count)
{
	struct mm_latencies_cursor cursor = { 0 };
	uint64_t value = 0, seen = 0, more;

	for (size_t i = 0; i < count; i++) {
		double reach = q[i] * (double)latencies->count;
		uint64_t rank = (uint64_t)reach;

		if ((double)rank < reach || !rank)
			rank++;
		while (seen < rank && mm_latencies_next(latencies, &cursor, &value, &more))
			seen += more;
		ns[i] = value;
	}
}

double mm_latencies_mean(const struct mm_latencies *latencies)
{
	struct mm_latencies_cursor cursor = { 0 };
	unsigned __int128 sum = 0;
	uint64_t ns, count;

	while (mm_latencies_next(latencies, &cursor, &ns, &count))
		sum += (unsigned __int128)ns * count;
	return (double)sum / (double)latencies->count;
}
