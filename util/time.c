// SPDX-License-Identifier: LGPL-2.1-only
/* Reads and formats times. */
#include "util/time.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/duration.h"

#define NS_PER_S 1000000000
#define TIME_MAX 64
/*
 * A number below 10^9 counts seconds since boot, up to 31 years. A larger number counts seconds
 * since the Epoch, from 2001-09-09 on.
 */
#define EPOCH_MIN_NS (INT64_C(1000000000) * NS_PER_S)

/* Parts of a date and a time. A missing part is 0. */
struct date_parts {
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

/* Reads an optional `.fraction`. Returns false if no digit follows the point. */
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

static bool read_date(const char **text, struct date_parts *parts)
{
	return read_digits(text, 4, &parts->year) && read_char(text, '-') &&
	       read_digits(text, 2, &parts->month) && read_char(text, '-') &&
	       read_digits(text, 2, &parts->day);
}

/* Reads hh:mm[:ss[.fraction]]. */
static bool read_clock(const char **text, struct date_parts *parts)
{
	if (!read_digits(text, 2, &parts->hour) || !read_char(text, ':') ||
	    !read_digits(text, 2, &parts->minute))
		return false;
	return !read_char(text, ':') ||
	       (read_digits(text, 2, &parts->second) && read_fraction(text, &parts->ns));
}

/* Reads an optional zone: `Z`, ` UTC`, or an offset such as +01:00. The text must end after it. */
static bool read_zone(const char *text, struct mm_time_base *base)
{
	bool west = *text == '-', colon;
	int hours, minutes = 0, seconds = 0;

	base->has_zone = *text;
	base->east_s = 0;
	if (!*text || !strcmp(text, "Z") || !strcmp(text, " UTC"))
		return true;
	if (!read_char(&text, west ? '-' : '+') || !read_digits(&text, 2, &hours))
		return false;
	colon = read_char(&text, ':');
	if ((colon || *text) && !read_digits(&text, 2, &minutes))
		return false;
	/* Zone offsets of the 19th century may include seconds. */
	if (colon && read_char(&text, ':') && !read_digits(&text, 2, &seconds))
		return false;
	base->east_s = (hours * 60 + minutes) * 60 + seconds;
	if (west)
		base->east_s = -base->east_s;
	return !*text && hours < 24 && minutes < 60 && seconds < 60;
}

/* Reads [-]seconds[.fraction]. Returns false if the nanoseconds do not fit in an int64_t. */
static bool read_seconds(const char **text, int64_t *ns)
{
	bool negative = read_char(text, '-');
	int64_t seconds = 0, fraction;
	const char *digits = *text;

	for (; **text >= '0' && **text <= '9'; ++*text)
		if (__builtin_mul_overflow(seconds, 10, &seconds) ||
		    __builtin_add_overflow(seconds, **text - '0', &seconds))
			return false;
	if (*text == digits || !read_fraction(text, &fraction) ||
	    __builtin_mul_overflow(seconds, NS_PER_S, ns) ||
	    __builtin_add_overflow(*ns, fraction, ns))
		return false;
	if (negative)
		*ns = -*ns;
	return true;
}

/* Reads `-DURATION`, such as -10s. */
static bool read_before_end(const char *text, int64_t *ns)
{
	struct mm_error err = MM_ERROR_INIT;

	return read_char(&text, '-') && !mm_duration_parse(text, "", ns, &err);
}

/* Reads seconds since boot in the form of kernel messages: `[   12.345678]`. */
static bool read_bracketed(const char *text, int64_t *ns)
{
	if (!read_char(&text, '['))
		return false;
	while (read_char(&text, ' '))
		;
	return *text != '-' && read_seconds(&text, ns) && !strcmp(text, "]");
}

static bool is_day_possible(const struct date_parts *parts)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = parts->year % 4 == 0 && (parts->year % 100 || parts->year % 400 == 0);

	return parts->month >= 1 && parts->month <= 12 && parts->day >= 1 &&
	       parts->day <= days[parts->month - 1] + (leap && parts->month == 2);
}

static bool is_clock_possible(const struct date_parts *parts)
{
	return parts->hour < 24 && parts->minute < 60 && parts->second <= 60;
}

/* Converts @parts to *@ns. Returns 0, or -1 if the nanoseconds do not fit in an int64_t. */
static int to_epoch(const struct date_parts *parts, const struct mm_time_base *zone, bool gmt,
		    int64_t *ns)
{
	struct tm tm = {
		.tm_year = parts->year - 1900,
		.tm_mon = parts->month - 1,
		.tm_mday = parts->day,
		.tm_hour = parts->hour,
		.tm_min = parts->minute,
		.tm_sec = parts->second - (zone->has_zone ? zone->east_s : 0),
		.tm_isdst = -1,
		.tm_wday = -1,
	};
	time_t seconds = gmt || zone->has_zone ? timegm(&tm) : mktime(&tm);

	/* mktime() also returns -1 for a valid time. If it fails, it leaves tm_wday unchanged. */
	if (tm.tm_wday < 0 || __builtin_mul_overflow((int64_t)seconds, NS_PER_S, ns) ||
	    __builtin_add_overflow(*ns, parts->ns, ns))
		return -1;
	return 0;
}

