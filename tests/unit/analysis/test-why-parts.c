// SPDX-License-Identifier: LGPL-2.1-only
/* Tests how `report why` divides an interval, and which intervals and lines it stores. */
#include <stdlib.h>
#include <string.h>

#include "analysis/why/lines.h"
#include "analysis/why/parts.h"
#include "analysis/why/slowest.h"
#include "tests/tap.h"

enum { END, OFF, ASLEEP, ALLOCATE };

/*
 * A span from @start to @end. @first and @last are serial numbers of events. If @first is 0, it
 * stands for WHY_NO_SERIAL. A step whose @last is 0 ends the list.
 */
struct parts_step {
	int what;
	uint32_t function;
	int64_t start, end;
	uint64_t first, last;
};

#define STEPS 8
static const struct {
	const char *name;
	struct parts_step steps[STEPS];
	const char *parts; /* "KIND FUNCTION NS SLEEPING ALLOCATIONS;", in the order of first use */
} cases[] = {
	{ "a call by itself", { { END, 1, 10, 30, 1, 2 } }, "0 1 20 0 0;" },
	{ "calls within a call",
	  { { END, 2, 12, 15, 2, 3 }, { END, 3, 15, 19, 4, 5 }, { END, 1, 10, 30, 1, 6 } },
	  "0 2 3 0 0;0 3 4 0 0;0 1 13 0 0;" },
	{ "the same by single records",
	  { { END, 2, 12, 15, 0, 3 }, { END, 3, 15, 19, 0, 5 }, { END, 1, 10, 30, 0, 6 } },
	  "0 2 3 0 0;0 3 4 0 0;0 1 13 0 0;" },
	{ "off the CPU in the inner and in the outer call",
	  { { ASLEEP, 0, 13, 15, 3, 4 },
	    { OFF, 0, 15, 16, 5, 6 },
	    { END, 2, 12, 18, 2, 7 },
	    { ASLEEP, 0, 20, 25, 8, 9 },
	    { END, 1, 10, 30, 1, 10 } },
	  "1 2 3 2 0;0 2 3 0 0;1 1 5 5 0;0 1 9 0 0;" },
	{ "allocations",
	  { { ALLOCATE, 0, 13, 13, 3, 3 },
	    { END, 2, 12, 18, 2, 4 },
	    { ALLOCATE, 0, 19, 19, 5, 5 },
	    { ALLOCATE, 0, 20, 20, 6, 6 },
	    { END, 1, 10, 30, 1, 7 } },
	  "0 2 6 0 1;0 1 14 0 2;" },
	{ "numbers tell events with equal times apart",
	  { { END, 2, 10, 10, 1, 2 },
	    { ALLOCATE, 0, 10, 10, 3, 3 },
	    { END, 3, 10, 10, 4, 5 },
	    { ALLOCATE, 0, 10, 10, 7, 7 },
	    { END, 1, 10, 30, 6, 8 } },
	  "0 1 20 0 1;" },
	{ "recursion: one part",
	  { { END, 1, 12, 18, 2, 3 }, { END, 1, 10, 30, 1, 4 } },
	  "0 1 20 0 0;" },
	{ "single records that overlap slightly are nested",
	  { { END, 2, 9, 15, 0, 3 }, { END, 1, 10, 30, 0, 6 } },
	  "0 2 6 0 0;0 1 14 0 0;" },
};

static int run(struct why_parts *parts, const struct parts_step *step, uint64_t since)
{
	struct why_span span = { .start_ns = step->start,
				 .end_ns = step->end,
				 .first = step->first ? step->first : WHY_NO_SERIAL,
				 .last = step->last };

	if (step->what == END)
		return why_parts_end(parts, WHY_SELF, step->function, &span, since);
	span.allocations = step->what == ALLOCATE;
	span.sleeping_ns = step->what == ASLEEP ? (uint64_t)(step->end - step->start) : 0;
	span.runnable_ns = step->what == OFF ? (uint64_t)(step->end - step->start) : 0;
	return why_parts_add(parts, &span, since);
}

