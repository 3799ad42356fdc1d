/* SPDX-License-Identifier: LGPL-2.1-only */
/* Stacks of open calls and their arguments, by thread. */
#ifndef LTTNG_MM_FN_TRACK_STACKS_H
#define LTTNG_MM_FN_TRACK_STACKS_H

#include "analysis/fn/decode/values.h"
#include "reader/coverage/loss-times.h"

/* Maximum depth of a stack. Stacks in the kernel are less deep. */
#define FN_DEPTH_MAX 512u
/*
 * Maximum number of threads, which limits the memory for a hostile trace. Further threads are not
 * tracked.
 */
#define FN_THREADS_MAX (1u << 20)
/* Maximum number of ended calls that are kept until the single record of their caller is read. */
#define FN_ENDED_MAX 1024u

struct fn_frame {
	const struct fn_class *class;
	int64_t time_ns;
	uint64_t unread;
	uint64_t callees_ns; /* time in recorded callees */
	/* time in nested complete calls of the same function */
	uint64_t recursive_ns;
	uint32_t values; /* offset of the arguments in thread->memory */
	uint32_t cpu;
	uint64_t tag; /* for use by the callbacks */
};

/*
 * A call that has ended. It is kept because its caller may have a single record, which is written
 * later.
 */
struct fn_ended_call {
	int64_t end_ns;
	uint64_t duration_ns;
};

struct fn_thread {
	uint32_t key; /* see fn_thread_key() */
	uint32_t depth;
	uint32_t above; /* number of open calls beyond FN_DEPTH_MAX, which have no frame */
	uint32_t ended_count;
	struct fn_frame *frames;
	struct fn_ended_call *ended;
	size_t frame_room, ended_room;
	char *memory; /* arguments of the frames, outermost first */
	size_t used, room;
	/* loss times of the idle thread's CPU; NULL: no loss, or not an idle thread */
	struct mm_loss_times *times;
	int64_t forked_ns; /* INT64_MIN: no fork was seen */
	/* the last failed call: number of its failure (0: none) and its times (see failures.h) */
	uint32_t failure;
	int64_t failed_start_ns, failed_end_ns;
	int64_t exited_ns;     /* INT64_MIN: no exit was seen */
	uint32_t exited_depth; /* number of open calls when the thread exited */
	/* an exec moved the calls to another thread id, so this thread is no longer used */
	bool moved;
};

#define FN_IDLE 0x80000000u
#define FN_RECENT 256u

struct fn_stacks {
	struct fn_thread **all;
	uint32_t count;
	size_t room;
	struct mm_hash by_key;
	bool too_many;
	struct fn_thread *recent[FN_RECENT]; /* cache, indexed by low bits of the key */
};

void fn_stacks_init(struct fn_stacks *stacks);
void fn_stacks_release(struct fn_stacks *stacks);

static inline uint32_t fn_thread_key(uint32_t tid, uint32_t cpu)
{
	return tid ? tid & ~FN_IDLE : FN_IDLE | (cpu & ~FN_IDLE);
}

/* Returns the thread of @key, or NULL if it was never added. */
struct fn_thread *fn_stacks_find(const struct fn_stacks *stacks, uint32_t key);
/* Finds or adds a thread. Returns NULL when out of memory, or if there are too many threads. */
struct fn_thread *fn_stacks_make(struct fn_stacks *stacks, uint32_t key);

/*
 * Finds or adds the thread @tid, which runs on @cpu. Returns the same values as fn_stacks_make().
 */
static inline struct fn_thread *fn_stacks_get(struct fn_stacks *stacks, uint32_t tid, uint32_t cpu)
{
	uint32_t key = fn_thread_key(tid, cpu);
	struct fn_thread *thread = stacks->recent[key % FN_RECENT];

	if (thread && thread->key == key)
		return thread;
	thread = fn_stacks_make(stacks, key);
	if (thread)
		stacks->recent[key % FN_RECENT] = thread;
	return thread;
}

/*
 * Moves the calls of thread @from to @key, because an exec changed the thread's id. If several
 * profiles record execs, each exec is recorded several times. Further calls for the same exec do
 * nothing. Returns 0, or -1 when out of memory.
 */
int fn_stacks_rename(struct fn_stacks *stacks, uint32_t from, uint32_t key);

/* Makes room for a frame and @bytes of arguments. Returns 0, or -1 when out of memory. */
int fn_thread_grow(struct fn_thread *thread, size_t bytes);

/*
 * Pushes the call that @event starts. The depth must be below FN_DEPTH_MAX. Returns 0, or -1 when
 * out of memory.
 */
static inline int fn_thread_push(struct fn_thread *thread, const struct fn_class *class,
				 const struct mm_event *event)
{
	size_t bytes = fn_values_room(class);
	struct fn_values *values;

	if ((thread->used + bytes > thread->room || thread->depth == thread->frame_room) &&
	    fn_thread_grow(thread, bytes))
		return -1;
	values = (struct fn_values *)(thread->memory + thread->used);
	fn_values_keep(class, event, values);
	thread->frames[thread->depth++] = (struct fn_frame){ .class = class,
							     .time_ns = event->time_ns,
							     .unread = fn_event_unread(event),
							     .values = (uint32_t)thread->used,
							     .cpu = event->cpu };
	thread->used += values->bytes;
	return 0;
}

static inline const struct fn_values *fn_frame_values(const struct fn_thread *thread,
						      const struct fn_frame *frame)
{
	return (const struct fn_values *)(thread->memory + frame->values);
}

/* Pops the innermost call. Its arguments stay valid until the next push. */
static inline void fn_thread_pop(struct fn_thread *thread)
{
	thread->used = thread->frames[--thread->depth].values;
}

/*
 * Keeps an ended call until the single record of its caller is read. Returns 0, or -1 when out of
 * memory.
 */
int fn_thread_add_ended(struct fn_thread *thread, int64_t end_ns, uint64_t duration_ns);
/*
 * Call this at the end of a call that started at @start_ns. Removes the stored calls that ended
 * after @start_ns: they are its callees. Returns their total duration.
 */
uint64_t fn_thread_sum_callees(struct fn_thread *thread, int64_t start_ns);

#endif /* LTTNG_MM_FN_TRACK_STACKS_H */
