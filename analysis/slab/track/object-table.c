// SPDX-License-Identifier: LGPL-2.1-only
/* Open addressing with linear probing. Slots contain numbers of objects. */
#include "analysis/slab/track/object-table.h"

#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

#define SLOTS_MIN 1024u
#define OBJECTS_MAX (UINT32_MAX / 2)

static uint32_t limit_of(uint32_t slots)
{
	return (uint32_t)((uint64_t)slots * 4 / 5);
}

/*
 * Doubles the room. realloc() moves a large array by remapping it, which copies nothing. The new
 * pages use no memory until they are written.
 */
static int grow_objects(struct slab_objects *objects)
{
	uint64_t room = objects->room ? 2 * objects->room : SLOTS_MIN;
	struct slab_object *all = reallocarray(objects->all, room, sizeof(*all));

	if (!all)
		return -1;
	if (!objects->all)
		memset(all, 0, sizeof(*all));
	objects->all = all;
	objects->room = room;
	return 0;
}

int slab_objects_init(struct slab_objects *objects)
{
	struct mm_hash hash;

	memset(objects, 0, sizeof(*objects));
	mm_hash_init(&hash);
	memcpy(objects->seed, hash.seed, sizeof(objects->seed));
	mm_hash_release(&hash);
	objects->slots = calloc(SLOTS_MIN, sizeof(*objects->slots));
	objects->mask = SLOTS_MIN - 1;
	objects->limit = limit_of(SLOTS_MIN);
	/* Object 0 always exists, because hints may point to it. */
	return objects->slots && !grow_objects(objects) ? 0 : -1;
}

void slab_objects_release(struct slab_objects *objects)
{
	free(objects->all);
	free(objects->slots);
	memset(objects, 0, sizeof(*objects));
}

static void place(struct slab_slot *slots, uint32_t mask, struct slab_slot slot)
{
	uint32_t at = slot.tag & mask;

	while (slots[at].number_plus_1)
		at = (at + 1) & mask;
	slots[at] = slot;
}

static int grow_index(struct slab_objects *objects)
{
	uint64_t size = 2 * ((uint64_t)objects->mask + 1);
	struct slab_slot *slots;

	if (size > UINT32_MAX)
		return -1;
	slots = calloc(size, sizeof(*slots));
	if (!slots)
		return -1;
	for (uint64_t at = 0; at <= objects->mask; at++)
		if (objects->slots[at].number_plus_1)
			place(slots, (uint32_t)size - 1, objects->slots[at]);
	free(objects->slots);
	objects->slots = slots;
	objects->mask = (uint32_t)size - 1;
	objects->limit = limit_of((uint32_t)size);
	return 0;
}

struct slab_object *slab_objects_add(struct slab_objects *objects, uint64_t address, uint32_t tag)
{
	struct slab_object *object;

	if (objects->count >= OBJECTS_MAX ||
	    (objects->count >= objects->limit && grow_index(objects)) ||
	    (objects->count >= objects->room && grow_objects(objects)))
		return NULL;
	object = &objects->all[objects->count++];
	memset(object, 0, sizeof(*object));
	object->address = address;
	place(objects->slots, objects->mask,
	      (struct slab_slot){ .tag = tag, .number_plus_1 = objects->count });
	return object;
}
