// SPDX-License-Identifier: LGPL-2.1-only
/* Tests times as users write them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/tap.h"
#include "util/time.h"

#define S INT64_C(1000000000)
#define DAY_S INT64_C(86400)

#define INVALID (-1)

/* Times in UTC. @kind is an enum mm_time_kind or INVALID. */
static const struct {
	const char *text;
	int kind;
	int64_t ns;
} time_cases[] = {
	{ "0", MM_TIME_SINCE_BOOT, 0 },
	{ "17", MM_TIME_SINCE_BOOT, 17 * S },
	{ "17.5", MM_TIME_SINCE_BOOT, 17 * S + 500000000 },
	{ "17.000000001", MM_TIME_SINCE_BOOT, 17 * S + 1 },
	{ "999999999.9", MM_TIME_SINCE_BOOT, 999999999 * S + 900000000 },
	{ "1000000000", MM_TIME_ABSOLUTE, 1000000000 * S },
	{ "[17.000001]", MM_TIME_SINCE_BOOT, 17 * S + 1000 },
	{ "[   17.5]", MM_TIME_SINCE_BOOT, 17 * S + 500000000 },
	{ "[17.5", INVALID, 0 },
	{ "[-1]", INVALID, 0 },
	{ "[]", INVALID, 0 },
	{ "-10s", MM_TIME_BEFORE_END, 10 * S },
	{ "-1.5ms", MM_TIME_BEFORE_END, 1500000 },
	{ "-2h", MM_TIME_BEFORE_END, 7200 * S },
	{ "-10", INVALID, 0 },
	{ "-3.25", INVALID, 0 },
	{ "-s", INVALID, 0 },
	{ "--1s", INVALID, 0 },
	{ "9223372036.854775807", MM_TIME_ABSOLUTE, INT64_MAX },
	{ "9223372036.854775808", INVALID, 0 },
	{ "99999999999999999999", INVALID, 0 },
	{ "1.0000000001", INVALID, 0 },
	{ "1.", INVALID, 0 },
	{ "", INVALID, 0 },
	{ "-", INVALID, 0 },
	{ "+1", INVALID, 0 },
	{ " 1", INVALID, 0 },
	{ "1 ", INVALID, 0 },
	{ "1970-01-01", MM_TIME_ABSOLUTE, 0 },
	{ "2023-11-14 22:13", MM_TIME_ABSOLUTE, 1699999980 * S },
	{ "2023-11-14 22:13:20", MM_TIME_ABSOLUTE, 1700000000 * S },
	{ "2023-11-14 22:13:20.000001005", MM_TIME_ABSOLUTE, 1700000000 * S + 1005 },
	{ "2024-02-29", MM_TIME_ABSOLUTE, 1709164800 * S },
	{ "2023-02-29", INVALID, 0 },
	{ "1900-02-29", INVALID, 0 },
	{ "2023-13-01", INVALID, 0 },
	{ "2023-00-01", INVALID, 0 },
	{ "2023-01-00", INVALID, 0 },
	{ "2023-01-01 24:00", INVALID, 0 },
	{ "2023-01-01 10:60", INVALID, 0 },
	{ "2023-01-01 10", INVALID, 0 },
	{ "2023-11-14T22:13:20", MM_TIME_ABSOLUTE, 1700000000 * S },
	{ "2023-11-14T22:13:20.000001005Z", MM_TIME_ABSOLUTE, 1700000000 * S + 1005 },
	{ "2023-11-14T23:13:20.000001005+01:00", MM_TIME_ABSOLUTE, 1700000000 * S + 1005 },
	{ "2023-11-14 17:13:20-0500", MM_TIME_ABSOLUTE, 1700000000 * S },
	{ "2023-11-15T03:43:20+05:30", MM_TIME_ABSOLUTE, 1700000000 * S },
	{ "2023-11-14T22:13:20 UTC", MM_TIME_ABSOLUTE, 1700000000 * S },
	{ "2023-11-14T22:13:20+", INVALID, 0 },
	{ "2023-11-14T22:13:20+1", INVALID, 0 },
	{ "2023-11-14T22:13:20+01:", INVALID, 0 },
	{ "2023-11-14T22:13:20+24", INVALID, 0 },
	{ "2023-11-14T22:13:20+01:60", INVALID, 0 },
	{ "2023-11-14T22:13:20Zulu", INVALID, 0 },
	{ "2023-11-14T", INVALID, 0 },
	{ "2023-11-14T22", INVALID, 0 },
	{ "2023-01-01 10:00 ", INVALID, 0 },
	{ "1969-12-31 23:59:59", MM_TIME_ABSOLUTE, -1 * S },
	{ "9999-01-01", INVALID, 0 },
	{ "10:30", MM_TIME_IN_DAY, (10 * 3600 + 30 * 60) * S },
	{ "10:30Z", MM_TIME_IN_DAY, (10 * 3600 + 30 * 60) * S },
	{ "10:30:00+01:00", MM_TIME_IN_DAY, (10 * 3600 + 30 * 60) * S },
	{ "10:30:05.75", MM_TIME_IN_DAY, (10 * 3600 + 30 * 60 + 5) * S + 750000000 },
	{ "24:00", INVALID, 0 },
	{ "1:30", INVALID, 0 },
	{ "10:30:", INVALID, 0 },
	{ "10:30:05.", INVALID, 0 },
};

