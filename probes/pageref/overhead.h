/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * Chooses the sample of pages so that the cost of recording does not exceed a limit: a part of the
 * processor time of the recorded processes. A unit test includes this file, too, so it includes no
 * header of the kernel.
 *
 * A sample is all, a half, a quarter, ... of the pages. Each interval has a cost: touches and
 * passes. If the sample is halved, the cost of touches is about halved, too. The cost of passes may
 * stay the same: flushing the TLB of other processors, for example, takes as long for any sample.
 *
 *    the cost exceeds the limit               -> halve the sample until the estimated cost fits
 *    halvings did not make the passes cheaper -> undo these halvings; the passes are "fixed"
 *    the cost is at most 3/8 of the limit     -> after `wait` consecutive times, double the sample
 *
 * While the passes are fixed, a smaller sample makes only touches cheaper. The touches then get the
 * part of the limit that the passes leave, but at least half of the limit. If doubling the sample
 * makes fixed passes more expensive, the doubling is undone.
 *
 * With a steady load, the sample cannot oscillate: after a halving, the cost is still more than
 * half of the limit, and the sample is doubled only at 3/8. With an alternating load, it would be
 * halved and doubled again and again. Therefore each step that halves the sample, even several
 * times, doubles `wait`, up to WAIT_MAX.
 */
#ifndef LTTNG_MM_PROBES_PAGEREF_OVERHEAD_H
#define LTTNG_MM_PROBES_PAGEREF_OVERHEAD_H

#include "instrumentation/wire/pageref-sample.h"

/* The smallest sample is 1/1024 of the pages. */
#define PAGEREF_HALVINGS_MAX 10
#define PAGEREF_WAIT_MIN 4
#define PAGEREF_WAIT_MAX 64
/*
 * If the recorded processes use less than a tenth of the elapsed time, calculate as if they used a
 * tenth. Otherwise, the limit would be nearly 0 for idle processes.
 */
#define PAGEREF_IDLE_PART 10
/* The first sample may cost this many times the limit if all its pages are touched. */
#define PAGEREF_FIRST_FACTOR 4

struct pageref_overhead {
	unsigned int limit;    /* in 1/10,000 of the processor time; 0: none */
	unsigned int halvings; /* the sample is 1 / 2^halvings of the pages */
	unsigned int wait;     /* intervals with a low cost before the sample is doubled */
	unsigned int low;      /* consecutive intervals with a low cost so far */
	unsigned int last;     /* cost of the last interval, in 1/10,000 of the processor time */
	/*
	 * Number of halvings by which the last step tried to make passes cheaper; -1: the last step
	 * doubled the sample while @fixed.
	 */
	int tried;
	int fixed;	    /* a smaller sample does not make the passes cheaper */
	unsigned int least; /* minimum of @halvings while @fixed: with fewer, passes cost more */
	unsigned long long passes; /* cost of passes in ns, before the last step that set @tried */
};

/* The cost of an interval, and the times with which it is compared, in ns. */
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
 * Checks whether the last step has changed the cost of passes as expected. If not, undoes the step.
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
	/* Keep halvings that have saved at least half of what was expected. */
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

	/* If no process ran, the cost cannot be compared with anything. */
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
