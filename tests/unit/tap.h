/* SPDX-License-Identifier: LGPL-2.1-only */
/* TAP lines for unit tests. */
#ifndef LTTNG_MM_TESTS_UNIT_TAP_H
#define LTTNG_MM_TESTS_UNIT_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static unsigned int tap_number, tap_failures;

__attribute__((format(printf, 2, 3))) static inline void tap(bool ok, const char *fmt, ...)
{
	va_list args;

	printf("%sok %u - ", ok ? "" : "not ", ++tap_number);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	/* What a sanitizer ends keeps its lines. */
	fflush(stdout);
	tap_failures += !ok;
}

/* The exit status of a test program. */
static inline int tap_status(void)
{
	printf("1..%u\n", tap_number);
	return tap_failures || !tap_number;
}

#endif /* LTTNG_MM_TESTS_UNIT_TAP_H */