static void test_times(void)
{
	for (size_t i = 0; i < sizeof(time_cases) / sizeof(time_cases[0]); i++) {
		struct mm_error err = MM_ERROR_INIT;
		struct mm_time time;
		int ret = mm_time_parse(time_cases[i].text, MM_TIME_GMT, "--begin", &time, &err);

		if (time_cases[i].kind == INVALID)
			tap(ret == -1 && err.code == MM_EXIT_BAD_INPUT &&
				    strstr(err.message, "--begin"),
			    "'%s' is no time", time_cases[i].text);
		else
			tap(!ret && (int)time.base.kind == time_cases[i].kind &&
				    time.ns == time_cases[i].ns,
			    "'%s' is %" PRId64 " ns", time_cases[i].text, time_cases[i].ns);
	}
}

/* babeltrace2 only knows seconds since the Epoch. */
static void test_epoch_only(void)
{
	static const struct {
		const char *text;
		int64_t ns; /* INT64_MIN: not a valid time */
	} cases[] = {
		{ "17.5", 17 * S + 500000000 },
		{ "-3.25", -3 * S - 250000000 },
		{ "1700000000", 1700000000 * S },
		{ "[17.5]", INT64_MIN },
		{ "-10s", INT64_MIN },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mm_error err = MM_ERROR_INIT;
		struct mm_time time;
		int ret = mm_time_parse(cases[i].text, MM_TIME_EPOCH_ONLY, "--end", &time, &err);

		tap(cases[i].ns == INT64_MIN ? ret == -1 && strstr(err.message, "--end") != NULL
					     : !ret && !time.base.kind && time.ns == cases[i].ns,
		    "as in babeltrace2: '%s'", cases[i].text);
	}
}

static int64_t resolve(const char *text, const struct mm_time_span *span, bool gmt)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_time time;
	int64_t ns;

	if (mm_time_parse(text, gmt ? MM_TIME_GMT : MM_TIME_LOCAL, "--begin", &time, &err) ||
	    mm_time_resolve(&time, span, gmt, &ns, &err))
		return INT64_MIN;
	return ns;
}

/* Tests times that are relative to a point of the trace. */
static void test_bases(void)
{
	struct mm_time_span span = { .first_ns = 1700000000 * S,
				     .last_ns = 1700000100 * S + 7,
				     .boot_ns = 1690000000 * S + 3 };

	tap(resolve("5", &span, false) == INT64_MIN, "no seconds since an unknown boot");
	tap(resolve("-5s", &span, false) == INT64_MIN, "no time before an unknown end");
	span.has_boot = span.has_last = true;
	tap(resolve("5", &span, false) == 1690000005 * S + 3, "seconds since boot");
	tap(resolve("-5s", &span, false) == 1700000095 * S + 7, "seconds before the end");
	tap(resolve("1700000001", &span, false) == 1700000001 * S, "seconds since the Epoch");
	/* It is 22:13 in UTC, but two hours further east it is already the next day. */
	tap(resolve("00:13:20+02:00", &span, true) == 1700000000 * S,
	    "a time of day with a zone is of the first day in this zone");
	tap(resolve("23:00:00Z", &span, false) == 1700002800 * S, "... and in Greenwich");
}

static void test_zones(void)
{
	struct mm_time_span span = { .first_ns = 1700000000 * S + 7 };

	setenv("TZ", "EST5EDT,M3.2.0,M11.1.0", 1);
	tzset();
	tap(resolve("2023-11-14 17:13:20", &span, false) == 1700000000 * S,
	    "the local time zone counts in winter");
	tap(resolve("2023-07-01 00:00", &span, false) == 1688184000 * S, "and in summer");
	tap(resolve("2023-07-01 00:00", &span, true) == 1688169600 * S, "but not in UTC");
	tap(resolve("20:00:00.5", &span, false) == 1700010000 * S + 500000000,
	    "a time of day is of the trace's first local day");
	span.first_ns = 1700000000 * S + INT64_C(3600) * 5 * S;
	tap(resolve("20:00:00.5", &span, true) ==
		    (1700000000 / DAY_S + 1) * DAY_S * S + INT64_C(20) * 3600 * S + 500000000,
	    "or of the first day in UTC");
}

