// SPDX-License-Identifier: LGPL-2.1-only
/* Chooses sizes of ring buffers within a memory limit. */
#include "lttng-session/recorder/budget.h"

/* The budget covers the buffers, and one copy of them during a snapshot. */
#define COPIES 2u
/* A snapshot may add an empty packet to the copy of each buffer. */
#define COPY_EXTRA 4096u
/*
 * Maximum number of times that the sizes are halved or doubled. Halving them 64 times makes every
 * sub-buffer as small as possible.
 */
#define STEPS 64

static uint64_t saturating(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* Returns @bytes * 2^@shift. If @shift is negative, returns at least BUDGET_SUBBUF_MIN. */
static uint64_t scaled(uint64_t bytes, int shift)
{
	if (shift >= 0)
		return saturating(bytes, shift < 64 ? UINT64_C(1) << shift : UINT64_MAX);
	bytes = shift > -64 ? bytes >> -shift : 0;
	return bytes < BUDGET_SUBBUF_MIN ? BUDGET_SUBBUF_MIN : bytes;
}

static uint64_t size_at(const struct budget_ring *ring, int shift)
{
	return ring->fixed || (ring->small && shift > 0) ? ring->subbuf_bytes
							 : scaled(ring->subbuf_bytes, shift);
}

static uint64_t bytes_at(const struct budget_ring *rings, size_t count, unsigned int cpus,
			 int shift)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t size = size_at(&rings[i], shift);
		uint64_t ring = saturating(saturating(size, rings[i].subbuf_count + 1), COPIES);

		if (__builtin_add_overflow(ring, COPY_EXTRA, &ring) ||
		    __builtin_add_overflow(sum, saturating(ring, cpus), &sum))
			return UINT64_MAX;
	}
	return sum;
}

uint64_t budget_bytes(const struct budget_ring *rings, size_t count, unsigned int cpus)
{
	return bytes_at(rings, count, cpus, 0);
}

bool budget_choose(struct budget_ring *rings, size_t count, unsigned int cpus, uint64_t ceiling,
		   struct budget *budget)
{
	int shift = -STEPS, next;

	budget->least = bytes_at(rings, count, cpus, shift);
	while (shift < STEPS && bytes_at(rings, count, cpus, shift + 1) <= ceiling)
		shift++;
	budget->takes = bytes_at(rings, count, cpus, shift);
	/*
	 * If the sizes are at their minimum, the next factor may change none of them. Find the
	 * first factor that changes a size.
	 */
	for (next = shift + 1; next < STEPS; next++)
		if (bytes_at(rings, count, cpus, next) > budget->takes)
			break;
	budget->next = next < STEPS ? bytes_at(rings, count, cpus, next) : 0;
	for (size_t i = 0; i < count; i++)
		rings[i].subbuf_bytes = size_at(&rings[i], shift);
	return budget->takes <= ceiling;
}
