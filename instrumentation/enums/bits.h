/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Enumerations of single bits: one label for each bit of a flags word, in ascending order.
 *
 * entry(bit) creates one entry. It finds the label by comparing the bit with the kernel's
 * constants, so labels are correct even if the value of a flag differs between kernels. The label
 * of a bit without a constant is "bitN". A constant that a kernel lacks is defined as 0 (see
 * probes/compat/) and matches no bit.
 */
#ifndef LTTNG_MM_INSTRUMENTATION_ENUMS_BITS_H
#define LTTNG_MM_INSTRUMENTATION_ENUMS_BITS_H

#define lttng_mm_bits_8(entry, a, b, c, d, e, f, g, h) \
	entry(a) entry(b) entry(c) entry(d) entry(e) entry(f) entry(g) entry(h)

#define lttng_mm_bits_0_12(entry)                      \
	lttng_mm_bits_8(entry, 0, 1, 2, 3, 4, 5, 6, 7) \
		entry(8) entry(9) entry(10) entry(11) entry(12)

#define lttng_mm_bits_0_15(entry)                      \
	lttng_mm_bits_8(entry, 0, 1, 2, 3, 4, 5, 6, 7) \
		lttng_mm_bits_8(entry, 8, 9, 10, 11, 12, 13, 14, 15)

#define lttng_mm_bits_0_19(entry) \
	lttng_mm_bits_0_15(entry) entry(16) entry(17) entry(18) entry(19)

#define lttng_mm_bits_0_22(entry)                                                             \
	lttng_mm_bits_0_15(entry) entry(16) entry(17) entry(18) entry(19) entry(20) entry(21) \
		entry(22)

#define lttng_mm_bits_0_28(entry)                                                                  \
	lttng_mm_bits_0_15(entry) lttng_mm_bits_8(entry, 16, 17, 18, 19, 20, 21, 22, 23) entry(24) \
		entry(25) entry(26) entry(27) entry(28)

#define lttng_mm_bits_0_31(entry)                                                        \
	lttng_mm_bits_0_15(entry) lttng_mm_bits_8(entry, 16, 17, 18, 19, 20, 21, 22, 23) \
		lttng_mm_bits_8(entry, 24, 25, 26, 27, 28, 29, 30, 31)

#define lttng_mm_bits_0_42(entry)						\
	lttng_mm_bits_0_31(entry)						\
	lttng_mm_bits_8(entry, 32, 33, 34, 35, 36, 37, 38, 39)		\
	entry(40) entry(41) entry(42)

/*
 * There is no list up to bit 63: Trace Compass reads integers in the metadata as signed 64-bit
 * numbers, and refuses the whole trace if one exceeds 2^63 - 1. Bit 63 is a separate field.
 */
#define lttng_mm_bits_0_62(entry)                                                                  \
	lttng_mm_bits_0_31(entry) lttng_mm_bits_8(entry, 32, 33, 34, 35, 36, 37, 38, 39)           \
		lttng_mm_bits_8(entry, 40, 41, 42, 43, 44, 45, 46, 47)                             \
			lttng_mm_bits_8(entry, 48, 49, 50, 51, 52, 53, 54, 55) entry(56) entry(57) \
				entry(58) entry(59) entry(60) entry(61) entry(62)

/* Is the kernel's constant exactly this bit? */
#define lttng_mm_is_bit(constant, bit) ((__force u64)(constant) == (1ULL << (bit)))

#endif /* LTTNG_MM_INSTRUMENTATION_ENUMS_BITS_H */
