// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests how the probe of page references chooses the sample of pages, with simulated loads. A load
 * states the touches of all pages in an interval. The sample determines how many of them cause
 * faults.
 */
#include "probes/pageref/overhead.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>

#include "tests/tap.h"

#define MS UINT64_C(1000000)
#define LIMIT 500 /* 5 % */
#define INTERVALS 400

__attribute__((format(printf, 3, 4))) static void is_number(uint64_t actual, uint64_t expected,
							    const char *fmt, ...)
{
	char name[200];
	va_list args;

	va_start(args, fmt);
	vsnprintf(name, sizeof(name), fmt, args);
	va_end(args);
	tap(actual == expected, "%s", name);
	if (actual != expected)
		printf("# expected %" PRIu64 ", found %" PRIu64 "\n", expected, actual);
}

struct load {
	uint64_t touches; /* of all pages in an interval */
	uint64_t passes_ns, own_ns;
	uint64_t sampled_ns; /* time of passes over all pages; a sample makes it shorter */
};

/* Adds an interval of 500 ms. Returns its overhead, in 1/10,000. */
static double add_interval(struct pageref_overhead *overhead, const struct load *load)
{
	const uint64_t touch_ns = 1500;
	const uint64_t touches_ns = (load->touches >> overhead->halvings) * touch_ns;
	const uint64_t passes_ns = load->passes_ns + (load->sampled_ns >> overhead->halvings);
	const struct pageref_cost cost = { .touches = touches_ns,
					   .passes = passes_ns,
					   .consumed = load->own_ns ? load->own_ns + touches_ns : 0,
					   .elapsed = 500 * MS };

	pageref_overhead_step(overhead, &cost);
	return (double)(touches_ns + passes_ns) * 10000 / (double)(load->own_ns ? load->own_ns : 1);
}

/* Adds intervals. Returns how often the sample has changed in the last half of them. */
static unsigned int add_intervals(struct pageref_overhead *overhead, const struct load *load,
				  unsigned int count)
{
	unsigned int changes = 0;

	for (unsigned int i = 0; i < count; i++) {
		const unsigned int before = overhead->halvings;

		add_interval(overhead, load);
		changes += i >= count / 2 && overhead->halvings != before;
	}
	return changes;
}

static const struct {
	const char *name;
	struct load load;
	unsigned int first, halvings; /* before and after */
} cases[] = {
	{ "a light load: all pages", { 10000, 2 * MS, 500 * MS, 0 }, 0, 0 },
	{ "a heavy load: the largest sample within the limit",
	  { 100000, 5 * MS, 500 * MS, 0 },
	  0,
	  3 },
	{ "a load of several processors", { 100000, 5 * MS, 4000 * MS, 0 }, 0, 0 },
	{ "a small sample of a light load: all pages again", { 1000, 2 * MS, 500 * MS, 0 }, 10, 0 },
	{ "passes that cost more than the limit, with any sample: all pages",
	  { 1000, 30 * MS, 500 * MS, 0 },
	  0,
	  0 },
	{ "... with many touches: these get half of the limit",
	  { 100000, 40 * MS, 500 * MS, 0 },
	  0,
	  4 },
	{ "passes that cost less with a sample: the largest one within the limit",
	  { 1000, 2 * MS, 500 * MS, 100 * MS },
	  0,
	  3 },
	{ "... at most the smallest sample",
	  { 1000, 0, 500 * MS, 100000 * MS },
	  0,
	  PAGEREF_HALVINGS_MAX },
	{ "passes of which a part costs less with a sample: the limit is nearly held",
	  { 100, 20 * MS, 500 * MS, 80 * MS },
	  0,
	  3 },
	{ "nothing ran: the sample stays", { 100000, 2 * MS, 0, 0 }, 4, 4 },
	{ "a process that hardly runs: a tenth of the time counts", { 200, MS, MS, 0 }, 0, 0 },
	{ "... with many touches", { 10000, MS, MS, 0 }, 0, 4 },
	{ "nearly too much: no change", { 16000, MS, 500 * MS, 0 }, 0, 0 },
	{ "just too much: one halving", { 16100, MS, 500 * MS, 0 }, 0, 1 },
};

static void test_cases(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct pageref_overhead overhead;
		unsigned int changes;

		pageref_overhead_init(&overhead, LIMIT);
		overhead.halvings = cases[i].first;
		changes = add_intervals(&overhead, &cases[i].load, INTERVALS);
		is_number(overhead.halvings, cases[i].halvings, "%s", cases[i].name);
		is_number(changes, 0, "... that stays");
	}
}

/*
 * Results of steady loads. @above: loads above the limit, although the sample could be smaller.
 * @below: loads far below the limit, although the sample could be larger. @changed: late changes of
 * the sample. @count: all loads.
 */
struct steady {
	unsigned int above, below, changed, count;
};

/* Runs steady loads of many sizes, each from every possible sample. */
static struct steady add_steady(uint64_t passes_ns)
{
	struct steady steady = { 0 };

	for (uint64_t touches = 100; touches < UINT64_C(1) << 22; touches += touches / 7)
		for (unsigned int first = 0; first <= PAGEREF_HALVINGS_MAX; first++) {
			const struct load load = { touches, passes_ns, 500 * MS, 0 };
			struct pageref_overhead overhead;
			double cost;

			pageref_overhead_init(&overhead, LIMIT);
			overhead.halvings = first;
			steady.changed += add_intervals(&overhead, &load, 2000);
			cost = add_interval(&overhead, &load);
			steady.above += cost > LIMIT && overhead.halvings < PAGEREF_HALVINGS_MAX;
			steady.below += overhead.halvings && cost < LIMIT * 0.3;
			steady.count++;
		}
	return steady;
}

