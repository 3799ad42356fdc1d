/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Finds objects by address. For each address, the table has the live object, or else the last
 * object and how it ended.
 */
#ifndef LTTNG_MM_SLAB_TRACK_OBJECT_TABLE_H
#define LTTNG_MM_SLAB_TRACK_OBJECT_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/slab/decode/op.h"

enum slab_object_state { SLAB_OBJECT_NEW, SLAB_OBJECT_LIVE, SLAB_OBJECT_FREED };

#define SLAB_OBJECT_RCU 1u	    /* passed to kfree_rcu() */
#define SLAB_OBJECT_PARTLY_FREED 2u /* pages: a part of the block has been freed */
#define SLAB_OBJECT_NOLOCK 4u	    /* allocated by kmalloc_nolock() */
#define SLAB_OBJECT_LOSS 8u	    /* events were lost, so it is uncertain how the object ended */
#define SLAB_OBJECT_OMITTED 16u	    /* live, and allocated by an omitted account */
#define SLAB_OBJECT_FREED_LATER 32u /* live at the end of the time range, but freed later */

/* There may be ten million objects, so an object has only 32 bytes. */
struct slab_object {
	uint64_t address;
	int64_t time_ns;      /* time of the allocation; after the free, time of the free */
	uint32_t account;     /* account of the allocation or the free */
	uint32_t bytes_req;   /* pages: bytes not freed yet */
	uint32_t bytes_alloc; /* 0 for objects of caches, because the size of the cache is known */
	union {
		struct {
			uint8_t state;
			uint8_t flags;
			uint8_t order; /* order of pages; else SLAB_ORDER_NONE */
			uint8_t unused;
		};
		uint32_t mode; /* state, flags and order in one word: see slab_mode() */
	};
};

_Static_assert(sizeof(struct slab_object) == 32, "objects are small");

/*
 * Returns a value for slab_object.mode. All members are written at once: after separate writes of
 * bytes, the CPU would stall when it reads the whole word.
 */
static inline uint32_t slab_mode(uint32_t state, uint32_t flags, uint32_t order)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? state | flags << 8 | order << 16
							 : state << 24 | flags << 16 | order << 8;
}

struct slab_slot {
	uint32_t tag, number_plus_1; /* 0: free slot */
};

/*
 * Objects are stored in the order in which their addresses first appear. An index with open
 * addressing, at most 0.8 full, finds them by address. Each slot of the index contains the hash of
 * the address (@tag). Growing the index therefore reads no objects, and a lookup reads only the
 * object that it finds. A freed object keeps its place, so a second free is noticed, and the next
 * object at the address reuses the place. Each address needs 42 to 52 bytes in total. The seed is
 * random, so that a hostile trace cannot cause collisions.
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

/* Slow path of slab_objects_get(): adds an address. Returns NULL when out of memory. */
struct slab_object *slab_objects_add(struct slab_objects *objects, uint64_t address, uint32_t tag);

static inline uint32_t slab_objects_tag(const struct slab_objects *objects, uint64_t address)
{
	unsigned __int128 product =
		(unsigned __int128)(address ^ objects->seed[0]) * (objects->seed[1] | 1);
	uint64_t mixed = (uint64_t)product ^ (uint64_t)(product >> 64);

	/*
	 * With some seeds, this hash gives the objects of a slab adjacent slots. Linear probing is
	 * slow in such clusters, so multiply again.
	 */
	return (uint32_t)((mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15ull >> 32);
}

/*
 * Returns the object at @address, or NULL if the address is new. The pointer is valid until the
 * next addition.
 */
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
 * Returns the number plus 1 of the object that probably has @tag, or 0 if the first slots contain
 * other tags. Compares several slots before the first branch, because the CPU cannot predict which
 * of them matches.
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
 * Returns the object at @address. A new object has the state SLAB_OBJECT_NEW. @guess is a result of
 * slab_objects_guess(). An old result is valid, too, because numbers never change. Returns NULL
 * when out of memory.
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
