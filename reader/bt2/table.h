/* SPDX-License-Identifier: LGPL-2.1-only */
/* A hash table that maps the addresses of libbabeltrace2's objects to data about them. */
#ifndef LTTNG_MM_BT2_TABLE_H
#define LTTNG_MM_BT2_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct mm_bt2_entry {
	const void *key; /* NULL: free */
	void *value;
};

/*
 * A zero-initialized table is empty. The table's user must hold a reference to each object that is
 * a key. Otherwise, another object could get the same address.
 */
struct mm_bt2_table {
	struct mm_bt2_entry *entries;
	size_t room, count;   /* room is 0 or a power of two */
	const void *last_key; /* the key found last; the next lookup is often for it, too */
	void *last_value;
};

static inline size_t mm_bt2_table_slot(const struct mm_bt2_table *table, const void *key)
{
	size_t slot = ((uintptr_t)key >> 4) * (size_t)0x9e3779b97f4a7c15 >> 7 & (table->room - 1);

	while (table->entries[slot].key && table->entries[slot].key != key)
		slot = (slot + 1) & (table->room - 1);
	return slot;
}

static inline void *mm_bt2_table_find(struct mm_bt2_table *table, const void *key)
{
	size_t slot;

	if (table->last_key == key)
		return table->last_value;
	if (!table->room)
		return NULL;
	slot = mm_bt2_table_slot(table, key);
	if (!table->entries[slot].key)
		return NULL;
	table->last_key = key;
	table->last_value = table->entries[slot].value;
	return table->last_value;
}

/* @key must not be in the table. Returns 0, or -1 when out of memory. */
static inline int mm_bt2_table_add(struct mm_bt2_table *table, const void *key, void *value)
{
	size_t slot;

	if (2 * (table->count + 1) > table->room) {
		struct mm_bt2_table grown = { .room = table->room ? 2 * table->room : 16 };

		grown.entries = calloc(grown.room, sizeof(*grown.entries));
		if (!grown.entries)
			return -1;
		for (size_t i = 0; i < table->room; i++)
			if (table->entries[i].key)
				grown.entries[mm_bt2_table_slot(&grown, table->entries[i].key)] =
					table->entries[i];
		free(table->entries);
		table->entries = grown.entries;
		table->room = grown.room;
	}
	slot = mm_bt2_table_slot(table, key);
	table->entries[slot] = (struct mm_bt2_entry){ key, value };
	table->count++;
	return 0;
}

#endif /* LTTNG_MM_BT2_TABLE_H */
