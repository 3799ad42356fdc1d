/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What a renderer knows of each event class, made when the class's first event comes, on any
 * thread.
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
 * Read by all threads without a lock; entries are added in front of their bucket under the lock,
 * and stay as they are until the table is released.
 */
struct mm_class_table {
	_Atomic(struct mm_class_entry *) buckets[MM_CLASS_BUCKETS];
	pthread_mutex_t lock;
	/* Makes a class's value for @hint; NULL when memory is short. Called under the lock. */
	void *(*make)(void *user, const void *hint);
	void (*destroy)(void *value);
	void *user;
};

void mm_class_table_init(struct mm_class_table *table, void *(*make)(void *user, const void *hint),
			 void (*destroy)(void *value), void *user);
void mm_class_table_release(struct mm_class_table *table);

/* For mm_class_table_find(). */
void *mm_class_table_add(struct mm_class_table *table, _Atomic(struct mm_class_entry *) *bucket,
			 const void *class, const void *hint);

/* The value of @class, made from @hint when it is new; NULL when memory is short. */
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