enum reading { READ_IT, NOT_THIS_FORM, NO_SUCH_TIME };

static enum reading read_with_date(const char *text, bool gmt, struct mm_time *time)
{
	struct date_parts parts = { 0 };

	if (!read_date(&text, &parts))
		return NOT_THIS_FORM;
	if (*text && ((!read_char(&text, 'T') && !read_char(&text, ' ')) ||
		      !read_clock(&text, &parts) || !read_zone(text, &time->base)))
		return NOT_THIS_FORM;
	return is_day_possible(&parts) && is_clock_possible(&parts) &&
			       !to_epoch(&parts, &time->base, gmt, &time->ns)
		       ? READ_IT
		       : NO_SUCH_TIME;
}

static enum reading read_of_day(const char *text, struct mm_time *time)
{
	struct date_parts parts = { 0 };

	if (!read_clock(&text, &parts) || !read_zone(text, &time->base))
		return NOT_THIS_FORM;
	time->base.kind = MM_TIME_IN_DAY;
	time->ns = ((parts.hour * 60 + parts.minute) * 60 + parts.second) * (int64_t)NS_PER_S +
		   parts.ns;
	return is_clock_possible(&parts) ? READ_IT : NO_SUCH_TIME;
}

static enum reading read_number(const char *text, bool epoch, struct mm_time *time)
{
	const char *at = text;

	if (read_seconds(&at, &time->ns) && !*at && (epoch || *text != '-')) {
		if (!epoch && time->ns < EPOCH_MIN_NS)
			time->base.kind = MM_TIME_SINCE_BOOT;
		return READ_IT;
	}
	if (epoch)
		return NOT_THIS_FORM;
	if (read_bracketed(text, &time->ns)) {
		time->base.kind = MM_TIME_SINCE_BOOT;
		return READ_IT;
	}
	if (read_before_end(text, &time->ns)) {
		time->base.kind = MM_TIME_BEFORE_END;
		return READ_IT;
	}
	return NOT_THIS_FORM;
}

int mm_time_parse(const char *text, enum mm_time_style style, const char *option,
		  struct mm_time *time, struct mm_error *err)
{
	enum reading reading;

	*time = (struct mm_time){ 0 };
	reading = read_with_date(text, style & MM_TIME_GMT, time);
	if (reading == NOT_THIS_FORM) {
		*time = (struct mm_time){ 0 };
		reading = read_of_day(text, time);
	}
	if (reading == NOT_THIS_FORM) {
		*time = (struct mm_time){ 0 };
		reading = read_number(text, style & MM_TIME_EPOCH_ONLY, time);
	}
	if (reading == READ_IT)
		return 0;
	return mm_error_set(
		err, MM_EXIT_BAD_INPUT,
		reading == NO_SUCH_TIME ? "%s: %s: there is no such date or time"
		: style & MM_TIME_EPOCH_ONLY
			? "%s: %s: not a time; give YYYY-MM-DD[Thh:mm[:ss[.n]][ZONE]], hh:mm[:ss[.n]] or seconds since the Epoch"
			: "%s: %s: not a time; give YYYY-MM-DD[Thh:mm[:ss[.n]][ZONE]], hh:mm[:ss[.n]], seconds since boot, or -10s: 10 seconds before the end",
		option, text);
}

/*
 * Adds the time of day to the date of the trace's first event. The date is in the zone that the
 * user gave, or else in the default zone.
 */
static int resolve_of_day(const struct mm_time *time, int64_t first_ns, bool gmt, int64_t *ns)
{
	const struct mm_time_base *base = &time->base;
	time_t seconds = first_ns / NS_PER_S - (first_ns % NS_PER_S < 0);
	int64_t of_day = time->ns / NS_PER_S;
	struct date_parts parts;
	struct tm tm;

	if (base->has_zone)
		seconds += base->east_s;
	if (!(gmt || base->has_zone ? gmtime_r(&seconds, &tm) : localtime_r(&seconds, &tm)))
		return -1;
	parts = (struct date_parts){
		.year = tm.tm_year + 1900,
		.month = tm.tm_mon + 1,
		.day = tm.tm_mday,
		.hour = (int)(of_day / 3600),
		.minute = (int)(of_day / 60 % 60),
		.second = (int)(of_day % 60),
		.ns = time->ns % NS_PER_S,
	};
	return to_epoch(&parts, base, gmt, ns);
}

