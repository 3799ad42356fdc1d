/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The state of the analysis. The first pass finds the slowest intervals. The second pass collects
 * only the events in these intervals, which limits the memory.
 */
#ifndef LTTNG_MM_WHY_STATE_H
#define LTTNG_MM_WHY_STATE_H

#include "analysis/fn/track/pairing.h"
#include "analysis/subsystem/analysis.h"
#include "analysis/why/files.h"
#include "analysis/why/lines.h"
#include "analysis/why/options.h"
#include "analysis/why/event-pairs.h"
#include "analysis/why/parts.h"
#include "analysis/why/slowest.h"
#include "reader/sysinfo/call-sites.h"
#include "reader/sysinfo/threads.h"

#define WHY_NONE UINT32_MAX

/* Number of intervals of one kind. Calls are counted by function. */
struct why_interval_count {
	struct mm_row key; /* (kind + 1, function) */
	uint64_t intervals;
};

/* A selected interval and the events in it. */
struct why_timeline {
	struct why_interval interval;
	uint32_t number; /* index among the sorted candidates */
	bool begun, done;
	uint32_t next; /* the thread's next running timeline, or WHY_NONE */
	uint32_t key;  /* current key of the thread */
	uint32_t cpu;  /* CPU of the thread's last event */
	uint32_t first_cpu;
	uint64_t first; /* number of the first event */
	struct why_parts parts;
	struct why_lines lines;
	const char *from; /* name of the first event; NULL: a call */
	char *call, *end; /* start and end as text; NULL: none */
	uint32_t call_site;
	bool has_call_site;
	uint64_t allocations, bytes, touches;
	/*
	 * Time off the CPU. The current state of the thread started at @off_ns. The whole time off
	 * the CPU started at @off_start_ns.
	 */
	bool is_off, was_off, was_woken;
	int64_t off_ns, off_start_ns;
	uint64_t off_first, off_start, off_sleeping_ns;
	uint64_t off_state;
	int64_t last_ns; /* time of the thread's last event */
	/* Number of nested interrupts. 0: the thread is not in an interrupt. */
	uint32_t irq_depth;
	bool irq_is_soft;
	int64_t irq_ns;
	uint64_t irq_first;
	char *irq;
	/*
	 * Text of the start event of the open operation inside the interval. NULL: no operation is
	 * open.
	 */
	char *operation;
	unsigned int operation_number;
	int64_t operation_ns;
	uint64_t operation_first;
	bool may_lack;	     /* events of the interval may be missing */
	bool lacks_switches; /* switches at the start of the interval may be missing */
};

struct why_state {
	unsigned int pass;
	struct why_events events;
	struct fn_pairing pairing;
	struct why_pairs pairs;
	struct why_slowest slowest;
	struct mm_rows counts; /* struct why_interval_count per kind and function */
	struct mm_threads threads, earlier_threads;
	struct mm_call_sites call_sites;
	const struct mm_sysinfo *sysinfo;
	/* First pass: the selected threads. NULL: all. */
	const struct mm_selection *selection;
	struct mm_selected_last selected;
	bool knows_recorder; /* the recorder's processes are known and left out */
	uint64_t recorder_ends;
	bool has_calls;
	struct why_files files;
	const char *pair_given;
	uint32_t listed_max;
	uint32_t lines_max;
	uint64_t serial; /* number of the last event that can start or end an interval */
	uint64_t total, uncertain, outcomes[WHY_OUTCOMES];
	bool failed; /* a function that cannot return an error ran out of memory */
	/* The following members are used in the second pass. */
	uint64_t now; /* number of the current event */
	const struct mm_event *event;
	struct why_timeline *timelines;
	uint32_t timeline_count;
	uint32_t *by_serial, *by_time; /* indexes in @timelines, sorted */
	uint32_t by_serial_count, by_time_count, next_serial, next_time;
	struct mm_rows running; /* struct why_thread_timelines per thread */
	struct mm_source *again;
	/* smallest share of the pages whose touches were recorded; 1: all pages */
	double sample;
	bool has_states; /* sched_switch has prev_state */
	bool has_switches;
	int64_t first_switch_ns; /* time of the first switch, if @has_switches */
	/* special notations in the texts, such as `?`; a note of the report explains them */
	struct fn_text_remarks oddities;
	struct why_text text;
};

struct why_thread_timelines {
	struct mm_row key; /* (thread, 1) */
	uint32_t first;	   /* the first timeline's number plus 1; 0: none */
};

/* Functions that return an int return 0, or -1 when out of memory. */
extern const struct fn_pairing_ops why_find_ops, why_collect_ops;

/* Handles an event of the first pass. */
int why_find(struct why_state *state, const struct mm_event *event);
/* Ends the first pass. Selects the slowest intervals and creates their timelines. */
int why_find_finish(struct why_state *state);

/* Handles an event of the second pass. */
int why_collect(struct why_state *state, const struct mm_event *event);
void why_collect_lost(struct why_state *state, const struct mm_loss *loss, int64_t since_ns);
/* Ends the second pass. */
void why_collect_finish(struct why_state *state);
void why_timeline_release(struct why_timeline *timeline);

/*
 * Handles a fork, exec, exit or state dump of a thread. In the first pass, also reads the thread's
 * name.
 */
int why_track_thread(struct why_state *state, const struct mm_event *event);

/* Fills the report. */
int why_report_fill(const struct why_state *state, const struct why_option_values *options,
		    struct mm_report *report);

#endif /* LTTNG_MM_WHY_STATE_H */
