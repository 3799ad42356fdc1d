/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Divides the time of an interval into disjoint parts: self time of each function, its time off the
 * CPU, interrupts, and undetermined time.
 *
 * Spans (calls, interrupts, time off the CPU) are added in the order in which they end. When a call
 * ends, its self time is its duration minus the spans since its start, and one span, the call,
 * replaces them. Single records, which do not show their start in advance, work in the same way.
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
	WHY_UNDETERMINED, /* time in a call without entry or exit, or around missing switches */
	WHY_PART_KINDS,
};

/* Values of a part's function that are not functions. */
enum {
	WHY_IN_NONE = 0xffffff00u, /* outside functions called in the interval */
	WHY_IN_HARD_IRQ,
	WHY_IN_SOFT_IRQ,
	WHY_IN_LOST,	  /* around a missing switch */
	WHY_IN_OPERATION, /* plus the number of the operation */
};

/* Maximum number of parts; the first row sums the others. */
#define WHY_PARTS_MAX 256u

struct why_part {
	struct mm_row key; /* (kind + 1, function) */
	/* With WHY_IN_NONE: only the time between events of these names; NULL: all time. */
	const char *from, *to;
	uint64_t ns, sleeping_ns;
	uint64_t allocations, sized, bytes; /* @sized: allocations with a known size */
	uint64_t touches;		    /* of pages */
};

/* A span of time that has ended, while the calls around the span, if any, are still open. */
struct why_span {
	const char *mark; /* for a point in time: the event that divides the time; NULL: a span */
	bool has_marks;	  /* joined spans include marks */
	int64_t start_ns, end_ns;
	uint64_t first, last; /* numbers of its first and last event */
	uint64_t part_ns;     /* time that is in parts already */
	uint64_t sleeping_ns, runnable_ns;
	uint64_t allocations, sized, bytes, touches; /* as in struct why_part */
};

#define WHY_SPANS_MAX 1024u
#define WHY_DIVIDED_MAX 32u

struct why_parts {
	struct mm_rows all; /* struct why_part per kind and function */
	/* WHY_SELF of WHY_IN_NONE: the parts between marks, then the rest. Empty if undivided. */
	struct why_part divided[WHY_DIVIDED_MAX + 1];
	uint32_t divided_count;
	struct why_span *spans;
	uint32_t count;
	size_t room;
};

/* All functions return 0, or -1 when out of memory. A released object may be released again. */
int why_parts_init(struct why_parts *parts);
void why_parts_release(struct why_parts *parts);

/*
 * Adds @span. Joins all spans since event @since, as the same calls will contain them;
 * WHY_NO_SERIAL: joins nothing.
 */
int why_parts_add(struct why_parts *parts, const struct why_span *span, uint64_t since);

/*
 * Ends a call or an interrupt, @call, and adds its parts. @call->first is WHY_NO_SERIAL if its
 * first event is not known. @since: as above.
 */
int why_parts_end(struct why_parts *parts, enum why_part_kind kind, uint32_t function,
		  const struct why_span *call, uint64_t since);

/*
 * Ends an interval that is not a call, from event @from to event @to: divides its time outside all
 * spans at the marks. The names must outlive @parts.
 */
int why_parts_end_all(struct why_parts *parts, const struct why_span *whole, const char *from,
		      const char *to);

#endif /* LTTNG_MM_WHY_PARTS_H */
