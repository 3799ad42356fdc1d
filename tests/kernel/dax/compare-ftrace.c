// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Compares the events that ftrace and LTTng recorded in the same boot: every event, and every field
 * that both tracers record. If a field of LTTng's packed event is all ones, the wide variant before
 * the event must contain the value. If no field is all ones, there must be no wide variant.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instrumentation/wire/dax.h"
#include "tests/tap.h"
#include "tests/kernel/trace-events.h"

enum { MAX_THREADS = 4096 };

/* Our own events, which have no counterpart in ftrace. */
static const char *const only_lttng[] = { "dax_fault_extent", "dax_pmd_fallback" };

static const char *const packed_events[] = {
	"dax_pmd_fault",      "dax_pmd_fault_done",	"dax_pmd_load_hole", "dax_pte_fault",
	"dax_pte_fault_done", "dax_insert_pfn_mkwrite", "dax_load_hole",
};

static bool is_wide(const struct trace_event *event)
{
	size_t len = strlen(event->name);

	return len > 5 && !strcmp(event->name + len - 5, "_wide");
}

static bool ftrace_has_event(const struct trace_event *event)
{
	if (is_wide(event))
		return false;
	for (size_t i = 0; i < sizeof(only_lttng) / sizeof(only_lttng[0]); i++)
		if (!strcmp(event->name, only_lttng[i]))
			return false;
	return !strncmp(event->name, "dax_", 4);
}

/*
 * ftrace records the address of a struct page, and LTTng records the page frame number. All pages
 * are in one array, so address = base + number * sizeof(struct page), with the same base for every
 * pair.
 */
static void compare_zero_page(const struct trace_event *ftrace, uint64_t page, uint64_t pfn)
{
	enum { STRUCT_PAGE = 64 };
	static uint64_t base;

	if (!page != !pfn) {
		tap_differ("%s: zero page %#" PRIx64 " in ftrace, pfn %#" PRIx64 " in LTTng",
			   ftrace->name, page, pfn);
		return;
	}
	if (!page)
		return;
	if (!base)
		base = page - pfn * STRUCT_PAGE;
	if (page - pfn * STRUCT_PAGE != base || base % ((uint64_t)1 << 30))
		tap_differ("%s: zero page %#" PRIx64 " is not pfn %#" PRIx64, ftrace->name, page,
			   pfn);
}

/* Compares values in ftrace's width, because LTTng's type may be signed or narrower. */
static bool same(uint64_t a, uint64_t b)
{
	return a == b || ((a ^ b) << 32 == 0 && (a >> 32 == 0 || a >> 32 == 0xffffffff) &&
			  (b >> 32 == 0 || b >> 32 == 0xffffffff));
}

/* Returns LTTng's value of the field with ftrace's name. Bit 63 of vm_flags is a separate field. */
static uint64_t lttng_value(const struct trace_event *lttng, const char *name)
{
	uint64_t value = trace_event_get(lttng, name);

	if (strcmp(name, "vm_flags"))
		return value;
	if (!trace_event_has(lttng, "vm_flag_63"))
		tap_differ("%s: no field vm_flag_63 in LTTng", lttng->name);
	return value | trace_event_get(lttng, "vm_flag_63") << 63;
}

/* Returns all ones in the width of the packed field, or 0 if it never needs a wide event. */
static uint64_t all_ones(const char *name)
{
	static const struct {
		const char *name;
		uint64_t value;
	} field[] = {
		{ "ino", LTTNG_MM_DAX_ALL_ONES(LTTNG_MM_DAX_INO_BITS) },
		{ "vm_start", LTTNG_MM_DAX_ALL_ONES(LTTNG_MM_DAX_ADDRESS_BITS) },
		{ "vm_end", LTTNG_MM_DAX_ALL_ONES(LTTNG_MM_DAX_ADDRESS_BITS) },
		{ "address", LTTNG_MM_DAX_ALL_ONES(LTTNG_MM_DAX_ADDRESS_BITS) },
		{ "pgoff", LTTNG_MM_DAX_ALL_ONES(LTTNG_MM_DAX_PGOFF_BITS) },
		{ "max_pgoff", LTTNG_MM_DAX_ALL_ONES(LTTNG_MM_DAX_PGOFF_BITS) },
		{ "radix_entry", LTTNG_MM_DAX_ALL_ONES(LTTNG_MM_DAX_ENTRY_BITS) },
	};

	for (size_t i = 0; i < sizeof(field) / sizeof(field[0]); i++)
		if (!strcmp(field[i].name, name))
			return field[i].value;
	return 0;
}

