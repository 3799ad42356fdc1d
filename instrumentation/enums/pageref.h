/* SPDX-License-Identifier: GPL-2.0-only */
/* Labels in page-reference events. */
#ifndef LTTNG_MM_INSTRUMENTATION_ENUMS_PAGEREF_H
#define LTTNG_MM_INSTRUMENTATION_ENUMS_PAGEREF_H

#include <instrumentation/wire/pageref.h>

#define lttng_mm_pageref_entry(_name, _number) \
	lttng_kernel_static_enum_entry_value(#_name, (u64)(_number))
#define lttng_mm_pageref_kind_entries LTTNG_MM_PAGEREF_KINDS(lttng_mm_pageref_entry)
#define lttng_mm_pageref_cause_entries LTTNG_MM_PAGEREF_CAUSES(lttng_mm_pageref_entry)
#define lttng_mm_pageref_reason_entries LTTNG_MM_PAGEREF_REASONS(lttng_mm_pageref_entry)

#endif /* LTTNG_MM_INSTRUMENTATION_ENUMS_PAGEREF_H */
