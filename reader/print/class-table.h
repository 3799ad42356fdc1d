/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A table with a renderer's data about each event class. The thread that renders the first event of
 * a class creates the data.
 */
#ifndef LTTNG_MM_PRINT_CLASS_TABLE_H
#define LTTNG_MM_PRINT_CLASS_TABLE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#define MM_CLASS_BUCKETS 1024

struct mm_class_entry {
	const void *class;
	struct mm_class_entry *next;
	void *value;
};

/*
 * A table that threads read without a lock. New entries are added at the head of their bucket under
 * the lock, and stay constant until the table is released.
 */
struct mm_class_table {
	_Atomic(struct mm_class_entry *) buckets[MM_CLASS_BUCKETS];
	pthread_mutex_t lock;
	/*
	 * Creates the value of a class from @hint. Returns NULL when out of memory. Runs with the
	 * lock held.
	 */
	void *(*make)(void *user, const void *hint);
	void (*destroy)(void *value);
	void *user;
};

void mm_class_table_init(struct mm_class_table *table, void *(*make)(void *user, const void *hint),
			 void (*destroy)(void *value), void *user);
void mm_class_table_release(struct mm_class_table *table);

/* Called by mm_class_table_find() for a class that is not in the table. */
void *mm_class_table_add(struct mm_class_table *table, _Atomic(struct mm_class_entry *) *bucket,
			 const void *class, const void *hint);

/* Returns the value of @class, creating it from @hint if necessary, or NULL when out of memory. */
static inline void *mm_class_table_find(struct mm_class_table *table, const void *class,
					const void *hint)
{
	uint64_t hash = (uint64_t)(uintptr_t) class * UINT64_C(0x9e3779b97f4a7c15);
	_Atomic(struct mm_class_entry *) *bucket = &table->buckets[hash >> 54];
	const struct mm_class_entry *entry;

	for (entry = atomic_load_explicit(bucket, memory_order_acquire); entry; entry = entry->next)
		if (entry->class == class)
			return entry->value;
	return mm_class_table_add(table, bucket, class, hint);
}

#endif /* LTTNG_MM_PRINT_CLASS_TABLE_H */
