/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Divides the time of an interval into parts that exclude each other: what each function took by
 * itself, on the CPU and off it, what interrupts took, and what is not known.
 *
 * All that happens is added when it ends, in that order. What a call takes by itself is its time
 * without what was added since it started, of which it then becomes one span: so calls of entries
 * and exits and calls of single records, which do not show when they start, are the same.
 */
#ifndef LTTNG_MM_WHY_PARTS_H
#define LTTNG_MM_WHY_PARTS_H

#include <stddef.h>

#include "analysis/why/interval.h"
#include "util/rows.h"

enum why_part_kind {
	WHY_SELF,	  /* in a function, without recorded callees */
	WHY_OFF,	  /* off the CPU in a function */
	WHY_INTERRUPT,	  /* in an interrupt, or a function that it calls */
	WHY_UNDETERMINED, /* after a function's entry without exit, or where events are missing */
	WHY_PART_KINDS,
};

/* Functions of parts besides those of calls. */
enum {
	WHY_IN_NONE = 0xffffff00u, /* in no function that was called within the interval */
	WHY_IN_HARD_IRQ,
	WHY_IN_SOFT_IRQ,
	WHY_IN_LOST,	  /* where a switch to the thread or from it is missing */
	WHY_IN_OPERATION, /* in the first operation that a subsystem declares; the others follow */
};

/* More of them are summed up in the first row of the table. */
#define WHY_PARTS_MAX 256u

struct why_part {
	struct mm_row key; /* kind + 1, function */
	/* Of WHY_IN_NONE: counts only the time between events of these names; NULL: all time. */
	const char *from, *to;
	uint64_t ns, sleeping_ns;
	uint64_t allocations, sized, bytes; /* @sized of them have a size: @bytes in total */
};

/* Something that has ended, and is not yet within a call that has. */
struct why_span {
	const char *mark; /* name of an event that divides the part around it; NULL: none */
	bool has_marks;	  /* spans that were joined had some */
	int64_t start_ns, end_ns;
	uint64_t first, last; /* numbers of its events */
	uint64_t part_ns;     /* that are parts already */
	uint64_t sleeping_ns, runnable_ns;
	uint64_t allocations, sized, bytes; /* as in struct why_part */
};

#define WHY_SPANS_MAX 1024u
#define WHY_DIVIDED_MAX 32u

struct why_parts {
	struct mm_rows all; /* of struct why_part */
	/* How WHY_SELF of WHY_IN_NONE is divided: by its largest parts, and the rest; 0: not. */
	struct why_part divided[WHY_DIVIDED_MAX + 1];
	uint32_t divided_count;
	struct why_span *spans;
	uint32_t count;
	size_t room;
};

/* Both return 0, or -1: out of memory; so do those below. A released object can be released. */
int why_parts_init(struct why_parts *parts);
void why_parts_release(struct why_parts *parts);

/*
 * Adds @span. Items of events after number @since will be within the same calls, and become one;
 * WHY_NO_SERIAL: that is not known.
 */
int why_parts_add(struct why_parts *parts, const struct why_span *span, uint64_t since);

/*
 * A call, or anything else of that kind, from @call->start_ns and event @call->first
 * (WHY_NO_SERIAL: not known) to @call->end_ns and @call->last.
 */
int why_parts_end(struct why_parts *parts, enum why_part_kind kind, uint32_t function,
		  const struct why_span *call, uint64_t since);

/*
 * The same for a whole interval that is in no function: the time outside of all that happened in it
 * is divided by the marks, from the event @from that starts it to the event @to that ends it. The
 * names must outlive @parts.
 */
int why_parts_end_all(struct why_parts *parts, const struct why_span *whole, const char *from,
		      const char *to);

#endif /* LTTNG_MM_WHY_PARTS_H */
