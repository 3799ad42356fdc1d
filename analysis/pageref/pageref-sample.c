// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Scales counts from a sample of the pages to all pages.
 *
 * The use of a page does not influence whether the page is in the sample. A count of sampled pages
 * is therefore nearly Poisson-distributed. Its variance is smaller by the factor 1 - share, because
 * the number of pages is finite. The result is the score interval for the mean of the distribution.
 * The score interval is valid for small numbers, too. Source: Agresti and Coull, "Approximate is
 * better than exact for interval estimation of binomial proportions", 1998.
 *
 * Pages that can only be in the sample together count as one page. These are the 512 pages of a
 * huge page, and pages with the same number in several address spaces.
 */
#include <math.h>

#include "analysis/pageref/pageref-report.h"
#include "instrumentation/wire/pageref-sample.h"

/* Quantile of the normal distribution: 90 % are within this number of standard deviations. */
#define NORMAL_90 1.645

double pageref_share(const struct pageref_state *state)
{
	return (double)state->lowest_sample / LTTNG_MM_PAGEREF_SAMPLE_ALL;
}

uint64_t pageref_scaled(const struct pageref_state *state, uint64_t count)
{
	const double share = pageref_share(state);

	return share < 1 ? (uint64_t)llround((double)count / share) : count;
}

double pageref_cluster(const struct pageref_counts *counts, uint64_t spaces)
{
	const double pages = (double)counts->pages, huge = fmin(pages, (double)counts->huge);
	const double weight =
		counts->pages ? (pages - huge + huge * PAGEREF_TABLE_PAGES) / pages : 1;

	return weight * (spaces ? (double)spaces : 1);
}

struct pageref_range pageref_range(const struct pageref_state *state, uint64_t least, uint64_t most,
				   double cluster)
{
	const double share = pageref_share(state), z = NORMAL_90 * sqrt(1 - share);
	const double low = (double)least / cluster, high = (double)most / cluster, add = z * z / 2;

	if (share >= 1)
		return (struct pageref_range){ least, most };
	return (struct pageref_range){
		.least = (uint64_t)llround((low + add - z * sqrt(low + add / 2)) * cluster / share),
		.most = (uint64_t)llround((high + add + z * sqrt(high + add / 2)) * cluster /
					  share),
	};
}

void pageref_scale_counts(const struct pageref_state *state, uint64_t spaces,
			  struct pageref_counts *counts)
{
	const double cluster = pageref_cluster(counts, spaces);
	const struct pageref_range pages =
		pageref_range(state, counts->pages, counts->pages + counts->maybe, cluster);

	counts->touches = pageref_scaled(state, counts->touches);
	counts->written = pageref_range(state, counts->written, counts->written, cluster).least;
	counts->huge = pageref_scaled(state, counts->huge);
	counts->pages = pages.least;
	counts->maybe = pages.most - pages.least;
}

void pageref_scale_resident(const struct pageref_state *state, double cluster,
			    struct pageref_resident *resident)
{
	resident->pages = pageref_scaled(state, resident->pages);
	for (int age = 0; age < PAGEREF_AGES; age++) {
		const struct pageref_range cold = pageref_range(state, resident->least_cold[age],
								resident->most_cold[age], cluster);

		resident->least_cold[age] = cold.least;
		resident->most_cold[age] = cold.most;
	}
}
