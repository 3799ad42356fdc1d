/* SPDX-License-Identifier: GPL-2.0-only */
/* The values of record-test.ko, recorded with LTTng's macros for comparison. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM recordmacros

#if !defined(LTTNG_MM_TESTS_RECORD_MACROS_H) || defined(TRACE_HEADER_MULTI_READ)
#define LTTNG_MM_TESTS_RECORD_MACROS_H

#include <lttng/tracepoint-event.h>

/* clang-format off */

LTTNG_TRACEPOINT_EVENT_MAP(recordtest_hit, recordmacros_hit,

	TP_PROTO(const struct record_values *values),

	TP_ARGS(values),

	TP_FIELDS(
		ctf_integer(u32, number, values->number)
		ctf_integer_hex(u32, call_site, values->call_site)
		ctf_integer(u64, product, values->product)
		ctf_integer_hex(u64, address, values->address)
		ctf_integer(s32, negative, values->negative)
		ctf_integer(u16, low, values->low)
		ctf_integer_hex(u16, hex, values->hex)
		ctf_integer(u8, kind, values->kind)
		ctf_integer(u8, level, values->level)
		ctf_integer(s16, small, values->small)
		ctf_integer(u32, half, values->half)
		ctf_integer_hex(u64, last, values->last)
	)
)

#endif /* LTTNG_MM_TESTS_RECORD_MACROS_H */

/* This part must be outside protection */
#include <lttng/define_trace.h>
