/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Touches that wait for their pages. A touch usually finds the counts of its page in no cache of
 * the CPU. The queue starts to fetch them, and counts the touch only after some others. All other
 * events are handled after the touches that precede them.
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
	uint32_t table; /* row of the page table, when the queue is flushed */
	uint8_t kind;
	bool huge, write, user;
};

/* A thread that touched pages of an address space. */
struct pageref_recent_thread {
	uint32_t tid, mm;
	uint32_t thread; /* number of the thread */
	uint32_t use;	 /* row of struct pageref_thread_use; 0: none */
};

/* Initialize with zeros. */
struct pageref_queue {
	struct pageref_queued all[PAGEREF_QUEUE];
	unsigned int count;
	struct pageref_recent_thread threads[PAGEREF_RECENT_THREADS];
	bool has_threads;
};

/* The place of a touch. */
struct pageref_place {
	uint32_t mm;
	uint64_t address;
	bool is_huge;
};

/* Handles an event pageref_touch. Returns 0, or -1 when out of memory. */
int pageref_queue_touch(struct pageref_state *state, const struct mm_event *event);
/* Handles the wide variant of the next event pageref_touch on a CPU. */
void pageref_queue_touch_wide(struct pageref_state *state, const struct mm_event *event);
/* Counts the queued touches. Returns 0, or -1 when out of memory. */
int pageref_queue_flush(struct pageref_state *state);
/* Forgets which threads touched pages, because a thread id may now be of another thread. */
void pageref_queue_forget_threads(struct pageref_queue *queue);

/* Finds the place of an event pageref_touch. Returns false if it is not known. */
bool pageref_queue_look_up_place(const struct pageref_state *state, const struct mm_event *event,
				 struct pageref_place *place);
/* Likewise, and counts the touches whose places are not known. */
bool pageref_queue_find_place(struct pageref_state *state, const struct mm_event *event,
			      struct pageref_place *place);

#endif /* LTTNG_MM_PAGEREF_PAGEREF_QUEUE_H */
