/* SPDX-License-Identifier: LGPL-2.1-only */
/* The values of `--begin`, `--end` and `--timerange`, and times that users see. */
#ifndef LTTNG_MM_UTIL_TIME_H
#define LTTNG_MM_UTIL_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/* How a time was given. */
enum mm_time_kind {
	MM_TIME_ABSOLUTE, /* since the Epoch */
	MM_TIME_IN_DAY,	  /* since midnight of the trace's first day */
	MM_TIME_SINCE_BOOT,
	MM_TIME_BEFORE_END, /* before the end of the trace */
};

struct mm_time_base {
	enum mm_time_kind kind;
	bool has_zone; /* a zone was given with the time of day, which decides what day it is */
	int east_s;    /* ... so many seconds east of Greenwich */
};

/* A time as given: mm_time_resolve() makes a timestamp of it. */
struct mm_time {
	struct mm_time_base base;
	int64_t ns;
};

/* When a trace begins and ends, and when its machine was booted, in ns since the Epoch. */
struct mm_time_span {
	int64_t first_ns, last_ns, boot_ns;
	bool has_last, has_boot; /* are they known? */
};

/* Flags of mm_time_parse(). */
enum mm_time_style {
	MM_TIME_LOCAL = 0,
	MM_TIME_GMT = 1,	/* without a zone, times are in UTC instead of local time (TZ) */
	MM_TIME_EPOCH_ONLY = 2, /* as in babeltrace2, all numbers are seconds since the Epoch */
};

/*
 * Reads one of
 *   YYYY-MM-DD[Thh:mm[:ss[.fraction]][ZONE]]  date, optionally with a time (default: midnight);
 *                                             a space may replace the T
 *   hh:mm[:ss[.fraction]][ZONE]               time on the first day of the trace
 *   seconds[.fraction]                        below 1000000000: since boot, also in brackets as
 *                                             in kernel messages; else since the Epoch
 *   -DURATION                                 before the end of the trace, such as -10s
 * The fraction has one to nine digits. ZONE is Z, or the distance from UTC such as +01:00. @option
 * is the name of the option for messages. Returns 0, or -1 with @err set.
 */
int mm_time_parse(const char *text, enum mm_time_style style, const char *option,
		  struct mm_time *time, struct mm_error *err);

/*
 * Converts @time to nanoseconds since the Epoch. @gmt: days are those of UTC, not of the local
 * zone. Returns 0, or -1 with @err set.
 */
int mm_time_resolve(const struct mm_time *time, const struct mm_time_span *span, bool gmt,
		    int64_t *ns, struct mm_error *err);

/* Reads `BEGIN,END` or `[BEGIN,END]`, each as mm_time_parse(). Returns 0, or -1 with @err set. */
int mm_time_parse_range(const char *text, enum mm_time_style style, const char *option,
			struct mm_time *begin, struct mm_time *end, struct mm_error *err);

#define MM_TIME_TEXT 64

/*
 * Writes @ns, since the Epoch, as 2026-11-21T20:15:00.123456789+01:00, which mm_time_parse() can
 * read; as seconds since the Epoch if the year is out of range. All times that users see have this
 * form: it has no spaces, so that it can be pasted into an option, and names its zone.
 */
void mm_time_format(char *text, size_t size, int64_t ns, bool gmt);
/* The same with only @digits digits of the fraction, 0 to 9; the rest is cut off. */
void mm_time_format_digits(char *text, size_t size, int64_t ns, unsigned int digits, bool gmt);

/* Writes the zone @east_s seconds east of Greenwich, as `+01:00` or `Z`. Returns its length. */
#define MM_TIME_ZONE_TEXT 16
size_t mm_time_format_zone(char text[MM_TIME_ZONE_TEXT], long east_s);

/* For mm_time_format_local(): the time of day, and the date with it. */
#define MM_TIME_OF_DAY "%H:%M:%S"
#define MM_TIME_DATE "%Y-%m-%dT%H:%M:%S"

/*
 * Writes @seconds since the Epoch as local time by a format of strftime(3), which ends with the
 * time of day, and appends the zone; "?" if the year is out of range.
 */
void mm_time_format_local(char *text, size_t size, const char *format, int64_t seconds);

#endif /* LTTNG_MM_UTIL_TIME_H */
