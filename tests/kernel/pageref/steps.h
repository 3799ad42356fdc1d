/* SPDX-License-Identifier: LGPL-2.1-only */
/* Shared by programs whose steps a script starts, after it has marked their pages. */
#ifndef LTTNG_MM_TESTS_PAGEREF_STEPS_H
#define LTTNG_MM_TESTS_PAGEREF_STEPS_H

#include <stdio.h>
#include <stdlib.h>

static inline void die(const char *what)
{
	perror(what);
	exit(1);
}

/* Prints "arm STEP", and waits for a line: all pages are marked then. */
static inline void arm(const char *step)
{
	char line[16];

	printf("arm %s\n", step);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		exit(1);
}

#endif /* LTTNG_MM_TESTS_PAGEREF_STEPS_H */
