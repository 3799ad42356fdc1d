// SPDX-License-Identifier: LGPL-2.1-only
/* Divides the time of an interval into parts. */
#include "analysis/why/parts.h"

#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

int why_parts_init(struct why_parts *parts)
{
	*parts = (struct why_parts){ .count = 0 };
	return mm_rows_init(&parts->all, sizeof(struct why_part), WHY_PARTS_MAX, 4);
}

void why_parts_release(struct why_parts *parts)
{
	mm_rows_release(&parts->all);
	free(parts->spans);
	*parts = (struct why_parts){ .count = 0 };
}

static void join(struct why_span *span, const struct why_span *later)
{
	span->has_marks |= span->mark || later->mark || later->has_marks;
	span->mark = NULL;
	span->end_ns = later->end_ns;
	span->last = later->last;
	span->part_ns += later->part_ns;
	span->sleeping_ns += later->sleeping_ns;
	span->runnable_ns += later->runnable_ns;
	span->allocations += later->allocations;
	span->sized += later->sized;
	span->bytes += later->bytes;
	span->touches += later->touches;
}

/*
 * Makes room by joining pairs of neighbouring spans in the older half of the array. A joined pair
 * is wrong only if a call that is still open started between the two spans, which is rare.
 */
static void make_room(struct why_parts *parts)
{
	uint32_t half = parts->count / 2, to = 0;

	for (uint32_t from = 0; from < half; from += 2, to++) {
		parts->spans[to] = parts->spans[from];
		join(&parts->spans[to], &parts->spans[from + 1]);
	}
	memmove(&parts->spans[to], &parts->spans[half],
		(parts->count - half) * sizeof(*parts->spans));
	parts->count = to + parts->count - half;
}

int why_parts_add(struct why_parts *parts, const struct why_span *span, uint64_t since)
{
	struct why_span *grown;

	if (since != WHY_NO_SERIAL && parts->count && !span->mark &&
	    !parts->spans[parts->count - 1].mark && parts->spans[parts->count - 1].first > since) {
		join(&parts->spans[parts->count - 1], span);
		return 0;
	}
	if (parts->count == WHY_SPANS_MAX)
		make_room(parts);
	grown = mm_array_grow(parts->spans, parts->count, &parts->room, sizeof(*grown));
	if (!grown)
		return -1;
	parts->spans = grown;
	grown[parts->count++] = *span;
	return 0;
}

static bool is_within(const struct why_span *span, const struct why_span *call)
{
	if (call->first != WHY_NO_SERIAL && span->first != WHY_NO_SERIAL)
		return span->first >= call->first;
	return span->end_ns > call->start_ns;
}

static int add_part(struct why_parts *parts, enum why_part_kind kind, uint32_t function,
		    const struct why_part *more)
{
	struct why_part *part;

	if (!more->ns && !more->allocations && !more->touches)
		return 0;
	part = mm_rows_get(&parts->all, (uint32_t)kind + 1, function);
	if (!part)
		return -1;
	part->ns += more->ns;
	part->sleeping_ns += more->sleeping_ns;
	part->allocations += more->allocations;
	part->sized += more->sized;
	part->bytes += more->bytes;
	part->touches += more->touches;
	return 0;
}

int why_parts_end(struct why_parts *parts, enum why_part_kind kind, uint32_t function,
		  const struct why_span *call, uint64_t since)
{
	struct why_span made = *call, within = { .part_ns = 0 };
	uint64_t duration_ns =
		call->end_ns > call->start_ns ? (uint64_t)(call->end_ns - call->start_ns) : 0;
	struct why_part self = { .ns = 0 }, off = { .ns = 0 };
	uint64_t taken_ns;

	while (parts->count && is_within(&parts->spans[parts->count - 1], call)) {
		const struct why_span *span = &parts->spans[--parts->count];

		join(&within, span);
		if (span->start_ns < made.start_ns)
			made.start_ns = span->start_ns;
	}
	off.sleeping_ns = within.sleeping_ns;
	off.ns = within.sleeping_ns + within.runnable_ns;
	taken_ns = within.part_ns + off.ns;
	self.ns = duration_ns > taken_ns ? duration_ns - taken_ns : 0;
	self.allocations = within.allocations;
	self.sized = within.sized;
	self.bytes = within.bytes;
	self.touches = within.touches;
	made.part_ns = taken_ns + self.ns;
	made.sleeping_ns = made.runnable_ns = 0;
	made.allocations = made.sized = made.bytes = made.touches = 0;
	made.has_marks = false;
	if (add_part(parts, kind == WHY_SELF ? WHY_OFF : kind, function, &off) ||
	    add_part(parts, kind, function, &self))
		return -1;
	return why_parts_add(parts, &made, since);
}

