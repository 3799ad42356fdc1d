// SPDX-License-Identifier: LGPL-2.1-only
/* Counts an error once, even if functions pass it on to their callers. */
#include "analysis/fn/account/failures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

int fn_failures_init(struct fn_failures *failures)
{
	mm_hash_init(&failures->index);
	failures->all = calloc(1, sizeof(*failures->all));
	failures->count = failures->room = 1;
	return failures->all ? 0 : -1;
}

void fn_failures_release(struct fn_failures *failures)
{
	free(failures->all);
	mm_hash_release(&failures->index);
}

static bool same_error(const struct fn_error *a, const struct fn_error *b)
{
	return a->is_bits == b->is_bits && a->value == b->value;
}

static bool is_failure(const void *all, uint32_t number, const void *wanted)
{
	const struct fn_failure *one = (const struct fn_failure *)all + number;
	const struct fn_failure *other = wanted;

	return one->inner == other->inner && one->class->function == other->class->function &&
	       same_error(&one->error, &other->error);
}

/*
 * Finds or adds a failure. Beyond FN_FAILURES_MAX failures, *@number is 0. Returns 0, or -1 when
 * out of memory.
 */
static int find(struct fn_failures *failures, const struct fn_failure *wanted, uint32_t *number)
{
	uint32_t key = mm_hash_of(&failures->index, (uint64_t)wanted->error.value,
				  (uint64_t)wanted->inner << 32 | wanted->class->function);
	struct fn_failure *grown;

	*number = mm_hash_find(&failures->index, key, failures->all, wanted, is_failure);
	if (*number != MM_HASH_NONE)
		return 0;
	*number = 0;
	if (failures->count == FN_FAILURES_MAX)
		return 0;
	grown = mm_array_grow(failures->all, failures->count, &failures->room, sizeof(*grown));
	if (!grown)
		return -1;
	failures->all = grown;
	*number = (uint32_t)failures->count++;
	grown[*number] = *wanted;
	return mm_hash_add(&failures->index, key, *number);
}

/*
 * Did @call pass on the last error of its thread? It did if that error equals @error and a call
 * nested in @call returned it.
 */
static bool passes_on(const struct fn_failures *failures, const struct fn_thread *thread,
		      const struct fn_call *call, const struct fn_error *error)
{
	return thread && thread->failure &&
	       same_error(&failures->all[thread->failure].error, error) &&
	       thread->failed_start_ns >= call->start_ns &&
	       thread->failed_end_ns <= call->event->time_ns;
}

int fn_failures_add(struct fn_failures *failures, struct fn_thread *thread,
		    const struct fn_call *call, const struct fn_error *error)
{
	struct fn_failure wanted = { .error = *error, .class = call->exit };
	uint32_t number;

	if (passes_on(failures, thread, call, error)) {
		wanted.inner = thread->failure;
		failures->all[thread->failure].count--;
	}
	if (find(failures, &wanted, &number))
		return -1;
	failures->all[number].count++;
	if (thread) {
		thread->failure = number;
		thread->failed_start_ns = call->start_ns;
		thread->failed_end_ns = call->event->time_ns;
	}
	return 0;
}

uint64_t fn_failures_sum(const struct fn_failures *failures)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < failures->count; i++)
		sum += failures->all[i].count;
	return sum;
}

const struct fn_failure *fn_failures_most(const struct fn_failures *failures)
{
	const struct fn_failure *most = NULL;

	for (size_t i = 1; i < failures->count; i++)
		if (failures->all[i].count && (!most || failures->all[i].count > most->count))
			most = &failures->all[i];
	return most;
}

void fn_failure_functions(const struct fn_failures *failures, const struct fn_failure *failure,
			  char *const *names, char *text, size_t size)
{
	enum { SHOWN = 8 };
	const struct fn_failure *chain[SHOWN];
	uint32_t count = 0;
	size_t length = 0;

	/* If the chain is longer than SHOWN, its innermost functions are not shown. */
	for (; count < SHOWN; failure = &failures->all[failure->inner]) {
		chain[count++] = failure;
		if (!failure->inner)
			break;
	}
	*text = '\0';
	for (uint32_t i = count; i-- && length < size;)
		length += (size_t)snprintf(text + length, size - length, "%s%s()",
					   i + 1 == count ? ""
					   : i		  ? ", "
							  : " and ",
					   names[chain[i]->class->function]);
}
