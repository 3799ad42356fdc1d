/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads a trace as often as an analysis or a set of rules needs it. */
#ifndef LTTNG_MM_RUN_PASSES_H
#define LTTNG_MM_RUN_PASSES_H

#include "analysis/subsystem/analysis.h"

/* One pass over a trace: its requests and its consumer. */
struct mm_pass {
	unsigned int number; /* from 0 on */
	void (*request)(void *state, unsigned int pass, struct mm_requests *requests);
	void *state;
	struct mm_handler handler;
	/* ignore events that do not start with the first requested field */
	bool first_fields;
};

/*
 * Runs @pass over @source, which must not have run. Returns 0, or -1 with @err set. If @source is
 * NULL, the caller has already set @err.
 */
int mm_pass_run(const struct mm_pass *pass, struct mm_source *source, struct mm_error *err);

/* Checks that @source declares events of @analysis. Returns 0, or -1 with @err set. */
int mm_analysis_require(const struct mm_analysis *analysis, const struct mm_source *source,
			struct mm_error *err);

/* Can the trace be read again? A live session and the input of a babeltrace2 sink cannot. */
bool mm_source_can_read_again(const struct mm_source *source);

/*
 * Checks that one pass is enough for @analysis. @what names the trace in messages. Returns 0, or -1
 * with @err set. mm_passes_note() then states what the report lacks.
 */
int mm_passes_check_single(const struct mm_analysis *analysis, const char *what,
			   struct mm_error *err);
/* Checks that no option needs a second reading. Returns 0, or -1 with @err set. */
int mm_passes_check_again(const struct mm_analysis *analysis, const char *what,
			  const struct mm_report_options *options, struct mm_error *err);
void mm_passes_note(const struct mm_analysis *analysis, struct mm_report *report);

/*
 * Runs the second and later passes of @analysis over the same trace and time range. @source has run
 * the first pass. @passes receives the sources, which must outlive @state. mm_passes_release()
 * destroys them. Returns 0, or -1 with @err set.
 */
struct mm_passes {
	struct mm_source **sources;
	unsigned int count;
};

int mm_passes_run(const struct mm_analysis *analysis, void *state, const struct mm_source *source,
		  struct mm_passes *passes, struct mm_error *err);
void mm_passes_release(struct mm_passes *passes);

#endif /* LTTNG_MM_RUN_PASSES_H */
