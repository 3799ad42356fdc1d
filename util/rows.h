/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Rows of counters, found by a key of up to four numbers. A small cache finds recently used rows
 * without the hash table.
 */
#ifndef LTTNG_MM_UTIL_ROWS_H
#define LTTNG_MM_UTIL_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/hash.h"

/* A row's key. It is the first member of every row. A shorter key ends with zeros. */
struct mm_row {
	uint32_t a, b, c, d;
};

/*
 * Row 0 has no key. It collects everything beyond @max rows, because a hostile trace with ever new
 * keys could otherwise exhaust the memory. New rows are zeroed. Adding a row may move all rows in
 * memory.
 */
struct mm_rows {
	char *all;
	size_t size; /* bytes per row */
	uint32_t count, max;
	uint32_t *recent; /* cache of row numbers, indexed by mm_rows_quick() */
	unsigned int recent_shift;
	size_t room;
	struct mm_hash hash;
};

/*
 * The cache of recently used rows has 2^@recent_bits entries. It should have about as many entries
 * as rows are in use at a time. Returns 0, or -1 when out of memory.
 */
int mm_rows_init(struct mm_rows *rows, size_t size, uint32_t max, unsigned int recent_bits);
void mm_rows_release(struct mm_rows *rows);

/* Slow path of mm_rows_number(). Returns MM_HASH_NONE when out of memory. */
uint32_t mm_rows_find(struct mm_rows *rows, const struct mm_row *key);

static inline void *mm_rows_at(const struct mm_rows *rows, uint32_t number)
{
	return rows->all + number * rows->size;
}

/*
 * The halves of a key, each in one register. Loading a half from memory would wait until both
 * stores to it are complete, because a CPU forwards only a single store to a load.
 */
static inline uint64_t mm_row_ab(const struct mm_row *key)
{
	return key->a | (uint64_t)key->b << 32;
}

static inline uint64_t mm_row_cd(const struct mm_row *key)
{
	return key->c | (uint64_t)key->d << 32;
}

/*
 * Does @row have the key @key? Compares both halves of the key with a single branch: nearly always,
 * both match.
 */
static inline bool mm_row_is(const void *row, const struct mm_row *key)
{
	const struct mm_row *other = row;

	return !((mm_row_ab(other) ^ mm_row_ab(key)) | (mm_row_cd(other) ^ mm_row_cd(key)));
}

/* Returns the index of the entry in @recent that may contain the row's number. */
static inline uint32_t mm_rows_quick(const struct mm_rows *rows, const struct mm_row *key)
{
	return (uint32_t)((mm_row_ab(key) * 0x9e3779b97f4a7c15ull ^
			   mm_row_cd(key) * 0xc2b2ae3d27d4eb4full) >>
			  rows->recent_shift);
}

/* Returns the row with the key (@a, @b, @c, 0), or NULL. Never adds a row. */
const void *mm_rows_lookup3(const struct mm_rows *rows, uint32_t a, uint32_t b, uint32_t c);

static inline const void *mm_rows_lookup(const struct mm_rows *rows, uint32_t a, uint32_t b)
{
	return mm_rows_lookup3(rows, a, b, 0);
}

/*
 * Returns the number of the row with @key. Adds the row if it is new. Returns MM_HASH_NONE when out
 * of memory.
 */
static inline uint32_t mm_rows_number(struct mm_rows *rows, const struct mm_row *key)
{
	uint32_t number = rows->recent[mm_rows_quick(rows, key)];

	return mm_row_is(mm_rows_at(rows, number), key) ? number : mm_rows_find(rows, key);
}

/* Returns the row (@a, @b, @c, 0). Adds the row if it is new. Returns NULL when out of memory. */
static inline void *mm_rows_get3(struct mm_rows *rows, uint32_t a, uint32_t b, uint32_t c)
{
	const struct mm_row key = { a, b, c, 0 };
	uint32_t number = mm_rows_number(rows, &key);

	return number == MM_HASH_NONE ? NULL : mm_rows_at(rows, number);
}

static inline void *mm_rows_get(struct mm_rows *rows, uint32_t a, uint32_t b)
{
	return mm_rows_get3(rows, a, b, 0);
}

#endif /* LTTNG_MM_UTIL_ROWS_H */
