/* SPDX-License-Identifier: LGPL-2.1-only */
/* Text that grows. */
#ifndef LTTNG_MM_UTIL_TEXT_H
#define LTTNG_MM_UTIL_TEXT_H

#include <stddef.h>

/* Release @data with free(). */
struct mm_text {
	char *data;
	size_t length, room;
	size_t begin; /* of the event's text, when those of several events follow each other */
	size_t most;  /* one event's may be that long at most; 0: as a renderer likes */
	/* why a renderer gave up, if not for lack of memory: a constant string */
	const char *problem;
};

/* Makes room for @length more bytes; returns where they go, NULL when memory is short. */
char *mm_text_reserve(struct mm_text *text, size_t length);

/* Appends a copy of @string to the @count strings of @list. Returns 0, or -1: out of memory. */
int mm_strings_add(char ***list, size_t *count, const char *string);

#endif /* LTTNG_MM_UTIL_TEXT_H */
