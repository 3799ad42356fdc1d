/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A queue of touches. The counts of a touched page are usually not in the CPU's caches. When a
 * touch is added, the queue prefetches these counts. It processes the touch after some further
 * touches, when the counts are probably in the caches. Any other event first empties the queue, so
 * the order of events is kept.
 */
#ifndef LTTNG_MM_PAGEREF_PAGEREF_QUEUE_H
#define LTTNG_MM_PAGEREF_PAGEREF_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

struct mm_event;
struct pageref_state;

#define PAGEREF_QUEUE 32u
#define PAGEREF_RECENT_THREADS 64u

struct pageref_queued {
	int64_t time_ns;
	uint64_t page;
	uint32_t mm, tid;
	uint32_t table; /* row of the page table; set when the queue is emptied */
	uint8_t kind;
	bool huge, write, user;
};

/* A thread that recently touched pages of an address space. */
struct pageref_recent_thread {
	uint32_t tid, mm;
	uint32_t thread; /* number of the thread in pageref_state.threads */
	uint32_t use;	 /* row of struct pageref_thread_use; 0: none */
};

/* A queue whose bytes are all zero is empty. */
struct pageref_queue {
	struct pageref_queued all[PAGEREF_QUEUE];
	unsigned int count;
	struct pageref_recent_thread threads[PAGEREF_RECENT_THREADS];
	bool has_threads;
};

/* The place of a touch: a page of an address space. */
struct pageref_place {
	uint32_t mm;
	uint64_t address;
	bool is_huge;
};

/* Handles a pageref_touch event. Returns 0, or -1 when out of memory. */
int pageref_queue_touch(struct pageref_state *state, const struct mm_event *event);
/* Handles the wide variant of the next pageref_touch event on the same CPU. */
void pageref_queue_touch_wide(struct pageref_state *state, const struct mm_event *event);
/* Processes the queued touches. Returns 0, or -1 when out of memory. */
int pageref_queue_flush(struct pageref_state *state);
/*
 * Forgets which threads touched pages recently, because a thread id may now belong to another
 * thread.
 */
void pageref_queue_forget_threads(struct pageref_queue *queue);

/* Finds the place of a pageref_touch event. Returns false if the place is not known. */
bool pageref_queue_look_up_place(const struct pageref_state *state, const struct mm_event *event,
				 struct pageref_place *place);
/*
 * Like pageref_queue_look_up_place(). Also counts the touch as incomplete if its place is not
 * known.
 */
bool pageref_queue_find_place(struct pageref_state *state, const struct mm_event *event,
			      struct pageref_place *place);

#endif /* LTTNG_MM_PAGEREF_PAGEREF_QUEUE_H */
