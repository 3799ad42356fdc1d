/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Pairs the end of an operation, or of a pair of events (--pair), with the last start in the same
 * thread.
 */
#ifndef LTTNG_MM_WHY_EVENT_PAIRS_H
#define LTTNG_MM_WHY_EVENT_PAIRS_H

#include "analysis/why/interval.h"
#include "reader/coverage/loss-times.h"
#include "util/rows.h"

/* Outcomes of starts and ends that are not part of an interval. Also used for calls. */
enum why_outcome {
	WHY_NOT_ENDED,	   /* still open at the end of the trace */
	WHY_WITHOUT_START, /* the start is not in the trace */
	/* the end is not in the trace, but later events of the thread are in it */
	WHY_WITHOUT_END,
	WHY_STARTED_AGAIN, /* a second start came before the end */
	WHY_THREAD_ENDED,
	WHY_LOST, /* a loss may hide events between start and end */
	WHY_TOO_DEEP,
	WHY_NO_THREAD, /* the thread is unknown, or there are too many threads */
	WHY_OUTCOMES,
};

extern const char *const why_outcome_names[WHY_OUTCOMES];

struct why_pairs {
	unsigned int kinds;  /* number of values of enum why_kind that are in use */
	struct mm_rows open; /* struct open_start per thread and kind */
	uint64_t counts[WHY_OUTCOMES];
	uint64_t uncertain; /* intervals that may be paired wrongly, because a stream is missing */
};

/* A start or an end. An end pairs with a start if both @a and @b are equal. */
struct why_endpoint {
	enum why_kind kind;
	uint32_t key; /* key of the thread */
	int64_t time_ns;
	uint64_t serial, a, b;
};

/* Functions that return an int return 0, or -1 when out of memory. */
int why_pairs_init(struct why_pairs *pairs, unsigned int kinds);
void why_pairs_release(struct why_pairs *pairs);

int why_pairs_start(struct why_pairs *pairs, const struct why_endpoint *endpoint);
/*
 * If the end completes an interval, fills @interval and sets *@found. Drops an interval if @losses
 * has a loss between its start and its end.
 */
int why_pairs_end(struct why_pairs *pairs, const struct why_endpoint *endpoint,
		  struct mm_loss_times *losses, struct why_interval *interval, bool *found);

/* Call this after a fork: the new thread may have the key of an exited thread. */
int why_pairs_forked(struct why_pairs *pairs, uint32_t key);
/* Call this after an exec that changes the thread's key from @from to @key. */
int why_pairs_renamed(struct why_pairs *pairs, uint32_t from, uint32_t key);

/* Counts the starts that are still open. Call this after the last event. */
void why_pairs_finish(struct why_pairs *pairs);

#endif /* LTTNG_MM_WHY_EVENT_PAIRS_H */