/* Returns the number of compared fields. *CUT counts the values that do not fit LTTng's event. */
static unsigned int compare_fields(const struct trace_event *ftrace,
				   const struct trace_event *lttng, bool packed, unsigned int *cut)
{
	unsigned int compared = 0;

	for (unsigned int i = 0; i < ftrace->fields; i++) {
		const struct trace_field *field = &ftrace->field[i];
		uint64_t ones = packed ? all_ones(field->name) : 0;

		compared++;
		if (!strcmp(field->name, "dev")) {
			if (field->value != trace_event_device(lttng))
				tap_differ("%s: dev %#" PRIx64 " in ftrace, %#" PRIx64 " in LTTng",
					   ftrace->name, field->value, trace_event_device(lttng));
		} else if (!strcmp(field->name, "zero_page") ||
			   !strcmp(field->name, "zero_folio")) {
			if (!trace_event_has(lttng, "zero_pfn"))
				tap_differ("%s: no field zero_pfn in LTTng", lttng->name);
			compare_zero_page(ftrace, field->value, trace_event_get(lttng, "zero_pfn"));
		} else if (!trace_event_has(lttng, field->name)) {
			tap_differ("%s: no field %s in LTTng", lttng->name, field->name);
		} else if (ones && field->value >= ones) {
			++*cut;
			if (lttng_value(lttng, field->name) != ones)
				tap_differ("%s (thread %d): %s %#" PRIx64
					   " in ftrace, not all ones in LTTng",
					   ftrace->name, ftrace->tid, field->name, field->value);
		} else if (!same(field->value, lttng_value(lttng, field->name))) {
			tap_differ("%s (thread %d): %s %#" PRIx64 " in ftrace, %#" PRIx64
				   " in LTTng",
				   lttng->name, ftrace->tid, field->name, field->value,
				   lttng_value(lttng, field->name));
		}
	}
	return compared;
}

/* Returns the wide variant of event AT: the thread's previous event, on the same CPU, or NULL. */
static const struct trace_event *wide_of(const struct trace_events *events, size_t at)
{
	const struct trace_event *event = &events->event[at];
	size_t len = strlen(event->name);

	while (at--) {
		const struct trace_event *before = &events->event[at];

		if (before->tid != event->tid)
			continue;
		return is_wide(before) && !strncmp(before->name, event->name, len) &&
				       strlen(before->name) == len + 5 && before->cpu == event->cpu
			       ? before
			       : NULL;
	}
	return NULL;
}

/* Compares an event. LTTng's event AT needs a wide variant if and only if a value does not fit. */
static unsigned int compare_event(const struct trace_event *ftrace,
				  const struct trace_events *lttng, size_t at, uint64_t *wides)
{
	const struct trace_event *event = &lttng->event[at], *wide = wide_of(lttng, at);
	char name[sizeof(event->name) + 8];
	unsigned int compared, cut = 0;
	bool packed = false;

	snprintf(name, sizeof(name), "%s_wide", event->name);
	for (size_t i = 0; i < sizeof(packed_events) / sizeof(packed_events[0]); i++)
		packed |= !strcmp(packed_events[i], event->name);
	compared = compare_fields(ftrace, event, packed, &cut);
	if (!cut != !wide)
		tap_differ("%s (thread %d): %u values do not fit, %s %s before it", event->name,
			   event->tid, cut, wide ? "a" : "no", name);
	if (!wide)
		return compared;
	++*wides;
	return compared + compare_fields(ftrace, wide, false, &cut);
}

/* Returns thread TID's next event that ftrace also has, or NULL. Moves *AT past this event. */
static const struct trace_event *next_of(const struct trace_events *events, int tid, size_t *at)
{
	while (*at < events->count) {
		const struct trace_event *event = &events->event[(*at)++];

		if (event->tid == tid && ftrace_has_event(event))
			return event;
	}
	return NULL;
}

