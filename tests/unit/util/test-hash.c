// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests a hash of an array's elements: it must find all elements and nothing else, and spread
 * similar keys.
 */
#include "util/hash.h"

#include <stdlib.h>

#include "tests/tap.h"

struct element {
	uint64_t a, b;
};

static bool same(const void *array, uint32_t number, const void *wanted)
{
	const struct element *x = (const struct element *)array + number, *y = wanted;

	return array && x->a == y->a && x->b == y->b;
}

/* Returns the largest distance of an element from its key's first slot. */
static uint32_t longest_way(const struct mm_hash *hash)
{
	uint32_t longest = 0;

	for (uint32_t at = 0; at <= hash->mask; at++) {
		uint32_t way = (at - hash->slots[at].hash) & hash->mask;

		if (hash->slots[at].number_plus_1 && way > longest)
			longest = way;
	}
	return longest;
}

static void check(const char *name, uint64_t step_a, uint64_t step_b, uint32_t count)
{
	struct element *elements = NULL, absent;
	uint32_t missing = 0, wrong = 0, there = 0;
	struct mm_hash hash;
	size_t room = 0;
	bool added = true;

	mm_hash_init(&hash);
	for (uint32_t i = 0; i < count && added; i++) {
		struct element element = { i * step_a, i * step_b };
		uint32_t key = mm_hash_of(&hash, element.a, element.b);
		struct element *grown;

		/*
		 * Search before the array grows. Growing may move the elements, and the search
		 * reads the elements whose keys are equal by chance.
		 */
		wrong += mm_hash_find(&hash, key, elements, &element, same) != MM_HASH_NONE;
		grown = mm_array_grow(elements, i, &room, sizeof(*grown));
		if (!grown) {
			tap(false, "hash: %s: memory", name);
			break;
		}
		elements = grown;
		elements[i] = element;
		added = !mm_hash_add(&hash, key, i);
		there += added;
	}
	for (uint32_t i = 0; i < there; i++)
		missing += mm_hash_find(&hash, mm_hash_of(&hash, elements[i].a, elements[i].b),
					elements, &elements[i], same) != i;
	absent = (struct element){ count * step_a, count * step_b };
	wrong += mm_hash_find(&hash, mm_hash_of(&hash, absent.a, absent.b), elements, &absent,
			      same) != MM_HASH_NONE;
	tap(added && !missing && !wrong && hash.count == count, "hash: %s: all found, nothing else",
	    name);
	/*
	 * With 2^17 slots, half of them used, the longest distance is about 40; with clustered keys
	 * it would be thousands.
	 */
	tap(longest_way(&hash) < 400, "hash: %s: longest way %u", name, longest_way(&hash));
	mm_hash_release(&hash);
	free(elements);
}

/* Tests elements with equal keys. (Among a million keys, some are equal by chance.) */
static void check_equal_keys(void)
{
	struct element elements[100], absent = { 100, 0 };
	uint32_t wrong = 0;
	struct mm_hash hash;

	mm_hash_init(&hash);
	for (uint32_t i = 0; i < 100; i++) {
		elements[i] = (struct element){ i, 0 };
		wrong += mm_hash_find(&hash, 7, elements, &elements[i], same) != MM_HASH_NONE;
		wrong += mm_hash_add(&hash, 7, i) != 0;
	}
	for (uint32_t i = 0; i < 100; i++)
		wrong += mm_hash_find(&hash, 7, elements, &elements[i], same) != i;
	wrong += mm_hash_find(&hash, 7, elements, &absent, same) != MM_HASH_NONE;
	tap(!wrong, "hash: equal keys: elements are distinguished");
	mm_hash_release(&hash);
}

int main(void)
{
	check_equal_keys();
	check("one", 1, 1, 1);
	check("thread numbers", 1, 0, 60000);
	check("inodes far apart", 1ull << 32, 0, 60000);
	check("only high bits differ", 1ull << 47, 0, 60000);
	check("addresses of pages", 4096, 0, 60000);
	check("pairs", 64, 1ull << 33, 60000);
	check("the second only", 0, 512, 60000);
	return tap_status();
}
