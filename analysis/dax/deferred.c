// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Stores the first events of a part of a trace until the part before it can process them (see
 * dax-merge.c).
 */
#include "analysis/dax/deferred.h"

#include <string.h>

/*
 * Maximum number of deferred events per thread. If a fault never ends, reading the trace as a whole
 * costs less than deferring more events.
 */
#define DEFERRED_MAX 64u

/* Notes the range of a 4 KiB fault when its exit is deferred (see dax-merge.c). */
static int defer_range(struct dax_state *state, struct dax_deferred_event *deferred,
		       const struct dax_fault_key *key, int32_t pid)
{
	uint64_t range = key->address / DAX_PMD_SIZE, bit = 1ull << range % 64;
	uint32_t number = dax_state_ranges(state, pid, range / 64);

	if (number == MM_HASH_NONE)
		return -1;
	deferred->ends_pte = true;
	deferred->pid = pid;
	deferred->was_known = state->ranges[number].known & bit;
	state->ranges[number].known |= bit;
	return 0;
}

int dax_state_defer(struct dax_state *state, struct dax_thread *thread,
		    const struct mm_event *event, const struct dax_fault_key *ends, int32_t pid)
{
	unsigned int count = event->type->field_count;
	struct dax_deferred_event *deferred;

	if (state->cannot_join || ++thread->deferred > DEFERRED_MAX ||
	    count > DAX_DEFERRED_FIELDS_MAX) {
		state->cannot_join = true;
		return 0;
	}
	deferred = mm_array_grow(state->deferred, state->deferred_count, &state->deferred_room,
				 sizeof(*deferred));
	if (!deferred)
		return -1;
	state->deferred = deferred;
	deferred += state->deferred_count++;
	memset(deferred, 0, sizeof(*deferred));
	deferred->time_ns = event->time_ns;
	deferred->clock_ns = event->clock_ns;
	deferred->cpu = event->cpu;
	deferred->type = event->type;
	deferred->incomplete = state->incomplete;
	deferred->number = mm_threads_number(&state->threads, thread->tid);
	if (deferred->number == MM_HASH_NONE)
		return -1;
	memcpy(deferred->fields, event->fields, count * sizeof(deferred->fields[0]));
	for (unsigned int i = 0; i < count; i++)
		if (event->type->kinds[i] == MM_KIND_STRING)
			memcpy(deferred->string, event->fields[i].s,
			       strnlen(event->fields[i].s, sizeof(deferred->string) - 1));
	return ends && ends->kind == DAX_KIND_PTE ? defer_range(state, deferred, ends, pid) : 0;
}
