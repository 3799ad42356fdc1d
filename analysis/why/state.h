/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The state of the analysis. The first pass finds the slowest intervals; the second one collects
 * what happened in them, of which only these need memory.
 */
#ifndef LTTNG_MM_WHY_STATE_H
#define LTTNG_MM_WHY_STATE_H

#include "analysis/fn/track/pairing.h"
#include "analysis/subsystem/analysis.h"
#include "analysis/why/files.h"
#include "analysis/why/lines.h"
#include "analysis/why/options.h"
#include "analysis/why/pairs.h"
#include "analysis/why/parts.h"
#include "analysis/why/slowest.h"
#include "reader/sysinfo/call-sites.h"
#include "reader/sysinfo/threads.h"

#define WHY_NONE UINT32_MAX

/* How many intervals of a kind there are, of a function each where they are calls. */
struct why_interval_count {
	struct mm_row key; /* kind + 1, function */
	uint64_t intervals;
};

/* A selected interval and what happened in it. */
struct why_timeline {
	struct why_interval interval;
	uint32_t number; /* among the sorted candidates */
	bool begun, done;
	uint32_t next; /* of the running ones of its thread; WHY_NONE: it is the last one */
	uint32_t key;  /* of its thread, now */
	uint32_t cpu;  /* of its last event */
	uint32_t first_cpu;
	uint64_t first; /* number of the event that starts it */
	struct why_parts parts;
	struct why_lines lines;
	const char *from; /* name of the event that starts it; NULL: a call */
	char *call, *end; /* its start and end as text: arguments, result; NULL: none */
	uint32_t call_site;
	bool has_call_site;
	uint64_t allocations, bytes;
	/* Off the CPU, since when, and when the line of it starts. */
	bool is_off, was_off, was_woken;
	int64_t off_ns, off_start_ns;
	uint64_t off_first, off_start, off_sleeping_ns;
	uint64_t off_state;
	int64_t last_ns; /* of the last event of its thread */
	/* In an interrupt. */
	uint32_t irq_depth;
	bool irq_is_soft;
	int64_t irq_ns;
	uint64_t irq_first;
	char *irq;
	/* In an operation, within another interval: the text of its start; NULL: it is in none. */
	char *operation;
	unsigned int operation_number;
	int64_t operation_ns;
	uint64_t operation_first;
	bool may_lack;	     /* events may be missing in it */
	bool lacks_switches; /* ... switches of threads: a stream starts later or is missing */
};

struct why_state {
	unsigned int pass;
	struct why_events events;
	struct fn_pairing pairing;
	struct why_pairs pairs;
	struct why_slowest slowest;
	struct mm_rows counts; /* of struct why_interval_count */
	struct mm_threads threads, earlier_threads;
	struct mm_call_sites call_sites;
	const struct mm_sysinfo *sysinfo;
	/* In the first pass: whose intervals are looked at; NULL: all threads'. */
	const struct mm_selection *selection;
	struct mm_selected_last selected;
	bool knows_recorder; /* ... and its intervals are left out: so many ends */
	uint64_t recorder_ends;
	bool has_calls;		/* selected */
	struct why_files files; /* that operations are on: --file */
	const char *pair_given;
	uint32_t listed_max;
	uint32_t lines_max;
	uint64_t serial; /* of the last event that may start or end an interval */
	uint64_t total, uncertain, outcomes[WHY_OUTCOMES];
	bool failed; /* out of memory where that could not be returned */
	/* The second pass. */
	uint64_t now; /* number of the event */
	const struct mm_event *event;
	struct why_timeline *timelines;
	uint32_t timeline_count;
	uint32_t *by_serial, *by_time; /* timelines by their start: with an event, without */
	uint32_t by_serial_count, by_time_count, next_serial, next_time;
	struct mm_rows
		running; /* of struct why_thread_timelines: the first running timeline of a thread */
	struct mm_source *again;
	bool has_states; /* of threads that are switched out */
	bool has_switches;
	int64_t first_switch_ns;	 /* if @has_switches */
	struct fn_text_remarks oddities; /* of values in texts */
	struct why_text text;
};

/* Time lines of a thread that run. */
struct why_thread_timelines {
	struct mm_row key; /* of the thread, 1 */
	uint32_t first;	   /* plus 1; 0: none */
};

/* All return 0, or -1: out of memory. */
extern const struct fn_pairing_ops why_find_ops, why_collect_ops;

/* An event of the first pass. */
int why_find(struct why_state *state, const struct mm_event *event);
/* After the first pass: selects the slowest intervals, and starts their timelines. */
int why_find_finish(struct why_state *state);

/* An event of the second pass. */
int why_collect(struct why_state *state, const struct mm_event *event);
void why_collect_lost(struct why_state *state, const struct mm_loss *loss, int64_t since_ns);
/* After the second pass. */
void why_collect_finish(struct why_state *state);
void why_timeline_release(struct why_timeline *timeline);

/* An event that names threads; in the second pass their names are known. As above. */
int why_track_thread(struct why_state *state, const struct mm_event *event);

/* Fills the report. Returns 0, or -1: out of memory. */
int why_report_fill(const struct why_state *state, const struct why_option_values *options,
		    struct mm_report *report);

#endif /* LTTNG_MM_WHY_STATE_H */
