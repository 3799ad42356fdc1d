// SPDX-License-Identifier: LGPL-2.1-only
/* Reads and formats times. */
#include "util/time.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define NS_PER_S 1000000000
#define TIME_MAX 64

/* The parts of a date and time; 0 if not given. */
struct parts {
	int year, month, day, hour, minute, second;
	int64_t ns;
};

/* Reads exactly @count digits and advances *@text. */
static bool read_digits(const char **text, unsigned int count, int *value)
{
	const char *at = *text;

	*value = 0;
	for (unsigned int i = 0; i < count; i++, at++) {
		if (*at < '0' || *at > '9')
			return false;
		*value = *value * 10 + (*at - '0');
	}
	*text = at;
	return true;
}

static bool read_char(const char **text, char wanted)
{
	if (**text != wanted)
		return false;
	(*text)++;
	return true;
}

/*
 * Reads an optional `.fraction`. Returns false if the point is not followed by one to nine digits.
 */
static bool read_fraction(const char **text, int64_t *ns)
{
	const char *at = *text;
	int64_t value = 0;
	int digits = 0;

	*ns = 0;
	if (!read_char(&at, '.'))
		return true;
	for (; *at >= '0' && *at <= '9' && digits < 9; digits++)
		value = value * 10 + (*at++ - '0');
	if (!digits)
		return false;
	for (; digits < 9; digits++)
		value *= 10;
	*ns = value;
	*text = at;
	return true;
}

static bool read_date(const char **text, struct parts *parts)
{
	return read_digits(text, 4, &parts->year) && read_char(text, '-') &&
	       read_digits(text, 2, &parts->month) && read_char(text, '-') &&
	       read_digits(text, 2, &parts->day);
}

/* Reads hh:mm[:ss[.fraction]] up to the end of the text. */
static bool read_clock(const char *text, struct parts *parts)
{
	if (!read_digits(&text, 2, &parts->hour) || !read_char(&text, ':') ||
	    !read_digits(&text, 2, &parts->minute))
		return false;
	if (read_char(&text, ':') &&
	    (!read_digits(&text, 2, &parts->second) || !read_fraction(&text, &parts->ns)))
		return false;
	return !*text;
}

/* Reads [-]seconds[.fraction]. Also returns false if the nanoseconds do not fit in an int64_t. */
static bool read_seconds(const char *text, int64_t *ns)
{
	bool negative = read_char(&text, '-');
	int64_t seconds = 0, fraction;
	const char *digits = text;

	for (; *text >= '0' && *text <= '9'; text++)
		if (__builtin_mul_overflow(seconds, 10, &seconds) ||
		    __builtin_add_overflow(seconds, *text - '0', &seconds))
			return false;
	if (text == digits || !read_fraction(&text, &fraction) || *text ||
	    __builtin_mul_overflow(seconds, NS_PER_S, ns) ||
	    __builtin_add_overflow(*ns, fraction, ns))
		return false;
	if (negative)
		*ns = -*ns;
	return true;
}

static bool is_day_possible(const struct parts *parts)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = parts->year % 4 == 0 && (parts->year % 100 || parts->year % 400 == 0);

	return parts->month >= 1 && parts->month <= 12 && parts->day >= 1 &&
	       parts->day <= days[parts->month - 1] + (leap && parts->month == 2);
}

static bool is_clock_possible(const struct parts *parts)
{
	return parts->hour < 24 && parts->minute < 60 && parts->second <= 60;
}

/* Returns -1 if the nanoseconds do not fit in an int64_t. */
static int to_epoch(const struct parts *parts, bool gmt, int64_t *ns)
{
	struct tm tm = {
		.tm_year = parts->year - 1900,
		.tm_mon = parts->month - 1,
		.tm_mday = parts->day,
		.tm_hour = parts->hour,
		.tm_min = parts->minute,
		.tm_sec = parts->second,
		.tm_isdst = -1,
		.tm_wday = -1,
	};
	time_t seconds = gmt ? timegm(&tm) : mktime(&tm);

	/* -1 may be a valid result of mktime(); only a failure leaves tm_wday unchanged. */
	if (tm.tm_wday < 0 || __builtin_mul_overflow((int64_t)seconds, NS_PER_S, ns) ||
	    __builtin_add_overflow(*ns, parts->ns, ns))
		return -1;
	return 0;
}

int mm_time_parse(const char *text, bool gmt, const char *option, struct mm_time *time,
		  struct mm_error *err)
{
	struct parts parts = { 0 };
	const char *at = text;

