/* SPDX-License-Identifier: LGPL-2.1-only */
/* Rows of counters under a key of two numbers; the one seen last is found without hashing. */
#ifndef LTTNG_MM_SLAB_ROWS_H
#define LTTNG_MM_SLAB_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/core/hash.h"

#define SLAB_ROWS_RECENT_BITS 12

/* What every row begins with. */
struct slab_row {
	uint32_t a, b;
};

/*
 * Row 0 is nobody's: it stands for what came when @max rows were there, so that a hostile trace
 * cannot make memory out of keys without end. Rows are zeroed when new, and move when others are
 * added.
 */
struct slab_rows {
	char *all;
	size_t size; /* of one */
	uint32_t count, max;
	size_t room;
	struct mm_hash hash;
	uint32_t recent[1u << SLAB_ROWS_RECENT_BITS]; /* numbers, by a quick hash of the key */
};

int slab_rows_init(struct slab_rows *rows, size_t size, uint32_t max);
void slab_rows_release(struct slab_rows *rows);

/* For slab_rows_number(). MM_HASH_NONE when memory is short. */
uint32_t slab_rows_find(struct slab_rows *rows, uint32_t a, uint32_t b);

static inline void *slab_rows_at(const struct slab_rows *rows, uint32_t number)
{
	return rows->all + number * rows->size;
}

static inline uint32_t slab_rows_quick(uint32_t a, uint32_t b)
{
	return (a * 0x9e3779b1u ^ b * 0x85ebca6bu) >> (32 - SLAB_ROWS_RECENT_BITS);
}

/* The row that is there, NULL when none is: adds nothing. */
const void *slab_rows_lookup(const struct slab_rows *rows, uint32_t a, uint32_t b);

/* The row's number, made when new; MM_HASH_NONE when memory is short. */
static inline uint32_t slab_rows_number(struct slab_rows *rows, uint32_t a, uint32_t b)
{
	uint32_t number = rows->recent[slab_rows_quick(a, b)];
	const struct slab_row *row = slab_rows_at(rows, number);

	return row->a == a && row->b == b ? number : slab_rows_find(rows, a, b);
}

/* The row itself, NULL when memory is short. */
static inline void *slab_rows_get(struct slab_rows *rows, uint32_t a, uint32_t b)
{
	uint32_t number = slab_rows_number(rows, a, b);

	return number == MM_HASH_NONE ? NULL : slab_rows_at(rows, number);
}

/*
 * The same with a guess at the number, which is corrected: whoever has a good one, as "the thread
 * that this call site served last", needs no search.
 */
static inline void *slab_rows_guess(struct slab_rows *rows, uint32_t *guess, uint32_t a, uint32_t b)
{
	const struct slab_row *row = slab_rows_at(rows, *guess);
	uint32_t number;

	if (row->a == a && row->b == b)
		return slab_rows_at(rows, *guess);
	number = slab_rows_number(rows, a, b);
	if (number == MM_HASH_NONE)
		return NULL;
	*guess = number;
	return slab_rows_at(rows, number);
}

#endif /* LTTNG_MM_SLAB_ROWS_H */
