/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Joins two events of a thread: the last start before an end. Operations of subsystems are such
 * pairs, and what --pair names.
 */
#ifndef LTTNG_MM_WHY_PAIRS_H
#define LTTNG_MM_WHY_PAIRS_H

#include "analysis/why/interval.h"
#include "reader/coverage/loss-times.h"
#include "util/rows.h"

/* What became of starts and ends that are no interval, of calls too. */
enum why_outcome {
	WHY_NOT_ENDED,	   /* at the end of the trace */
	WHY_WITHOUT_START, /* its start is not in the trace */
	WHY_WITHOUT_END,   /* ... its end, although the thread did other things later */
	WHY_STARTED_AGAIN, /* another start follows before an end */
	WHY_THREAD_ENDED,
	WHY_LOST,      /* events may be missing in between */
	WHY_TOO_DEEP,  /* more calls within each other than are kept */
	WHY_NO_THREAD, /* which thread it was is not known */
	WHY_OUTCOMES,
};

extern const char *const why_outcome_names[WHY_OUTCOMES];

struct why_pairs {
	unsigned int kinds;  /* of intervals: those from WHY_PAIR on are pairs */
	struct mm_rows open; /* by thread and kind */
	uint64_t counts[WHY_OUTCOMES];
	uint64_t uncertain; /* complete ones during which all events of a stream are missing */
};

/* A start or an end: @a and @b are what both must have in common. */
struct why_endpoint {
	enum why_kind kind;
	uint32_t key; /* of the thread */
	int64_t time_ns;
	uint64_t serial, a, b;
};

/* Returns 0, or -1: out of memory. */
int why_pairs_init(struct why_pairs *pairs, unsigned int kinds);
void why_pairs_release(struct why_pairs *pairs);

/* Returns as above. */
int why_pairs_start(struct why_pairs *pairs, const struct why_endpoint *endpoint);
/*
 * Sets the kind, the times and the numbers of @interval, and *@found: there is one. Nothing is
 * joined across a loss of @losses. Returns as above.
 */
int why_pairs_end(struct why_pairs *pairs, const struct why_endpoint *endpoint,
		  struct mm_loss_times *losses, struct why_interval *interval, bool *found);

/* Thread @key is another one from here on. Returns as above. */
int why_pairs_forked(struct why_pairs *pairs, uint32_t key);
/* What thread @from has started, thread @key ends. Returns as above. */
int why_pairs_renamed(struct why_pairs *pairs, uint32_t from, uint32_t key);

/* After the last event: counts what has not ended. */
void why_pairs_finish(struct why_pairs *pairs);

#endif /* LTTNG_MM_WHY_PAIRS_H */
