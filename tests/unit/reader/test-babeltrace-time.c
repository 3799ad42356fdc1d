// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Compares timestamps, deltas, and the lists of --names and --fields with the output of babeltrace2
 * 2.1.1.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "reader/print/babeltrace-time.h"
#include "tests/tap.h"

#define LINES_MAX 4

struct time_case {
	const char *name;
	struct mm_babeltrace_options options;
	const char *zone;
	uint64_t frequency;
	int64_t offset_s;
	uint64_t offset_cycles;
	uint64_t clocks[LINES_MAX]; /* of the events, in cycles; 0 ends the list */
	const char *lines[LINES_MAX];
};

static const struct time_case cases[] = {
	{ "defaults",
	  { .no_delta = false },
	  "UTC",
	  1000000000,
	  1700000000,
	  5,
	  { 1000, 2000, 5000000000, 5000000000 },
	  { "[22:13:20.000001005] (+?.????????\?) ", "[22:13:20.000002005] (+0.000001000) ",
	    "[22:13:25.000000005] (+4.999998000) ", "[22:13:25.000000005] (+0.000000000) " } },
	{ "going back",
	  { .no_delta = false },
	  "UTC",
	  1000000000,
	  1700000000,
	  0,
	  { 2000, 1000 },
	  { "[22:13:20.000002000] (+?.????????\?) ",
	    "[22:13:20.000001000] (+18446744073.709550616) " } },
	{ "no delta, date, time zone",
	  { .no_delta = true, .clock_date = true },
	  "EST5EDT,M3.2.0,M11.1.0",
	  1000000000,
	  1700000000,
	  0,
	  { 1, 3600000000000 },
	  { "[2023-11-14 17:13:20.000000001] ", "[2023-11-14 18:13:20.000000000] " } },
	{ "UTC for a moment",
	  { .no_delta = true, .clock_gmt = true },
	  "EST5EDT,M3.2.0,M11.1.0",
	  1000000000,
	  1700000000,
	  0,
	  { 1 },
	  { "[22:13:20.000000001] " } },
	{ "seconds",
	  { .clock_seconds = true },
	  "UTC",
	  1000000000,
	  1700000000,
	  0,
	  { 1000, 1007 },
	  { "[1700000000.000001000] (+?.????????\?) ", "[1700000000.000001007] (+0.000000007) " } },
	{ "negative seconds",
	  { .clock_seconds = true },
	  "UTC",
	  1000000000,
	  -100,
	  0,
	  { 1000, 100000000000 },
	  { "[-99.999999000] (+?.????????\?) ", "[0.000000000] (+99.999999000) " } },
	/*
	 * The first time is negative. Later times are printed without their sign, as babeltrace2
	 * does.
	 */
	{ "before 1970",
	  { .no_delta = false },
	  "UTC",
	  1000000000,
	  -100,
	  0,
	  { 1000, 1007, 1014 },
	  { "[-99.999999000] (+?.????????\?) ", "[00:01:39.999998993] (+0.000000007) ",
	    "[00:01:39.999998986] (+0.000000007) " } },
	{ "cycles",
	  { .clock_cycles = true },
	  "UTC",
	  3000000,
	  1700000000,
	  7,
	  { 1000, 1007, 2000000000000007 },
	  { "[00000000000000001000] (+???????????\?) ", "[00000000000000001007] (+000000000007) ",
	    "[00002000000000000007] (+1999999999999000) " } },
	{ "3 MHz",
	  { .no_delta = false },
	  "UTC",
	  3000000,
	  1700000000,
	  7,
	  { 1000, 1007, 1014 },
	  { "[22:13:20.000335666] (+?.????????\?) ", "[22:13:20.000337999] (+0.000002333) ",
	    "[22:13:20.000340333] (+0.000002334) " } },
	{ "a clock moved",
	  { .offset_s = 5, .offset_ns = -1500 },
	  "UTC",
	  1000000000,
	  1700000000,
	  0,
	  { 1000, 1007 },
	  { "[22:13:24.999999500] (+?.????????\?) ", "[22:13:24.999999507] (+0.000000007) " } },
	{ "3 MHz, moved",
	  { .offset_s = 5, .offset_ns = -1500 },
	  "UTC",
	  3000000,
	  1700000000,
	  7,
	  { 1000, 1007, 1014 },
	  { "[22:13:25.000333999] (+?.????????\?) ", "[22:13:25.000336332] (+0.000002333) ",
	    "[22:13:25.000338666] (+0.000002334) " } },
	{ "names",
	  { .names = { MM_BABELTRACE_NAME_HEADER, MM_BABELTRACE_HIDE } },
	  "UTC",
	  1000000000,
	  1700000000,
	  0,
	  { 1000, 1007 },
	  { "timestamp = 22:13:20.000001000, delta = +?.?????????",
	    "timestamp = 22:13:20.000001007, delta = +0.000000007" } },
};

