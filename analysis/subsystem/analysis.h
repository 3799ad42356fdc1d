/* SPDX-License-Identifier: LGPL-2.1-only */
/* The interface of an analysis. */
#ifndef LTTNG_MM_SUBSYSTEM_ANALYSIS_H
#define LTTNG_MM_SUBSYSTEM_ANALYSIS_H

#include <stdio.h>

#include "analysis/subsystem/options.h"
#include "reader/events/source.h"
#include "reader/report/report.h"
#include "reader/sysinfo/selection.h"

/*
 * A listing: in place of a report, a line of text for each event, written as the events come.
 * Calls: create -> ahead ... -> bind, event, lost ... -> finish -> destroy, as in mm_analysis.
 */
struct mm_listing {
	/* @sysinfo may be NULL. Returns NULL when out of memory. */
	void *(*create)(const struct mm_report_options *options, const struct mm_sysinfo *sysinfo,
			FILE *out);
	void (*destroy)(void *state);
	/* Optional: mm_analysis.select(); left_out() returns the number of left-out calls. */
	void (*select)(void *state, const struct mm_selection *selection);
	uint64_t (*left_out)(const void *state);
	/*
	 * Optional: events that the listing needs in advance, including events before the time
	 * range. ahead() receives all of them before event() is called, except in a live session.
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
 * An analysis. Calls: create -> event/lost ... -> finish -> again -> fill -> destroy.
 *
 * Required are @name, @schema, request(), create(), destroy(), event(), is_empty() and fill(); all
 * other members may be 0. Functions that return an int return 0, or -1 with @err set. fill()
 * returns -1 if it sets report->failed.
 *
 * A trace may be split in time into parts, each with its own state. continues() is called for every
 * part but the first, before its first event. After the last event, merge() adds the state of the
 * next part to the first state. It returns 0, 1 if the result would differ from a single pass,
 * so that the trace must be read again in one piece, or -1 when out of memory. After 1 or -1, only
 * destroy() may be called for both. The sources and event types of both parts still exist. An
 * analysis without these two functions always reads a trace in one piece.
 */
struct mm_analysis {
	const char *name;		       /* name of the report and of its profile */
	const struct mm_report_schema *schema; /* metrics and tables of its report */
	/*
	 * Number of times that the trace is read; 0: once. Only the first pass calls lost() and may
	 * run in parts. A trace that can be read only once, such as a live session, is refused
	 * unless @single_pass states what the report lacks: "the stacks of leaks are left out".
	 */
	unsigned int passes;
	const char *single_pass;
	/*
	 * Optional: receives the options right after create(), if known, so that @state stores only
	 * events that the options need. Strings stay valid.
	 */
	void (*configure)(void *state, const struct mm_report_options *options);
	/*
	 * Optional: receives the selected threads before the first event, unless all are selected.
	 * The options and the list of the recorder's processes select threads. After the last
	 * event, select() is called with NULL, as @selection is then destroyed.
	 */
	void (*select)(void *state, const struct mm_selection *selection);
	/*
	 * Adds the requests of pass @pass, counted from 0. These may depend on what @state has
	 * learned in earlier passes. Called once for each part.
	 */
	void (*request)(void *state, unsigned int pass, struct mm_requests *requests);
	/* Optional: mm_handler.bind() for the requested events, with @state as the user. */
	int (*bind)(void *state, struct mm_event_type *type, struct mm_error *err);
	const struct mm_options *options; /* NULL: only the options of all reports */
	/* Optional: command lines for the end of the help, each as "  $ COMMAND" and a newline. */
	const char *examples;
	/*
	 * Optional: returns the listing that @options request in place of a report, or NULL. Here
	 * and below, @options is the start of the analysis's own struct (MM_OPTIONS_OF()).
	 */
	const struct mm_listing *(*listing)(const struct mm_report_options *options);
	/* Optional: refuses options that exclude each other. Returns 0, or -1 with @err set. */
	int (*check_options)(const struct mm_report_options *options, struct mm_error *err);
	/*
	 * Optional: requests events whose effect lasts, such as forks. Such events before the time
	 * range are passed to before() after all other events.
	 */
	void (*request_history)(void *state, unsigned int pass, struct mm_requests *requests);
	int (*before)(void *state, const struct mm_event *event, struct mm_error *err);
	/* Optional, called after before(): receives such events after the end of the time range. */
	int (*after)(void *state, const struct mm_event *event, struct mm_error *err);
	/* Has @state received no event of the analysis? */
	bool (*is_empty)(const void *state);
	/* Prefix of the events that the trace must declare; NULL: finish() checks the events. */
	const char *required;
	void *(*create)(void);
	void (*destroy)(void *state);
	int (*event)(void *state, const struct mm_event *event, struct mm_error *err);
	/*
	 * Optional: mm_handler.lost(), for an analysis whose conclusions depend on losses. The
	 * coverage of the report does not need this.
	 */
	void (*lost)(void *state, const struct mm_loss *loss, int64_t begin_ns);
	/* Optional: mm_handler.lost() in later passes, which may read more streams. */
	void (*lost_again)(void *state, const struct mm_loss *loss, int64_t begin_ns);
	void (*continues)(void *state);
	int (*merge)(void *state, void *later);
	/* Optional: called after the last event, with the results of @source. */
	int (*finish)(void *state, const struct mm_source *source, const struct mm_sysinfo *sysinfo,
		      struct mm_error *err);
	/*
	 * Optional: called after finish(), if only the end of the trace tells which events to
	 * exclude. If @state can be reported, *@next is NULL. Otherwise *@next is a new state,
	 * which reads the whole trace in one piece and replaces @state; again() is not called for
	 * the new state. For a trace that can be read only once, @state is reported, and fill()
	 * states which figures are not exact.
	 */
	int (*again)(const void *state, const struct mm_report_options *options, void **next,
		     struct mm_error *err);
	/* With again(): returns an option that needs a second reading, as "--pid", or NULL. */
	const char *(*needs_again)(const struct mm_report_options *options);
	int (*fill)(void *state, const struct mm_report_options *options, struct mm_report *report);
	/*
	 * Optional: adds to @report the differences that only traces of one boot have, after the
	 * general comparison (reader/report/compare.h). The schema extends the general
	 * comparison's schema. Sets report->failed when out of memory.
	 */
	const struct mm_report_schema *compare_schema;
	void (*compare)(const struct mm_report *older, const struct mm_report *newer,
			struct mm_report *report);
};

#endif /* LTTNG_MM_SUBSYSTEM_ANALYSIS_H */
