/* SPDX-License-Identifier: LGPL-2.1-only */
/* The values of `--begin`, `--end` and `--timerange`, in babeltrace2's formats. */
#ifndef LTTNG_MM_UTIL_TIME_H
#define LTTNG_MM_UTIL_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/* A timestamp, or a time of day whose date is not known yet. */
struct mm_time {
	bool has_date;
	int64_t ns; /* since the Epoch; without a date, since midnight */
};

/*
 * Reads one of
 *   YYYY-MM-DD [hh:mm[:ss[.fraction]]]   date, optionally with a time (default: midnight)
 *   hh:mm[:ss[.fraction]]                time on the first day of the trace
 *   [-]seconds[.fraction]                since the Epoch
 * The fraction has one to nine digits. @gmt: UTC instead of the local time zone (TZ). @option is
 * the name of the option for messages. Returns 0, or -1 with @err set.
 */
int mm_time_parse(const char *text, bool gmt, const char *option, struct mm_time *time,
		  struct mm_error *err);

/*
 * Converts @time to nanoseconds since the Epoch. A time of day is on the day of @first_ns, the
 * first timestamp of the trace. Returns 0, or -1 with @err set.
 */
int mm_time_resolve(const struct mm_time *time, int64_t first_ns, bool gmt, int64_t *ns,
		    struct mm_error *err);

/* Reads `BEGIN,END` or `[BEGIN,END]`, each as mm_time_parse(). Returns 0, or -1 with @err set. */
int mm_time_parse_range(const char *text, bool gmt, const char *option, struct mm_time *begin,
			struct mm_time *end, struct mm_error *err);

#define MM_TIME_TEXT 64

/*
 * Writes @ns, since the Epoch, as 2026-11-21 20:15:00.123456789, which mm_time_parse() can read
 * with the same @gmt; as seconds since the Epoch if the year is out of range.
 */
void mm_time_format(char *text, size_t size, int64_t ns, bool gmt);

/*
 * Writes the time zone that mm_time_format() uses at @ns: UTC, or the offset from it as in +01:00.
 */
#define MM_ZONE_TEXT 16
void mm_time_format_zone(char *text, size_t size, int64_t ns, bool gmt);

/* For mm_time_format_local(): the time of day, and the date with it. */
#define MM_TIME_OF_DAY "%H:%M:%S"
#define MM_TIME_DATE "%Y-%m-%d %H:%M:%S"

/* Writes @seconds since the Epoch as local time, by a format of strftime(3); "?" if out of range. */
void mm_time_format_local(char *text, size_t size, const char *format, int64_t seconds);

#endif /* LTTNG_MM_UTIL_TIME_H */
