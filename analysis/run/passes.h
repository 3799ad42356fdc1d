/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads a trace as often as an analysis or a set of rules needs it. */
#ifndef LTTNG_MM_RUN_PASSES_H
#define LTTNG_MM_RUN_PASSES_H

#include "analysis/subsystem/analysis.h"

/* What one pass requests, and who gets it. */
struct mm_pass {
	unsigned int number; /* from 0 on */
	void (*request)(void *state, unsigned int pass, struct mm_requests *requests);
	void *state;
	struct mm_handler handler;
	/* the first field of each request is the first of its events' payloads */
	bool first_fields;
};

/*
 * Runs @pass over @source, which has not run yet. Returns 0, or -1 with @err set, also where
 * @source is NULL: then @err is set already.
 */
int mm_pass_run(const struct mm_pass *pass, struct mm_source *source, struct mm_error *err);

/*
 * Checks that @source, which has run, declares events of @analysis. Returns 0, or -1 with @err set.
 */
int mm_analysis_require(const struct mm_analysis *analysis, const struct mm_source *source,
			struct mm_error *err);

/* A live session is read once, and so is what a graph of babeltrace2's delivers to a sink. */
bool mm_source_can_read_again(const struct mm_source *source);

/*
 * Is @analysis possible on a trace that can be read once only? Returns 0, or -1 with @err set;
 * @what names the trace. mm_passes_note() then says in the report what it lacks.
 */
int mm_passes_check_single(const struct mm_analysis *analysis, const char *what,
			   struct mm_error *err);
/* Do the options require a second reading? As above. */
int mm_passes_check_again(const struct mm_analysis *analysis, const char *what,
			  const struct mm_report_options *options, struct mm_error *err);
void mm_passes_note(const struct mm_analysis *analysis, struct mm_report *report);

/*
 * Runs the passes of @analysis after the first, which @source has run, over the same trace and time
 * range. *@sources: those that ran, which must outlive @state: mm_passes_release() destroys them.
 * Returns 0, or -1 with @err set.
 */
struct mm_passes {
	struct mm_source **sources;
	unsigned int count;
};

int mm_passes_run(const struct mm_analysis *analysis, void *state, const struct mm_source *source,
		  struct mm_passes *passes, struct mm_error *err);
void mm_passes_release(struct mm_passes *passes);

#endif /* LTTNG_MM_RUN_PASSES_H */
