/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Joins the entry and the exit of each call. Calls of a thread are within each other, also those of
 * interrupts, so an exit belongs to the innermost running call of its function. What is in between
 * has lost its exit; nothing is paired across a time in which events may be missing.
 */
#ifndef LTTNG_MM_FN_TRACK_PAIRING_H
#define LTTNG_MM_FN_TRACK_PAIRING_H

#include "analysis/fn/track/call.h"
#include "analysis/fn/track/outer.h"
#include "analysis/fn/track/stacks.h"

/* What the tracker reports. */
struct fn_pairing_ops {
	/* A complete call. Returns 0, or -1: out of memory. */
	int (*call)(void *user, const struct fn_call *call);
	/* Optional: a call began, which is the innermost one of @thread; as above. */
	int (*entry)(void *user, struct fn_thread *thread, const struct mm_event *event);
	/*
	 * Optional: one that is not complete. @frame has its entry (NULL: there is none), @event is
	 * its exit, of @class (NULL: there is none). Returns as above.
	 */
	int (*incomplete)(void *user, enum fn_outcome outcome, const struct fn_thread *thread,
			  const struct fn_frame *frame, const struct fn_class *class,
			  const struct mm_event *event);
};

struct fn_counts {
	uint64_t outcomes[FN_OUTCOMES];
	uint64_t unused; /* single records of a function that has entries and exits, too */
	/* Entries whose exits are missing since the last entry of the function. */
	uint64_t pending;
	/* Complete calls that were paired while all events of a stream are missing. */
	uint64_t uncertain;
	bool entered; /* an entry was there */
};

struct fn_pairing {
	struct fn_stacks stacks;
	struct mm_rows outer;	  /* of single records, by function */
	struct fn_counts *counts; /* by function */
	size_t function_room;
	struct mm_loss_times times; /* losses of all CPUs */
	int64_t last_ns;	    /* the last event */
	/* Before it not all streams had started: what is missing proves nothing. */
	int64_t started_ns;
	bool started;  /* fn_pairing_start() was called */
	bool windowed; /* ... of a source of which a time range is read */
	/* The trace may have single records: all ended calls are kept, see fn_thread_sum_callees(). */
	bool has_singles;
	uint64_t losses;
	bool has_missing;  /* a stream is missing */
	bool has_ended;	   /* ... or ends early */
	bool unknown_cpus; /* a loss is of a CPU that the trace does not state */
	const struct fn_pairing_ops *ops;
	void *user;
};

/* Returns 0, or -1: out of memory. */
int fn_pairing_init(struct fn_pairing *pairing, const struct fn_pairing_ops *ops, void *user);
void fn_pairing_release(struct fn_pairing *pairing);

/* All return 0, or -1: out of memory. Makes room for the counts of @function. */
int fn_pairing_add(struct fn_pairing *pairing, uint32_t function);
int fn_pairing_entry(struct fn_pairing *pairing, const struct fn_class *class,
		     const struct mm_event *event);
int fn_pairing_exit(struct fn_pairing *pairing, const struct fn_class *class,
		    const struct mm_event *event);
/* An entry of a thread that is left out: it shows that the function is still recorded. */
void fn_pairing_entered(struct fn_pairing *pairing, const struct fn_class *class);
int fn_pairing_single(struct fn_pairing *pairing, const struct fn_class *class,
		      const struct mm_event *event);
/* @since_ns: as mm_handler.lost() has it. */
int fn_pairing_lost(struct fn_pairing *pairing, const struct mm_loss *loss, int64_t since_ns);
int fn_pairing_forked(struct fn_pairing *pairing, int32_t tid, int64_t time_ns);
/* The thread exits: calls that it is in end with it, those that it still makes return. */
void fn_pairing_exited(struct fn_pairing *pairing, int32_t tid, int64_t time_ns);
int fn_pairing_executed(struct fn_pairing *pairing, int32_t tid, int32_t old_tid);

/* To be called at the first event, and maybe at others. Returns 0, or -1: out of memory. */
int fn_pairing_start(struct fn_pairing *pairing, const struct mm_source *source);

/* After the last event: counts what still runs. Returns 0, or -1: out of memory. */
int fn_pairing_finish(struct fn_pairing *pairing);

#endif /* LTTNG_MM_FN_TRACK_PAIRING_H */