/* Formats times and parses them again. */
static void test_formats(void)
{
	static const int64_t times[] = { 0, -1, 1700000000 * S + 1005, 1688184000 * S + 999999999,
					 -62135596800 / 8 * S };

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		for (int gmt = 0; gmt < 2; gmt++) {
			struct mm_error err = MM_ERROR_INIT;
			char text[MM_TIME_TEXT];
			struct mm_time time;

			mm_time_format(text, sizeof(text), times[i], gmt);
			tap(!mm_time_parse(text, MM_TIME_LOCAL, "--begin", &time, &err) &&
				    !time.base.kind && time.ns == times[i] &&
				    (!gmt || text[strlen(text) - 1] == 'Z'),
			    "%" PRId64 " ns is %s", times[i], text);
		}
	}
}

/* Tests that the zone is always shown, and that digits are cut off, not rounded. */
static void test_digits(void)
{
	char text[MM_TIME_TEXT];

	mm_time_format_digits(text, sizeof(text), 1688184000 * S + 999999999, 3, false);
	tap(!strcmp(text, "2023-07-01T00:00:00.999-04:00"), "three digits: %s", text);
	mm_time_format_digits(text, sizeof(text), 1700000000 * S + 5, 0, false);
	tap(!strcmp(text, "2023-11-14T17:13:20-05:00"), "no fraction: %s", text);
	mm_time_format_digits(text, sizeof(text), -1, 0, true);
	tap(!strcmp(text, "1969-12-31T23:59:59Z"), "UTC: %s", text);
	mm_time_format_zone(text, 5 * 3600 + 1800);
	tap(!strcmp(text, "+05:30"), "half an hour: %s", text);
	mm_time_format_zone(text, -(3 * 3600 + 30));
	tap(!strcmp(text, "-03:00:30"), "half a minute: %s", text);
}

/* Formats times to the second, in the local time zone. */
static void test_local(void)
{
	char text[MM_TIME_TEXT], exact[MM_TIME_TEXT];

	mm_time_format_digits(exact, sizeof(exact), 1700000000 * S, 0, false);
	mm_time_format_local(text, sizeof(text), MM_TIME_DATE, 1700000000);
	tap(!strcmp(text, exact), "a date without a fraction: %s", text);
	mm_time_format_local(text, sizeof(text), MM_TIME_OF_DAY, 1700000000);
	tap(!strcmp(text, strchr(exact, 'T') + 1), "a time of day: %s", text);
	mm_time_format_local(text, sizeof(text), MM_TIME_DATE, INT64_MAX);
	tap(!strcmp(text, "?"), "a time that no calendar has: %s", text);
}

static void test_ranges(void)
{
	static const struct {
		const char *text;
		int64_t begin, end; /* -1: not a valid range */
	} ranges[] = {
		{ "1,2", S, 2 * S },
		{ "[1.5,2]", S + S / 2, 2 * S },
		{ "[1970-01-01 00:00:01,1970-01-01 00:00:02]", S, 2 * S },
		{ "1", -1, -1 },
		{ ",2", -1, -1 },
		{ "1,", -1, -1 },
		{ "[1,]", -1, -1 },
		{ "[1,2]3", -1, -1 },
		{ "[1,2", -1, -1 },
		{ "[2[,3", -1, -1 },
		{ "1,2]", -1, -1 },
		{ "a,2", -1, -1 },
		{ "1,b", -1, -1 },
		{ "", -1, -1 },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		struct mm_error err = MM_ERROR_INIT;
		struct mm_time begin, end;
		int ret = mm_time_parse_range(ranges[i].text, MM_TIME_GMT, "--timerange", &begin,
					      &end, &err);

		if (ranges[i].begin < 0)
			tap(ret == -1 && err.code == MM_EXIT_BAD_INPUT, "'%s' is no range",
			    ranges[i].text);
		else
			tap(!ret && begin.ns == ranges[i].begin && end.ns == ranges[i].end,
			    "'%s' is a range", ranges[i].text);
	}
}

int main(void)
{
	test_times();
	test_epoch_only();
	test_bases();
	test_zones();
	test_formats();
	test_digits();
	test_local();
	test_ranges();
	return tap_status();
}
