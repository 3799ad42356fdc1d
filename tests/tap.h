/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * TAP output of tests in C, and of checkers, which print only comments: a script runs a checker as
 * one test. A test must end with tap_status(). If it ends earlier, it has no plan and fails.
 */
#ifndef LTTNG_MM_TESTS_TAP_H
#define LTTNG_MM_TESTS_TAP_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The maximum number of differences shown by each program. */
#define TAP_SHOWN 20

static unsigned int tap_number, tap_failures;
static unsigned int tap_compared, tap_differences;

__attribute__((format(printf, 2, 3))) static inline void tap(bool ok, const char *fmt, ...)
{
	va_list args;

	printf("%sok %u - ", ok ? "" : "not ", ++tap_number);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	/* Flushes the line, in case a sanitizer ends the program. */
	fflush(stdout);
	tap_failures += !ok;
}

static inline void tap_skip(const char *name, const char *why)
{
	printf("ok %u - %s # SKIP %s\n", ++tap_number, name, why);
}

/* Ends the test if a requirement is missing. */
__attribute__((format(printf, 1, 2), noreturn)) static inline void tap_bail(const char *fmt, ...)
{
	va_list args;

	fputs("Bail out! ", stdout);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	exit(1);
}

/* Runs a shell command, which must succeed. */
__attribute__((format(printf, 1, 2))) static inline void tap_shell(const char *fmt, ...)
{
	char command[4200];
	va_list args;
	int length;

	va_start(args, fmt);
	length = vsnprintf(command, sizeof(command), fmt, args);
	va_end(args);
	if (length < 0 || (size_t)length >= sizeof(command) || system(command))
		tap_bail("%s", command);
}

/* Returns the exit status of a test program. */
static inline int tap_status(void)
{
	printf("1..%u\n", tap_number);
	return tap_failures || !tap_number;
}

/* Reports a checker's finding. */
__attribute__((format(printf, 1, 2))) static inline void tap_differ(const char *fmt, ...)
{
	va_list args;

	if (tap_differences++ >= TAP_SHOWN)
		return;
	fputs("# ", stdout);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

/* Compares two values of a checker. */
static inline void tap_compare(const char *where, const char *what, uint64_t expected,
			       uint64_t actual)
{
	tap_compared++;
	if (expected != actual)
		tap_differ("%s: %s: expected %" PRIu64 ", found %" PRIu64, where, what, expected,
			   actual);
}

/* Prints the number of compared @things. Returns the exit status of the checker. */
static inline int tap_verdict(const char *things, uint64_t compared)
{
	if (!compared)
		tap_differ("no %s to compare", things);
	printf("# %" PRIu64 " %s compared, %u differences\n", compared, things, tap_differences);
	return tap_differences != 0;
}

#endif /* LTTNG_MM_TESTS_TAP_H */
