/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads whole numbers that users give. */
#ifndef LTTNG_MM_UTIL_NUMBER_H
#define LTTNG_MM_UTIL_NUMBER_H

#include "util/error.h"

/*
 * Reads @text, decimal digits and nothing else, into @number. @what names it in messages: "--pid".
 * Returns 0, or -1 with @err set if it is not a number from @low to @high.
 */
int mm_number_read(const char *text, const char *what, unsigned int low, unsigned int high,
		   unsigned int *number, struct mm_error *err);

#endif /* LTTNG_MM_UTIL_NUMBER_H */
