// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests the simulations of FIFO, CLOCK and OPT on random references, against models that search
 * lists. The model of OPT tries all evictions. test-mrc-lru.c tests LRU.
 */
#include <string.h>

#include "analysis/mrc/policy.h"
#include "tests/tap.h"

#define REFERENCES 60
#define OBJECTS 8u
#define HUGE 512u

static uint32_t all[REFERENCES];
static size_t count;

static unsigned int below(unsigned int end)
{
	return (unsigned int)rand() % end;
}

/* Returns the refaults of CLOCK or, if @clock is false, FIFO. The hand is at index 0 of @list. */
static uint64_t model(uint64_t size, bool clock)
{
	uint32_t list[OBJECTS + 1];
	bool touched[OBJECTS + 1] = { false }, known[OBJECTS + 1] = { false };
	uint64_t refaults = 0, used = 0;
	size_t length = 0, at;

	for (size_t i = 0; i < count; i++) {
		const uint32_t object = all[i] & MRC_REFERENCE_OBJECT;
		const uint64_t weight = all[i] & MRC_REFERENCE_HUGE ? HUGE : 1;

		for (at = 0; at < length && (list[at] & MRC_REFERENCE_OBJECT) != object;)
			at++;
		if (all[i] & MRC_REFERENCE_FREED) {
			if (at < length) {
				memmove(list + at, list + at + 1, (--length - at) * sizeof(*list));
				used -= weight;
			}
			continue;
		}
		if (at < length) {
			touched[object] = true;
			continue;
		}
		refaults += known[object];
		known[object] = true;
		if (weight > size)
			continue;
		while (used + weight > size) {
			const uint32_t first = list[0];

			memmove(list, list + 1, --length * sizeof(*list));
			if (clock && touched[first & MRC_REFERENCE_OBJECT]) {
				touched[first & MRC_REFERENCE_OBJECT] = false;
				list[length++] = first;
			} else {
				used -= first & MRC_REFERENCE_HUGE ? HUGE : 1;
			}
		}
		touched[object] = true;
		list[length++] = all[i];
		used += weight;
	}
	return refaults;
}

/* Returns the refaults of LRU. The first object in @list is the least recently used. */
static uint64_t model_lru(uint64_t size)
{
	uint32_t list[OBJECTS + 1];
	bool known[OBJECTS + 1] = { false };
	uint64_t refaults = 0, used = 0;
	size_t length = 0, at;

	for (size_t i = 0; i < count; i++) {
		const uint32_t object = all[i] & MRC_REFERENCE_OBJECT;

		for (at = 0; at < length && list[at] != object;)
			at++;
		if (at < length) {
			memmove(list + at, list + at + 1, (--length - at) * sizeof(*list));
			used--;
		} else if (!(all[i] & MRC_REFERENCE_FREED)) {
			refaults += known[object];
		}
		if (all[i] & MRC_REFERENCE_FREED)
			continue;
		known[object] = true;
		if (used == size) {
			memmove(list, list + 1, --length * sizeof(*list));
			used--;
		}
		list[length++] = object;
		used++;
	}
	return refaults;
}

/*
 * try_all() returns the fewest refaults from reference @i on with the objects @loaded in memory. It
 * tries all evictions, and stores its results in best, because the same sets recur.
 */
static uint64_t best[REFERENCES + 1][1u << (OBJECTS + 1)];

static uint64_t try_all(size_t i, uint32_t loaded, uint32_t known, unsigned int capacity)
{
	uint64_t least = UINT64_MAX, miss;
	uint32_t bit;

	if (i == count)
		return 0;
	if (best[i][loaded] != UINT64_MAX)
		return best[i][loaded];
	bit = 1u << (all[i] & MRC_REFERENCE_OBJECT);
	if (all[i] & MRC_REFERENCE_FREED)
		least = try_all(i + 1, loaded & ~bit, known, capacity);
	else if (loaded & bit)
		least = try_all(i + 1, loaded, known, capacity);
	else {
		miss = !!(known & bit);
		if ((unsigned int)__builtin_popcount(loaded) < capacity)
			least = miss + try_all(i + 1, loaded | bit, known | bit, capacity);
		else
			for (uint32_t out = 0; out <= OBJECTS; out++)
				if (loaded & 1u << out) {
					const uint64_t is =
						miss + try_all(i + 1, (loaded & ~(1u << out)) | bit,
							       known | bit, capacity);

					least = is < least ? is : least;
				}
	}
	return best[i][loaded] = least;
}

static uint64_t model_opt(unsigned int capacity)
{
	memset(best, 0xff, sizeof(best));
	return try_all(0, 0, 0, capacity);
}

/* Makes references. After an object is freed, its number is not used again. */
static void make(struct mrc_references *references, bool mixed)
{
	bool freed[OBJECTS + 1] = { false };

	*references = (struct mrc_references){ NULL };
	for (count = 0; count < REFERENCES;) {
		uint32_t object = 1 + below(below(2) ? OBJECTS : OBJECTS / 2);

		if (freed[object]) {
			if (!below(10))
				break;
			continue;
		}
		freed[object] = !below(60);
		if (mixed && object % 3 == 0)
			object |= MRC_REFERENCE_HUGE;
		all[count] =
			object | (freed[object & MRC_REFERENCE_OBJECT] ? MRC_REFERENCE_FREED : 0);
		if (mrc_references_add(references, all[count++]))
			abort();
	}
}

int main(void)
{
	unsigned int fifo = 0, clock = 0, opt = 0, worse = 0, mixed = 0, sizes = 0;
	uint64_t refaults = 0;

	for (unsigned int seed = 0; seed < 10000; seed++) {
		struct mrc_references references;

		srand(seed);
		make(&references, seed % 4 == 3);
		for (unsigned int step = 1; step < OBJECTS; step++) {
			const unsigned int size = seed % 4 == 3 ? step * 300 : step;
			const uint64_t in_order = mrc_policy_fifo(&references, size);
			const uint64_t around = mrc_policy_clock(&references, size);
			uint64_t least;

			sizes++;
			refaults += in_order;
			fifo += in_order != model(size, false);
			clock += around != model(size, true);
			if (references.has_huge && references.has_small) {
				mixed++;
				continue;
			}
			least = mrc_policy_opt(&references, size);
			worse += least > in_order || least > around || least > model_lru(size);
			/* The model takes long. */
			if (seed % 10 == 0)
				opt += least != model_opt(size);
		}
		mrc_references_release(&references);
	}
	printf("# %u sizes, %u with pages of two sizes, %" PRIu64 " refaults\n", sizes, mixed,
	       refaults);
	tap(!fifo && refaults, "FIFO: all refaults are those of the model");
	tap(!clock, "CLOCK: all refaults are those of the model");
	tap(!opt, "OPT: no other evictions have fewer refaults");
	tap(!worse && mixed < sizes, "OPT is never worse than FIFO, CLOCK and LRU");
	return tap_status();
}
