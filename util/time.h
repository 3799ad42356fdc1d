/* SPDX-License-Identifier: LGPL-2.1-only */
/* The values of `--begin`, `--end` and `--timerange`, and times for the user. */
#ifndef LTTNG_MM_UTIL_TIME_H
#define LTTNG_MM_UTIL_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/* The base of a time: the instant from which the time counts. */
enum mm_time_kind {
	MM_TIME_ABSOLUTE, /* since the Epoch */
	MM_TIME_IN_DAY,	  /* since midnight of the trace's first day */
	MM_TIME_SINCE_BOOT,
	MM_TIME_BEFORE_END, /* before the end of the trace */
};

struct mm_time_base {
	enum mm_time_kind kind;
	/* the user gave a zone; it also applies to the date of the trace's first event */
	bool has_zone;
	int east_s; /* offset of the user's zone: seconds east of Greenwich */
};

/* A time as the user wrote it. mm_time_resolve() converts it to a timestamp. */
struct mm_time {
	struct mm_time_base base;
	int64_t ns;
};

/* Times of the trace's first and last event and of the machine's boot, in ns since the Epoch. */
struct mm_time_span {
	int64_t first_ns, last_ns, boot_ns;
	bool has_last, has_boot; /* @last_ns is known; @boot_ns is known */
};

/* Flags of mm_time_parse(). */
enum mm_time_style {
	MM_TIME_LOCAL = 0,
	MM_TIME_GMT = 1,	/* times without a zone are UTC, not local time (TZ) */
	MM_TIME_EPOCH_ONLY = 2, /* all numbers are seconds since the Epoch, as in babeltrace2 */
};

/*
 * Reads one of
 *   YYYY-MM-DD[Thh:mm[:ss[.fraction]][ZONE]]  date, optionally with a time (default: midnight);
 *                                             a space may replace the T
 *   hh:mm[:ss[.fraction]][ZONE]               time on the first day of the trace
 *   seconds[.fraction]                        below 1000000000: since boot, also in brackets as
 *                                             in kernel messages; else since the Epoch
 *   -DURATION                                 before the end of the trace, such as -10s
 *
 * The fraction has one to nine digits. ZONE is Z or an offset from UTC such as +01:00. Messages
 * name @option. Returns 0, or -1 with @err set.
 */
int mm_time_parse(const char *text, enum mm_time_style style, const char *option,
		  struct mm_time *time, struct mm_error *err);

/*
 * Converts @time to nanoseconds since the Epoch. With @gmt, dates are in UTC, not in the local
 * zone. Returns 0, or -1 with @err set.
 */
int mm_time_resolve(const struct mm_time *time, const struct mm_time_span *span, bool gmt,
		    int64_t *ns, struct mm_error *err);

/*
 * Reads `BEGIN,END` or `[BEGIN,END]`, with both times in the form that mm_time_parse() reads.
 * Returns 0, or -1 with @err set.
 */
int mm_time_parse_range(const char *text, enum mm_time_style style, const char *option,
			struct mm_time *begin, struct mm_time *end, struct mm_error *err);

/*
 * Returns @later_ns - @earlier_ns. A trace may contain arbitrary times: if the difference does not
 * fit in an int64_t, returns the nearest limit.
 */
int64_t mm_time_difference(int64_t later_ns, int64_t earlier_ns);

#define MM_TIME_TEXT 64

/*
 * Writes @ns since the Epoch as 2026-11-21T20:15:00.123456789+01:00, or as a number of seconds if
 * the year is out of range. All times for the user have this form. Users can paste them into an
 * option: the form has a zone and no spaces, and mm_time_parse() reads it.
 */
void mm_time_format(char *text, size_t size, int64_t ns, bool gmt);
/* Writes the time with @digits digits (0 to 9) of the fraction. Drops further digits. */
void mm_time_format_digits(char *text, size_t size, int64_t ns, unsigned int digits, bool gmt);

/* Writes an offset of @east_s seconds east of Greenwich, as `+01:00` or `Z`. Returns its length. */
#define MM_TIME_ZONE_TEXT 16
size_t mm_time_format_zone(char text[MM_TIME_ZONE_TEXT], long east_s);

/* Formats for mm_time_format_local(). */
#define MM_TIME_OF_DAY "%H:%M:%S"
#define MM_TIME_DATE "%Y-%m-%dT%H:%M:%S"

/*
 * Writes @seconds since the Epoch as local time in the strftime(3) format @format, followed by the
 * zone. The format must end with the time of day. If the year is out of range, writes "?".
 */
void mm_time_format_local(char *text, size_t size, const char *format, int64_t seconds);

#endif /* LTTNG_MM_UTIL_TIME_H */
