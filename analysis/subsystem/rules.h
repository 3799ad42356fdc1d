/* SPDX-License-Identifier: LGPL-2.1-only */
/* What a set of verify rules is: what the events of a subsystem must satisfy, each by itself. */
#ifndef LTTNG_MM_SUBSYSTEM_RULES_H
#define LTTNG_MM_SUBSYSTEM_RULES_H

#include <string.h>

#include "reader/events/source.h"

/*
 * Sample of @what: "65 bytes requested, 64 allocated; tid=20 call_site=0x180 ptr=0xa000". No part
 * of it is hostile.
 */
struct mm_rules_finding {
	bool damaged;	   /* else a note: odd, and no proof of damage */
	const char *event; /* its name */
	int64_t time_ns;   /* since the Epoch */
	uint32_t cpu;	   /* MM_CPU_UNKNOWN if the trace does not state it */
	const char *what;
};

struct mm_rules_counts {
	uint64_t events; /* that have rules */
	uint64_t damaged, notes;
};

typedef void mm_rules_finding_fn(void *user, const struct mm_rules_finding *finding);

/*
 * create -> event ... -> finish -> report -> destroy. Events come from the whole trace, in the
 * order of time, state dumps first; the rules open nothing themselves. event() and finish() return
 * 0, or -1 with @err set.
 */
struct mm_rules {
	const char *name;    /* of the subsystem */
	const char *subject; /* what is checked, with which the text form starts its line */
	/*
	 * Adds what the rules request in pass @pass, from 0 on, as mm_analysis.request() does;
	 * @state may be NULL in the first one. The first field of each request must be the event's
	 * first one: events of other tracers, of the same names, are recognized by it and ignored.
	 */
	void (*request)(void *state, unsigned int pass, struct mm_requests *requests);
	unsigned int passes;	      /* over the trace; 0: one */
	void *(*create)(void);	      /* NULL: out of memory */
	void (*destroy)(void *state); /* takes NULL */
	int (*event)(void *state, const struct mm_event *event, struct mm_error *err);
	/* Both are optional: mm_handler.bind() of the requested classes, and mm_handler.lost(). */
	int (*bind)(void *state, struct mm_event_type *type, struct mm_error *err);
	void (*lost)(void *state, const struct mm_loss *loss, int64_t begin_ns);
	int (*finish)(void *state, struct mm_error *err);
	/*
	 * Optional, in place of event(), finish() and report(), and without the notes: returns what
	 * is wrong with the event, valid until the next call, or NULL. Streams come one after the
	 * other.
	 */
	const char *(*damaged)(void *state, const struct mm_event *event);
	/*
	 * Hands the first @limit findings to @finding, damage before notes, each in the order of
	 * time.
	 */
	void (*report)(const void *state, uint64_t limit, mm_rules_finding_fn *finding, void *user,
		       struct mm_rules_counts *counts);
};

/* Is it an event with rules, by its name and by its first @field, which may be NULL? */
static inline bool mm_rules_concern(const struct mm_requests *requests, const char *event,
				    const char *field)
{
	int request = mm_requests_find(requests, event);

	return request >= 0 && field && !strcmp(field, requests->all[request].fields[0].path);
}

#endif /* LTTNG_MM_SUBSYSTEM_RULES_H */
