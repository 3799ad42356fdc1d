/* SPDX-License-Identifier: LGPL-2.1-only */
/* The state of each address: its object, or the outcome of the last one. */
#ifndef LTTNG_MM_SLAB_TRACK_OBJECT_TABLE_H
#define LTTNG_MM_SLAB_TRACK_OBJECT_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/slab/decode/op.h"

enum slab_object_state { SLAB_OBJECT_NEW, SLAB_OBJECT_LIVE, SLAB_OBJECT_FREED };

#define SLAB_OBJECT_RCU 1u	    /* passed to kfree_rcu() */
#define SLAB_OBJECT_PARTLY_FREED 2u /* pages: a part of it has been freed */
#define SLAB_OBJECT_NOLOCK 4u	    /* allocated by kmalloc_nolock() */
#define SLAB_OBJECT_LOSS 8u	    /* its end is not certain */
#define SLAB_OBJECT_OMITTED 16u	    /* live, and allocated by an account that is left out */
#define SLAB_OBJECT_FREED_LATER 32u /* live at the end of the time range, and freed after it */

/* 32 bytes: there may be ten million of them. */
struct slab_object {
	uint64_t address;
	int64_t time_ns;      /* of the allocation; of the free when it is freed */
	uint32_t account;     /* the account of that */
	uint32_t bytes_req;   /* pages: bytes not freed yet */
	uint32_t bytes_alloc; /* cache objects: 0, their cache has the size */
	union {
		struct {
			uint8_t state;
			uint8_t flags;
			uint8_t order; /* of pages; SLAB_ORDER_NONE */
			uint8_t unused;
		};
		uint32_t mode; /* all of these: slab_mode() */
	};
};

_Static_assert(sizeof(struct slab_object) == 32, "objects are small");

/* By shifts: combining separately written bytes of memory would stall the processor. */
static inline uint32_t slab_mode(uint32_t state, uint32_t flags, uint32_t order)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? state | flags << 8 | order << 16
							 : state << 24 | flags << 16 | order << 8;
}

struct slab_slot {
	uint32_t tag, number_plus_1; /* 0: free */
};

/*
 * Objects lie in the order in which their addresses were first seen; an open-addressing index, at
 * most 0.8 full, finds them by address. The tag is the address's hash, so that growing accesses no
 * object and a search accesses only the right one. An address remains when its object is freed:
 * this detects a second free, and the next object there costs nothing. 42 to 52 bytes for each
 * address. The seed is random, as mm_hash's.
 */
struct slab_objects {
	struct slab_object *all;
	struct slab_slot *slots;
	uint32_t count, mask, limit;
	uint64_t room;
	uint64_t seed[2];
};

int slab_objects_init(struct slab_objects *objects);
void slab_objects_release(struct slab_objects *objects);

/* For slab_objects_get(): a new address. NULL when out of memory. */
struct slab_object *slab_objects_add(struct slab_objects *objects, uint64_t address, uint32_t tag);

static inline uint32_t slab_objects_tag(const struct slab_objects *objects, uint64_t address)
{
	unsigned __int128 product =
		(unsigned __int128)(address ^ objects->seed[0]) * (objects->seed[1] | 1);
	uint64_t mixed = (uint64_t)product ^ (uint64_t)(product >> 64);

	/*
	 * With some seeds the addresses of a slab form clusters, which are searched one by one:
	 * hash once more.
	 */
	return (uint32_t)((mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15ull >> 32);
}

/* The object at @address, NULL if nothing is known of it. Pointers are good until the next add. */
static inline struct slab_object *slab_objects_find(const struct slab_objects *objects,
						    uint64_t address, uint32_t tag)
{
	for (uint32_t at = tag & objects->mask;; at = (at + 1) & objects->mask) {
		const struct slab_slot slot = objects->slots[at];

		if (!slot.number_plus_1)
			return NULL;
		if (slot.tag == tag && objects->all[slot.number_plus_1 - 1].address == address)
			return &objects->all[slot.number_plus_1 - 1];
	}
}

/*
 * The number plus 1 of the object that has @tag, most likely, 0 if it is not at once found.
 * Processors cannot predict how far an object is from its place, so this reads four slots before it
 * branches.
 */
static inline uint32_t slab_objects_guess(const struct slab_objects *objects, uint32_t tag)
{
	uint32_t at = tag & objects->mask;
	const struct slab_slot *slot = &objects->slots[at < objects->mask - 3 ? at : 0];
	unsigned int hits = (slot[0].tag == tag) | (slot[1].tag == tag) << 1 |
			    (slot[2].tag == tag) << 2 | 1u << 3;
	unsigned int first = (unsigned int)__builtin_ctz(hits);

	return slot[first].number_plus_1 & -(uint32_t)(slot[first].tag == tag);
}

/*
 * The object at @address; if nothing was known of it, one whose state is SLAB_OBJECT_NEW. @guess:
 * of slab_objects_guess(), at any time before: a number always belongs to the same address.
 */
static inline struct slab_object *slab_objects_get(struct slab_objects *objects, uint64_t address,
						   uint32_t tag, uint32_t guess)
{
	struct slab_object *object;

	if (guess && objects->all[guess - 1].address == address)
		return &objects->all[guess - 1];
	object = slab_objects_find(objects, address, tag);
	return object ? object : slab_objects_add(objects, address, tag);
}

#endif /* LTTNG_MM_SLAB_TRACK_OBJECT_TABLE_H */
