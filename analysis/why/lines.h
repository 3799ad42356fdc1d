/* SPDX-License-Identifier: LGPL-2.1-only */
/* The lines of a time line, in bounded memory: those that took longest, then the first ones. */
#ifndef LTTNG_MM_WHY_LINES_H
#define LTTNG_MM_WHY_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum why_line_kind {
	WHY_LINE_CALL,
	WHY_LINE_INCOMPLETE, /* a call without its entry or exit */
	WHY_LINE_OFF,
	WHY_LINE_INTERRUPT,
	WHY_LINE_ALLOCATION,
	WHY_LINE_EVENT,
	WHY_LINE_OPERATION, /* the first operation that a subsystem declares; the others follow */
};

/* Longer texts are truncated. */
#define WHY_LINE_TEXT 1024u
#define WHY_LINES_MAX 1000u
#define WHY_LINES_DEFAULT 20u
#define WHY_LINES_TOTAL 100000u /* of all time lines */

struct why_line {
	enum why_line_kind kind;
	int64_t start_ns;
	uint64_t duration_ns; /* 0: of an event */
	uint64_t first;	      /* number of the event that starts it; UINT64_MAX: it has none */
	uint64_t serial;      /* of the event that ends it */
	uint32_t cpu;	      /* ... on which it was recorded */
	uint32_t call_site;
	bool has_call_site;
	char *text; /* owned; hostile */
};

struct why_lines {
	struct why_line *all; /* a heap whose root is left out first */
	uint32_t count, max;
	size_t room;
	uint64_t left_out;
};

/* An object that is all zeros, but for @max, is empty. */
void why_lines_release(struct why_lines *lines);

/* Would it be kept? If not, it counts as left out. */
bool why_lines_would_keep(struct why_lines *lines, uint64_t duration_ns, uint64_t serial);
/* Adds one that would be kept, with a copy of @text. Returns 0, or -1: out of memory. */
int why_lines_add(struct why_lines *lines, const struct why_line *line, const char *text);

/* After the last one: sorts all by start, a call before those within it. */
void why_lines_sort(struct why_lines *lines);

#endif /* LTTNG_MM_WHY_LINES_H */