static bool same_ends(const struct why_part *part, const char *from, const char *to)
{
	return part->from && !strcmp(part->from, from) && !strcmp(part->to, to);
}

/*
 * Adds the time between two marks. If the array is full, adds nothing, and the time becomes part of
 * the rest.
 */
static void add_divided(struct why_parts *parts, const struct why_part *more)
{
	struct why_part *part = parts->divided;
	struct why_part *end = part + parts->divided_count;

	if (!more->ns && !more->allocations && !more->touches)
		return;
	while (part < end && !same_ends(part, more->from, more->to))
		part++;
	if (part == end && parts->divided_count == WHY_DIVIDED_MAX)
		return;
	if (part == end) {
		parts->divided_count++;
		*part = (struct why_part){ .key = { .a = WHY_SELF + 1, .b = WHY_IN_NONE },
					   .from = more->from,
					   .to = more->to };
	}
	part->ns += more->ns;
	part->allocations += more->allocations;
	part->sized += more->sized;
	part->bytes += more->bytes;
	part->touches += more->touches;
}

static uint64_t time_between(int64_t start_ns, int64_t end_ns, uint64_t taken_ns)
{
	uint64_t ns = end_ns > start_ns ? (uint64_t)(end_ns - start_ns) : 0;

	return ns > taken_ns ? ns - taken_ns : 0;
}

/*
 * Divides the time outside the spans: a part ends at each mark. Does not divide the time around
 * joined spans that contain marks, because the names and times of these marks are lost.
 */
static void divide(struct why_parts *parts, const struct why_span *whole, const char *from,
		   const char *to)
{
	struct why_part part = { .from = from };
	int64_t start_ns = whole->start_ns;
	uint64_t taken_ns = 0;
	bool is_joined = false;

	parts->divided_count = 0;
	for (uint32_t i = 0; i < parts->count; i++) {
		const struct why_span *span = &parts->spans[i];

		is_joined |= span->has_marks;
		taken_ns += span->part_ns + span->sleeping_ns + span->runnable_ns;
		part.allocations += span->allocations;
		part.sized += span->sized;
		part.bytes += span->bytes;
		part.touches += span->touches;
		if (!span->mark)
			continue;
		part.to = span->mark;
		part.ns = time_between(start_ns, span->end_ns, taken_ns);
		if (!is_joined)
			add_divided(parts, &part);
		part = (struct why_part){ .from = span->mark };
		start_ns = span->end_ns;
		taken_ns = 0;
		is_joined = false;
	}
	part.to = to;
	part.ns = time_between(start_ns, whole->end_ns, taken_ns);
	if (part.from != from && !is_joined)
		add_divided(parts, &part);
}

/*
 * Adds the rest of @all as a last part. If the parts add up to more than @all, discards all of
 * them.
 */
static void add_rest(struct why_parts *parts, const struct why_part *all)
{
	struct why_part rest = *all;

	for (uint32_t i = 0; i < parts->divided_count; i++) {
		const struct why_part *part = &parts->divided[i];

		if (part->ns > rest.ns || part->allocations > rest.allocations ||
		    part->sized > rest.sized || part->bytes > rest.bytes ||
		    part->touches > rest.touches) {
			parts->divided_count = 0;
			return;
		}
		rest.ns -= part->ns;
		rest.allocations -= part->allocations;
		rest.sized -= part->sized;
		rest.bytes -= part->bytes;
		rest.touches -= part->touches;
	}
	if (parts->divided_count && (rest.ns || rest.allocations || rest.touches))
		parts->divided[parts->divided_count++] = rest;
}

int why_parts_end_all(struct why_parts *parts, const struct why_span *whole, const char *from,
		      const char *to)
{
	const struct why_part *all;

	divide(parts, whole, from, to);
	if (why_parts_end(parts, WHY_SELF, WHY_IN_NONE, whole, WHY_NO_SERIAL))
		return -1;
	all = mm_rows_lookup(&parts->all, WHY_SELF + 1, WHY_IN_NONE);
	if (all)
		add_rest(parts, all);
	else
		parts->divided_count = 0;
	return 0;
}
