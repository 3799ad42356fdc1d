/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Decides whether a metric became worse between two sets of runs, base and new.
 *
 * A metric is worse if every new run is worse than the worst base run, and the median is worse by
 * at least 5 %, and by 3 units if it is a count. If all base runs have the same value, any
 * difference suffices, even from 0 to 1. Ten base runs and five new runs are needed: with fewer
 * runs, such differences are too often due to chance. Clock time varies with the machine's load, so
 * it is not judged.
 *
 * A value that is a bound or not known is an interval. There is a verdict only if all values within
 * the intervals lead to the same verdict: from 100 to at least 1000 is worse. If the values lead to
 * different verdicts, but never to "worse", the metric is similar: from 100 to at most 100.
 *
 * If runs have different lengths, the plain values are compared, and also the values per second. If
 * the lengths differ by at most 10 %, both comparisons must agree. If they differ by more, only the
 * values per second count. But if all base runs have the same plain value, nothing shows that the
 * value depends on the length. In this case, only the plain values count if the lengths differ by
 * at most 10 %, and both comparisons must agree if they differ by more.
 */
#ifndef LTTNG_MM_REGRESS_VERDICT_H
#define LTTNG_MM_REGRESS_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "reader/report/schema.h"

/* Minimum number of runs for a verdict. */
#define REGRESS_BASE_MIN 10
#define REGRESS_NEW_MIN 5

/* Lengths that differ by at most this part of the longest are similar. */
#define REGRESS_SIMILAR_LENGTH 0.1

/* Verdicts, in the order in which a comparison lists metrics. */
enum regress_verdict {
	REGRESS_WORSE,
	REGRESS_MAYBE_WORSE, /* all new runs are worse, but there are too few runs */
	REGRESS_CHANGED,     /* like worse, for a metric that has no better direction */
	REGRESS_MAYBE_BETTER,
	REGRESS_BETTER,
	/* not judged, because it is a time, it depends on the length, or base is not exact */
	REGRESS_SHOWN,
	REGRESS_UNDETERMINED, /* a value is not exact, or a side has one run */
	REGRESS_SIMILAR,
	REGRESS_SAME,
	REGRESS_VERDICTS,
};

extern const char *const regress_verdict_words[REGRESS_VERDICTS];

/* The value is between @low and @high. A missing bound is infinite. Integers are exact. */
struct regress_bounds {
	long double low, high;
};

/* A metric in the runs of both sets. The arrays have @counts[side] elements. */
struct regress_samples {
	const struct regress_bounds *values[2]; /* base, new */
	/* Lengths of the runs in seconds, all above 0. NULL: values do not depend on them. */
	const double *lengths[2];
	size_t counts[2];
	enum mm_direction direction;
	bool is_count; /* differences below 3 units are ignored */
};

enum regress_verdict regress_judge(const struct regress_samples *samples);
/* Is the metric better, similar or the same? */
bool regress_is_not_worse(enum regress_verdict verdict);

/* Returns the median; the mean of the two middle values if @count is even. @count > 0. */
double regress_median(const double *values, size_t count);

#endif /* LTTNG_MM_REGRESS_VERDICT_H */
