// SPDX-License-Identifier: LGPL-2.1-only
/* Parses durations in options, and formats them for messages. */
#include "util/duration.h"

#include <string.h>

#include "tests/tap.h"

static const struct {
	const char *text;
	int64_t ns; /* -1: refused */
	const char *says;
} cases[] = {
	{ "0s", 0, NULL },
	{ "1ns", 1, NULL },
	{ "20us", 20000, NULL },
	{ "250ms", 250000000, NULL },
	{ "10s", 10000000000, NULL },
	{ "1.5s", 1500000000, NULL },
	{ "0.25ms", 250000, NULL },
	{ "1.9ns", 1, NULL },
	{ "0.0000000019s", 1, NULL },
	{ "2m", 120000000000, NULL },
	{ "0.5h", 1800000000000, NULL },
	{ "24000h", MM_DURATION_MAX_NS, NULL },
	{ "24001h", -1, "too long" },
	{ "99999999999999999999999999s", -1, "too long" },
	{ "", -1, "not a duration" },
	{ "10", -1, "with one of the units" },
	{ "s", -1, "not a duration" },
	{ "-1s", -1, "not a duration" },
	{ "+1s", -1, "not a duration" },
	{ " 1s", -1, "not a duration" },
	{ "1 s", -1, "not a duration" },
	{ "1s ", -1, "not a duration" },
	{ "1.s", -1, "not a duration" },
	{ ".5s", -1, "not a duration" },
	{ "1.5.5s", -1, "not a duration" },
	{ "1S", -1, "not a duration" },
	{ "1d", -1, "not a duration" },
	{ "1e3s", -1, "not a duration" },
	{ "0x10s", -1, "not a duration" },
};

static const struct {
	int64_t ns;
	const char *text;
} formats[] = {
	{ 0, "0 ns" },
	{ 999, "999 ns" },
	{ 1500, "1.5 us" },
	{ 250000000, "250 ms" },
	{ 1000000000, "1 s" },
	{ 1234567890, "1.23 s" },
	{ 12345678900, "12.3 s" },
	{ 100000000000, "100 s" },
	{ 7200000000000, "7200 s" },
};

static const struct {
	uint64_t ns;
	const char *text;
} floors[] = {
	{ 0, "0 ns" },
	{ 999, "999 ns" },
	{ 1999999, "1.99 ms" },
	{ 58268530810, "58.2 s" },
	{ 64368523990, "64.3 s" },
	{ 99999999999, "99.9 s" },
	{ 7199999999999, "7199 s" },
	{ UINT64_MAX, "9223372036 s" },
};

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mm_error err = MM_ERROR_INIT;
		int64_t ns = -2;
		int ret = mm_duration_parse(cases[i].text, "--last", &ns, &err);

		if (cases[i].ns >= 0)
			tap(!ret && !err.code && ns == cases[i].ns, "'%s' is %" PRId64 " ns",
			    cases[i].text, ns);
		else
			tap(ret && err.code == MM_EXIT_BAD_INPUT &&
				    !strncmp(err.message, "--last: ", 8) &&
				    strstr(err.message, cases[i].says),
			    "'%s' is refused: %s", cases[i].text, err.message);
	}
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		char text[MM_DURATION_TEXT];

		mm_duration_format(text, sizeof(text), formats[i].ns);
		tap(!strcmp(text, formats[i].text), "%" PRId64 " ns are shown as %s", formats[i].ns,
		    text);
	}
	for (size_t i = 0; i < sizeof(floors) / sizeof(floors[0]); i++) {
		char text[MM_DURATION_TEXT];

		mm_duration_format_down(text, floors[i].ns);
		tap(!strcmp(text, floors[i].text), "%" PRIu64 " ns are at least %s", floors[i].ns,
		    text);
	}
	return tap_status();
}
