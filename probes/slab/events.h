/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tracepoints behind the events of lttng-probe-slab.
 */
#ifndef LTTNG_MM_PROBES_SLAB_EVENTS_H
#define LTTNG_MM_PROBES_SLAB_EVENTS_H

#include <instrumentation/events/slab.h>
#include <probes/slab/slab.h>

mm_slab_packed_events(mm_declare_packed)
mm_slab_wide_events(mm_declare_wide)
mm_page_packed_events(mm_declare_packed)
mm_page_wide_events(mm_declare_wide)

#endif /* LTTNG_MM_PROBES_SLAB_EVENTS_H */
