/* SPDX-License-Identifier: GPL-2.0-only */
/* The tracepoint of record-test.ko, with values that are computed from a number. */
#ifndef LTTNG_MM_TESTS_KERNEL_PROBES_RECORD_TEST_H
#define LTTNG_MM_TESTS_KERNEL_PROBES_RECORD_TEST_H

#include <linux/types.h>
#include <probes/compat/tracepoint.h>

/* A record of 48 bytes in 12 fields. */
struct record_values {
	u32 number;    /* n */
	u32 call_site; /* of the firing function */
	u64 product;   /* n * 1000003 */
	u64 address;   /* 0x7f0000000000 + n * 4096 */
	s32 negative;  /* -n */
	u16 low;       /* n modulo 65536 */
	u16 hex;       /* n modulo 65536, too */
	u8 kind;       /* n modulo 3 */
	u8 level;      /* n modulo 251 */
	s16 small;     /* -(n modulo 1000) */
	u32 half;      /* n / 2 */
	u64 last;      /* the inverted bits of n */
} __packed;
static_assert(sizeof(struct record_values) == 48);

LTTNG_MM_DECLARE_TRACE(recordtest_hit, TP_PROTO(const struct record_values *values),
		       TP_ARGS(values));

#endif /* LTTNG_MM_TESTS_KERNEL_PROBES_RECORD_TEST_H */
