// SPDX-License-Identifier: LGPL-2.1-only
/* A table of event classes by address, read by several threads. */
#include "reader/print/class-table.h"

#include <stdlib.h>
#include <string.h>

void mm_class_table_init(struct mm_class_table *table, void *(*make)(void *user, const void *hint),
			 void (*destroy)(void *value), void *user)
{
	memset(table, 0, sizeof(*table));
	pthread_mutex_init(&table->lock, NULL);
	table->make = make;
	table->destroy = destroy;
	table->user = user;
}

void mm_class_table_release(struct mm_class_table *table)
{
	for (size_t i = 0; i < MM_CLASS_BUCKETS; i++) {
		struct mm_class_entry *entry = atomic_load(&table->buckets[i]);

		while (entry) {
			struct mm_class_entry *next = entry->next;

			table->destroy(entry->value);
			free(entry);
			entry = next;
		}
	}
	pthread_mutex_destroy(&table->lock);
}

void *mm_class_table_add(struct mm_class_table *table, _Atomic(struct mm_class_entry *) *bucket,
			 const void *class, const void *hint)
{
	struct mm_class_entry *first, *entry;
	void *value = NULL;

	pthread_mutex_lock(&table->lock);
	first = atomic_load(bucket);
	/* Another thread may have added the class since the caller searched for it. */
	for (entry = first; entry; entry = entry->next) {
		if (entry->class == class) {
			value = entry->value;
			goto end;
		}
	}
	entry = malloc(sizeof(*entry));
	value = entry ? table->make(table->user, hint) : NULL;
	if (!value) {
		free(entry);
		goto end;
	}
	*entry = (struct mm_class_entry){ .class = class, .next = first, .value = value };
	atomic_store_explicit(bucket, entry, memory_order_release);
end:
	pthread_mutex_unlock(&table->lock);
	return value;
}
