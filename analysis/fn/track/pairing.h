/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Pairs the entry and the exit of each call. Calls of a thread nest, even calls in interrupts. An
 * exit therefore belongs to the innermost open call of its function. If calls nested in that call
 * are still open, their exits are missing. A pair is not accepted if events may be missing between
 * its entry and its exit.
 */
#ifndef LTTNG_MM_FN_TRACK_PAIRING_H
#define LTTNG_MM_FN_TRACK_PAIRING_H

#include "analysis/fn/track/call.h"
#include "analysis/fn/track/outer.h"
#include "analysis/fn/track/stacks.h"

/* Callbacks for calls. All return 0, or -1 when out of memory. */
struct fn_pairing_ops {
	/* a call is complete */
	int (*call)(void *user, const struct fn_call *call);
	/* optional: a call started, and is now the innermost call of @thread */
	int (*entry)(void *user, struct fn_thread *thread, const struct mm_event *event);
	/*
	 * Optional: a call is incomplete. @frame is its entry, or NULL. @event is its exit, of the
	 * class @class, or NULL.
	 */
	int (*incomplete)(void *user, enum fn_outcome outcome, const struct fn_thread *thread,
			  const struct fn_frame *frame, const struct fn_class *class,
			  const struct mm_event *event);
};

struct fn_counts {
	uint64_t outcomes[FN_OUTCOMES];
	/* ignored single records (fn_*_call) of functions that also have entries and exits */
	uint64_t unused;
	/* calls with a missing exit, not yet decided: FN_NO_EXIT or FN_STOPPED */
	uint64_t pending;
	/* complete calls that were paired although a whole stream is missing */
	uint64_t uncertain;
	bool entered;
};

struct fn_pairing {
	struct fn_stacks stacks;
	struct mm_rows outer;	  /* ended calls of single records; one row per function */
	struct fn_counts *counts; /* indexed by function */
	size_t function_room;
	struct mm_loss_times times; /* loss times of all CPUs */
	int64_t last_ns;	    /* time of the last event */
	/* latest start of a stream; events before this time may be missing */
	int64_t started_ns;
	bool started;  /* fn_pairing_start() was called */
	bool windowed; /* the source reads only a time range */
	/* single records may follow, so ended calls are kept for fn_thread_sum_callees() */
	bool has_singles;
	uint64_t losses;
	bool has_missing;
	bool has_ended;	   /* a stream ends early */
	bool unknown_cpus; /* the CPU of at least one loss is unknown */
	const struct fn_pairing_ops *ops;
	void *user;
};

/* Returns 0, or -1 when out of memory. */
int fn_pairing_init(struct fn_pairing *pairing, const struct fn_pairing_ops *ops, void *user);
void fn_pairing_release(struct fn_pairing *pairing);

/*
 * Makes room for the counts of @function. Functions that return an int return 0, or -1 when out of
 * memory.
 */
int fn_pairing_add(struct fn_pairing *pairing, uint32_t function);
int fn_pairing_entry(struct fn_pairing *pairing, const struct fn_class *class,
		     const struct mm_event *event);
int fn_pairing_exit(struct fn_pairing *pairing, const struct fn_class *class,
		    const struct mm_event *event);
/* Call this for an entry of an excluded thread: it shows that the function is still recorded. */
void fn_pairing_entered(struct fn_pairing *pairing, const struct fn_class *class);
int fn_pairing_single(struct fn_pairing *pairing, const struct fn_class *class,
		      const struct mm_event *event);
/* Adds a loss. @since_ns is the @begin_ns of mm_handler.lost(). */
int fn_pairing_lost(struct fn_pairing *pairing, const struct mm_loss *loss, int64_t since_ns);
int fn_pairing_forked(struct fn_pairing *pairing, int32_t tid, int64_t time_ns);
/*
 * Processes the exit event of a thread. Its open calls end here. Calls that start later, in the
 * kernel's exit code, may return.
 */
void fn_pairing_exited(struct fn_pairing *pairing, int32_t tid, int64_t time_ns);
int fn_pairing_executed(struct fn_pairing *pairing, int32_t tid, int32_t old_tid);

/*
 * Call this before the first event. If it is called again, it does nothing. Returns 0, or -1 when
 * out of memory.
 */
int fn_pairing_start(struct fn_pairing *pairing, const struct mm_source *source);

/* Counts the open calls. Call this after the last event. Returns 0, or -1 when out of memory. */
int fn_pairing_finish(struct fn_pairing *pairing);

#endif /* LTTNG_MM_FN_TRACK_PAIRING_H */