int mm_time_resolve(const struct mm_time *time, const struct mm_time_span *span, bool gmt,
		    int64_t *ns, struct mm_error *err)
{
	switch (time->base.kind) {
	case MM_TIME_ABSOLUTE:
		*ns = time->ns;
		return 0;
	case MM_TIME_IN_DAY:
		if (!resolve_of_day(time, span->first_ns, gmt, ns))
			return 0;
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"trace: the date of the first event cannot be determined; give seconds since the Epoch instead of a time of day");
	case MM_TIME_SINCE_BOOT:
		if (span->has_boot && !__builtin_add_overflow(span->boot_ns, time->ns, ns))
			return 0;
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"trace: the boot time of the machine is unknown, or the trace has events of several boots; give a date and time instead of seconds since boot");
	default:
		if (span->has_last && !__builtin_sub_overflow(span->last_ns, time->ns, ns))
			return 0;
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"trace: the end of the trace is unknown, so a time cannot be relative to it; give a date and time");
	}
}

int mm_time_parse_range(const char *text, enum mm_time_style style, const char *option,
			struct mm_time *begin, struct mm_time *end, struct mm_error *err)
{
	const char *first = text, *comma = strchr(text, ',');
	char times[2][TIME_MAX];
	size_t lengths[2];

	if (!comma)
		goto error;
	lengths[1] = strlen(comma + 1);
	/*
	 * In the value `[  1.5],[  2.5]`, the first bracket belongs to the first time. It is closed
	 * before the comma.
	 */
	if (*text == '[' && !memchr(text, ']', (size_t)(comma - text))) {
		first++;
		if (!lengths[1] || comma[lengths[1]--] != ']')
			goto error;
	}
	lengths[0] = (size_t)(comma - first);
	if (!lengths[0] || !lengths[1] || lengths[0] >= TIME_MAX || lengths[1] >= TIME_MAX)
		goto error;
	snprintf(times[0], TIME_MAX, "%.*s", (int)lengths[0], first);
	snprintf(times[1], TIME_MAX, "%.*s", (int)lengths[1], comma + 1);
	if (mm_time_parse(times[0], style, option, begin, err))
		return -1;
	return mm_time_parse(times[1], style, option, end, err);
error:
	return mm_error_set(err, MM_EXIT_BAD_INPUT,
			    "%s: %s: not a range of time; give BEGIN,END or [BEGIN,END]", option,
			    text);
}

size_t mm_time_format_zone(char text[MM_TIME_ZONE_TEXT], long east_s)
{
	unsigned long off = (unsigned long)labs(east_s);
	int length;

	if (!off)
		length = snprintf(text, MM_TIME_ZONE_TEXT, "Z");
	else if (off % 60)
		length =
			snprintf(text, MM_TIME_ZONE_TEXT, "%c%02lu:%02lu:%02lu",
				 east_s < 0 ? '-' : '+', off / 3600 % 100, off / 60 % 60, off % 60);
	else
		length = snprintf(text, MM_TIME_ZONE_TEXT, "%c%02lu:%02lu", east_s < 0 ? '-' : '+',
				  off / 3600 % 100, off / 60 % 60);
	return (size_t)length;
}

void mm_time_format_digits(char *text, size_t size, int64_t ns, unsigned int digits, bool gmt)
{
	int64_t rest = ns % NS_PER_S < 0 ? ns % NS_PER_S + NS_PER_S : ns % NS_PER_S;
	time_t seconds = (time_t)(ns / NS_PER_S - (ns % NS_PER_S < 0));
	char day[40], fraction[16], zone[MM_TIME_ZONE_TEXT] = "";
	struct tm tm;

	if (!(gmt ? gmtime_r(&seconds, &tm) : localtime_r(&seconds, &tm)) ||
	    !strftime(day, sizeof(day), MM_TIME_DATE, &tm))
		snprintf(day, sizeof(day), "%" PRId64, (int64_t)seconds);
	else
		mm_time_format_zone(zone, tm.tm_gmtoff);
	snprintf(fraction, sizeof(fraction), ".%09" PRId64, rest);
	fraction[digits ? digits + 1 : 0] = '\0';
	snprintf(text, size, "%s%s%s", day, fraction, zone);
}

int64_t mm_time_difference(int64_t later_ns, int64_t earlier_ns)
{
	int64_t ns;

	if (__builtin_sub_overflow(later_ns, earlier_ns, &ns))
		return earlier_ns < 0 ? INT64_MAX : INT64_MIN;
	return ns;
}

void mm_time_format(char *text, size_t size, int64_t ns, bool gmt)
{
	mm_time_format_digits(text, size, ns, 9, gmt);
}

void mm_time_format_local(char *text, size_t size, const char *format, int64_t seconds)
{
	const time_t time = (time_t)seconds;
	char zone[MM_TIME_ZONE_TEXT];
	struct tm local;
	size_t length;

	if (!localtime_r(&time, &local)) {
		snprintf(text, size, "?");
		return;
	}
	length = strftime(text, size, format, &local);
	mm_time_format_zone(zone, local.tm_gmtoff);
	snprintf(text + length, size - length, "%s", zone);
}
