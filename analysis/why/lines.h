/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The longest lines of a time line, in bounded memory. If lines are equally long, the earliest ones
 * are kept.
 */
#ifndef LTTNG_MM_WHY_LINES_H
#define LTTNG_MM_WHY_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum why_line_kind {
	WHY_LINE_CALL,
	WHY_LINE_INCOMPLETE, /* call without entry or exit */
	WHY_LINE_OFF,
	WHY_LINE_INTERRUPT,
	WHY_LINE_ALLOCATION,
	WHY_LINE_EVENT,
	/* kind of operation 0; operation N has the kind WHY_LINE_OPERATION + N */
	WHY_LINE_OPERATION,
};

/* Size of a line's text. Longer texts are truncated. */
#define WHY_LINE_TEXT 1024u
#define WHY_LINES_MAX 1000u
#define WHY_LINES_DEFAULT 20u
#define WHY_LINES_TOTAL 100000u /* maximum number of lines of all time lines */

struct why_line {
	enum why_line_kind kind;
	int64_t start_ns;
	uint64_t duration_ns; /* 0 for an event */
	uint64_t first;	      /* number of the line's first event; UINT64_MAX: none */
	uint64_t serial;      /* number of the line's last event */
	uint32_t cpu;	      /* CPU of the line's last event */
	uint32_t call_site;
	bool has_call_site;
	char *text; /* owned; untrusted */
};

struct why_lines {
	struct why_line *all; /* a heap; the root is dropped first */
	uint32_t count, max;
	size_t room;
	uint64_t left_out;
};

/* An object is empty if all members except @max are zero. */
void why_lines_release(struct why_lines *lines);

/* Would why_lines_add() keep the line? If not, increments @left_out. */
bool why_lines_would_keep(struct why_lines *lines, uint64_t duration_ns, uint64_t serial);
/*
 * Adds a line with a copy of @text. Call it only if the line would be kept. Returns 0, or -1 when
 * out of memory.
 */
int why_lines_add(struct why_lines *lines, const struct why_line *line, const char *text);

/* Sorts the lines by start time. A call comes before its callees. */
void why_lines_sort(struct why_lines *lines);

#endif /* LTTNG_MM_WHY_LINES_H */
