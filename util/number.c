// SPDX-License-Identifier: LGPL-2.1-only
/* Reads whole numbers that users give. */
#include "util/number.h"

#include <stdlib.h>

int mm_number_read(const char *text, const char *what, unsigned int low, unsigned int high,
		   unsigned int *number, struct mm_error *err)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	/* A number that is too large is ULONG_MAX. */
	if (*text < '0' || *text > '9' || *end || value < low || value > high)
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "%s: '%s' is not a number from %u to %u", what, text, low,
				    high);
	*number = (unsigned int)value;
	return 0;
}
