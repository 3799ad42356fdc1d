/* SPDX-License-Identifier: LGPL-2.1-only */
/* A hash table that finds the elements of an array by key. Also FNV-1a, a hash of texts. */
#ifndef LTTNG_MM_UTIL_HASH_H
#define LTTNG_MM_UTIL_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MM_HASH_NONE UINT32_MAX

struct mm_hash_slot {
	uint32_t hash, number_plus_1; /* number_plus_1 is 0 in a free slot */
};

/*
 * The table stores only the numbers of elements, in 16 to 32 bytes per element. The caller owns the
 * array. Elements cannot be removed. Keys come from untrusted traces, so a random seed prevents
 * deliberate collisions. Because of the seed, results must not depend on the order of slots:
 * iterate over the array instead.
 */
struct mm_hash {
	struct mm_hash_slot *slots;
	uint32_t mask; /* number of slots - 1; 0: no slots yet */
	uint32_t count;
	uint64_t seed[2];
};

void mm_hash_init(struct mm_hash *hash);
void mm_hash_release(struct mm_hash *hash);

/*
 * Adds element @number under @key, a result of mm_hash_of(). Returns 0, or -1 when out of memory.
 */
int mm_hash_add(struct mm_hash *hash, uint32_t key, uint32_t number);

/*
 * Makes room for another element. @array has @count elements of @size bytes, and space for *@room.
 * Returns the array, which may have moved. When out of memory, returns NULL, and @array is still
 * valid.
 */
void *mm_array_grow(void *array, size_t count, size_t *room, size_t size);

static inline uint32_t mm_hash_of(const struct mm_hash *hash, uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)(a ^ hash->seed[0]) * (b ^ hash->seed[1]);
	uint64_t mixed = (uint64_t)product ^ (uint64_t)(product >> 64);

	/*
	 * Mix again, because with some seeds, consecutive numbers would have neighbouring hashes.
	 */
	mixed = (mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15ull;
	return (uint32_t)(mixed >> 32);
}

/* Hashes a string. The result can be used as a key, like the result of mm_hash_of(). */
uint32_t mm_hash_of_string(const struct mm_hash *hash, const char *string);

/* Returns the number of the element under @key for which @same returns true, or MM_HASH_NONE. */
__attribute__((always_inline)) static inline uint32_t
mm_hash_find(const struct mm_hash *hash, uint32_t key, const void *array, const void *wanted,
	     bool (*same)(const void *array, uint32_t number, const void *wanted))
{
	if (!hash->mask)
		return MM_HASH_NONE;
	for (uint32_t at = key & hash->mask;; at = (at + 1) & hash->mask) {
		const struct mm_hash_slot *slot = &hash->slots[at];

		if (!slot->number_plus_1)
			return MM_HASH_NONE;
		if (slot->hash == key && same(array, slot->number_plus_1 - 1, wanted))
			return slot->number_plus_1 - 1;
	}
}

/* FNV-1a, a hash to detect changed texts. It does not resist deliberate collisions. */
#define MM_FNV_START UINT64_C(0xcbf29ce484222325)
#define MM_FNV_FACTOR UINT64_C(0x100000001b3)

/*
 * Adds @text and its terminator to the hash. The terminator makes the texts "a", "bc" differ from
 * "ab", "c".
 */
static inline void mm_fnv_add(uint64_t *hash, const char *text)
{
	do
		*hash = (*hash ^ (unsigned char)*text) * MM_FNV_FACTOR;
	while (*text++);
}

#endif /* LTTNG_MM_UTIL_HASH_H */
