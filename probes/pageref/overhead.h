/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * Chooses the sample of pages so that recording does not exceed a part of the processor time of the
 * recorded processes. A unit test includes this file, too, so it includes no header of the kernel.
 *
 * Samples are the whole, a half, a quarter, ... of the pages. Each interval has a cost: touches and
 * passes. The touches about halve with the sample. Passes may, or may not: flushing the TLB of
 * other processors, for example, takes as long for any sample.
 *
 *   the cost exceeds the limit                          -> halve until it would not have
 *   ... for the passes, but these cost as much as before -> undo that: the passes are fixed
 *   the cost is at most 3/8 of the limit, `wait` times  -> double
 *
 * While the passes are fixed, a smaller sample would not help. The touches then get what the passes
 * leave of the limit, and half of it at least. A larger sample that makes these passes cost more is
 * undone.
 *
 * A steady load cannot oscillate: what is halved because it exceeds the limit costs more than half
 * of it afterwards. A load that alternates would halve and double again and again, so each halving
 * doubles `wait`, up to WAIT_MAX.
 */
#ifndef LTTNG_MM_PROBES_PAGEREF_OVERHEAD_H
#define LTTNG_MM_PROBES_PAGEREF_OVERHEAD_H

#include "instrumentation/wire/pageref-sample.h"

/* The smallest sample is 1/1024 of the pages. */
#define PAGEREF_HALVINGS_MAX 10
#define PAGEREF_WAIT_MIN 4
#define PAGEREF_WAIT_MAX 64
/* A process that runs for less than a tenth of the time is taken to run for a tenth. */
#define PAGEREF_IDLE_PART 10
/* Before the first interval, it may cost this many times the limit if all pages are touched. */
#define PAGEREF_FIRST_FACTOR 4

struct pageref_overhead {
	unsigned int limit;    /* in 1/10,000; 0: none */
	unsigned int halvings; /* the sample is 1 / 2^halvings of the pages */
	unsigned int wait;     /* intervals with a low cost before the sample is doubled */
	unsigned int low;      /* consecutive intervals with a low cost so far */
	unsigned int last;     /* cost of the last interval, in 1/10,000 of the processor time */
	/* Halvings of the last step that were for the passes; -1: it has doubled while @fixed. */
	int tried;
	int fixed;	    /* a smaller sample does not make the passes cheaper */
	unsigned int least; /* halvings, while @fixed: a larger sample makes passes cost more */
	unsigned long long passes; /* what they cost before the last step that has @tried */
};

/* What an interval has cost, in ns. */
struct pageref_cost {
	unsigned long long touches; /* part of @consumed */
	unsigned long long passes;
	unsigned long long consumed; /* processor time of the recorded processes */
	unsigned long long elapsed;
};

static inline void pageref_overhead_init(struct pageref_overhead *overhead, unsigned int limit)
{
	*overhead = (struct pageref_overhead){ .limit = limit, .wait = PAGEREF_WAIT_MIN };
}

/* Returns the threshold of the sample. */
static inline unsigned int pageref_overhead_sample(const struct pageref_overhead *overhead)
{
	return LTTNG_MM_PAGEREF_SAMPLE_ALL >> overhead->halvings;
}

/* Chooses the first sample: @pages are resident, and a touch costs @touch_ns. */
static inline void pageref_overhead_start(struct pageref_overhead *overhead,
					  unsigned long long pages, unsigned long long touch_ns,
					  unsigned long long interval_ns)
{
	const unsigned long long budget =
		interval_ns / 10000 * overhead->limit * PAGEREF_FIRST_FACTOR;

	while (overhead->limit && overhead->halvings < PAGEREF_HALVINGS_MAX &&
	       (pages >> overhead->halvings) * touch_ns > budget)
		overhead->halvings++;
}

/*
 * Finds out whether the cost of the passes follows the sample, and undoes a step that was useless.
 * Returns how many halvings were undone.
 */
static inline unsigned int pageref_overhead_undo(struct pageref_overhead *overhead,
						 unsigned long long passes,
						 unsigned long long budget)
{
	const int tried = overhead->tried;

	overhead->tried = 0;
	if (tried < 0 && passes > overhead->passes / 4 * 5)
		overhead->least = ++overhead->halvings;
	else if (tried <= 0 && (passes <= budget / 4 || passes > 2 * overhead->passes))
		overhead->fixed = 0;
	/* Have the halvings saved less than half of what was expected? */
	if (tried <= 0 || passes <= (overhead->passes + (overhead->passes >> tried)) / 2)
		return 0;
	if (!overhead->fixed)
		overhead->least = 0;
	overhead->fixed = 1;
	overhead->passes = passes;
	overhead->halvings -= (unsigned int)tried;
	return (unsigned int)tried;
}

/* Halves the sample until the cost does not exceed the budget. */
static inline void pageref_overhead_halve(struct pageref_overhead *overhead,
					  unsigned long long touches, unsigned long long passes,
					  unsigned long long budget)
{
	unsigned int for_touches = 0, halvings = 0;

	while (touches >> for_touches > budget)
		for_touches++;
	while ((touches + passes) >> halvings > budget &&
	       overhead->halvings < PAGEREF_HALVINGS_MAX) {
		overhead->halvings++;
		halvings++;
	}
	overhead->tried = halvings > for_touches ? (int)(halvings - for_touches) : 0;
	if (overhead->tried)
		overhead->passes = passes;
}

/* Chooses the sample of the next interval by the cost of the last one. */
static inline void pageref_overhead_step(struct pageref_overhead *overhead,
					 const struct pageref_cost *cost)
{
	unsigned long long own =
		cost->consumed > cost->touches ? cost->consumed - cost->touches : 0;
	unsigned long long touches = cost->touches, passes = cost->passes, budget;

	/* Nothing ran, so nothing is known. */
	if (!overhead->limit || !cost->consumed)
		return;
	if (own < cost->elapsed / PAGEREF_IDLE_PART)
		own = cost->elapsed / PAGEREF_IDLE_PART;
	if (!own)
		return;
	budget = own * overhead->limit / 10000;
	overhead->last = (unsigned int)((touches + passes) * 10000 / own);
	touches <<= pageref_overhead_undo(overhead, passes, budget);
	if (overhead->fixed) {
		budget -= passes < budget / 2 ? passes : budget / 2;
		passes = 0;
	}
	if (touches + passes > budget) {
		if (overhead->halvings < PAGEREF_HALVINGS_MAX && overhead->wait < PAGEREF_WAIT_MAX)
			overhead->wait *= 2;
		overhead->low = 0;
		pageref_overhead_halve(overhead, touches, passes, budget);
	} else if (overhead->halvings > (overhead->fixed ? overhead->least : 0) &&
		   touches + passes <= budget / 8 * 3) {
		if (++overhead->low < overhead->wait)
			return;
		overhead->low = 0;
		overhead->halvings--;
		if (overhead->fixed) {
			overhead->tried = -1;
			overhead->passes = cost->passes;
		}
	} else {
		overhead->low = 0;
	}
}

#endif /* LTTNG_MM_PROBES_PAGEREF_OVERHEAD_H */
