/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files that record changes of LTTng's sessions. */
#ifndef LTTNG_MM_PROBES_FREEZE_WATCH_H
#define LTTNG_MM_PROBES_FREEZE_WATCH_H

#include <linux/kprobes.h>
#include <probes/freeze/freeze.h>

/*
 * Maximum number of IDs that one call can remove from a tracker; with more, the changes are
 * forgotten.
 */
#define LTTNG_MM_WATCH_IDS (LTTNG_MM_FREEZE_CHANGES / 2)

/* A call that changes a tracker, from its entry to its return. */
struct lttng_mm_watch_tracking {
	u8 uuid[sizeof_field(struct lttng_mm_freeze_channel, uuid)];
	u32 tracker;	    /* enum lttng_mm_freeze_tracker */
	int id;		    /* LTTNG_MM_FREEZE_ALL: all IDs */
	bool add;	    /* true: the call adds IDs; false: it removes them */
	bool was_set;	    /* the tracker was set before the call */
	unsigned int count; /* number of @ids, which the call removes */
	bool too_many;
	int ids[LTTNG_MM_WATCH_IDS];
};

/* Steps of one tracker that are taken at the same time. */
struct lttng_mm_watch_steps {
	bool active;	/* true: more is recorded from then on; false: less */
	const int *ids; /* one step for each of @count IDs ... */
	unsigned int count;
	bool all;     /* ... followed by the step from the empty set to all IDs */
	bool forget;  /* there were too many IDs, so earlier changes are unknown */
	int tracking; /* 1 at the entry of the call, -1 at its return */
};

/*
 * watch.c: adds the steps of @call to the history of its session, with the current time. Context:
 * process, or a kernel probe.
 */
void lttng_mm_watch_note(const struct lttng_mm_watch_tracking *call,
			 const struct lttng_mm_watch_steps *steps);

/* trackers.c: handlers of kretprobes on LTTng's functions. */
int lttng_mm_watch_track(struct kretprobe_instance *instance, struct pt_regs *regs);
int lttng_mm_watch_untrack(struct kretprobe_instance *instance, struct pt_regs *regs);
int lttng_mm_watch_tracked(struct kretprobe_instance *instance, struct pt_regs *regs);

/*
 * Writes the trackers of a session to REQUEST. Returns false if they have more IDs than fit.
 * Context: preemption is disabled.
 */
bool lttng_mm_watch_read_trackers(const struct lttng_kernel_session *session,
				  struct lttng_mm_freeze_watch *request);

#endif /* LTTNG_MM_PROBES_FREEZE_WATCH_H */
