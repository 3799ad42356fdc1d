// SPDX-License-Identifier: LGPL-2.1-only
/* Hash table of element numbers. Open addressing, linear probing, at most half full. */
#include "util/hash.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define SLOTS_MIN 64u
#define SLOTS_MAX (1u << 31)

void mm_hash_init(struct mm_hash *hash)
{
	*hash = (struct mm_hash){ 0 };
	/*
	 * Early in the boot, the kernel may not have random numbers yet. Then use addresses as the
	 * seed.
	 */
	if (getrandom(hash->seed, sizeof(hash->seed), GRND_NONBLOCK) != sizeof(hash->seed)) {
		hash->seed[0] = (uint64_t)(uintptr_t)hash * 0x9e3779b97f4a7c15ull;
		hash->seed[1] = (uint64_t)(uintptr_t)&mm_hash_init * 0xc2b2ae3d27d4eb4full;
	}
}

void mm_hash_release(struct mm_hash *hash)
{
	free(hash->slots);
	hash->slots = NULL;
	hash->mask = hash->count = 0;
}

static void place(struct mm_hash_slot *slots, uint32_t mask, struct mm_hash_slot slot)
{
	uint32_t at = slot.hash & mask;

	while (slots[at].number_plus_1)
		at = (at + 1) & mask;
	slots[at] = slot;
}

static int grow(struct mm_hash *hash)
{
	uint32_t size = hash->mask ? hash->mask + 1 : SLOTS_MIN / 2;
	struct mm_hash_slot *slots;

	if (size >= SLOTS_MAX)
		return -1;
	slots = calloc(2 * (size_t)size, sizeof(*slots));
	if (!slots)
		return -1;
	for (uint32_t at = 0; hash->mask && at <= hash->mask; at++)
		if (hash->slots[at].number_plus_1)
			place(slots, 2 * size - 1, hash->slots[at]);
	free(hash->slots);
	hash->slots = slots;
	hash->mask = 2 * size - 1;
	return 0;
}

int mm_hash_add(struct mm_hash *hash, uint32_t key, uint32_t number)
{
	if (2 * (uint64_t)hash->count >= hash->mask && grow(hash))
		return -1;
	place(hash->slots, hash->mask,
	      (struct mm_hash_slot){ .hash = key, .number_plus_1 = number + 1 });
	hash->count++;
	return 0;
}

uint32_t mm_hash_of_string(const struct mm_hash *hash, const char *string)
{
	size_t length = strlen(string);
	uint64_t key = length;

	for (size_t at = 0; at < length; at += 8) {
		uint64_t word = 0;

		memcpy(&word, string + at, length - at < 8 ? length - at : 8);
		key = mm_hash_of(hash, word, key << 32 | at);
	}
	return (uint32_t)key;
}

void *mm_array_grow(void *array, size_t count, size_t *room, size_t size)
{
	size_t wanted = *room ? 2 * *room : 16;
	void *grown;

	if (count < *room)
		return array;
	grown = reallocarray(array, wanted, size);
	if (grown)
		*room = wanted;
	return grown;
}
