/* SPDX-License-Identifier: GPL-2.0-only */
/* The tracepoints of lttng-probe-slab's events, and the first word of a page event. */
#ifndef LTTNG_MM_PROBES_SLAB_EVENTS_H
#define LTTNG_MM_PROBES_SLAB_EVENTS_H

#include <linux/sched.h>
#include <instrumentation/events/slab.h>
#include <probes/lib/events.h>
#include <probes/slab/slab.h>

/* clang-format off */
lttng_mm_slab_packed_events(lttng_mm_declare_packed)
lttng_mm_slab_wide_events(lttng_mm_declare_wide)
lttng_mm_page_packed_events(lttng_mm_declare_packed)
lttng_mm_page_wide_events(lttng_mm_declare_wide)
	/* clang-format on */

	/* Packs thread, page frame number and order: the first 64 bits of a page event. */
	static __always_inline u64 lttng_mm_pack_page(u64 pfn, unsigned int order)
{
	return (u32)current->pid | pfn << LTTNG_MM_SLAB_TID_BITS |
	       (u64)order << (LTTNG_MM_SLAB_TID_BITS + LTTNG_MM_SLAB_PFN_BITS);
}

#endif /* LTTNG_MM_PROBES_SLAB_EVENTS_H */
