/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of lttng-probe-dax. hooks.c turns the kernel's tracepoints into the events of events.c.
 */
#ifndef LTTNG_MM_PROBES_DAX_DAX_H
#define LTTNG_MM_PROBES_DAX_DAX_H

#include <instrumentation/events/dax.h>
#include <probes/compat/fs-dax.h>
#include <probes/lib/events.h>

/* The kernel tracepoint behind an event. */
enum lttng_mm_dax_hook {
	lttng_mm_hook_pmd_fault,
	lttng_mm_hook_pmd_fault_done,
	lttng_mm_hook_pmd_load_hole,
	lttng_mm_hook_pmd_load_hole_fallback,
	lttng_mm_hook_pte_fault,
	lttng_mm_hook_pte_fault_done,
	lttng_mm_hook_load_hole,
	lttng_mm_hook_insert_pfn_mkwrite,
	lttng_mm_hook_insert_pfn_mkwrite_no_entry,
	lttng_mm_hook_writeback_range,
	lttng_mm_hook_writeback_range_done,
	lttng_mm_hook_writeback_one,
	lttng_mm_hook_iomap,
	LTTNG_MM_HOOKS,
};

extern struct lttng_mm_hooks lttng_mm_dax_hooks;

/* events.c: defines and registers the events. */
int lttng_mm_dax_events_init(void);
void lttng_mm_dax_events_exit(void);
/* clang-format off */
lttng_mm_dax_packed_events(lttng_mm_declare_long)
lttng_mm_dax_wide_events(lttng_mm_declare_wide)
/* clang-format on */

#endif /* LTTNG_MM_PROBES_DAX_DAX_H */
