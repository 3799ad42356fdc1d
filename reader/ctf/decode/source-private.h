/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The state of a running source of the fast reader. source.c creates it, source-merge.c delivers
 * its events, and source-report.c reports what its streams lost.
 */
#ifndef LTTNG_MM_CTF_DECODE_SOURCE_PRIVATE_H
#define LTTNG_MM_CTF_DECODE_SOURCE_PRIVATE_H

#include "reader/ctf/decode/lane.h"
#include "reader/ctf/decode/pool.h"
#include "reader/coverage/missing.h"
#include "reader/coverage/pauses.h"
#include "reader/events/source-base.h"

/* A stream in the merge. */
struct ctf_line {
	const struct ctf_stream *stream;
	const struct ctf_plan *plan;
	struct ctf_lane *lanes;
	unsigned int lane_count, lane; /* @lane: the lane that has the next packet */
	struct ctf_chunk *chunk;       /* the chunk whose events are being delivered */
	bool loss_waits;	       /* the loss before the chunk is not reported yet */
	/*
	 * The latest end timestamp of the packets so far. Like babeltrace2, do not deliver an item
	 * of the stream before this time. (A packet's start timestamp may be after its first event,
	 * as in traces of barectf 2. babeltrace2 then starts the packet at that event.)
	 */
	int64_t hold_ns;
	size_t loss;
	int64_t last_ns; /* time of the last delivered event; INT64_MIN: none yet */
	/* the last packet ends in damage; its events up to @damaged_until_ns are missing */
	bool ends_damaged;
	/* INT64_MAX: events are missing up to the next packet */
	int64_t damaged_until_ns;
	const struct mm_missing *missing;
	bool is_over;
};

struct ctf_source {
	struct mm_source base;
	struct ctf_trace **traces;
	size_t trace_count;
	bool shared; /* the traces are owned by another source */
	/* Metadata of each folder, from mm_source_identify() until the traces are opened. */
	struct ctf_trace_class **classes;
	struct ctf_plan **plans;
	size_t plan_count;
	struct ctf_line *lines;
	size_t line_count;
	struct ctf_pool *pool;
	const struct mm_handler *handler;
	struct mm_pauses pauses;	    /* wraps the consumer's handler to report pauses */
	const struct mm_requests *requests; /* valid while the source runs */
};

static inline int ctf_source_no_memory(struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: out of memory");
}

static inline const struct ctf_plan *ctf_source_plan(const struct ctf_source *source,
						     const struct ctf_stream_class *class)
{
	for (size_t i = 0; i < source->plan_count; i++)
		if (source->plans[i]->stream_class == class)
			return source->plans[i];
	return NULL;
}

static inline bool ctf_line_is_state(const struct ctf_source *source, const struct ctf_line *line)
{
	return mm_loss_is_state(&source->base.losses[line->loss]);
}

/*
 * Does the consumer need the stream of @loss? With options.only_state, it needs only state dumps.
 */
static inline bool ctf_source_wants(const struct ctf_source *source, const struct mm_loss *loss)
{
	return !source->base.options.only_state || mm_loss_is_state(loss);
}

#endif /* LTTNG_MM_CTF_DECODE_SOURCE_PRIVATE_H */
