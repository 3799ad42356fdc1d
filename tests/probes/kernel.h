/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of the kernel that the probe's cache table uses, in user space. A thread represents a
 * CPU, and a lock that readers share represents the RCU read side. A work item runs when the test
 * calls run_work().
 */
#ifndef LTTNG_MM_TESTS_PROBES_KERNEL_H
#define LTTNG_MM_TESTS_PROBES_KERNEL_H

#include <endian.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;
typedef uint64_t __le64;

#undef __always_inline
#define __packed __attribute__((packed))
#define __always_inline inline __attribute__((always_inline))
#define __force
#define likely(x) (x)
#define is_power_of_2(x) ((x) && !((x) & ((x)-1)))
#define ilog2(x) (63 - (unsigned int)__builtin_clzll(x))
#define unlikely(x) (x)
#define GFP_KERNEL 0
#define le64_to_cpu le64toh

struct kretprobe_instance;
struct pt_regs;

#define SLAB_ACCOUNT 0x04000000u
#define pr_info(...) ((void)0)
#define pr_warn(...) ((void)0)
#define virt_to_phys(p) ((u64)(uintptr_t)(p))

/* The kernel orders the load of a pointer before reads through it, so READ_ONCE() acquires. */
#define U32_MAX ((u32)~0U)
#define READ_ONCE(x) __atomic_load_n(&(x), __ATOMIC_ACQUIRE)
#define WRITE_ONCE(x, v) __atomic_store_n(&(x), v, __ATOMIC_RELAXED)
#define smp_load_acquire(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define cmpxchg(p, o, n) __sync_val_compare_and_swap(p, o, n)
#define xchg(p, v) __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST)

typedef struct {
	int counter;
} atomic_t;
#define ATOMIC_INIT(i) \
	{              \
		(i)    \
	}
#define atomic_inc_return(a) __atomic_add_fetch(&(a)->counter, 1, __ATOMIC_SEQ_CST)
#define atomic_read(a) __atomic_load_n(&(a)->counter, __ATOMIC_RELAXED)

static inline int atomic_fetch_add_unless(atomic_t *a, int by, int unless)
{
	int was = atomic_read(a);

	while (was != unless && !__atomic_compare_exchange_n(&a->counter, &was, was + by, false,
							     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
	return was;
}

static inline bool test_and_set_bit_lock(int bit, unsigned long *word)
{
	return __atomic_fetch_or(word, 1UL << bit, __ATOMIC_ACQUIRE) & 1UL << bit;
}

static inline void clear_bit_unlock(int bit, unsigned long *word)
{
	__atomic_fetch_and(word, ~(1UL << bit), __ATOMIC_RELEASE);
}

#define container_of(p, type, member) ((type *)((char *)(p)-offsetof(type, member)))

struct llist_node {
	struct llist_node *next;
};
struct llist_head {
	struct llist_node *first;
};
#define LLIST_HEAD(name) struct llist_head name = { NULL }
#define llist_entry(p, type, member) container_of(p, type, member)
#define llist_item(n, pos, member) ((n) ? llist_entry(n, __typeof__(*(pos)), member) : NULL)
#define llist_for_each_entry(pos, node, member)        \
	for (pos = llist_item(node, pos, member); pos; \
	     pos = llist_item(READ_ONCE(pos->member.next), pos, member))
#define llist_for_each_entry_safe(pos, n, node, member) \
	for (pos = llist_item(node, pos, member);       \
	     pos && ((n = llist_item(pos->member.next, pos, member)), true); pos = n)

static inline void llist_add(struct llist_node *node, struct llist_head *head)
{
	do
		node->next = READ_ONCE(head->first);
	while (!__sync_bool_compare_and_swap(&head->first, node->next, node));
}

static inline struct llist_node *llist_del_all(struct llist_head *head)
{
	return xchg(&head->first, NULL);
}

struct list_head {
	struct list_head *next, *prev;
};
#define list_for_each(pos, head) for (pos = (head)->next; pos != (head); pos = pos->next)

struct mutex {
	int unused;
};
#define mutex_lock(m) ((void)(m))
#define mutex_unlock(m) ((void)(m))
#define preempt_disable_notrace()
#define preempt_enable_notrace()

static pthread_rwlock_t rcu = PTHREAD_RWLOCK_INITIALIZER;

static inline void synchronize_rcu(void)
{
	pthread_rwlock_wrlock(&rcu);
	pthread_rwlock_unlock(&rcu);
}

struct work_struct {
	void (*function)(struct work_struct *work);
};
struct irq_work {
	void (*function)(struct irq_work *irq);
};
static bool work_is_due;
#define DECLARE_WORK(name, f) struct work_struct name = { f }
#define init_irq_work(irq, f) ((irq)->function = (f))
#define irq_work_queue(irq) WRITE_ONCE(work_is_due, true)
#define irq_work_sync(irq) ((void)(irq))
#define schedule_work(work) ((void)(work))
#define cancel_work_sync(work) ((void)(work))

static long allocated;

static inline void *kzalloc(size_t size, int flags)
{
	__atomic_add_fetch(&allocated, 1, __ATOMIC_RELAXED);
	return calloc(1, size);
}

static inline void kfree(void *object)
{
	if (object)
		__atomic_sub_fetch(&allocated, 1, __ATOMIC_RELAXED);
	free(object);
}

static inline long strscpy(char *to, const char *from, size_t size)
{
	size_t length = strnlen(from, size);

	memcpy(to, from, length);
	to[length < size ? length : size - 1] = '\0';
	return length < size ? (long)length : -7;
}

static inline u32 jhash(const void *key, u32 length, u32 hash)
{
	for (const u8 *at = key; length--; at++)
		hash = (hash ^ *at) * 0x01000193;
	return hash;
}

struct kmem_cache {
	const char *name;
	u32 object_size, size, align, flags;
	struct list_head list;
} __attribute__((aligned(64)));

static inline u32 kmem_cache_size(struct kmem_cache *cache)
{
	return cache->object_size;
}

static inline unsigned long wrapper_kallsyms_lookup_name(const char *name)
{
	return 0;
}

#endif /* LTTNG_MM_TESTS_PROBES_KERNEL_H */
