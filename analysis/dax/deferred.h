/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Deferred events. The effect of the first events of a part of a trace may depend on the part
 * before it, so they are stored until that part can process them (see dax-merge.c).
 */
#ifndef LTTNG_MM_DAX_DEFERRED_H
#define LTTNG_MM_DAX_DEFERRED_H

#include "analysis/dax/dax-state.h"

#define DAX_DEFERRED_FIELDS_MAX 16

struct dax_deferred_event {
	int64_t time_ns;
	uint64_t clock_ns;
	uint32_t cpu;
	const struct mm_event_type *type; /* owned by the source, which outlives merging */
	/*
	 * @ends_pte: the event ends a 4 KiB fault of process @pid. @was_known: the later part
	 * already knew the range of this fault.
	 */
	bool ends_pte, was_known;
	bool noted; /* set if the replay finds the fault that the event ends */
	int32_t pid;
	uint32_t number; /* number of the event's thread in struct mm_threads */
	bool incomplete; /* copy of state->incomplete */
	union mm_scalar fields[DAX_DEFERRED_FIELDS_MAX];
	char string[DAX_COMM_BYTES]; /* start of the process's name */
};

/*
 * Defers a copy of an event of a thread whose state is unknown. @ends is the 4 KiB fault that the
 * event ends, and @pid its process; @ends is NULL for other events. Returns 0, or -1 when out of
 * memory.
 */
int dax_state_defer(struct dax_state *state, struct dax_thread *thread,
		    const struct mm_event *event, const struct dax_fault_key *ends, int32_t pid);

/*
 * Call this when the replayed event ends a 4 KiB fault of process @pid. Returns true if the later
 * part knew the range before this fault, and has therefore counted the first fault in the range.
 */
static inline bool dax_replay_was_known(struct dax_state *state, int32_t pid)
{
	struct dax_deferred_event *deferred = state->replayed;

	/*
	 * The entry and the exit name different processes, so the later part noted a wrong range.
	 */
	if (deferred->pid != pid)
		state->cannot_join = true;
	deferred->noted = true;
	return deferred->was_known;
}

/* Returns the number of the thread whose event is replayed. */
static inline uint32_t dax_replay_number(const struct dax_state *state)
{
	return state->replayed->number;
}

#endif /* LTTNG_MM_DAX_DEFERRED_H */