static void test_steady(void)
{
	const struct steady usual = add_steady(3 * MS);

	tap(usual.count > 500, "%u steady loads", usual.count);
	is_number(usual.above, 0, "... none exceeds the limit");
	is_number(usual.below, 0, "... the sample of none is unnecessarily small");
	is_number(usual.changed, 0, "... the sample of none changes for ever");
	for (uint64_t ms = 6; ms <= 96; ms *= 2)
		is_number(add_steady(ms * MS).changed, 0,
			  "... with passes of %" PRIu64 " ms with any sample", ms);
}

/* At first, no sample makes passes cheaper. Then the memory grows, and a smaller sample does. */
static void test_growth(void)
{
	const struct load before = { 1000, 30 * MS, 500 * MS, 0 },
			  after = { 1000, 30 * MS, 500 * MS, 400 * MS },
			  late = { 1000, MS, 500 * MS, 0 };
	struct pageref_overhead overhead;

	pageref_overhead_init(&overhead, LIMIT);
	add_intervals(&overhead, &before, INTERVALS);
	is_number(overhead.halvings, 0, "expensive passes: all pages");
	is_number(add_intervals(&overhead, &after, INTERVALS), 0, "... the memory has grown");
	tap(overhead.halvings >= 3, "... the sample makes the passes cheaper: 1/%u",
	    1U << overhead.halvings);
	add_intervals(&overhead, &late, INTERVALS);
	is_number(overhead.halvings, 0, "... passes are cheap again: all pages");
}

/* A load that alternates must not change the sample again and again. */
static void test_alternating(void)
{
	static const struct load loads[] = { { 100000, 2 * MS, 500 * MS, 0 },
					     { 10, MS, 500 * MS, 0 } };
	unsigned int changes = 0;

	for (unsigned int period = 1; period <= 32; period *= 2) {
		struct pageref_overhead overhead;

		pageref_overhead_init(&overhead, LIMIT);
		for (unsigned int i = 0; i < 4000; i++) {
			const unsigned int before = overhead.halvings;

			add_interval(&overhead, &loads[i / period % 2]);
			changes += i >= 2000 && overhead.halvings != before;
		}
	}
	is_number(changes, 0, "alternating loads: the sample is steady after a while");
}

/* Each interval touches all resident pages. The first intervals must not cost too much. */
static void test_start(void)
{
	double worst = 0;

	for (uint64_t pages = 1000; pages < UINT64_C(1) << 28; pages += pages / 3) {
		const struct load load = { pages, 2 * MS, 500 * MS, 0 };
		struct pageref_overhead overhead;
		double sum = 0;

		pageref_overhead_init(&overhead, LIMIT);
		pageref_overhead_start(&overhead, pages, 1500, 500 * MS);
		for (int i = 0; i < 20; i++)
			sum += add_interval(&overhead, &load);
		/* With more pages, even the smallest sample exceeds the limit. */
		if (overhead.halvings == PAGEREF_HALVINGS_MAX)
			break;
		if (sum / 20 > worst)
			worst = sum / 20;
	}
	tap(worst > 400 && worst <= 600, "10 s from the start cost at most 6 %% (%.2f %%)",
	    worst / 100);
}

static void test_no_limit(void)
{
	const struct load load = { UINT64_C(1) << 22, 100 * MS, 500 * MS, 0 };
	struct pageref_overhead overhead;

	pageref_overhead_init(&overhead, 0);
	pageref_overhead_start(&overhead, UINT64_C(1) << 30, 1500, 500 * MS);
	add_intervals(&overhead, &load, INTERVALS);
	is_number(pageref_overhead_sample(&overhead), LTTNG_MM_PAGEREF_SAMPLE_ALL,
		  "without a limit, all pages");
}

/* The expected hashes were computed by the description in doc/events.md. */
static void test_hash(void)
{
	static const struct {
		uint64_t page;
		unsigned int hash;
	} hashes[] = { { 0x1, 13426210 },
		       { 0x400, 7445593 },
		       { 0x55d1b7c4a, 5817726 },
		       { 0x7ffff7fff, 5240604 } };
	unsigned int count = 0;

	for (size_t i = 0; i < sizeof(hashes) / sizeof(*hashes); i++)
		tap(!lttng_mm_sample_has(hashes[i].hash, hashes[i].page) &&
			    lttng_mm_sample_has(hashes[i].hash + 1, hashes[i].page),
		    "the hash of page 0x%" PRIx64, hashes[i].page);
	for (uint64_t page = 0x7f1234560; page < 0x7f1234560 + (1 << 20); page++)
		count += lttng_mm_sample_has(LTTNG_MM_PAGEREF_SAMPLE_ALL / 8, page);
	tap(count > 129600 && count < 132500, "a sample of 1/8 of 2^20 pages: %u", count);
	for (uint64_t page = 0, stride = 0, i = count = 0; i < 1 << 20; i++, page += stride) {
		stride = 512;
		count += lttng_mm_sample_has(LTTNG_MM_PAGEREF_SAMPLE_ALL / 8, page);
	}
	tap(count > 129600 && count < 132500, "... of every 512th page: %u", count);
}

int main(void)
{
	test_cases();
	test_steady();
	test_growth();
	test_alternating();
	test_start();
	test_no_limit();
	test_hash();
	return tap_status();
}
