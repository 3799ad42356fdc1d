/* SPDX-License-Identifier: LGPL-2.1-only */
/* Passes the events of page references to an object that finds the page of each touch. */
#ifndef LTTNG_MM_MRC_EVENTS_H
#define LTTNG_MM_MRC_EVENTS_H

#include "analysis/mrc/pages.h"

#define MRC_WIDE_CPUS 1024u
/* The address space of a buffer that the probe touches itself. Its events are to be ignored. */
#define MRC_OWN_SPACE 0

/* The fields of pageref_touch, with the values of the wide variant. */
struct mrc_touch_event {
	struct mrc_touch touch;
	uint32_t tid;
	/* Only if mrc_events_request() requests all fields: */
	uint64_t ip;
	uint32_t node;
	bool is_user;
};

/* The wide variants of touches, which precede the packed events on the same CPU. */
struct mrc_events {
	struct mrc_touch_event wides[MRC_WIDE_CPUS];
	uint64_t incomplete; /* touches whose values do not fit, and without a wide variant */
	struct mrc_touch_event last;
};

/* The requests of mrc_events_request(), in order. */
enum mrc_event {
	MRC_ON_SPACE,
	MRC_ON_MAPPING,
	MRC_ON_TOUCH,
	MRC_ON_TOUCH_WIDE,
	MRC_ON_AROUND,
	MRC_ON_PASS,
	MRC_ON_GONE,
	MRC_ON_UNSEEN,
};

/* @all_fields: of touches, also those that describe the instruction */
void mrc_events_request(struct mm_requests *requests, bool all_fields);
/* Returns the address space of an event. */
uint32_t mrc_events_space(struct mrc_events *events, const struct mm_event *event);
/* Is the address space or the address of the touch in @events->last not known? */
bool mrc_events_lack_place(const struct mrc_events *events);
/*
 * Handles an event. mrc_events_space() must have been called for it; for a touch, @events->last
 * then has its fields. Returns 0, or -1 when out of memory.
 */
int mrc_events_handle(struct mrc_events *events, const struct mm_event *event,
		      struct mrc_pages *pages);

#endif /* LTTNG_MM_MRC_EVENTS_H */
