// SPDX-License-Identifier: LGPL-2.1-only
/* An array of rows and a hash of their keys. */
#include "analysis/slab/rows.h"

#include <stdlib.h>
#include <string.h>

/* Rows begin where a cache line does: those of many lines are laid out by what is used together. */
#define LINE 64

static int grow(struct slab_rows *rows)
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

static int add_row(struct slab_rows *rows, uint32_t a, uint32_t b)
{
	struct slab_row *row;

	if (rows->count == rows->room && grow(rows))
		return -1;
	row = slab_rows_at(rows, rows->count++);
	memset(row, 0, rows->size);
	row->a = a;
	row->b = b;
	return 0;
}

int slab_rows_init(struct slab_rows *rows, size_t size, uint32_t max)
{
	memset(rows, 0, sizeof(*rows));
	mm_hash_init(&rows->hash);
	rows->size = size;
	rows->max = max;
	return add_row(rows, UINT32_MAX, UINT32_MAX);
}

void slab_rows_release(struct slab_rows *rows)
{
	free(rows->all);
	mm_hash_release(&rows->hash);
	memset(rows, 0, sizeof(*rows));
}

struct find {
	const struct slab_rows *rows;
	uint32_t a, b;
};

static bool same(const void *array, uint32_t number, const void *wanted)
{
	const struct find *find = wanted;
	const struct slab_row *row = slab_rows_at(find->rows, number);

	(void)array;
	return row->a == find->a && row->b == find->b;
}

uint32_t slab_rows_find(struct slab_rows *rows, uint32_t a, uint32_t b)
{
	const struct find find = { rows, a, b };
	uint32_t key = mm_hash_of(&rows->hash, a, b);
	uint32_t number = mm_hash_find(&rows->hash, key, rows->all, &find, same);

	if (number == MM_HASH_NONE) {
		if (rows->count > rows->max)
			return 0;
		if (add_row(rows, a, b) || mm_hash_add(&rows->hash, key, rows->count - 1))
			return MM_HASH_NONE;
		number = rows->count - 1;
	}
	rows->recent[slab_rows_quick(a, b)] = number;
	return number;
}

const void *slab_rows_lookup(const struct slab_rows *rows, uint32_t a, uint32_t b)
{
	const struct find find = { rows, a, b };
	uint32_t number = mm_hash_find(&rows->hash, mm_hash_of(&rows->hash, a, b), rows->all, &find,
				       same);

	return number == MM_HASH_NONE ? NULL : slab_rows_at(rows, number);
}
