// SPDX-License-Identifier: LGPL-2.1-only
/* An array of rows and a hash of their keys. */
#include "util/rows.h"

#include <stdlib.h>
#include <string.h>

/*
 * Alignment of the array of rows. With aligned rows, members that are used together can share a
 * cache line.
 */
#define LINE 64

static int grow(struct mm_rows *rows)
{
	size_t room = rows->room ? 2 * rows->room : 16, bytes;
	char *all;

	if (__builtin_mul_overflow(room, rows->size, &bytes) || bytes > SIZE_MAX / 2)
		return -1;
	all = aligned_alloc(LINE, (bytes + LINE - 1) / LINE * LINE);
	if (!all)
		return -1;
	if (rows->count)
		memcpy(all, rows->all, rows->count * rows->size);
	free(rows->all);
	rows->all = all;
	rows->room = room;
	return 0;
}

static int add_row(struct mm_rows *rows, const struct mm_row *key)
{
	char *row;

	if (rows->count == rows->room && grow(rows))
		return -1;
	row = mm_rows_at(rows, rows->count++);
	memset(row, 0, rows->size);
	memcpy(row, key, sizeof(*key));
	return 0;
}

int mm_rows_init(struct mm_rows *rows, size_t size, uint32_t max, unsigned int recent_bits)
{
	const struct mm_row nobody = { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX };

	memset(rows, 0, sizeof(*rows));
	mm_hash_init(&rows->hash);
	rows->size = size;
	rows->max = max;
	rows->recent = calloc(1u << recent_bits, sizeof(*rows->recent));
	rows->recent_shift = 64 - recent_bits;
	return rows->recent ? add_row(rows, &nobody) : -1;
}

void mm_rows_release(struct mm_rows *rows)
{
	free(rows->all);
	free(rows->recent);
	mm_hash_release(&rows->hash);
	memset(rows, 0, sizeof(*rows));
}

struct row_lookup {
	const struct mm_rows *rows;
	const struct mm_row *key;
};

static bool same(const void *array, uint32_t number, const void *wanted)
{
	const struct row_lookup *find = wanted;

	(void)array;
	return !memcmp(mm_rows_at(find->rows, number), find->key, sizeof(*find->key));
}

/* Returns the number of the row with @key, or MM_HASH_NONE. Sets *@hash to the hash of @key. */
static uint32_t look_up(const struct mm_rows *rows, const struct mm_row *key, uint32_t *hash)
{
	const struct row_lookup find = { rows, key };

	*hash = mm_hash_of(&rows->hash, (uint64_t)key->a << 32 | key->b,
			   (uint64_t)key->c << 32 | key->d);
	return mm_hash_find(&rows->hash, *hash, rows->all, &find, same);
}

uint32_t mm_rows_find(struct mm_rows *rows, const struct mm_row *key)
{
	uint32_t hash, number = look_up(rows, key, &hash);

	if (number == MM_HASH_NONE) {
		if (rows->count > rows->max)
			return 0;
		if (add_row(rows, key) || mm_hash_add(&rows->hash, hash, rows->count - 1))
			return MM_HASH_NONE;
		number = rows->count - 1;
	}
	rows->recent[mm_rows_quick(rows, key)] = number;
	return number;
}

const void *mm_rows_lookup3(const struct mm_rows *rows, uint32_t a, uint32_t b, uint32_t c)
{
	const struct mm_row key = { a, b, c, 0 };
	uint32_t hash, number = look_up(rows, &key, &hash);

	return number == MM_HASH_NONE ? NULL : mm_rows_at(rows, number);
}
