/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Numbers in rules and of metrics. Integers, decimals such as 0.253 and their ratios are exact: 3 /
 * 6 is 50 %, and 253 ns are 0.253 us. Real numbers in reports are compared as doubles.
 */
#ifndef LTTNG_MM_REGRESS_NUMBER_H
#define LTTNG_MM_REGRESS_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "reader/report/report.h"

struct regress_number {
	bool is_negative;
	unsigned __int128 numerator, denominator; /* denominator 0: infinite */
	bool is_real;				  /* then @real is the number */
	double real;
};

enum regress_parsed {
	REGRESS_PARSED,
	REGRESS_NO_NUMBER,
	REGRESS_MANY_DIGITS, /* more than 28 digits before or after the point */
};

/* Parses a decimal such as -1.5e3. Sets *@end to the text after it. */
enum regress_parsed regress_number_parse(struct regress_number *number, const char *text,
					 const char **end);
/* Multiplies a parsed number by @factor (at most 2^30) / @divisor (at most 1000). */
void regress_number_scale(struct regress_number *number, uint32_t factor, uint32_t divisor);

struct regress_number regress_number_infinite(bool is_negative);
/* Returns the number of a cell that is not empty; true is 1. */
struct regress_number regress_number_of(const struct mm_cell *cell);
/* Returns -1, 0 or 1. Infinite numbers of one sign are equal. */
int regress_number_compare(const struct regress_number *x, const struct regress_number *y);
/* Returns -1, 0 or 1. */
int regress_number_sign(const struct regress_number *number);
/*
 * Returns @x / @y. The numbers must be infinite or come from metrics, and must not be negative. Any
 * number divided by 0 is infinite, and infinity divided by infinity is infinite, too.
 */
struct regress_number regress_number_divide(const struct regress_number *x,
					    const struct regress_number *y);

#endif /* LTTNG_MM_REGRESS_NUMBER_H */
