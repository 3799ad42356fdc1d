// SPDX-License-Identifier: LGPL-2.1-only
/* Stacks of open calls, by thread. */
#include "analysis/fn/track/stacks.h"

#include <stdlib.h>
#include <string.h>

void fn_stacks_init(struct fn_stacks *stacks)
{
	*stacks = (struct fn_stacks){ 0 };
	mm_hash_init(&stacks->by_key);
}

void fn_stacks_release(struct fn_stacks *stacks)
{
	for (uint32_t i = 0; i < stacks->count; i++) {
		free(stacks->all[i]->frames);
		free(stacks->all[i]->ended);
		free(stacks->all[i]->memory);
		if (stacks->all[i]->times)
			mm_loss_times_release(stacks->all[i]->times);
		free(stacks->all[i]->times);
		free(stacks->all[i]);
	}
	free(stacks->all);
	mm_hash_release(&stacks->by_key);
}

static bool has_key(const void *all, uint32_t number, const void *key)
{
	return ((struct fn_thread *const *)all)[number]->key == *(const uint32_t *)key;
}

struct fn_thread *fn_stacks_find(const struct fn_stacks *stacks, uint32_t key)
{
	uint32_t number = mm_hash_find(&stacks->by_key, mm_hash_of(&stacks->by_key, key, 0),
				       stacks->all, &key, has_key);

	return number == MM_HASH_NONE ? NULL : stacks->all[number];
}

struct fn_thread *fn_stacks_make(struct fn_stacks *stacks, uint32_t key)
{
	struct fn_thread *thread = fn_stacks_find(stacks, key), **grown;

	if (thread)
		return thread;
	if (stacks->count == FN_THREADS_MAX) {
		stacks->too_many = true;
		return NULL;
	}
	grown = mm_array_grow(stacks->all, stacks->count, &stacks->room, sizeof(thread));
	if (!grown)
		return NULL;
	stacks->all = grown;
	thread = calloc(1, sizeof(*thread));
	if (!thread ||
	    mm_hash_add(&stacks->by_key, mm_hash_of(&stacks->by_key, key, 0), stacks->count)) {
		free(thread);
		return NULL;
	}
	thread->key = key;
	thread->forked_ns = thread->exited_ns = INT64_MIN;
	stacks->all[stacks->count++] = thread;
	return thread;
}

int fn_stacks_rename(struct fn_stacks *stacks, uint32_t from, uint32_t key)
{
	struct fn_thread *old = fn_stacks_find(stacks, from), *made, swapped;

	if (!old || old->moved)
		return 0;
	made = fn_stacks_make(stacks, key);
	if (!made)
		return stacks->too_many ? 0 : -1;
	swapped = *old;
	*old = *made;
	*made = swapped;
	old->key = from;
	old->moved = true;
	made->key = key;
	return 0;
}

static int make_room(struct fn_thread *thread, size_t bytes)
{
	size_t room = thread->room ? 2 * thread->room : 256;
	char *grown;

	while (room < thread->used + bytes)
		room *= 2;
	grown = realloc(thread->memory, room);
	if (!grown)
		return -1;
	thread->memory = grown;
	thread->room = room;
	return 0;
}

int fn_thread_grow(struct fn_thread *thread, size_t bytes)
{
	struct fn_frame *grown;

	if (thread->used + bytes > thread->room && make_room(thread, bytes))
		return -1;
	grown = mm_array_grow(thread->frames, thread->depth, &thread->frame_room, sizeof(*grown));
	if (!grown)
		return -1;
	thread->frames = grown;
	return 0;
}

int fn_thread_add_ended(struct fn_thread *thread, int64_t end_ns, uint64_t duration_ns)
{
	struct fn_ended_call *grown;

	if (thread->ended_count == FN_ENDED_MAX) {
		/*
		 * Join the two oldest calls. Usually, one caller made both calls, so only the sum
		 * of their durations is needed.
		 */
		thread->ended[1].duration_ns += thread->ended[0].duration_ns;
		memmove(&thread->ended[0], &thread->ended[1],
			(FN_ENDED_MAX - 1) * sizeof(*thread->ended));
		thread->ended_count--;
	}
	grown = mm_array_grow(thread->ended, thread->ended_count, &thread->ended_room,
			      sizeof(*grown));
	if (!grown)
		return -1;
	thread->ended = grown;
	grown[thread->ended_count++] = (struct fn_ended_call){ end_ns, duration_ns };
	return 0;
}

uint64_t fn_thread_sum_callees(struct fn_thread *thread, int64_t start_ns)
{
	uint64_t sum = 0;

	while (thread->ended_count && thread->ended[thread->ended_count - 1].end_ns > start_ns)
		sum += thread->ended[--thread->ended_count].duration_ns;
	return sum;
}
