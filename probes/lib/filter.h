/* SPDX-License-Identifier: GPL-2.0-only */
/* Filters of events that are described at run time, without LTTng's interpreter where possible. */
#ifndef LTTNG_MM_PROBES_LIB_FILTER_H
#define LTTNG_MM_PROBES_LIB_FILTER_H

#include <probes/lib/bits.h>
#include <probes/lib/record.h>

/* The number at @place of a record, as LTTng's filters and captures take it. */
static __always_inline u64 lttng_mm_place_value(const struct lttng_mm_place *place, const u8 *bytes)
{
	return (u64)((s64)(lttng_mm_load_le64(bytes + place->at) << place->left) >> place->right) &
	       place->mask;
}

enum lttng_mm_filter_result {
	LTTNG_MM_FILTER_REJECTS,
	LTTNG_MM_FILTER_ACCEPTS,
	LTTNG_MM_FILTER_OTHER, /* it takes LTTng's interpreter */
};

#ifdef LTTNG_MM_RING_BUFFER_INLINE
/*
 * lttng_mm_filter - runs the filters of an event on a record
 *
 * Handles what only computes with numbers of the record and constants, and reads only the fields
 * that it needs. Its result is that of EVENT's run_filter().
 *
 * Context: as lttng_mm_record_made_general().
 */
enum lttng_mm_filter_result lttng_mm_filter(const struct lttng_kernel_event_common *event,
					    const struct lttng_mm_made_class *class,
					    const u8 *bytes);

/* Finds LTTng's interpreter. Sleeps. */
void lttng_mm_filter_init(void);
#else
/* The programs of this version of lttng-modules are not known. */
static inline enum lttng_mm_filter_result
lttng_mm_filter(const struct lttng_kernel_event_common *event,
		const struct lttng_mm_made_class *class, const u8 *bytes)
{
	return LTTNG_MM_FILTER_OTHER;
}

static inline void lttng_mm_filter_init(void)
{
}
#endif

#endif /* LTTNG_MM_PROBES_LIB_FILTER_H */
