// SPDX-License-Identifier: LGPL-2.1-only
/* Tests messages: they are escaped, have one line, and keep their remedy even with a long name. */
#include "util/error.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

/* @piece, repeated @count times, is the name in a message with a remedy. */
static const struct {
	const char *piece;
	unsigned int count;
	bool whole;
} cases[] = {
	{ "x", 10, true },
	{ "x", 4000, false },
	{ "\033", 4000, false },
	{ "\xc3\xa4", 3000, false },
	{ "\xe2\x80\xae", 1000, false },
	{ "\xff\xfe", 700, false },
	{ "x", 987, true },
	{ "x", 988, false },
	{ "folder/", 600, false },
	{ "a: b; `c` ", 400, false },
};

/* Tests messages with several long parts, such as the output of tools: no part may be lost. */
static void check_parts(void)
{
	static const char remedy[] =
		"copy the whole trace again with everything that is in the folder, the hidden files too, or read it where it was recorded, as the user who recorded it, who may read each of its files";
	static const char *const kept[] = {
		"trace: /start/",
		"/end: damaged: an event of class 7 ends past its packet; `babeltrace2 /start/",
		"/end` shows where; ",
		remedy,
		NULL,
	};
	struct mm_error err = MM_ERROR_INIT;
	const char *at = err.message;
	char path[4000] = "/start/";

	memset(path + 7, 'x', sizeof(path) - 7);
	for (size_t i = 20; i < sizeof(path); i += 20)
		path[i] = '/';
	memcpy(path + sizeof(path) - 5, "/end", 5);
	mm_error_set(
		&err, 2,
		"trace: %s: damaged: an event of class 7 ends past its packet; `babeltrace2 %s` shows where; %s",
		path, path, remedy);
	for (size_t i = 0; kept[i]; i++) {
		const char *found = strstr(at, kept[i]);

		tap(found, "several long parts: '%s' is in '%s'", kept[i], at);
		at = found ? found + strlen(kept[i]) : at;
	}
	tap(!*at, "several long parts: the remedy is at the end");
	/* Paths must be shortened at a slash if a slash is near. */
	tap(strstr(err.message, "/[...]/"),
	    "several long parts: no component of a path is split without need");
}

static bool starts_and_ends(const char *text, const char *start, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	return length > end_length && !strncmp(text, start, strlen(start)) &&
	       !strcmp(text + length - end_length, end);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mm_error err = MM_ERROR_INIT;
		size_t length = strlen(cases[i].piece);
		char *name = calloc(cases[i].count, length + 1);

		for (unsigned int n = 0; n < cases[i].count; n++)
			memcpy(name + n * length, cases[i].piece, length);
		mm_error_set(&err, 2, "trace: /%s: no trace; give another one", name);
		tap(starts_and_ends(err.message, "trace: /", ": no trace; give another one") &&
			    !strstr(err.message, "[...]") == cases[i].whole &&
			    strlen(err.message) < sizeof(err.message) &&
			    !strchr(err.message, '\033'),
		    "case %zu: %zu bytes, start and remedy are present", i, strlen(err.message));
		/* No escape may be truncated: a backslash is followed by its letter and digits. */
		for (const char *c = err.message; (c = strchr(c, '\\')); c++) {
			size_t digits = c[1] == 'x' ? 2 : 4;

			if (strspn(c + 2, "0123456789abcdef") < digits)
				tap(false, "case %zu: an escape is truncated: %s", i, c);
		}
		free(name);
	}
	check_parts();
	return tap_status();
}
