/* SPDX-License-Identifier: LGPL-2.1-only */
/* Runs a listing of an analysis over a trace. */
#ifndef LTTNG_MM_RUN_LISTING_H
#define LTTNG_MM_RUN_LISTING_H

#include "analysis/subsystem/analysis.h"

/* What of the trace could not be read. */
struct mm_listing_gaps {
	bool damaged;	/* packets are, and their events are left out */
	bool truncated; /* a file ends early: no more than what is not there is left out */
	bool lossy;	/* events or packets are missing, or streams are */
	/* Calls of the recorder's own processes that are not listed. */
	uint64_t left_out;
};

/*
 * Writes the listing of the trace at @path to @out. Returns 0, or -1 with @err set; an error of
 * @out is the caller's to find.
 */
int mm_listing_run(const struct mm_analysis *analysis, const struct mm_listing *listing,
		   const char *path, const struct mm_source_options *source_options,
		   const struct mm_report_options *options, FILE *out, struct mm_listing_gaps *gaps,
		   struct mm_error *err);

#endif /* LTTNG_MM_RUN_LISTING_H */
