/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The interface of a set of rules, which the events of a subsystem must satisfy. `lttng-mm verify`
 * checks them.
 */
#ifndef LTTNG_MM_SUBSYSTEM_RULES_H
#define LTTNG_MM_SUBSYSTEM_RULES_H

#include <string.h>

#include "reader/events/source.h"

/*
 * A violation of a rule. @what is escaped text: "65 bytes requested, 64 allocated; tid=20
 * call_site=0x180 ptr=0xa000".
 */
struct mm_rules_finding {
	bool damaged; /* false: only a note, which does not prove damage */
	const char *event;
	int64_t time_ns; /* since the Epoch */
	uint32_t cpu;	 /* MM_CPU_UNKNOWN if the trace does not name the CPU */
	const char *what;
};

struct mm_rules_counts {
	uint64_t events; /* events that have rules */
	uint64_t damaged, notes;
};

typedef void mm_rules_finding_fn(void *user, const struct mm_rules_finding *finding);

/*
 * The rules of a subsystem. Calls: create -> event ... -> finish -> report -> destroy. event()
 * receives all requested events in time order, after the state dumps. event() and finish() return
 * 0, or -1 with @err set.
 */
struct mm_rules {
	const char *name;
	/* start of the line about these rules in the text form: "Events of functions" */
	const char *subject;
	/*
	 * Adds the requests of pass @pass, counted from 0. @state may be NULL in the first pass.
	 * The first requested field must be the first field of the event. An event with another
	 * first field comes from another tracer, and is ignored.
	 */
	void (*request)(void *state, unsigned int pass, struct mm_requests *requests);
	unsigned int passes;	      /* number of passes over the trace; 0: one */
	void *(*create)(void);	      /* returns NULL when out of memory */
	void (*destroy)(void *state); /* @state may be NULL */
	int (*event)(void *state, const struct mm_event *event, struct mm_error *err);
	/* Optional: mm_handler.bind() and mm_handler.lost(). */
	int (*bind)(void *state, struct mm_event_type *type, struct mm_error *err);
	void (*lost)(void *state, const struct mm_loss *loss, int64_t begin_ns);
	int (*finish)(void *state, struct mm_error *err);
	/*
	 * Optional, for rules that check single events. Describes the damage of the event; NULL: no
	 * damage. The text is valid until the next call. Events come stream by stream. A state that
	 * is used with damaged() receives no calls of event(), finish() and report().
	 */
	const char *(*damaged)(void *state, const struct mm_event *event);
	/*
	 * Passes the first @limit findings to @finding. Damage comes before notes. Both are in time
	 * order.
	 */
	void (*report)(const void *state, uint64_t limit, mm_rules_finding_fn *finding, void *user,
		       struct mm_rules_counts *counts);
};

/*
 * Do the rules check events named @event whose first field is @field? @field is NULL if the events
 * have no field.
 */
static inline bool mm_rules_concern(const struct mm_requests *requests, const char *event,
				    const char *field)
{
	int request = mm_requests_find(requests, event);

	return request >= 0 && field && !strcmp(field, requests->all[request].fields[0].path);
}

#endif /* LTTNG_MM_SUBSYSTEM_RULES_H */
