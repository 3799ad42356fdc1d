/* SPDX-License-Identifier: LGPL-2.1-only */
/* Numbers and durations, such as 20 and 250ms, in options and messages. */
#ifndef LTTNG_MM_UTIL_DURATION_H
#define LTTNG_MM_UTIL_DURATION_H

#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/*
 * Reads @text, decimal digits and nothing else, into @number. @what names the number in messages:
 * "--pid". Returns 0, or -1 with @err set if @text is not a number from @low to @high.
 */
int mm_number_read(const char *text, const char *what, unsigned int low, unsigned int high,
		   unsigned int *number, struct mm_error *err);

/*
 * Longest duration accepted: adding a few such durations to a time in nanoseconds does not overflow
 * an int64_t.
 */
#define MM_DURATION_MAX_NS (INT64_C(1000) * 24 * 3600 * 1000000000)

/*
 * Reads `NUMBER[.FRACTION]UNIT` into @ns, with the unit ns, us, ms, s, m or h. Fractions of a
 * nanosecond are dropped. @option names the option in messages. Returns 0, or -1 with @err set if
 * @text is not a duration or exceeds MM_DURATION_MAX_NS.
 */
int mm_duration_parse(const char *text, const char *option, int64_t *ns, struct mm_error *err);

#define MM_DURATION_TEXT 32

/* Writes @ns, which must not be negative, with about three digits: `1.5 s`, `250 ms`. */
void mm_duration_format(char *text, size_t size, int64_t ns);

/* Formats @ns rounded down, for a lower bound ("at least 1.5 s"). Returns @text. */
const char *mm_duration_format_down(char text[MM_DURATION_TEXT], uint64_t ns);

#endif /* LTTNG_MM_UTIL_DURATION_H */
