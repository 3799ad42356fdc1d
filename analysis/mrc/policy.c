// SPDX-License-Identifier: LGPL-2.1-only
/* Simulates FIFO, CLOCK and OPT. */
#include "analysis/mrc/policy.h"

#include <stdlib.h>

#include "analysis/mrc/blocks.h"
#include "util/hash.h"

#define HUGE_PAGES (1u << MRC_HUGE_SHIFT)

int mrc_references_add(struct mrc_references *references, uint32_t reference)
{
	uint32_t *all =
		mm_array_grow(references->all, references->count, &references->room, sizeof(*all));

	if (!all)
		return -1;
	references->all = all;
	all[references->count++] = reference;
	if ((reference & MRC_REFERENCE_OBJECT) >= references->objects)
		references->objects = (reference & MRC_REFERENCE_OBJECT) + 1;
	if (reference & MRC_REFERENCE_HUGE)
		references->has_huge = true;
	else
		references->has_small = true;
	return 0;
}

void mrc_references_release(struct mrc_references *references)
{
	free(references->all);
	*references = (struct mrc_references){ NULL };
}

static uint64_t weight_of(uint32_t reference)
{
	return reference & MRC_REFERENCE_HUGE ? HUGE_PAGES : 1;
}

enum { IS_KNOWN = 1, IS_LOADED = 2, IS_TOUCHED = 4, IS_HUGE = 8 };

/* A queue of the loaded objects. Object numbers start with 1, and 0 is the end of the list. */
struct queue {
	uint32_t *next, *previous; /* [0]: the oldest and the newest object */
	uint8_t *flags;
	uint64_t used;
	bool clock;
};

static void remove_object(struct queue *queue, uint32_t object)
{
	queue->next[queue->previous[object]] = queue->next[object];
	queue->previous[queue->next[object]] = queue->previous[object];
}

static void append_object(struct queue *queue, uint32_t object)
{
	queue->next[object] = 0;
	queue->previous[object] = queue->previous[0];
	queue->next[queue->previous[0]] = object;
	queue->previous[0] = object;
}

static void unload(struct queue *queue, uint32_t object)
{
	remove_object(queue, object);
	queue->used -= queue->flags[object] & IS_HUGE ? HUGE_PAGES : 1;
	queue->flags[object] &= IS_KNOWN | IS_HUGE;
}

static void evict(struct queue *queue)
{
	uint32_t object = queue->next[0];

	while (queue->clock && queue->flags[object] & IS_TOUCHED) {
		queue->flags[object] &= (uint8_t)~IS_TOUCHED;
		remove_object(queue, object);
		append_object(queue, object);
		object = queue->next[0];
	}
	unload(queue, object);
}

/* Handles a reference. Returns whether it is a refault. */
static bool refer(struct queue *queue, uint32_t reference, uint64_t size)
{
	const uint32_t object = reference & MRC_REFERENCE_OBJECT;
	const uint64_t weight = weight_of(reference);
	uint8_t *flags = &queue->flags[object];
	const bool was_known = *flags & IS_KNOWN;

	if (reference & MRC_REFERENCE_FREED) {
		if (*flags & IS_LOADED)
			unload(queue, object);
		return false;
	}
	if (*flags & IS_LOADED) {
		*flags |= IS_TOUCHED;
		return false;
	}
	*flags |= IS_KNOWN | (reference & MRC_REFERENCE_HUGE ? IS_HUGE : 0);
	if (weight > size)
		return was_known;
	while (queue->used + weight > size)
		evict(queue);
	queue->used += weight;
	append_object(queue, object);
	*flags |= IS_LOADED | IS_TOUCHED;
	return was_known;
}

static uint64_t simulate(const struct mrc_references *references, uint64_t size, bool clock)
{
	const size_t count = (size_t)references->objects + 1;
	struct queue queue = { .next = calloc(count, sizeof(uint32_t)),
			       .previous = calloc(count, sizeof(uint32_t)),
			       .flags = calloc(count, 1),
			       .clock = clock };
	uint64_t refaults = 0;

	if (!queue.next || !queue.previous || !queue.flags)
		refaults = MRC_POLICY_FAILED;
	for (size_t i = 0; i < references->count && refaults != MRC_POLICY_FAILED; i++)
		refaults += refer(&queue, references->all[i], size);
	free(queue.next);
	free(queue.previous);
	free(queue.flags);
	return refaults;
}

