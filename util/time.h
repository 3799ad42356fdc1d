/* SPDX-License-Identifier: LGPL-2.1-only */
/* Moments as users write them: `--begin`, `--end` and `--timerange`, in babeltrace2's forms. */
#ifndef LTTNG_MM_UTIL_TIME_H
#define LTTNG_MM_UTIL_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/* A moment, or a time of day that becomes one when a date is known. */
struct mm_time {
	bool has_date;
	int64_t ns; /* since the Epoch; without a date since midnight */
};

/*
 * Reads one of
 *   YYYY-MM-DD [hh:mm[:ss[.fraction]]]   date, with a time or midnight
 *   hh:mm[:ss[.fraction]]                that time of the trace's first day
 *   [-]seconds[.fraction]                since the Epoch
 * The fraction has one to nine digits. @gmt: in UTC, else in the local time zone (TZ). @option
 * names the option in messages. Returns 0, or -1 with @err set.
 */
int mm_time_parse(const char *text, bool gmt, const char *option, struct mm_time *time,
		  struct mm_error *err);

/*
 * The nanoseconds since the Epoch that @time stands for in a trace whose first moment is @first_ns.
 * Returns 0, or -1 with @err set.
 */
int mm_time_resolve(const struct mm_time *time, int64_t first_ns, bool gmt, int64_t *ns,
		    struct mm_error *err);

/*
 * Reads `BEGIN,END` or `[BEGIN,END]`, each of them as mm_time_parse() does. Returns 0, or -1 with
 * @err set.
 */
int mm_time_parse_range(const char *text, bool gmt, const char *option, struct mm_time *begin,
			struct mm_time *end, struct mm_error *err);

#define MM_TIME_TEXT 64

/*
 * Writes 2026-11-21 20:15:00.123456789, as mm_time_parse() reads it with the same @gmt; seconds
 * since the Epoch when the year does not fit.
 */
void mm_time_format(char *text, size_t size, int64_t ns, bool gmt);

#endif /* LTTNG_MM_UTIL_TIME_H */
