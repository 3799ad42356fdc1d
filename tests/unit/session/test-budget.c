// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests the choice of the largest sub-buffers within a budget. The chosen size must not exceed the
 * budget, and the next larger size must exceed it.
 */
#include <inttypes.h>

#include "lttng-session/recorder/budget.h"
#include "tests/tap.h"

#define K UINT64_C(1024)
#define M (1024 * K)
#define G (1024 * M)

/*
 * On each CPU, a ring takes its sub-buffer size times (count + 1), and the same again for a
 * snapshot. Each ring also takes a page, which the ceilings and sums below do not include.
 */
static const struct {
	const char *name;
	struct budget_ring sessions[5];
	unsigned int cpus;
	bool fits;
	uint64_t ceiling;
	uint64_t sizes[4]; /* the chosen sizes */
	uint64_t takes, next;
} cases[] = {
	{ "one session, exactly",
	  { { M, 8, false, false } },
	  1,
	  true,
	  18 * M,
	  { M },
	  18 * M,
	  36 * M },
	{ "one byte less",
	  { { M, 8, false, false } },
	  1,
	  true,
	  18 * M - 1,
	  { 512 * K },
	  9 * M,
	  18 * M },
	{ "more CPUs", { { M, 8, false, false } }, 4, true, 64 * M, { 512 * K }, 36 * M, 72 * M },
	{ "larger than the profile's",
	  { { M, 8, false, false } },
	  1,
	  true,
	  G,
	  { 32 * M },
	  576 * M,
	  1152 * M },
	{ "sub-buffers of two profiles keep their ratio",
	  { { M, 8, false, false }, { 2 * M, 8, false, false } },
	  2,
	  true,
	  64 * M,
	  { 512 * K, M },
	  54 * M,
	  108 * M },
	{ "a state session is fixed",
	  { { M, 8, false, false }, { 128 * K, 8, true, false } },
	  1,
	  true,
	  20 * M,
	  { 512 * K, 128 * K },
	  11 * M + 256 * K,
	  20 * M + 256 * K },
	{ "the smallest", { { M, 8, false, false } }, 1, true, 72 * K, { 4 * K }, 72 * K, 144 * K },
	{ "too little",
	  { { M, 8, false, false } },
	  1,
	  false,
	  72 * K - 1,
	  { 4 * K },
	  72 * K,
	  144 * K },
	{ "the smallest of two: the ratio ends",
	  { { M, 8, false, false }, { 4 * M, 8, false, false } },
	  1,
	  true,
	  200 * K,
	  { 4 * K, 4 * K },
	  144 * K,
	  216 * K },
	{ "the fixed rings exceed the budget",
	  { { M, 8, true, false }, { M, 8, false, false } },
	  1,
	  false,
	  18 * M,
	  { M, 4 * K },
	  18 * M + 72 * K,
	  18 * M + 144 * K },
	{ "all rings are fixed, so there is no larger size",
	  { { M, 8, true, false } },
	  1,
	  true,
	  20 * M,
	  { M },
	  18 * M,
	  0 },
	{ "two sub-buffers", { { M, 2, false, false } }, 1, true, 6 * M, { M }, 6 * M, 12 * M },
	{ "a small ring is not enlarged",
	  { { M, 8, false, false }, { 4 * K, 8, false, true } },
	  1,
	  true,
	  40 * M,
	  { 2 * M, 4 * K },
	  36 * M + 72 * K,
	  72 * M + 72 * K },
	{ "... but becomes smaller",
	  { { M, 8, false, false }, { 32 * K, 8, false, true } },
	  1,
	  true,
	  10 * M,
	  { 512 * K, 16 * K },
	  9 * M + 288 * K,
	  18 * M + 576 * K },
	{ "the minimum size applies to all rings",
	  { { M, 8, false, false }, { 32 * K, 8, false, true } },
	  1,
	  false,
	  144 * K - 1,
	  { 4 * K, 4 * K },
	  144 * K,
	  216 * K },
	{ "many CPUs do not overflow",
	  { { G, 1 << 20, false, false } },
	  1 << 20,
	  true,
	  UINT64_MAX - 1,
	  { 4 * M },
	  UINT64_C(2) * 4 * M *((1 << 20) + 1) * (1 << 20),
	  UINT64_MAX },
};

static size_t count_of(const struct budget_ring *sessions)
{
	size_t count = 0;

	while (count < 4 && sessions[count].subbuf_bytes)
		count++;
	return count;
}

static void test_case(size_t i)
{
	size_t count = count_of(cases[i].sessions);
	struct budget_ring sessions[4];
	uint64_t pages = 4 * K * count * cases[i].cpus, next = cases[i].next;
	uint64_t ceiling = cases[i].ceiling;
	struct budget budget;
	bool fits, same = true;

	if (next && next != UINT64_MAX)
		next += pages;
	if (ceiling < UINT64_MAX - pages)
		ceiling += pages;
	for (size_t s = 0; s < count; s++)
		sessions[s] = cases[i].sessions[s];
	fits = budget_choose(sessions, count, cases[i].cpus, ceiling, &budget);
	for (size_t s = 0; s < count; s++)
		same &= sessions[s].subbuf_bytes == cases[i].sizes[s];
	tap(fits == cases[i].fits && same, "%s: sizes, first %" PRIu64, cases[i].name,
	    sessions[0].subbuf_bytes);
	tap(budget.takes == cases[i].takes + pages && budget.next == next,
	    "... take %" PRIu64 ", the next ones %" PRIu64, budget.takes, budget.next);
	tap(budget.takes == budget_bytes(sessions, count, cases[i].cpus),
	    "... which budget_bytes() confirms");
}

/* Tries all budgets from the smallest on. */
static void test_sweep(void)
{
	int wrong = 0, fitting = 0;

	for (uint64_t ceiling = 16 * K; ceiling < 300 * M; ceiling += ceiling / 7 + 1) {
		struct budget_ring sessions[] = { { M, 8, false, false },
						  { 2 * M, 16, false, false },
						  { 128 * K, 8, true, false } };
		struct budget budget;
		bool fits = budget_choose(sessions, 3, 3, ceiling, &budget);

		fitting += fits;
		for (size_t i = 0; i < 3; i++)
			wrong += sessions[i].subbuf_bytes & (sessions[i].subbuf_bytes - 1) ? 1 : 0;
		wrong += fits != (budget.least <= ceiling);
		wrong += fits && (budget.takes > ceiling || budget.next <= ceiling);
	}
	tap(!wrong && fitting > 10, "any budget: not exceeded, and used as far as possible");
}

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		test_case(i);
	test_sweep();
	return tap_status();
}