uint64_t mrc_policy_fifo(const struct mrc_references *references, uint64_t size)
{
	return simulate(references, size, false);
}

uint64_t mrc_policy_clock(const struct mrc_references *references, uint64_t size)
{
	return simulate(references, size, true);
}

/* A heap of the loaded objects. The root is the object whose next touch is the latest. */
struct heap {
	uint32_t *objects; /* element 0 is unused */
	uint32_t count;
	uint32_t *places;  /* for each object: index in @objects; 0: not loaded */
	size_t *uses;	   /* for each object: index of the next touch */
	size_t *following; /* for each reference: index of the object's next touch */
	uint8_t *known;
};

static void put(struct heap *heap, uint32_t place, uint32_t object)
{
	heap->objects[place] = object;
	heap->places[object] = place;
}

static void sift_up(struct heap *heap, uint32_t place)
{
	const uint32_t object = heap->objects[place];

	for (; place > 1 && heap->uses[heap->objects[place / 2]] < heap->uses[object]; place /= 2)
		put(heap, place, heap->objects[place / 2]);
	put(heap, place, object);
}

static void sift_down(struct heap *heap, uint32_t place)
{
	const uint32_t object = heap->objects[place];
	uint32_t below;

	while ((below = 2 * place) <= heap->count) {
		if (below < heap->count &&
		    heap->uses[heap->objects[below]] < heap->uses[heap->objects[below + 1]])
			below++;
		if (heap->uses[heap->objects[below]] <= heap->uses[object])
			break;
		put(heap, place, heap->objects[below]);
		place = below;
	}
	put(heap, place, object);
}

/* Removes the object whose next touch is the latest. */
static void pop(struct heap *heap)
{
	heap->places[heap->objects[1]] = 0;
	heap->objects[1] = heap->objects[heap->count--];
	if (heap->count)
		sift_down(heap, 1);
}

/* Finds the next touch of each object. Freed objects have none. */
static void find_following(struct heap *heap, const struct mrc_references *references)
{
	for (uint32_t i = 0; i < references->objects; i++)
		heap->uses[i] = SIZE_MAX;
	for (size_t i = references->count; i--;) {
		const uint32_t object = references->all[i] & MRC_REFERENCE_OBJECT;

		heap->following[i] = heap->uses[object];
		if (!(references->all[i] & MRC_REFERENCE_FREED))
			heap->uses[object] = i;
	}
}

static uint64_t run_opt(struct heap *heap, const struct mrc_references *references,
			uint64_t capacity)
{
	uint64_t refaults = 0;

	find_following(heap, references);
	for (size_t i = 0; i < references->count; i++) {
		const uint32_t object = references->all[i] & MRC_REFERENCE_OBJECT;

		if (references->all[i] & MRC_REFERENCE_FREED)
			continue;
		heap->uses[object] = heap->following[i];
		if (heap->places[object]) {
			sift_up(heap, heap->places[object]);
			continue;
		}
		refaults += heap->known[object];
		heap->known[object] = true;
		if (!capacity)
			continue;
		if (heap->count == capacity)
			pop(heap);
		heap->objects[++heap->count] = object;
		sift_up(heap, heap->count);
	}
	return refaults;
}

uint64_t mrc_policy_opt(const struct mrc_references *references, uint64_t size)
{
	const size_t count = (size_t)references->objects + 2;
	struct heap heap = { .objects = calloc(count, sizeof(uint32_t)),
			     .places = calloc(count, sizeof(uint32_t)),
			     .uses = calloc(count, sizeof(size_t)),
			     .following = calloc(references->count + 1, sizeof(size_t)),
			     .known = calloc(count, 1) };
	uint64_t refaults = MRC_POLICY_FAILED;

	if (heap.objects && heap.places && heap.uses && heap.following && heap.known)
		refaults =
			run_opt(&heap, references, references->has_huge ? size / HUGE_PAGES : size);
	free(heap.objects);
	free(heap.places);
	free(heap.uses);
	free(heap.following);
	free(heap.known);
	return refaults;
}
