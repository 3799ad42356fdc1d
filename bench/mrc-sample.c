// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Compares the miss curves of samples of the pages with the miss curve of all pages:
 *
 *   mrc-sample PAGES TOUCHES RATE SEEDS
 *
 * The touches are the same for all seeds; each seed selects a different sample. At each memory
 * size, a curve has a lower and an upper bound. The interval between the bounds of a sample is
 * covering if it contains both bounds of the curve of all pages. Prints `NAME VALUE` lines:
 *
 *   sampled_pages   mean number of pages in a sample
 *   mean_error      mean difference from the refaults of all pages, divided by the touches
 *   covered_least   share of the samples with a covering interval, at the worst of 10 memory sizes
 *   covered_mean    the same share, on average over the sizes
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/mrc/curve.h"
#include "analysis/mrc/pages.h"

#define SIZES 10
#define PASSES 40
#define FIRST_PAGE UINT64_C(0x100000)

struct sample_load {
	uint64_t page_count, touch_count;
	/* page of each touch, in order; the touches form PASSES intervals of equal size */
	uint32_t *touched;
};

static uint64_t random_state;

static uint64_t next_random(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static void die(const char *what)
{
	fprintf(stderr, "mrc-sample: %s\n", what);
	exit(2);
}

/*
 * Chooses the page of each touch. A quarter of the touches sweep over all pages, a quarter touch
 * random pages, and the others mostly touch low pages.
 */
static void make_load(struct sample_load *load)
{
	const uint64_t each = load->touch_count / PASSES;
	uint8_t *last = calloc(load->page_count, 1);
	uint64_t swept = 0, page;

	load->touch_count = each * PASSES;
	load->touched = malloc(load->touch_count * sizeof(*load->touched));
	if (!load->touched || !last)
		die("out of memory");
	for (uint64_t i = 0; i < load->touch_count; i++) {
		const uint8_t pass = (uint8_t)(i / each + 1);

		do {
			const double u =
				(double)(next_random() >> 11) / (double)(UINT64_C(1) << 53);

			if (i % 4 == 0)
				page = swept++ % load->page_count;
			else
				page = (uint64_t)((double)load->page_count *
						  (i % 4 == 1 ? u : u * u * u));
		} while (last[page] == pass);
		last[page] = pass;
		load->touched[i] = (uint32_t)page;
	}
	free(last);
}

/*
 * Analyzes the touches with a sample of the pages. Objects are sampled by a hash of their ids, so a
 * different @first_id selects a different sample.
 */
static void run(const struct sample_load *load, const struct mrc_prelude *prelude, double rate,
		uint64_t first_id, struct mrc_pages *pages)
{
	const uint64_t each = load->touch_count / PASSES;

	if (mrc_pages_init(pages, prelude, rate))
		die("out of memory");
	pages->next_id = first_id;
	for (uint64_t i = 0; i < load->touch_count; i++) {
		const struct mrc_touch touch = {
			.mm = 1,
			.address = (FIRST_PAGE + load->touched[i]) << MRC_PAGE_SHIFT,
			.kind = LTTNG_MM_PAGEREF_ARMED,
		};

		if (i % each == 0 && (mrc_pages_pass(pages, 1, false, (int64_t)i) ||
				      mrc_pages_pass(pages, 1, true, (int64_t)i)))
			die("out of memory");
		if (mrc_pages_touch(pages, &touch))
			die("out of memory");
	}
	if (mrc_pages_finish(pages))
		die("out of memory");
}

static uint64_t count_sampled(const struct mrc_stack *stack)
{
	uint64_t count = 0;

	for (size_t i = 0; i < stack->page_count; i++)
		count += stack->pages[i].weight && stack->pages[i].subsample != MRC_UNSAMPLED;
	return count;
}

int main(int argc, char **argv)
{
	struct mrc_prelude prelude = { .sample = LTTNG_MM_PAGEREF_SAMPLE_ALL };
	struct sample_load load;
	struct mrc_pages all, sampled;
	struct mrc_curve curve = { 0 };
	struct mrc_refaults truth[SIZES];
	uint64_t sizes[SIZES], seeds, from, sampled_pages = 0;
	unsigned int covered[SIZES] = { 0 }, least = UINT32_MAX, sum = 0;
	double rate, error = 0;

	if (argc != 5) {
		fputs("usage: mrc-sample PAGES TOUCHES RATE SEEDS\n", stderr);
		return 2;
	}
	load.page_count = strtoull(argv[1], NULL, 0);
	load.touch_count = strtoull(argv[2], NULL, 0);
	rate = strtod(argv[3], NULL);
	seeds = strtoull(argv[4], NULL, 0);
	if (!load.page_count || load.page_count > UINT32_MAX || !seeds ||
	    !(rate > 0 && rate <= 1) || load.touch_count < PASSES ||
	    load.touch_count / PASSES > load.page_count / 2)
		die("bad numbers; an interval can touch half of the pages at most");
	if (mm_rows_init(&prelude.spaces, sizeof(struct mrc_known_space), UINT32_MAX - 1, 4) ||
	    mrc_mappings_init(&prelude.mappings))
		die("out of memory");
	make_load(&load);
	run(&load, &prelude, 1, 1, &all);
	curve.stack = &all.stack;
	from = mrc_curve_valid_from(&curve);
	for (unsigned int i = 0; i < SIZES; i++) {
		/* Leave out the end of the curve: it has no refaults to compare. */
		sizes[i] = from + (mrc_curve_end(&curve) - from) * i / (SIZES + 1);
		truth[i] = mrc_curve_at(&curve, sizes[i]);
	}
	for (uint64_t seed = 1; seed <= seeds; seed++) {
		run(&load, &prelude, rate, seed << 40 | 1, &sampled);
		curve.stack = &sampled.stack;
		sampled_pages += count_sampled(&sampled.stack);
		for (unsigned int i = 0; i < SIZES; i++) {
			const struct mrc_refaults at = mrc_curve_at(&curve, sizes[i]);
			const double is = (at.low + at.high) / 2;

			error += fabs(is - (truth[i].low + truth[i].high) / 2);
			covered[i] += at.low <= truth[i].low && at.high >= truth[i].high;
		}
		mrc_pages_release(&sampled);
	}
	for (unsigned int i = 0; i < SIZES; i++) {
		sum += covered[i];
		least = covered[i] < least ? covered[i] : least;
	}
	printf("sampled_pages %" PRIu64 "\n", sampled_pages / seeds);
	printf("mean_error %.5f\n", error / (double)(SIZES * seeds * load.touch_count));
	printf("covered_least %.3f\n", (double)least / (double)seeds);
	printf("covered_mean %.3f\n", (double)sum / (double)(SIZES * seeds));
	mrc_pages_release(&all);
	mm_rows_release(&prelude.spaces);
	mrc_mappings_release(&prelude.mappings);
	free(load.touched);
	return 0;
}
