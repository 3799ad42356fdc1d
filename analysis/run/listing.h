/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads a trace for a struct mm_listing, which writes output of its own instead of a report. */
#ifndef LTTNG_MM_RUN_LISTING_H
#define LTTNG_MM_RUN_LISTING_H

#include "analysis/subsystem/analysis.h"

/* Describes what is missing in a listing. */
struct mm_listing_gaps {
	bool damaged;	/* damaged packets were left out */
	bool truncated; /* a file ends early */
	bool lossy;	/* events, packets or streams are missing */
	/* Number of calls of the recorder's processes that were left out. */
	uint64_t left_out;
};

/*
 * Writes the listing of a trace to @out. The caller checks @out for errors. Returns 0, or -1 with
 * @err set.
 */
int mm_listing_run(const struct mm_analysis *analysis, const struct mm_listing *listing,
		   const char *path, const struct mm_source_options *source_options,
		   const struct mm_report_options *options, FILE *out, struct mm_listing_gaps *gaps,
		   struct mm_error *err);

#endif /* LTTNG_MM_RUN_LISTING_H */
