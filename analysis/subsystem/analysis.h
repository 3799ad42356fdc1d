/* SPDX-License-Identifier: LGPL-2.1-only */
/* What an analysis is to the rest of the program. */
#ifndef LTTNG_MM_SUBSYSTEM_ANALYSIS_H
#define LTTNG_MM_SUBSYSTEM_ANALYSIS_H

#include <stdio.h>

#include "analysis/subsystem/options.h"
#include "reader/events/source.h"
#include "reader/report/report.h"
#include "reader/sysinfo/selection.h"

/*
 * Text that an analysis writes as the events come, in place of its report: what would have a line
 * for each event cannot be a table. create -> ahead ... -> bind, event, lost ... -> finish
 * -> destroy, as below.
 */
struct mm_listing {
	/* @sysinfo may be NULL. NULL: out of memory. */
	void *(*create)(const struct mm_report_options *options, const struct mm_sysinfo *sysinfo,
			FILE *out);
	void (*destroy)(void *state);
	/*
	 * Optional: as mm_analysis.select(), and how many calls of the recorder's own processes
	 * were left out.
	 */
	void (*select)(void *state, const struct mm_selection *selection);
	uint64_t (*left_out)(const void *state);
	/*
	 * Optional: what must be known of later events, and of those before the time range. All
	 * are handed to ahead() before any event, but not of a live session: it is read once.
	 */
	void (*request_ahead)(void *state, unsigned int pass, struct mm_requests *requests);
	int (*ahead)(void *state, const struct mm_event *event, struct mm_error *err);
	void (*request)(void *state, unsigned int pass, struct mm_requests *requests);
	int (*bind)(void *state, struct mm_event_type *type, struct mm_error *err);
	int (*event)(void *state, const struct mm_event *event, struct mm_error *err);
	void (*lost)(void *state, const struct mm_loss *loss, int64_t begin_ns);
	int (*finish)(void *state, struct mm_error *err);
};

/*
 * create -> event/lost ... -> finish -> again -> fill -> destroy.
 *
 * Required are @name, @schema, request(), create(), destroy(), event(), is_empty() and fill(); all
 * other members may be 0. Functions that return an int return 0, or -1 with @err
 * set; fill() returns -1 where report->failed is set.
 *
 * A trace may be split in time: each part has an instance, and for all parts but the first one
 * continues() is called before the first event. Between event and finish, merge() joins the
 * instance of the following part to the one that saw the trace from its start; that one then stands
 * for both. It returns 0; 1 where the result would not be exactly that of one pass: the trace must
 * then be read again in one piece; or -1: out of memory. After anything but 0, only destroy() may
 * be called for either. The sources of both are still open, and events' types with them. Without
 * the two functions, a trace is always read in one piece.
 */
struct mm_analysis {
	const char *name;		       /* of the report and of the profile to record with */
	const struct mm_report_schema *schema; /* what its report can contain */
	/*
	 * How often the trace is read; 0: once. lost() is called in the first pass, which alone may
	 * be made in parts. What can be read only once, as a live session, has a report only if
	 * there is @single_pass: what is left out of it, as in "the stacks of leaks are left out".
	 */
	unsigned int passes;
	const char *single_pass;
	/*
	 * Optional: what to report, where that determines what is kept of the events. Called after
	 * create(), if the options are known by then; their strings stay valid.
	 */
	void (*configure)(void *state, const struct mm_report_options *options);
	/*
	 * Optional, before the first event: the threads that the figures are about, which the
	 * options and the list of the recorder's processes determine; not called if these are all.
	 * Called with NULL after the last event: @selection is destroyed then.
	 */
	void (*select)(void *state, const struct mm_selection *selection);
	/*
	 * Adds what the analysis requests in pass @pass, from 0 on. It is called before each pass:
	 * what it requests may depend on what @state has learned in those before. With parts, each
	 * instance is asked.
	 */
	void (*request)(void *state, unsigned int pass, struct mm_requests *requests);
	/* Optional: mm_handler.bind() of those events; @state is the user. */
	int (*bind)(void *state, struct mm_event_type *type, struct mm_error *err);
	const struct mm_options *options; /* of its report; NULL: those of all reports */
	/* Optional: command lines at the end of its help, each with two blanks and a newline. */
	const char *examples;
	/*
	 * Optional: the listing that @options request in place of a report; NULL: none. Here and
	 * below, @options is the start of the analysis's own struct (MM_OPTIONS_OF()).
	 */
	const struct mm_listing *(*listing)(const struct mm_report_options *options);
	/* Optional: do they go together? Returns 0, or -1 with @err set. */
	int (*check_options)(const struct mm_report_options *options, struct mm_error *err);
	/*
	 * Events that hold from then on, and of which those before the start of a part of a trace
	 * are handed to before(), after all others; NULL: there are none.
	 */
	void (*request_history)(void *state, unsigned int pass, struct mm_requests *requests);
	int (*before)(void *state, const struct mm_event *event, struct mm_error *err);
	/* Optional: the same events after the end of the time range, handed over after those. */
	int (*after)(void *state, const struct mm_event *event, struct mm_error *err);
	/* Was no event of the analysis received? */
	bool (*is_empty)(const void *state);
	/* The trace must declare an event that begins with this; NULL: finish() checks it. */
	const char *required;
	void *(*create)(void);
	void (*destroy)(void *state);
	int (*event)(void *state, const struct mm_event *event, struct mm_error *err);
	/*
	 * Optional: mm_handler.lost(). The coverage of the report is filled in without it; an
	 * analysis needs it where a loss changes what can be concluded from the events.
	 */
	void (*lost)(void *state, const struct mm_loss *loss, int64_t begin_ns);
	/* Optional: the same in each pass after the first, which may be of more streams. */
	void (*lost_again)(void *state, const struct mm_loss *loss, int64_t begin_ns);
	void (*continues)(void *state);
	int (*merge)(void *state, void *later);
	/* Optional: all events have been received; @source and @sysinfo can be asked. */
	int (*finish)(void *state, const struct mm_source *source, const struct mm_sysinfo *sysinfo,
		      struct mm_error *err);
	/*
	 * Optional, after finish(): what the figures leave out may be known only at the end of the
	 * trace. *@next is NULL if @state can be reported as it is. Otherwise *@next is a new state
	 * that reads the trace from its start, in one piece, and is reported in place of @state;
	 * again() is not called for it. A trace that can be read only once is always reported as it
	 * is: fill() says what is not exact.
	 */
	int (*again)(const void *state, const struct mm_report_options *options, void **next,
		     struct mm_error *err);
	/* With again(): the option that cannot do without it, as "--pid"; NULL: none was given. */
	const char *(*needs_again)(const struct mm_report_options *options);
	int (*fill)(void *state, const struct mm_report_options *options, struct mm_report *report);
	/*
	 * Optional: adds to @report, of that schema, what differs between the reports of two traces
	 * of one boot, after the general comparison (reader/report/compare.h), whose schema is
	 * the base of this one. Being out of memory sets report->failed.
	 */
	const struct mm_report_schema *compare_schema;
	void (*compare)(const struct mm_report *older, const struct mm_report *newer,
			struct mm_report *report);
};

#endif /* LTTNG_MM_SUBSYSTEM_ANALYSIS_H */
