/* SPDX-License-Identifier: LGPL-2.1-only */
/* Numbers and durations, such as 20 and 250ms, in options and messages. */
#ifndef LTTNG_MM_UTIL_DURATION_H
#define LTTNG_MM_UTIL_DURATION_H

#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/*
 * Reads @text, which must be only decimal digits, into @number. @what names the number in messages:
 * "--pid". If @text is not a number from @low to @high, returns -1 with @err set. Returns 0 on
 * success.
 */
int mm_number_read(const char *text, const char *what, unsigned int low, unsigned int high,
		   unsigned int *number, struct mm_error *err);

/*
 * Longest accepted duration. The sum of a time in ns and a few such durations fits in an int64_t.
 */
#define MM_DURATION_MAX_NS (INT64_C(1000) * 24 * 3600 * 1000000000)

/*
 * Reads `NUMBER[.FRACTION]UNIT` into @ns. The unit is ns, us, ms, s, m or h. Drops fractions of a
 * nanosecond. @option names the option in messages. If @text is not a duration or exceeds
 * MM_DURATION_MAX_NS, returns -1 with @err set. Returns 0 on success.
 */
int mm_duration_parse(const char *text, const char *option, int64_t *ns, struct mm_error *err);

#define MM_DURATION_TEXT 32

/* Writes @ns with about three digits: `1.5 s`, `250 ms`. @ns must not be negative. */
void mm_duration_format(char *text, size_t size, int64_t ns);

/* Formats @ns, rounded down, for use as a lower bound ("at least 1.5 s"). Returns @text. */
const char *mm_duration_format_down(char text[MM_DURATION_TEXT], uint64_t ns);

#endif /* LTTNG_MM_UTIL_DURATION_H */
