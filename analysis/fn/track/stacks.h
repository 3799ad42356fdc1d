/* SPDX-License-Identifier: LGPL-2.1-only */
/* The calls that run in each thread, with their arguments. */
#ifndef LTTNG_MM_FN_TRACK_STACKS_H
#define LTTNG_MM_FN_TRACK_STACKS_H

#include "analysis/fn/decode/values.h"
#include "reader/coverage/loss-times.h"

/* Calls within each other that are kept; the kernel's stacks do not hold that many. */
#define FN_DEPTH_MAX 512u
/* Threads of a hostile trace may be any number: further ones are not tracked. */
#define FN_THREADS_MAX (1u << 20)
/* Ended calls of single records that are kept until a caller's record covers them. */
#define FN_ENDED_MAX 1024u

struct fn_frame {
	const struct fn_class *class;
	int64_t time_ns;
	uint64_t unread;
	uint64_t callees_ns; /* time in recorded callees */
	/* ... and in complete calls of the same function, those within each other once */
	uint64_t recursive_ns;
	uint32_t values; /* offset of the arguments in thread->memory */
	uint32_t cpu;
	uint64_t tag; /* the user's own */
};

/* A call of a single record, of which no caller's record has been seen. */
struct fn_ended_call {
	int64_t end_ns;
	uint64_t duration_ns;
};

struct fn_thread {
	uint32_t key;	/* thread id; of idle threads FN_IDLE and the CPU */
	uint32_t depth; /* of @frames */
	uint32_t above; /* calls that run above FN_DEPTH_MAX others */
	uint32_t ended_count;
	struct fn_frame *frames;
	struct fn_ended_call *ended;
	size_t frame_room, ended_room;
	char *memory; /* arguments of the frames, in their order */
	size_t used, room;
	struct mm_loss_times *times; /* of an idle thread: losses of its CPU; NULL: none */
	int64_t forked_ns;	     /* INT64_MIN: its fork is not in the trace */
	/* The last complete call that has failed: see account/failures.h; 0: none has. */
	uint32_t failure;
	int64_t failed_start_ns, failed_end_ns;
	int64_t exited_ns;     /* INT64_MIN: it has not exited */
	uint32_t exited_depth; /* the calls in which it has exited, which never return */
	bool moved; /* its calls are those of another id since an exec; no thread has the id */
};

#define FN_IDLE 0x80000000u
#define FN_RECENT 256u

struct fn_stacks {
	struct fn_thread **all;
	uint32_t count;
	size_t room;
	struct mm_hash by_key;
	bool too_many;
	struct fn_thread *recent[FN_RECENT]; /* by the low bits of the key */
};

void fn_stacks_init(struct fn_stacks *stacks);
void fn_stacks_release(struct fn_stacks *stacks);

static inline uint32_t fn_thread_key(uint32_t tid, uint32_t cpu)
{
	return tid ? tid & ~FN_IDLE : FN_IDLE | (cpu & ~FN_IDLE);
}

/* NULL: there is none. */
struct fn_thread *fn_stacks_find(const struct fn_stacks *stacks, uint32_t key);
/* The same, made if there is none. NULL: out of memory, or too_many is set. */
struct fn_thread *fn_stacks_make(struct fn_stacks *stacks, uint32_t key);

/* As fn_stacks_make(), for the thread that runs on @cpu. */
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
 * Gives the calls of @from to thread @key: the kernel changed its id. Until the next fork of @from,
 * nothing is left to give: a recorder of several profiles records each exec several times. Returns
 * 0, or -1: out of memory.
 */
int fn_stacks_rename(struct fn_stacks *stacks, uint32_t from, uint32_t key);

/* Makes room for a frame, and for @bytes of arguments. Returns 0, or -1: out of memory. */
int fn_thread_grow(struct fn_thread *thread, size_t bytes);

/* Pushes the call that @event enters, if depth is below FN_DEPTH_MAX. 0, or -1: out of memory. */
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

/* The innermost call ends; its arguments stay valid until the next push. */
static inline void fn_thread_pop(struct fn_thread *thread)
{
	thread->used = thread->frames[--thread->depth].values;
}

/* Keeps a call of a single record for its caller. Returns 0, or -1: out of memory. */
int fn_thread_add_ended(struct fn_thread *thread, int64_t end_ns, uint64_t duration_ns);
/* Removes those that ended after @start_ns. Returns how long they took together. */
uint64_t fn_thread_sum_callees(struct fn_thread *thread, int64_t start_ns);

#endif /* LTTNG_MM_FN_TRACK_STACKS_H */
