/* SPDX-License-Identifier: LGPL-2.1-only */
/* Events of the user-space tracer with fields of every type. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER reader

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./ust-events-tp.h"

#if !defined(LTTNG_MM_TESTS_KERNEL_UST_EVENTS_TP_H) || \
	defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define LTTNG_MM_TESTS_KERNEL_UST_EVENTS_TP_H

#include <lttng/tracepoint.h>
#include <stdint.h>

/* clang-format off */

LTTNG_UST_TRACEPOINT_ENUM(reader, colour,
	LTTNG_UST_TP_ENUM_VALUES(
		lttng_ust_field_enum_value("RED", 0)
		lttng_ust_field_enum_value("GREEN", 1)
		lttng_ust_field_enum_range("SHADES", 2, 9)
		lttng_ust_field_enum_value("DARK RED", 5)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(reader, scalars,
	LTTNG_UST_TP_ARGS(int, n, double, r, const char *, text),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, plain, n)
		lttng_ust_field_integer(int8_t, narrow, (int8_t)n)
		lttng_ust_field_integer_hex(uint64_t, hexadecimal, (uint64_t)n * 0x123456789abcdef)
		lttng_ust_field_integer_network(uint16_t, network, (uint16_t)n)
		lttng_ust_field_float(float, single, (float)r)
		lttng_ust_field_float(double, twice, r)
		lttng_ust_field_string(text, text)
		lttng_ust_field_enum(reader, colour, int, colour, n % 12)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(reader, arrays,
	LTTNG_UST_TP_ARGS(const int16_t *, values, unsigned int, count, const char *, text),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_array(int16_t, fixed, values, 4)
		lttng_ust_field_sequence(int16_t, sequence, values, unsigned int, count)
		lttng_ust_field_array_text(char, fixed_text, text, 5)
		lttng_ust_field_sequence_text(char, sequence_text, text, unsigned int, count)
		lttng_ust_field_array_nowrite(int16_t, unwritten, values, 2)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(reader, empty, LTTNG_UST_TP_ARGS(), LTTNG_UST_TP_FIELDS())

#endif /* LTTNG_MM_TESTS_KERNEL_UST_EVENTS_TP_H */

#include <lttng/tracepoint-event.h>
