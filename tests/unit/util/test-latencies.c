// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Compares latencies with a sorted array: few and many, small and large, added one by one and
 * merged.
 */
#include "util/latencies.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

static const struct test {
	const char *name;
	size_t count;
	uint64_t from, below;
	unsigned int parts; /* number of merged parts */
} tests[] = {
	{ "one", 1, 500, 501, 1 },
	{ "a repeated value", 100000, 777, 778, 1 },
	{ "a few", 100, 0, 5000, 1 },
	{ "more than the number to sort", 5000, 0, 1 << 20, 1 },
	{ "more than the buffer holds", 300000, 100, 200000, 1 },
	{ "at the limit of counted values", 3000, (1 << 20) - 50, (1 << 20) + 50, 1 },
	{ "slow ones", 3000, 1 << 20, 1ull << 40, 1 },
	{ "backward time", 10, UINT64_MAX - 5, UINT64_MAX, 1 },
	{ "few, in parts", 100, 0, 3 << 20, 3 },
	{ "many, in parts", 250000, 0, 2 << 20, 3 },
	{ "many of few values, in parts", 250000, 1000, 1010, 2 },
};

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Returns the quantile @q: the smallest value v such that at least @q of all values are <= v. */
static uint64_t reference(const uint64_t *sorted, size_t count, double q)
{
	size_t reached = 1;

	while ((double)reached < q * (double)count)
		reached++;
	return sorted[reached - 1];
}

static bool same_values(const struct mm_latencies *latencies, const uint64_t *sorted)
{
	struct mm_latencies_cursor cursor = { 0 };
	uint64_t ns, count;
	size_t at = 0;

	while (mm_latencies_next(latencies, &cursor, &ns, &count)) {
		if (at + count > latencies->count)
			return false;
		while (count--)
			if (sorted[at++] != ns)
				return false;
	}
	return at == latencies->count;
}

static void check(const struct test *test)
{
	static const double q[] = { 0.01, 0.5, 0.9, 0.99, 1 };
	struct mm_latencies parts[3] = { 0 };
	uint64_t *values = malloc(test->count * sizeof(*values)), ns[5], random = 1;
	unsigned __int128 sum = 0;
	bool added = true, quantiles = true;

	for (size_t i = 0; i < test->count; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		values[i] = test->from + (random >> 16) % (test->below - test->from);
		sum += values[i];
		added &= !mm_latencies_add(&parts[i % test->parts], values[i]);
	}
	for (unsigned int i = 1; i < test->parts; i++)
		added &= !mm_latencies_merge(&parts[0], &parts[i]);
	added &= !mm_latencies_sort(&parts[0]);
	qsort(values, test->count, sizeof(*values), compare);
	tap(added && parts[0].count == test->count && same_values(&parts[0], values),
	    "latencies: %s: every value", test->name);
	mm_latencies_quantiles(&parts[0], q, ns, 5);
	for (int i = 0; i < 5; i++)
		quantiles &= ns[i] == reference(values, test->count, q[i]);
	tap(quantiles, "latencies: %s: quantiles", test->name);
	tap(mm_latencies_mean(&parts[0]) == (double)sum / (double)test->count,
	    "latencies: %s: mean", test->name);
	for (int i = 0; i < 3; i++)
		mm_latencies_release(&parts[i]);
	free(values);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		check(&tests[i]);
	return tap_status();
}
