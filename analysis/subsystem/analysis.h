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
 * A listing replaces the report. It is written while the trace is read, one line per event. Calls:
 * create -> ahead ... -> bind, event, lost ... -> finish -> destroy. Functions with the same name
 * as in struct mm_analysis work in the same way.
 */
struct mm_listing {
	const char *name; /* for messages; NULL: "listing" */
	/* @sysinfo may be NULL. Returns NULL when out of memory. */
	void *(*create)(const struct mm_report_options *options, const struct mm_sysinfo *sysinfo,
			FILE *out);
	void (*destroy)(void *state);
	/*
	 * Optional: see mm_analysis.select(). left_out() returns the number of
	 * omitted calls of the recorder's processes.
	 */
	void (*select)(void *state, const struct mm_selection *selection);
	uint64_t (*left_out)(const void *state);
	/*
	 * Optional: requests events that the listing needs in advance. Before event() is called,
	 * ahead() receives these events, from the start of the trace to the end of the time range.
	 * Not called in a live session.
	 */
	void (*request_ahead)(void *state, unsigned int pass, struct mm_requests *requests);
	int (*ahead)(void *state, const struct mm_event *event, struct mm_error *err);
	bool only_earlier; /* ahead() receives only events before the time range */
	void (*request)(void *state, unsigned int pass, struct mm_requests *requests);
	int (*bind)(void *state, struct mm_event_type *type, struct mm_error *err);
	int (*event)(void *state, const struct mm_event *event, struct mm_error *err);
	void (*lost)(void *state, const struct mm_loss *loss, int64_t begin_ns);
	int (*finish)(void *state, struct mm_error *err);
};

/*
 * An analysis. Calls: create -> event/lost ... -> finish -> again -> fill -> destroy.
 *
 * Required are @name, @schema, request(), create(), destroy(), event(), is_empty() and fill(). All
 * other members may be 0. Functions that return an int return 0, or -1 with @err set. fill()
 * returns -1 if it sets report->failed.
 *
 * A trace may be split in time into parts, each with its own state. For every part except the
 * first, continues() is called before the first event. After the last event, merge() adds the state
 * of the next part to the first state. merge() returns 0 on success, -1 when out of memory, or 1 if
 * the result would differ from a single pass. After 1, the trace is read again as a whole. After 1
 * or -1, only destroy() may be called for both states. The sources and event types of both parts
 * still exist during merge(). An analysis without these two functions always reads a trace as a
 * whole.
 */
struct mm_analysis {
	const char *name;
	const struct mm_report_schema *schema;
	/*
	 * Number of times to read the trace; 0: once. Only the first pass calls lost() and may run
	 * in parts. If @single_pass is NULL, an input that can be read only once, such as a live
	 * session, is refused. Otherwise, @single_pass states what the report then lacks: "the
	 * stacks of leaks are left out".
	 */
	unsigned int passes;
	const char *single_pass;
	/*
	 * Optional: receives the options right after create(), if they are known. @state can then
	 * ignore events that the options do not need. Strings stay valid.
	 */
	void (*configure)(void *state, const struct mm_report_options *options);
	/*
	 * Optional: receives the threads that the report counts, before the first event. Not called
	 * if all threads count. After the last event, select(NULL) is called, because @selection is
	 * then destroyed.
	 */
	void (*select)(void *state, const struct mm_selection *selection);
	/*
	 * Adds the requests of pass @pass, counted from 0. They may depend on earlier passes.
	 * Called once for each part.
	 */
	void (*request)(void *state, unsigned int pass, struct mm_requests *requests);
	/* Optional: mm_handler.bind() for the requested events, with @state as the user. */
	int (*bind)(void *state, struct mm_event_type *type, struct mm_error *err);
	const struct mm_options *options; /* NULL: only the options that all reports share */
	/* Optional: command lines for the end of the help. Each is "  $ COMMAND" and a newline. */
	const char *examples;
	/*
	 * Optional: returns the listing that @options request, or NULL. Here and below, @options is
	 * the first member of the analysis's own struct (MM_OPTIONS_OF()).
	 */
	const struct mm_listing *(*listing)(const struct mm_report_options *options);
	/* Optional: refuses options that exclude each other. Returns 0, or -1 with @err set. */
	int (*check_options)(const struct mm_report_options *options, struct mm_error *err);
	/*
	 * Optional: requests events with a lasting effect, such as forks. After the events of the
	 * time range, before() receives the requested events that precede the range.
	 */
	void (*request_history)(void *state, unsigned int pass, struct mm_requests *requests);
	int (*before)(void *state, const struct mm_event *event, struct mm_error *err);
	/* Optional: called after before(), with the requested events that follow the time range. */
	int (*after)(void *state, const struct mm_event *event, struct mm_error *err);
	/* Returns true if @state has received no event of the analysis. */
	bool (*is_empty)(const void *state);
	/* Prefix of events that the trace must declare. NULL: finish() checks the events. */
	const char *required;
	void *(*create)(void);
	void (*destroy)(void *state);
	int (*event)(void *state, const struct mm_event *event, struct mm_error *err);
	/*
	 * Optional: mm_handler.lost(), for an analysis whose conclusions depend on losses. The
	 * coverage section of the report lists losses even if this function is NULL.
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
	 * Optional: called after finish(). Some analyses know only at the end of the trace which
	 * events to exclude. Sets *@next to NULL if @state can be reported. Otherwise sets *@next
	 * to a new state, which reads the whole trace again and replaces @state; again() is not
	 * called for the new state. If the trace can be read only once, @state is reported, and
	 * fill() states which figures are not exact.
	 */
	int (*again)(const void *state, const struct mm_report_options *options, void **next,
		     struct mm_error *err);
	/*
	 * Required with again(). Returns an option that needs a second reading, such as "--pid", or
	 * NULL if none is given.
	 */
	const char *(*needs_again)(const struct mm_report_options *options);
	int (*fill)(void *state, const struct mm_report_options *options, struct mm_report *report);
	/*
	 * Optional: adds differences to @report that are meaningful only if both traces are of one
	 * boot. Called after the general comparison (reader/report/compare.h). @compare_schema
	 * extends the schema of that comparison. Sets report->failed when out of memory.
	 */
	const struct mm_report_schema *compare_schema;
	void (*compare)(const struct mm_report *older, const struct mm_report *newer,
			struct mm_report *report);
};

#endif /* LTTNG_MM_SUBSYSTEM_ANALYSIS_H */
