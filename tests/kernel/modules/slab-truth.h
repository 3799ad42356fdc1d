/* SPDX-License-Identifier: GPL-2.0-only */
/* The operations of slab-truth.ko: allocations and frees that count themselves. */
#ifndef LTTNG_MM_TESTS_SLAB_TRUTH_H
#define LTTNG_MM_TESTS_SLAB_TRUTH_H

#include <linux/atomic.h>
#include <linux/gfp.h>

struct seq_file;

/* The allocating functions. slab-truth-operations.c has their table. */
enum site_number {
	S_8,
	S_24,
	S_64,
	S_96,
	S_100,
	S_192,
	S_200,
	S_1000,
	S_4096,
	S_8000,
	S_20000,
	S_KVFREE,
	S_THROUGH_CACHE,
	S_CACHE,
	S_CACHE_NODE,
	S_SMALL,
	S_ALIAS,
	S_CACHE_KFREE,
	S_RCU, /* the last site for slots; interrupts use only earlier ones */
	S_AND_FREE,
	S_KMALLOC_BULK,
	S_CACHE_BULK,
	S_BULK,
	S_TWICE,
	S_LEAK_THREAD,
	S_LEAK_SOFTIRQ,
	S_LEAK_HARDIRQ,
	S_LEAK_AT_TIMES,
	S_LEAK_END,
	S_SAY_OTHER_CACHE,
	S_SAY_KMALLOC_BY_CACHE,
	S_SAY_OVERSIZED,
	S_SAY_HANDED_OUT,
	SITES,
};

extern atomic64_t truth_operations; /* number of operations so far */

int truth_begin(void);
/* Frees everything, including the leaked objects. */
void truth_end(void);

/* Returns NULL on failure, and counts the failure. The caller must not move to another CPU. */
void *truth_take(enum site_number site, gfp_t gfp);
void truth_give(void *object);
/* Leaks @object: only truth_end() frees it. Ignores NULL. */
void truth_leak(void *object);

/*
 * Call these in threads only. If one call interrupted another, the probe would miss hooked paths.
 * @round: number of previous calls.
 */
void truth_act_in_bulk(unsigned int round);
void truth_act_at_times(unsigned int round);
void truth_act_in_pieces(void);
void truth_say_what_is_wrong(void);

/*
 * Defined in slab-truth-pages.c. Call these in threads only. Call truth_act_on_pages_last() after
 * all other contexts have finished.
 */
int truth_begin_pages(void);
void truth_end_pages(void);
void truth_act_on_pages(unsigned int round);
void truth_act_on_pages_last(void);
void truth_show_pages(struct seq_file *file);

int truth_show(struct seq_file *file, void *unused);

#endif /* LTTNG_MM_TESTS_SLAB_TRUTH_H */
