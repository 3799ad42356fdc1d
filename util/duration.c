// SPDX-License-Identifier: LGPL-2.1-only
/* Reads numbers and durations, and formats durations. */
#include "util/duration.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S INT64_C(1000000000)

int mm_number_read(const char *text, const char *what, unsigned int low, unsigned int high,
		   unsigned int *number, struct mm_error *err)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	/* If a number is too large, strtoul() returns ULONG_MAX, which exceeds @high. */
	if (*text < '0' || *text > '9' || *end || value < low || value > high)
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "%s: '%s' is not a number from %u to %u", what, text, low,
				    high);
	*number = (unsigned int)value;
	return 0;
}

static const struct {
	const char *name;
	int64_t ns;
} units[] = {
	{ "ns", 1 },	   { "us", 1000 },	   { "ms", 1000000 },
	{ "s", NS_PER_S }, { "m", 60 * NS_PER_S }, { "h", 3600 * NS_PER_S },
};

static int64_t find_unit(const char *name)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(units[i].name, name))
			return units[i].ns;
	return 0;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Reads digits. Returns at most MM_DURATION_MAX_NS. */
static int64_t read_number(const char **text)
{
	int64_t value = 0;

	for (; is_digit(**text); ++*text)
		if (value < MM_DURATION_MAX_NS)
			value = value * 10 + (**text - '0');
	return value < MM_DURATION_MAX_NS ? value : MM_DURATION_MAX_NS;
}

/* Reads the digits of a fraction as billionths of a unit. */
static int64_t read_billionths(const char **text)
{
	int64_t value = 0, weight = NS_PER_S;

	for (; is_digit(**text); ++*text) {
		weight /= 10;
		value += (**text - '0') * weight;
	}
	return value;
}

int mm_duration_parse(const char *text, const char *option, int64_t *ns, struct mm_error *err)
{
	const char *at = text;
	int64_t whole, billionths = 0, unit;
	bool valid = is_digit(*at);

	whole = read_number(&at);
	if (valid && *at == '.') {
		valid = is_digit(*++at);
		billionths = read_billionths(&at);
	}
	unit = find_unit(at);
	if (!valid || !unit)
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"%s: %s: not a duration; give a number with one of the units ns, us, ms, s, m, h, such as 10s",
			option, text);
	if (whole > MM_DURATION_MAX_NS / unit)
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "%s: %s: too long; at most 24000h are possible", option, text);
	/* An hour is 3.6e12 ns, and the product with the billionths does not fit in 64 bits. */
	*ns = whole * unit + (int64_t)((__int128)billionths * unit / NS_PER_S);
	return 0;
}

/* Returns the index of the largest unit, up to a second, that is not longer than @ns. */
static size_t unit_of(int64_t ns)
{
	size_t unit = 3;

	while (unit && ns < units[unit].ns)
		unit--;
	return unit;
}

void mm_duration_format(char *text, size_t size, int64_t ns)
{
	size_t unit = unit_of(ns);
	double value;
	char *end;

	value = (double)ns / (double)units[unit].ns;
	snprintf(text, size, "%.*f", value < 10 ? 2 : value < 100 ? 1 : 0, value);
	if (strchr(text, '.')) {
		for (end = text + strlen(text); end[-1] == '0'; end--)
			end[-1] = '\0';
		if (end[-1] == '.')
			end[-1] = '\0';
	}
	snprintf(text + strlen(text), size - strlen(text), " %s", units[unit].name);
}

const char *mm_duration_format_down(char text[MM_DURATION_TEXT], uint64_t ns)
{
	int64_t at_least = ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
	int64_t unit = units[unit_of(at_least)].ns;
	int64_t step = at_least < 10 * unit ? unit / 100 : at_least < 100 * unit ? unit / 10 : unit;

	mm_duration_format(text, MM_DURATION_TEXT, step ? at_least - at_least % step : at_least);
	return text;
}