static void test_times(const struct time_case *test)
{
	struct ctf_clock clock = { .frequency = test->frequency,
				   .offset_s = test->offset_s,
				   .offset_cycles = test->offset_cycles,
				   .absolute = true };
	struct ctf_stream_class stream = { .clock = &clock };
	struct ctf_event_class class = { .stream_class = &stream };
	struct mm_babeltrace_time time;

	setenv("TZ", test->zone, 1);
	tzset();
	mm_babeltrace_time_init(&time, &test->options);
	for (size_t i = 0; i < LINES_MAX && test->clocks[i]; i++) {
		struct ctf_event native = { .class = &class, .clock = test->clocks[i] };
		char text[MM_BABELTRACE_TIME_ROOM];
		struct mm_event event = { 0 };

		ctf_clock_to_ns(&clock, native.clock, &event.time_ns);
		*mm_babeltrace_put_time(&time, text, &event, &native) = '\0';
		if (strcmp(text, test->lines[i]))
			printf("# '%s'\n", text);
		tap(!strcmp(text, test->lines[i]), "%s: %s", test->name, test->lines[i]);
	}
	stream.clock = NULL;
	tap(mm_babeltrace_put_time(&time, NULL, NULL, &(struct ctf_event){ .class = &class }) ==
		    NULL,
	    "%s: nothing without a clock", test->name);
}

/* Options with lists, given up to two times, and the result. */
static const struct {
	const char *names[2]; /* NULL: not given */
	const char *fields[2];
	int shown_names, shown_fields; /* -1: refused */
} lists[] = {
#define P MM_BABELTRACE_NAME_PAYLOAD
#define C MM_BABELTRACE_NAME_CONTEXT
#define S MM_BABELTRACE_NAME_SCOPE
#define H MM_BABELTRACE_NAME_HEADER
#define HOST MM_BABELTRACE_FIELD_HOSTNAME
#define USUAL (HOST | MM_BABELTRACE_FIELD_PROCNAME | MM_BABELTRACE_FIELD_VPID)
	{ { NULL }, { NULL }, P | C, USUAL },
	{ { "" }, { "" }, P | C, USUAL },
	{ { "payload" }, { "trace" }, P, MM_BABELTRACE_FIELD_TRACE },
	{ { "arg,ctx" }, { "trace:hostname,emf" }, P | C, HOST | MM_BABELTRACE_FIELD_EMF },
	{ { "args", "scope" },
	  { "trace:domain", "loglevel" },
	  P | S,
	  MM_BABELTRACE_FIELD_DOMAIN | MM_BABELTRACE_FIELD_LOGLEVEL },
	{ { "header", "all" }, { "all" }, P | C | S | H, 0x7f },
	{ { "all", "header" }, { "all", "trace" }, H, MM_BABELTRACE_FIELD_TRACE },
	{ { "all,header" }, { "all,trace" }, P | C | S | H, 0x7f },
	{ { "none" }, { "callsite" }, 0, 0 },
	{ { "none, payload\tctx" },
	  { "trace:procname trace:vpid" },
	  P | C,
	  MM_BABELTRACE_FIELD_PROCNAME | MM_BABELTRACE_FIELD_VPID },
	{ { "all,none" }, { "none" }, -1, -1 },
	{ { "payloads" }, { "trace:" }, -1, -1 },
};

static void test_lists(void)
{
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct mm_babeltrace_options options = { .no_delta = false };
		struct mm_error names_err = MM_ERROR_INIT, fields_err = MM_ERROR_INIT;
		int names = 0, fields = 0;

		for (size_t j = 0; j < 2; j++) {
			if (lists[i].names[j])
				names |= mm_babeltrace_set_names(&options, lists[i].names[j],
								 &names_err);
			if (lists[i].fields[j])
				fields |= mm_babeltrace_set_fields(&options, lists[i].fields[j],
								   &fields_err);
		}
		if (!names)
			names = (int)(mm_babeltrace_names(&options) & (P | C | S | H));
		if (!fields)
			fields = (int)(mm_babeltrace_fields(&options) & 0x7f);
		tap(names == lists[i].shown_names, "names: %s",
		    lists[i].names[0] ? lists[i].names[0] : "not given");
		tap(fields == lists[i].shown_fields, "fields: %s",
		    lists[i].fields[0] ? lists[i].fields[0] : "not given");
		tap((names < 0) == (names_err.code == MM_EXIT_BAD_INPUT) &&
			    (fields < 0) == (fields_err.code == MM_EXIT_BAD_INPUT),
		    "a refusal states the reason");
	}
}

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		test_times(&cases[i]);
	test_lists();
	return tap_status();
}