	time->has_date = true;
	if (read_date(&at, &parts)) {
		if (*at && (!read_char(&at, ' ') || !read_clock(at, &parts)))
			goto error;
		if (!is_day_possible(&parts) || !is_clock_possible(&parts) ||
		    to_epoch(&parts, gmt, &time->ns))
			return mm_error_set(err, MM_EXIT_BAD_INPUT,
					    "%s: %s: there is no such date or time", option, text);
		return 0;
	}
	memset(&parts, 0, sizeof(parts));
	if (read_clock(text, &parts)) {
		if (!is_clock_possible(&parts))
			return mm_error_set(err, MM_EXIT_BAD_INPUT, "%s: %s: there is no such time",
					    option, text);
		time->has_date = false;
		time->ns =
			((parts.hour * 60 + parts.minute) * 60 + parts.second) * (int64_t)NS_PER_S +
			parts.ns;
		return 0;
	}
	if (read_seconds(text, &time->ns))
		return 0;
error:
	return mm_error_set(
		err, MM_EXIT_BAD_INPUT,
		"%s: %s: not a time; give YYYY-MM-DD [hh:mm[:ss[.n]]], hh:mm[:ss[.n]] or seconds since the Epoch",
		option, text);
}

int mm_time_resolve(const struct mm_time *time, int64_t first_ns, bool gmt, int64_t *ns,
		    struct mm_error *err)
{
	time_t seconds = first_ns / NS_PER_S - (first_ns % NS_PER_S < 0);
	int64_t of_day = time->ns / NS_PER_S;
	struct parts parts;
	struct tm tm;

	*ns = time->ns;
	if (time->has_date)
		return 0;
	if (!(gmt ? gmtime_r(&seconds, &tm) : localtime_r(&seconds, &tm)))
		goto error;
	parts = (struct parts){
		.year = tm.tm_year + 1900,
		.month = tm.tm_mon + 1,
		.day = tm.tm_mday,
		.hour = (int)(of_day / 3600),
		.minute = (int)(of_day / 60 % 60),
		.second = (int)(of_day % 60),
		.ns = time->ns % NS_PER_S,
	};
	if (!to_epoch(&parts, gmt, ns))
		return 0;
error:
	return mm_error_set(
		err, MM_EXIT_BAD_INPUT,
		"trace: its first event's time has no date; give seconds since the Epoch");
}

int mm_time_parse_range(const char *text, bool gmt, const char *option, struct mm_time *begin,
			struct mm_time *end, struct mm_error *err)
{
	const char *first = text + (*text == '['), *comma = strchr(first, ',');
	char times[2][TIME_MAX];
	size_t lengths[2];

	if (!comma)
		goto error;
	lengths[0] = (size_t)(comma - first);
	lengths[1] = strcspn(comma + 1, "]");
	if (!lengths[0] || !lengths[1] || lengths[0] >= TIME_MAX || lengths[1] >= TIME_MAX ||
	    (comma[1 + lengths[1]] == ']' && comma[2 + lengths[1]]))
		goto error;
	snprintf(times[0], TIME_MAX, "%.*s", (int)lengths[0], first);
	snprintf(times[1], TIME_MAX, "%.*s", (int)lengths[1], comma + 1);
	if (mm_time_parse(times[0], gmt, option, begin, err))
		return -1;
	return mm_time_parse(times[1], gmt, option, end, err);
error:
	return mm_error_set(err, MM_EXIT_BAD_INPUT,
			    "%s: %s: not a range of time; give BEGIN,END or [BEGIN,END]", option,
			    text);
}

void mm_time_format(char *text, size_t size, int64_t ns, bool gmt)
{
	int64_t rest = ns % NS_PER_S < 0 ? ns % NS_PER_S + NS_PER_S : ns % NS_PER_S;
	time_t seconds = (time_t)(ns / NS_PER_S - (ns % NS_PER_S < 0));
	char day[40];
	struct tm tm;

	if (!(gmt ? gmtime_r(&seconds, &tm) : localtime_r(&seconds, &tm)) ||
	    !strftime(day, sizeof(day), "%Y-%m-%d %H:%M:%S", &tm))
		snprintf(day, sizeof(day), "%" PRId64, (int64_t)seconds);
	snprintf(text, size, "%s.%09" PRId64, day, rest);
}

void mm_time_format_zone(char *text, size_t size, int64_t ns, bool gmt)
{
	time_t seconds = (time_t)(ns / NS_PER_S - (ns % NS_PER_S < 0));
	long minutes = 0;
	struct tm tm;

	if (!gmt && localtime_r(&seconds, &tm))
		minutes = tm.tm_gmtoff / 60;
	if (minutes)
		snprintf(text, size, "%c%02ld:%02ld", minutes < 0 ? '-' : '+', labs(minutes) / 60,
			 labs(minutes) % 60);
	else
		snprintf(text, size, "UTC");
}

void mm_time_format_local(char *text, size_t size, const char *format, int64_t seconds)
{
	const time_t time = (time_t)seconds;
	struct tm local;

	if (!localtime_r(&time, &local) || !strftime(text, size, format, &local))
		snprintf(text, size, "?");
}
