/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files that note what changes the recording of LTTng's sessions. */
#ifndef LTTNG_MM_PROBES_FREEZE_WATCH_H
#define LTTNG_MM_PROBES_FREEZE_WATCH_H

#include <linux/kprobes.h>
#include <probes/freeze/freeze.h>

/* IDs that one call can remove from a tracker; of more, the changes are forgotten. */
#define LTTNG_MM_WATCH_IDS (LTTNG_MM_FREEZE_CHANGES / 2)

/* A call that changes a tracker, from its entry to its return. */
struct lttng_mm_watch_tracking {
	u8 uuid[sizeof_field(struct lttng_mm_freeze_channel, uuid)];
	u32 tracker;	    /* enum lttng_mm_freeze_tracker */
	int id;		    /* LTTNG_MM_FREEZE_ALL: all IDs */
	bool add;	    /* the IDs are recorded afterwards */
	bool was_set;	    /* the session recorded only certain IDs before */
	unsigned int count; /* of @ids, which the call removes */
	bool too_many;
	int ids[LTTNG_MM_WATCH_IDS];
};

/* Steps of one tracker that are taken at the same time. */
struct lttng_mm_watch_steps {
	bool active;	/* more is recorded from then on, or less */
	const int *ids; /* one step for each of @count IDs ... */
	unsigned int count;
	bool all;     /* ... and then one from the empty set to all IDs */
	bool forget;  /* there are more, so earlier changes are not known */
	int tracking; /* 1 at the entry of the call that makes them, -1 at its return */
};

/*
 * In watch.c: adds what @call changes now to the history of its session. Context: process, or a
 * kernel probe.
 */
void lttng_mm_watch_note(const struct lttng_mm_watch_tracking *call,
			 const struct lttng_mm_watch_steps *steps);

/* In trackers.c: handlers of kernel return probes on LTTng's functions. */
int lttng_mm_watch_track(struct kretprobe_instance *instance, struct pt_regs *regs);
int lttng_mm_watch_untrack(struct kretprobe_instance *instance, struct pt_regs *regs);
int lttng_mm_watch_tracked(struct kretprobe_instance *instance, struct pt_regs *regs);

/*
 * Writes the trackers of a session to REQUEST. Returns false if they have more IDs than there is
 * room for. Context: preemption is disabled.
 */
bool lttng_mm_watch_read_trackers(const struct lttng_kernel_session *session,
				  struct lttng_mm_freeze_watch *request);

#endif /* LTTNG_MM_PROBES_FREEZE_WATCH_H */
