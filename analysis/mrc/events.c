// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the events of page references. */
#include "analysis/mrc/events.h"

#include <string.h>

/* Without @all_fields, mrc_events_request() does not request the fields from TOUCH_IP on. */
enum {
	TOUCH_MM,
	TOUCH_TID,
	TOUCH_ADDRESS,
	TOUCH_KIND,
	TOUCH_HUGE,
	TOUCH_WRITE,
	TOUCH_IP,
	TOUCH_NODE,
	TOUCH_USER
};
enum { RANGE_MM, RANGE_ADDRESS, RANGE_PAGES, RANGE_CAUSE };
enum { PASS_MM, PASS_END };
enum { SPACE_MM, SPACE_PARENT };

static void request(struct mm_requests *requests, const char *event, const char *const *fields)
{
	mm_requests_add(requests, event);
	for (; *fields; fields++)
		mm_requests_add_field(requests, *fields, MM_FIELD_INTEGER);
}

void mrc_events_request(struct mm_requests *requests, bool all_fields)
{
	static const char *const all[] = { "mm",    "tid", "address", "kind", "huge",
					   "write", "ip",  "node",    "user", NULL };
	static const char *const some[] = { "mm", "tid", "address", "kind", "huge", "write", NULL };
	const char *const *touch = all_fields ? all : some;
	static const char *const range[] = { "mm", "address", "pages", NULL };
	static const char *const gone[] = { "mm", "address", "pages", "cause", NULL };
	static const char *const pass[] = { "mm", "end", NULL };
	static const char *const space[] = { "mm", "parent", NULL };

	request(requests, "pageref_mm", space);
	mrc_mappings_request(requests, "pageref_mapping");
	request(requests, "pageref_touch", touch);
	request(requests, "pageref_touch_wide", touch);
	request(requests, "pageref_around", range);
	request(requests, "pageref_pass", pass);
	request(requests, "pageref_gone", gone);
	request(requests, "pageref_unseen", range);
}

static void read_touch(const struct mm_event *event, struct mrc_touch_event *touch)
{
	const union mm_scalar *f = event->fields;

	*touch = (struct mrc_touch_event){
		.touch = { .mm = (uint32_t)f[TOUCH_MM].u,
			   .address = f[TOUCH_ADDRESS].u,
			   .kind = (unsigned int)f[TOUCH_KIND].u,
			   .is_huge = f[TOUCH_HUGE].u,
			   .is_write = f[TOUCH_WRITE].u },
		.tid = (uint32_t)f[TOUCH_TID].u,
	};
	if (event->type->field_count <= TOUCH_IP)
		return;
	touch->ip = f[TOUCH_IP].u;
	touch->node = (uint32_t)f[TOUCH_NODE].u;
	touch->is_user = f[TOUCH_USER].u;
}

uint32_t mrc_events_space(struct mrc_events *events, const struct mm_event *event)
{
	const struct mrc_touch_event *wide = &events->wides[event->cpu % MRC_WIDE_CPUS];
	struct mrc_touch_event *touch = &events->last;
	bool no_mm, no_address;

	if (event->type->request != MRC_ON_TOUCH)
		return (uint32_t)event->fields[0].u;
	read_touch(event, touch);
	no_mm = touch->touch.mm == LTTNG_MM_PAGEREF_MM_ONES;
	no_address = touch->touch.address == LTTNG_MM_PAGEREF_ADDRESS_ONES;
	if ((no_mm || no_address) && wide->tid == touch->tid &&
	    (no_mm || wide->touch.mm == touch->touch.mm) &&
	    (no_address || wide->touch.address == touch->touch.address))
		*touch = *wide;
	return touch->touch.mm;
}

bool mrc_events_lack_place(const struct mrc_events *events)
{
	const struct mrc_touch *touch = &events->last.touch;

	return touch->mm == LTTNG_MM_PAGEREF_MM_ONES ||
	       touch->address == LTTNG_MM_PAGEREF_ADDRESS_ONES;
}

static int on_touch(struct mrc_events *events, struct mrc_pages *pages)
{
	if (mrc_events_lack_place(events)) {
		events->incomplete++;
		return 0;
	}
	return mrc_pages_touch(pages, &events->last.touch);
}

int mrc_events_handle(struct mrc_events *events, const struct mm_event *event,
		      struct mrc_pages *pages)
{
	const union mm_scalar *f = event->fields;

	switch (event->type->request) {
	case MRC_ON_SPACE:
		return mrc_pages_space(pages, (uint32_t)f[SPACE_MM].u, (uint32_t)f[SPACE_PARENT].u);
	case MRC_ON_MAPPING:
		return mrc_mappings_add(&pages->mappings, event);
	case MRC_ON_TOUCH:
		return on_touch(events, pages);
	case MRC_ON_TOUCH_WIDE:
		read_touch(event, &events->wides[event->cpu % MRC_WIDE_CPUS]);
		return 0;
	case MRC_ON_AROUND:
		return mrc_pages_around(pages, (uint32_t)f[RANGE_MM].u, f[RANGE_ADDRESS].u,
					f[RANGE_PAGES].u);
	case MRC_ON_PASS:
		return mrc_pages_pass(pages, (uint32_t)f[PASS_MM].u, f[PASS_END].u, event->time_ns);
	case MRC_ON_GONE:
		return mrc_pages_gone(pages, (uint32_t)f[RANGE_MM].u, f[RANGE_ADDRESS].u,
				      f[RANGE_PAGES].u, (unsigned int)f[RANGE_CAUSE].u);
	default:
		/* mrc_prelude_read() has already read the unseen pages. */
		return 0;
	}
}
