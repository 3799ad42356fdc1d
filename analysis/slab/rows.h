/* SPDX-License-Identifier: LGPL-2.1-only */
/* Rows of counters under a key of up to four numbers; those seen last are found without hashing. */
#ifndef LTTNG_MM_SLAB_ROWS_H
#define LTTNG_MM_SLAB_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "util/hash.h"

/* What every row begins with: its key. Numbers that a table does not need are 0. */
struct slab_row {
	uint32_t a, b, c, d;
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
	uint32_t *recent; /* numbers, by a quick hash of the key */
	unsigned int recent_shift;
	size_t room;
	struct mm_hash hash;
};

/* 2^@recent_bits rows, the most that are in use at a time, are found at once. */
int slab_rows_init(struct slab_rows *rows, size_t size, uint32_t max, unsigned int recent_bits);
void slab_rows_release(struct slab_rows *rows);

/* For slab_rows_number(). MM_HASH_NONE when memory is short. */
uint32_t slab_rows_find(struct slab_rows *rows, const struct slab_row *key);

static inline void *slab_rows_at(const struct slab_rows *rows, uint32_t number)
{
	return rows->all + number * rows->size;
}

/* A row's key and another. Of two decisions that nearly always go the same way one is enough. */
static inline bool slab_row_is(const void *row, const struct slab_row *key)
{
	uint64_t x[2], y[2];

	memcpy(x, row, sizeof(x));
	memcpy(y, key, sizeof(y));
	return !((x[0] ^ y[0]) | (x[1] ^ y[1]));
}

/* Where in @recent the number of the key's row is, if any. */
static inline uint32_t slab_rows_quick(const struct slab_rows *rows, const struct slab_row *key)
{
	uint64_t ab, cd;

	memcpy(&ab, &key->a, sizeof(ab));
	memcpy(&cd, &key->c, sizeof(cd));
	return (uint32_t)((ab * 0x9e3779b97f4a7c15ull ^ cd * 0xc2b2ae3d27d4eb4full) >>
			  rows->recent_shift);
}

/* The row that is there, NULL when none is: adds nothing. */
const void *slab_rows_lookup(const struct slab_rows *rows, uint32_t a, uint32_t b);

/* The row's number, made when new; MM_HASH_NONE when memory is short. */
static inline uint32_t slab_rows_number(struct slab_rows *rows, const struct slab_row *key)
{
	uint32_t number = rows->recent[slab_rows_quick(rows, key)];

	return slab_row_is(slab_rows_at(rows, number), key) ? number : slab_rows_find(rows, key);
}

/* The row itself, NULL when memory is short. */
static inline void *slab_rows_get3(struct slab_rows *rows, uint32_t a, uint32_t b, uint32_t c)
{
	const struct slab_row key = { a, b, c, 0 };
	uint32_t number = slab_rows_number(rows, &key);

	return number == MM_HASH_NONE ? NULL : slab_rows_at(rows, number);
}

static inline void *slab_rows_get(struct slab_rows *rows, uint32_t a, uint32_t b)
{
	return slab_rows_get3(rows, a, b, 0);
}

#endif /* LTTNG_MM_SLAB_ROWS_H */
