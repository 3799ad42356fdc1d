/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tracepoints behind the events of lttng-probe-slab, and how page events begin.
 */
#ifndef LTTNG_MM_PROBES_SLAB_EVENTS_H
#define LTTNG_MM_PROBES_SLAB_EVENTS_H

#include <linux/sched.h>
#include <instrumentation/events/slab.h>
#include <probes/slab/slab.h>

mm_slab_packed_events(mm_declare_packed)
mm_slab_wide_events(mm_declare_wide)
mm_page_packed_events(mm_declare_packed)
mm_page_wide_events(mm_declare_wide)

/* Thread, page frame number and order: a page event's first 64 bits. */
static __always_inline u64 mm_pack_page(u64 pfn, unsigned int order)
{
	return (u32)current->pid | pfn << MM_TID_BITS | (u64)order << (MM_TID_BITS + MM_PFN_BITS);
}

#endif /* LTTNG_MM_PROBES_SLAB_EVENTS_H */