static void test_parts(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct why_parts parts;
		char text[512] = "";
		size_t length = 0;
		int ret = why_parts_init(&parts);

		for (int k = 0; k < STEPS && cases[i].steps[k].last && !ret; k++)
			ret = run(&parts, &cases[i].steps[k], WHY_NO_SERIAL);
		for (uint32_t k = 1; k < parts.all.count; k++) {
			const struct why_part *part = mm_rows_at(&parts.all, k);

			length += (size_t)snprintf(text + length, sizeof(text) - length,
						   "%u %u %" PRIu64 " %" PRIu64 " %" PRIu64 ";",
						   part->key.a - 1, part->key.b, part->ns,
						   part->sleeping_ns, part->allocations);
		}
		tap(!ret && !strcmp(text, cases[i].parts), "%s: %s", cases[i].name, text);
		why_parts_release(&parts);
	}
}

/* Tests that the sum of any number of spans is exact and needs bounded memory. */
static void test_many(uint64_t since, const char *name)
{
	const struct parts_step whole = { END, 1, 0, 100000, 1, 1000000 };
	const struct why_part *part;
	uint64_t ns = 0, allocations = 0;
	struct why_parts parts;
	int ret = why_parts_init(&parts);

	for (int k = 0; k < 10000 && !ret; k++) {
		const struct parts_step steps[] = {
			{ END, 2, 10 * k, 10 * k + 4, (uint64_t)(3 * k + 2),
			  (uint64_t)(3 * k + 3) },
			{ ALLOCATE, 0, 10 * k + 5, 10 * k + 5, (uint64_t)(3 * k + 4),
			  (uint64_t)(3 * k + 4) },
		};

		ret = run(&parts, &steps[0], since) || run(&parts, &steps[1], since);
	}
	tap(!ret && parts.count <= (since == WHY_NO_SERIAL ? WHY_SPANS_MAX : 1), "%s: %u spans",
	    name, parts.count);
	ret = ret || run(&parts, &whole, since);
	for (uint32_t k = 1; k < parts.all.count; k++) {
		part = mm_rows_at(&parts.all, k);
		ns += part->ns;
		allocations += part->allocations;
	}
	part = mm_rows_lookup(&parts.all, WHY_SELF + 1, 2);
	tap(!ret && ns == 100000 && allocations == 10000 && part && part->ns == 40000,
	    "%s: all are counted", name);
	why_parts_release(&parts);
}

/* Tests intervals that are divided at events, with and without calls in between. */
static void test_divided(void)
{
	static const struct why_span spans[] = {
		{ .mark = "a", .start_ns = 10, .end_ns = 10, .first = 2, .last = 2 },
		{ .start_ns = 15, .end_ns = 20, .first = 3, .last = 4, .part_ns = 5 },
		{ .mark = "b",
		  .start_ns = 40,
		  .end_ns = 40,
		  .first = 5,
		  .last = 5,
		  .allocations = 1 },
		{ .mark = "a", .start_ns = 45, .end_ns = 45, .first = 6, .last = 6 },
		{ .mark = "b", .start_ns = 46, .end_ns = 46, .first = 7, .last = 7 },
	};
	static const struct why_span whole = {
		.start_ns = 0, .end_ns = 100, .first = 1, .last = 8
	};
	struct why_parts parts;
	char text[512] = "";
	size_t length = 0;
	int ret = why_parts_init(&parts);

	for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]) && !ret; i++)
		ret = why_parts_add(&parts, &spans[i], 1);
	ret = ret || why_parts_end_all(&parts, &whole, "start", "end");
	for (uint32_t i = 0; i < parts.divided_count; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length,
					   "%s-%s %" PRIu64 " %" PRIu64 ";", parts.divided[i].from,
					   parts.divided[i].to, parts.divided[i].ns,
					   parts.divided[i].allocations);
	tap(!ret && !strcmp(text, "start-a 10 0;a-b 26 1;b-a 5 0;b-end 54 0;"),
	    "an interval is divided by its events: %s", text);
	why_parts_release(&parts);
	ret = why_parts_init(&parts);
	for (uint32_t i = 1; i <= 3 * WHY_SPANS_MAX && !ret; i++) {
		const struct why_span mark = {
			.mark = i & 1 ? "a" : "b", .start_ns = i, .end_ns = i, .first = i, .last = i
		};

		ret = why_parts_add(&parts, &mark, 0);
	}
	ret = ret || why_parts_end_all(&parts, &(struct why_span){ .end_ns = 10000, .last = 10000 },
				       "start", "end");
	length = 0;
	for (uint32_t i = 0; i < parts.divided_count; i++)
		length += parts.divided[i].ns;
	tap(!ret && length == 10000 && !parts.divided[parts.divided_count - 1].from,
	    "too many events: undivided time goes to the rest, %" PRIu64 " ns",
	    parts.divided[parts.divided_count - 1].ns);
	why_parts_release(&parts);
}

