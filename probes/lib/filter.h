/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs filters of events that are described at run time. Avoids LTTng's interpreter if possible. */
#ifndef LTTNG_MM_PROBES_LIB_FILTER_H
#define LTTNG_MM_PROBES_LIB_FILTER_H

#include <probes/lib/bits.h>
#include <probes/lib/record.h>

/* Reads the number at @place of a record, extended to 64 bits as LTTng's filters expect it. */
static __always_inline u64 lttng_mm_place_value(const struct lttng_mm_place *place, const u8 *bytes)
{
	return (u64)((s64)(lttng_mm_load_le64(bytes + place->at) << place->left) >> place->right) &
	       place->mask;
}

enum lttng_mm_filter_result {
	LTTNG_MM_FILTER_REJECTS,
	LTTNG_MM_FILTER_ACCEPTS,
	LTTNG_MM_FILTER_OTHER, /* only LTTng's interpreter can decide */
};

#ifdef LTTNG_MM_RING_BUFFER_INLINE
/*
 * lttng_mm_filter - runs an event's filters on a record
 *
 * Handles programs that compute only with constants and numbers of the record. Reads only the
 * fields that a program uses. Gives the result of EVENT's run_filter().
 *
 * Context: as lttng_mm_record_made_general().
 */
enum lttng_mm_filter_result lttng_mm_filter(const struct lttng_kernel_event_common *event,
					    const struct lttng_mm_made_class *class,
					    const u8 *bytes);

/* Looks up LTTng's interpreter. Sleeps. */
void lttng_mm_filter_init(void);
#else
/* The format of filter programs is not known for this version of LTTng. LTTng interprets them. */
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