static void compare_thread(const struct trace_events *ftrace, const struct trace_events *lttng,
			   int tid, uint64_t *fields, uint64_t *wides, int64_t *largest_gap)
{
	size_t a = 0, b = 0;

	for (;;) {
		const struct trace_event *x = next_of(ftrace, tid, &a),
					 *y = next_of(lttng, tid, &b);
		int64_t gap;

		if (!x && !y)
			return;
		if (!x || !y || strcmp(x->name, y->name)) {
			tap_differ("thread %d: %s in ftrace where LTTng has %s", tid,
				   x ? x->name : "nothing", y ? y->name : "nothing");
			return;
		}
		gap = (int64_t)(y->time_ns - x->time_ns);
		if (llabs(gap) > llabs(*largest_gap))
			*largest_gap = gap;
		if (x->cpu != y->cpu)
			tap_differ("%s (thread %d): CPU %u in ftrace, %u in LTTng", x->name, tid,
				   x->cpu, y->cpu);
		*fields += compare_event(x, lttng, b - 1, wides);
	}
}

static size_t count_name(const struct trace_events *events, const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < events->count; i++)
		count += !strcmp(events->event[i].name, name);
	return count;
}

static bool seen_before(const struct trace_events *events, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (!strcmp(events->event[i].name, events->event[index].name))
			return true;
	return false;
}

static size_t compare_counts(const struct trace_events *ftrace, const struct trace_events *lttng)
{
	size_t total = 0;

	for (size_t i = 0; i < ftrace->count; i++) {
		const char *name = ftrace->event[i].name;
		size_t a, b;

		if (seen_before(ftrace, i))
			continue;
		a = count_name(ftrace, name);
		b = count_name(lttng, name);
		total += a;
		printf("# %-34s %6zu in ftrace, %6zu in LTTng\n", name, a, b);
		if (a != b)
			tap_differ("%s: the counts differ", name);
	}
	for (size_t i = 0; i < lttng->count; i++) {
		const struct trace_event *event = &lttng->event[i];

		if (!seen_before(lttng, i) && ftrace_has_event(event) &&
		    !count_name(ftrace, event->name))
			tap_differ("%s: in LTTng only", event->name);
	}
	return total;
}

static void compare_threads(const struct trace_events *ftrace, const struct trace_events *lttng)
{
	static int threads[MAX_THREADS];
	const struct trace_events *both[] = { ftrace, lttng };
	int64_t largest_gap = 0;
	uint64_t fields = 0, wides = 0;
	size_t count = 0;

	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < both[side]->count; i++) {
			size_t t = 0;

			while (t < count && threads[t] != both[side]->event[i].tid)
				t++;
			if (t == count && count < MAX_THREADS)
				threads[count++] = both[side]->event[i].tid;
		}
	}
	for (size_t t = 0; t < count; t++)
		compare_thread(ftrace, lttng, threads[t], &fields, &wides, &largest_gap);
	printf("# %zu threads, %" PRIu64 " fields compared, %" PRIu64
	       " wide events, clocks at most %" PRId64 " ns apart\n",
	       count, fields, wides, largest_gap);
	if (largest_gap > 1000000000 || largest_gap < -1000000000)
		tap_differ("the clocks are more than a second apart");
}

int main(int argc, char **argv)
{
	struct trace_events ftrace, lttng;
	int status = 2;
	size_t events;

	if (argc != 3) {
		fputs("Usage: compare-ftrace FTRACE-DIR BABELTRACE2-TEXT\n"
		      "BABELTRACE2-TEXT is the output of: babeltrace2 --clock-cycles --no-delta TRACE\n",
		      stderr);
		return 2;
	}
	if (trace_events_load_ftrace(&ftrace, argv[1]) < 0)
		goto free_ftrace;
	if (trace_events_load_text(&lttng, argv[2]) < 0)
		goto free_lttng;
	events = compare_counts(&ftrace, &lttng);
	compare_threads(&ftrace, &lttng);
	if (ftrace.lost)
		tap_differ("ftrace lost events");
	status = tap_verdict("events", events);
free_lttng:
	trace_events_free(&lttng);
free_ftrace:
	trace_events_free(&ftrace);
	return status;
}
