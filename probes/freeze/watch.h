/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations that watch.c and trackers.c share. */
#ifndef LTTNG_MM_PROBES_FREEZE_WATCH_H
#define LTTNG_MM_PROBES_FREEZE_WATCH_H

#include <linux/kprobes.h>
#include <probes/freeze/freeze.h>

/*
 * Maximum number of IDs in a recorded removal. If a call removes more IDs, all earlier changes of
 * the session are forgotten.
 */
#define LTTNG_MM_WATCH_IDS (LTTNG_MM_FREEZE_CHANGES / 2)

struct lttng_mm_watch_tracking {
	u8 uuid[sizeof_field(struct lttng_mm_freeze_channel, uuid)];
	u32 tracker;	    /* enum lttng_mm_freeze_tracker */
	int id;		    /* LTTNG_MM_FREEZE_ALL: all IDs */
	bool add;	    /* true: the call adds IDs; false: it removes IDs */
	bool was_set;	    /* the tracker was set before the call */
	unsigned int count; /* number of @ids; the call removes them */
	bool too_many;
	int ids[LTTNG_MM_WATCH_IDS];
};

/* Steps of one tracker that have the same time. */
struct lttng_mm_watch_steps {
	bool active;	/* true: more is recorded from now on; false: less */
	const int *ids; /* one step for each of @count IDs ... */
	unsigned int count;
	bool all;     /* ... then the step from the empty set to all IDs */
	bool forget;  /* there were too many IDs, so earlier changes are unknown */
	int tracking; /* 1 at the call's entry, -1 at its return */
};

/*
 * watch.c: adds the steps of @call to its session's history, with the current time. Context:
 * process, or a kernel probe.
 */
void lttng_mm_watch_note(const struct lttng_mm_watch_tracking *call,
			 const struct lttng_mm_watch_steps *steps);

/* trackers.c: handlers of kretprobes on LTTng's functions. */
int lttng_mm_watch_track(struct kretprobe_instance *instance, struct pt_regs *regs);
int lttng_mm_watch_untrack(struct kretprobe_instance *instance, struct pt_regs *regs);
int lttng_mm_watch_tracked(struct kretprobe_instance *instance, struct pt_regs *regs);

/*
 * Writes the trackers of a session to REQUEST. Returns false if their IDs do not fit. Context:
 * preemption off.
 */
bool lttng_mm_watch_read_trackers(const struct lttng_kernel_session *session,
				  struct lttng_mm_freeze_watch *request);

#endif /* LTTNG_MM_PROBES_FREEZE_WATCH_H */
