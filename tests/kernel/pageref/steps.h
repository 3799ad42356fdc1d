/* SPDX-License-Identifier: LGPL-2.1-only */
/* Shared by programs that wait before each step, until a script has marked their pages. */
#ifndef LTTNG_MM_TESTS_PAGEREF_STEPS_H
#define LTTNG_MM_TESTS_PAGEREF_STEPS_H

#include <stdio.h>
#include <stdlib.h>

static inline void die(const char *what)
{
	perror(what);
	exit(1);
}

/* Prints "arm STEP", and waits for a line, which means that all pages are marked. */
static inline void arm(const char *step)
{
	char line[16];

	printf("arm %s\n", step);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		exit(1);
}

#endif /* LTTNG_MM_TESTS_PAGEREF_STEPS_H */
