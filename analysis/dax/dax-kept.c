// SPDX-License-Identifier: LGPL-2.1-only
/* Keeps events of a part of a trace that an earlier part may have to handle: see dax-merge.c. */
#include "analysis/dax/dax-kept.h"

#include <string.h>

/* Limit for one thread: if its faults never all end, reading in one piece is better. */
#define KEPT_MAX 64u

/* Ranges are noted in the order of events, kept or not: see dax-merge.c. */
static int keep_range(struct dax_state *state, struct dax_kept_event *kept,
		      const struct dax_fault_key *key, int32_t pid)
{
	uint64_t range = key->address / DAX_PMD_SIZE, bit = 1ull << range % 64;
	uint32_t number = dax_state_ranges(state, pid, range / 64);

	if (number == MM_HASH_NONE)
		return -1;
	kept->ends_pte = true;
	kept->pid = pid;
	kept->was_known = state->ranges[number].known & bit;
	state->ranges[number].known |= bit;
	return 0;
}

int dax_state_keep(struct dax_state *state, struct dax_thread *thread, const struct mm_event *event,
		   const struct dax_fault_key *ends, int32_t pid)
{
	unsigned int count = event->type->field_count;
	struct dax_kept_event *kept;

	if (state->cannot_join || ++thread->kept > KEPT_MAX || count > DAX_KEPT_FIELDS_MAX) {
		state->cannot_join = true;
		return 0;
	}
	kept = mm_array_grow(state->kept, state->kept_count, &state->kept_room, sizeof(*kept));
	if (!kept)
		return -1;
	state->kept = kept;
	kept += state->kept_count++;
	memset(kept, 0, sizeof(*kept));
	kept->time_ns = event->time_ns;
	kept->clock_ns = event->clock_ns;
	kept->cpu = event->cpu;
	kept->type = event->type;
	kept->incomplete = state->incomplete;
	kept->number = mm_threads_number(&state->threads, thread->tid);
	if (kept->number == MM_HASH_NONE)
		return -1;
	memcpy(kept->fields, event->fields, count * sizeof(kept->fields[0]));
	for (unsigned int i = 0; i < count; i++)
		if (event->type->kinds[i] == MM_KIND_STRING)
			memcpy(kept->string, event->fields[i].s,
			       strnlen(event->fields[i].s, sizeof(kept->string) - 1));
	return ends && ends->kind == DAX_KIND_PTE ? keep_range(state, kept, ends, pid) : 0;
}
