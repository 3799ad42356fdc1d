/* SPDX-License-Identifier: LGPL-2.1-only */
/* Decodes the events of page references, and passes them to struct mrc_pages. */
#ifndef LTTNG_MM_MRC_EVENTS_H
#define LTTNG_MM_MRC_EVENTS_H

#include "analysis/mrc/pages.h"

#define MRC_WIDE_CPUS 1024u
/*
 * Number of the address space of the probe's own buffer. Callers must ignore touches of this
 * buffer.
 */
#define MRC_OWN_SPACE 0

/* A touch. Values that do not fit in pageref_touch come from its wide variant. */
struct mrc_touch_event {
	struct mrc_touch touch;
	uint32_t tid;
	/* The following members are set only if mrc_events_request() requests all fields. */
	uint64_t ip;
	uint32_t node;
	bool is_user;
};

/*
 * The last touch, and the last wide variant of each CPU. A wide variant precedes its packed event
 * on the same CPU.
 */
struct mrc_events {
	struct mrc_touch_event wides[MRC_WIDE_CPUS];
	/* ignored touches: a value does not fit, and the wide variant is missing */
	uint64_t incomplete;
	struct mrc_touch_event last;
};

/* The requests of mrc_events_request(), in their order. */
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

/* If @all_fields is true, also requests the fields ip, node and user of touches. */
void mrc_events_request(struct mm_requests *requests, bool all_fields);
/*
 * Returns the number of the event's address space. If the event is a touch, stores it in
 * @events->last.
 */
uint32_t mrc_events_space(struct mrc_events *events, const struct mm_event *event);
/* Is the address space or the address of the touch in @events->last unknown? */
bool mrc_events_lack_place(const struct mrc_events *events);
/*
 * Passes an event to @pages. Call mrc_events_space() for the event first, because it stores touches
 * in @events->last. Returns 0, or -1 when out of memory.
 */
int mrc_events_handle(struct mrc_events *events, const struct mm_event *event,
		      struct mrc_pages *pages);

#endif /* LTTNG_MM_MRC_EVENTS_H */
