// SPDX-License-Identifier: LGPL-2.1-only
/* Times as users write them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/tap.h"
#include "util/time.h"

#define S INT64_C(1000000000)
#define DAY_S INT64_C(86400)

/* All in UTC; a negative @date: not a valid time. */
static const struct {
	const char *text;
	int date;
	int64_t ns;
} time_cases[] = {
	{ "0", 1, 0 },
	{ "17", 1, 17 * S },
	{ "17.5", 1, 17 * S + 500000000 },
	{ "17.000000001", 1, 17 * S + 1 },
	{ "-3.25", 1, -3 * S - 250000000 },
	{ "9223372036.854775807", 1, INT64_MAX },
	{ "9223372036.854775808", -1, 0 },
	{ "99999999999999999999", -1, 0 },
	{ "1.0000000001", -1, 0 },
	{ "1.", -1, 0 },
	{ "", -1, 0 },
	{ "-", -1, 0 },
	{ "+1", -1, 0 },
	{ " 1", -1, 0 },
	{ "1 ", -1, 0 },
	{ "1970-01-01", 1, 0 },
	{ "2023-11-14 22:13", 1, 1699999980 * S },
	{ "2023-11-14 22:13:20", 1, 1700000000 * S },
	{ "2023-11-14 22:13:20.000001005", 1, 1700000000 * S + 1005 },
	{ "2024-02-29", 1, 1709164800 * S },
	{ "2023-02-29", -1, 0 },
	{ "1900-02-29", -1, 0 },
	{ "2023-13-01", -1, 0 },
	{ "2023-00-01", -1, 0 },
	{ "2023-01-00", -1, 0 },
	{ "2023-01-01 24:00", -1, 0 },
	{ "2023-01-01 10:60", -1, 0 },
	{ "2023-01-01 10", -1, 0 },
	{ "2023-01-01T10:00", -1, 0 },
	{ "2023-01-01 10:00 ", -1, 0 },
	{ "1969-12-31 23:59:59", 1, -1 * S },
	{ "9999-01-01", -1, 0 },
	{ "10:30", 0, (10 * 3600 + 30 * 60) * S },
	{ "10:30:05.75", 0, (10 * 3600 + 30 * 60 + 5) * S + 750000000 },
	{ "24:00", -1, 0 },
	{ "1:30", -1, 0 },
	{ "10:30:", -1, 0 },
	{ "10:30:05.", -1, 0 },
};

static void test_times(void)
{
	for (size_t i = 0; i < sizeof(time_cases) / sizeof(time_cases[0]); i++) {
		struct mm_error err = MM_ERROR_INIT;
		struct mm_time time;
		int ret = mm_time_parse(time_cases[i].text, true, "--begin", &time, &err);

		if (time_cases[i].date < 0)
			tap(ret == -1 && err.code == MM_EXIT_BAD_INPUT &&
				    strstr(err.message, "--begin"),
			    "'%s' is no time", time_cases[i].text);
		else
			tap(!ret && time.has_date == (time_cases[i].date > 0) &&
				    time.ns == time_cases[i].ns,
			    "'%s' is %" PRId64 " ns", time_cases[i].text, time_cases[i].ns);
	}
}

static void test_zones(void)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_time time;
	int64_t ns;

	setenv("TZ", "EST5EDT,M3.2.0,M11.1.0", 1);
	tzset();
	tap(!mm_time_parse("2023-11-14 17:13:20", false, "--end", &time, &err) &&
		    time.ns == 1700000000 * S,
	    "the local time zone counts in winter");
	tap(!mm_time_parse("2023-07-01 00:00", false, "--end", &time, &err) &&
		    time.ns == 1688184000 * S,
	    "and in summer");
	tap(!mm_time_parse("2023-07-01 00:00", true, "--end", &time, &err) &&
		    time.ns == 1688169600 * S,
	    "but not in UTC");
	tap(!mm_time_parse("20:00:00.5", false, "--begin", &time, &err) &&
		    !mm_time_resolve(&time, 1700000000 * S + 7, false, &ns, &err) &&
		    ns == 1700010000 * S + 500000000,
	    "a time of day is of the trace's first local day");
	tap(!mm_time_resolve(&time, 1700000000 * S + INT64_C(3600) * 5 * S, true, &ns, &err) &&
		    ns == (1700000000 / DAY_S + 1) * DAY_S * S + INT64_C(20) * 3600 * S + 500000000,
	    "or of the first day in UTC");
	tap(!mm_time_parse("5", false, "--begin", &time, &err) &&
		    !mm_time_resolve(&time, 1700000000 * S, false, &ns, &err) && ns == 5 * S,
	    "seconds require no day");
}

/* Formatted, and parsed again. */
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
			tap(!mm_time_parse(text, gmt, "--begin", &time, &err) && time.has_date &&
				    time.ns == times[i],
			    "%" PRId64 " ns is %s%s", times[i], text, gmt ? " UTC" : "");
		}
	}
}

/* To the second, in the local time zone. */
static void test_local(void)
{
	char text[MM_TIME_TEXT], exact[MM_TIME_TEXT];

	mm_time_format(exact, sizeof(exact), 1700000000 * S, false);
	exact[strcspn(exact, ".")] = '\0';
	mm_time_format_local(text, sizeof(text), MM_TIME_DATE, 1700000000);
	tap(!strcmp(text, exact), "a date without a fraction: %s", text);
	mm_time_format_local(text, sizeof(text), MM_TIME_OF_DAY, 1700000000);
	tap(!strcmp(text, strchr(exact, ' ') + 1), "a time of day: %s", text);
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
		{ "a,2", -1, -1 },
		{ "1,b", -1, -1 },
		{ "", -1, -1 },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		struct mm_error err = MM_ERROR_INIT;
		struct mm_time begin, end;
		int ret = mm_time_parse_range(ranges[i].text, true, "--timerange", &begin, &end,
					      &err);

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
	test_zones();
	test_formats();
	test_local();
	test_ranges();
	return tap_status();
}
