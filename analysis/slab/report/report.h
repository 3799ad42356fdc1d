/* SPDX-License-Identifier: LGPL-2.1-only */
/* What the files that fill the slab report share. */
#ifndef LTTNG_MM_SLAB_REPORT_REPORT_H
#define LTTNG_MM_SLAB_REPORT_REPORT_H

#include "analysis/slab/report/schema.h"
#include "analysis/slab/state.h"

/* Does the text form show what is listed by @by? */
bool slab_report_shows(const struct mm_report_options *options, const char *by);
struct mm_table *slab_report_table(struct mm_report *report,
				   const struct mm_report_options *options, const char *by,
				   const struct mm_table_def *def);

/* Sums over call sites; sizes of caches are in them. */
struct slab_sum {
	uint64_t allocs, bytes_req, bytes_alloc;
	uint64_t outcomes[SLAB_OUTCOMES];
	uint64_t live, live_req, live_alloc, peak, peak_alloc;
	uint64_t unsized, live_unsized; /* of these, the size is not known: they add no bytes */
	uint64_t other_cpu, other_thread, kfreed, partly_freed;
	uint64_t lifetimes[SLAB_LIFETIME_BINS];
};

/* Adds the call site to @sum. */
void slab_sum_site(const struct slab_state *state, const struct slab_site *site,
		   struct slab_sum *sum);
void slab_add_sum(struct slab_sum *sum, const struct slab_sum *more);
uint64_t slab_sum_median_lifetime(const struct slab_sum *sum);
/* Of the bytes whose objects' sizes are known. */
double slab_sum_waste_percent(const struct slab_sum *sum);

/* Of @count objects, @unsized of which have a size that is not known: nothing, or a lower bound. */
void slab_set_bytes(struct mm_cell *cell, uint64_t bytes, uint64_t unsized, uint64_t count);
void slab_set_sum(struct mm_cell *cells, const struct slab_sum *sum);

/* slab-conclude.c: @sum is of all but pages, with what is inconsistent of pages; of all. */
void slab_report_conclude(const struct slab_state *state, const struct slab_sum *sum,
			  struct mm_report *report);
void slab_report_outcomes(const struct slab_state *state, const struct slab_sum *sum,
			  struct mm_report *report);
/* The call site of that number as lists have it: without the recorder's part, but for peaks. */
void slab_listed_site(const struct slab_state *state, const struct mm_report_options *options,
		      uint32_t number, struct slab_site *site);
/* The line on what is the recorder's own, of @all allocations. */
void slab_report_recorder(struct slab_state *state, const struct mm_report_options *options,
			  uint64_t all, struct mm_report *report);

/* slab-leaks.c, slab-anomalies.c, slab-who.c, slab-nodes.c, slab-pages.c: their tables. */
void slab_report_leaks(struct slab_state *state, const struct mm_report_options *options,
		       struct mm_report *report);
void slab_report_anomalies(struct slab_state *state, const struct mm_report_options *options,
			   struct mm_report *report);
/* slab-paths.c: the table of the paths that no tracepoint of the kernel shows. */
void slab_report_paths(struct slab_state *state, const struct mm_report_options *options,
		       struct mm_report *report);
/* Says so if it is not known which of them were traced. */
void slab_conclude_paths(const struct slab_state *state, struct mm_report *report);
/* Says so if the snapshot has no symbols because the kernel hid their addresses. */
void slab_conclude_symbols(const struct slab_state *state, struct mm_report *report);
void slab_report_who(struct slab_state *state, const struct mm_report_options *options,
		     struct mm_report *report);
void slab_report_nodes(struct slab_state *state, const struct mm_report_options *options,
		       struct mm_report *report);
void slab_report_pages(struct slab_state *state, const struct mm_report_options *options,
		       struct mm_report *report);

#endif /* LTTNG_MM_SLAB_REPORT_REPORT_H */