static void test_slowest(void)
{
	struct why_slowest slowest;
	uint32_t numbers[3], count;
	bool right = !why_slowest_init(&slowest);

	for (uint64_t i = 0; i < 3 * WHY_CANDIDATES_MAX && right; i++) {
		/* Each interval contains another interval that is slightly faster. */
		uint64_t outer = (i * 7919) % (3 * WHY_CANDIDATES_MAX) + 10;
		struct why_interval interval = { .function = (uint32_t)(outer % 2),
						 .start_ns = (int64_t)(i * 1000000),
						 .end_ns = (int64_t)(i * 1000000 + 10 * outer),
						 .duration_ns = 10 * outer,
						 .start_serial = 4 * i,
						 .end_serial = 4 * i + 3 };
		struct why_interval inner = interval;

		inner.start_serial++;
		inner.end_serial--;
		inner.end_ns -= 1;
		inner.duration_ns -= 1;
		inner.function = 9;
		why_slowest_add(&slowest, &inner);
		why_slowest_add(&slowest, &interval);
	}
	why_slowest_sort(&slowest);
	count = why_slowest_select(&slowest, numbers, 3);
	for (uint32_t i = 0; i < count; i++)
		right &= slowest.all[numbers[i]].duration_ns ==
			 10 * (3 * (uint64_t)WHY_CANDIDATES_MAX + 9 - i);
	tap(right && count == 3 && slowest.is_full, "the slowest intervals, without nested ones");
	tap(why_slowest_rank(&slowest, numbers[0]) == 1 &&
		    why_slowest_rank(&slowest, numbers[1]) == 1 &&
		    why_slowest_rank(&slowest, numbers[2]) == 2,
	    "a rank counts intervals of the same function only");
	why_slowest_release(&slowest);
}

static void test_lines(void)
{
	static const uint64_t durations[] = { 5, 0, 0, 9, 0, 7, 1 };
	struct why_lines lines = { .max = 4 };
	char text[64] = "";
	size_t length = 0;
	bool failed = false;

	for (uint64_t i = 0; i < sizeof(durations) / sizeof(durations[0]); i++) {
		const struct why_line line = { .start_ns = (int64_t)(100 * i),
					       .duration_ns = durations[i],
					       .first = 2 * i,
					       .serial = 2 * i + 1 };

		if (why_lines_would_keep(&lines, durations[i], line.serial))
			failed |= why_lines_add(&lines, &line, "text") != 0;
	}
	why_lines_sort(&lines);
	for (uint32_t i = 0; i < lines.count; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%" PRIu64 " ",
					   lines.all[i].duration_ns);
	tap(!failed && !strcmp(text, "5 9 7 1 ") && lines.left_out == 3, "lines: %s", text);
	why_lines_release(&lines);
	lines.max = 0;
	tap(!why_lines_would_keep(&lines, 5, 1) && lines.left_out == 1, "no lines at all");
}

int main(void)
{
	test_parts();
	test_many(WHY_NO_SERIAL, "many spans");
	test_many(1, "many spans of one call");
	test_divided();
	test_slowest();
	test_lines();
	return tap_status();
}
