// SPDX-License-Identifier: GPL-2.0-only
/* Provider "callsite": dumps the numbering of call sites for all probes. */

#include <instrumentation/events/callsite.h>
#include <probes/lib/call-site.h>
#include <probes/lib/events.h>
#include <probes/lib/statedump.h>

/* Context: process. Reads the ranges under RCU. Takes no lock. */
static void lttng_mm_dump_callsite_statedump_range(void *event,
						   struct lttng_kernel_session *session);

lttng_mm_define_statedump_provider(callsite, lttng_mm_callsite_statedump_events);

static void lttng_mm_dump_callsite_statedump_range(void *event,
						   struct lttng_kernel_session *session)
{
	struct lttng_mm_code_range range;

	if (!lttng_mm_statedump_concerns(event, session))
		return;
	preempt_disable_notrace();
	for (unsigned int i = 0; memset(&range, 0, sizeof(range)), lttng_mm_code_range(i, &range);
	     i++) {
		struct lttng_mm_callsite_statedump_range rec = {
			.start = range.start,
			.size = range.size,
			.alive = range.alive,
		};

		lttng_mm_record_text(event, &lttng_mm_class_callsite_statedump_range, &rec,
				     sizeof(rec), range.name);
	}
	preempt_enable_notrace();
}

int lttng_mm_callsite_events_init(void)
{
	return lttng_mm_register_callsite();
}

void lttng_mm_callsite_events_exit(void)
{
	lttng_mm_unregister_callsite();
}
