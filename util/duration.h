/* SPDX-License-Identifier: LGPL-2.1-only */
/* Durations with a unit, as options take them and messages show them. */
#ifndef LTTNG_MM_UTIL_DURATION_H
#define LTTNG_MM_UTIL_DURATION_H

#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/* Sums of a few of these and a time fit in an int64_t. */
#define MM_DURATION_MAX_NS (INT64_C(1000) * 24 * 3600 * 1000000000)

/*
 * Reads `NUMBER[.FRACTION]UNIT` into @ns. The unit is ns, us, ms, s, m or h; what is below a
 * nanosecond is dropped. @option is the name of the option for messages. Returns 0, or -1 with @err
 * set, also for more than MM_DURATION_MAX_NS.
 */
int mm_duration_parse(const char *text, const char *option, int64_t *ns, struct mm_error *err);

#define MM_DURATION_TEXT 32

/* Writes @ns, which is not negative, with about three digits: `1.5 s`, `250 ms`. */
void mm_duration_format(char *text, size_t size, int64_t ns);

/* The same, rounded down, for what lasts at least that long. Returns @text. */
const char *mm_duration_format_down(char text[MM_DURATION_TEXT], uint64_t ns);

#endif /* LTTNG_MM_UTIL_DURATION_H */
