/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Divides the time of an interval into disjoint parts: the self time of each function, its time off
 * the CPU, interrupts, and undetermined time.
 *
 * Spans (calls, interrupts, time off the CPU) are added in the order of their ends. When a call
 * ends, its self time is its duration minus the spans since its start. The call then replaces these
 * spans. This also works for calls that are recorded as single records, whose start is known only
 * at their end.
 */
#ifndef LTTNG_MM_WHY_PARTS_H
#define LTTNG_MM_WHY_PARTS_H

#include <stddef.h>

#include "analysis/why/interval.h"
#include "util/rows.h"

enum why_part_kind {
	WHY_SELF,	  /* self time of a function */
	WHY_OFF,	  /* time off the CPU in a function */
	WHY_INTERRUPT,	  /* time in an interrupt and the functions that it calls */
	WHY_UNDETERMINED, /* a call without entry or exit, or time around missing switches */
	WHY_PART_KINDS,
};

/* Special values of a part's function. */
enum {
	WHY_IN_NONE = 0xffffff00u, /* outside all functions called in the interval */
	WHY_IN_HARD_IRQ,
	WHY_IN_SOFT_IRQ,
	WHY_IN_LOST,	  /* around a missing switch */
	WHY_IN_OPERATION, /* operation N has the value WHY_IN_OPERATION + N */
};

/* Maximum number of parts. The first row is the sum of the parts beyond the maximum. */
#define WHY_PARTS_MAX 256u

struct why_part {
	struct mm_row key; /* (kind + 1, function) */
	/*
	 * For WHY_IN_NONE: the part is the time between events with these names. If they are NULL,
	 * the part is all time outside functions.
	 */
	const char *from, *to;
	uint64_t ns, sleeping_ns;
	uint64_t allocations, sized, bytes; /* @sized: allocations with a known size */
	uint64_t touches;		    /* number of page touches */
};

/* A span of time that has ended. Calls that contain the span may still be open. */
struct why_span {
	/* name of the event if this is a mark (a point in time); NULL: this is a span */
	const char *mark;
	bool has_marks; /* this is the result of joining spans and marks */
	int64_t start_ns, end_ns;
	uint64_t first, last; /* numbers of the first and the last event */
	uint64_t part_ns;     /* time that already belongs to parts */
	uint64_t sleeping_ns, runnable_ns;
	uint64_t allocations, sized, bytes, touches; /* see struct why_part */
};

#define WHY_SPANS_MAX 1024u
#define WHY_DIVIDED_MAX 32u

struct why_parts {
	struct mm_rows all; /* struct why_part per kind and function */
	/*
	 * The time outside all functions (WHY_SELF in WHY_IN_NONE), divided into the parts between
	 * marks, and a rest. May be empty.
	 */
	struct why_part divided[WHY_DIVIDED_MAX + 1];
	uint32_t divided_count;
	struct why_span *spans;
	uint32_t count;
	size_t room;
};

/* Functions that return an int return 0, or -1 when out of memory. Releasing twice is allowed. */
int why_parts_init(struct why_parts *parts);
void why_parts_release(struct why_parts *parts);

/*
 * Adds @span. If the last span started after event @since, joins the two spans, because the same
 * calls contain both. If @since is WHY_NO_SERIAL, joins nothing.
 */
int why_parts_add(struct why_parts *parts, const struct why_span *span, uint64_t since);

/*
 * Ends a call or an interrupt, @call, and adds its parts. @call->first is WHY_NO_SERIAL if its
 * first event is unknown. @since is as in why_parts_add().
 */
int why_parts_end(struct why_parts *parts, enum why_part_kind kind, uint32_t function,
		  const struct why_span *call, uint64_t since);

/*
 * Ends an interval that is not a call. Divides the time outside all spans: a part ends at each
 * mark. @from and @to are the names of the interval's first and last event. These strings must
 * outlive @parts.
 */
int why_parts_end_all(struct why_parts *parts, const struct why_span *whole, const char *from,
		      const char *to);

#endif /* LTTNG_MM_WHY_PARTS_H */
