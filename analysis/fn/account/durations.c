// SPDX-License-Identifier: LGPL-2.1-only
/* A distribution of durations in bounded memory. */
#include "analysis/fn/account/durations.h"

#include <math.h>
#include <stdlib.h>

void fn_durations_release(struct fn_durations *durations)
{
	for (size_t i = 0; i < FN_OCTAVES; i++)
		free(durations->octaves[i]);
}

uint32_t *fn_durations_grow(struct fn_durations *durations, unsigned int octave)
{
	return durations->octaves[octave] = calloc(FN_OCTAVE, sizeof(uint32_t));
}

static uint64_t last_of(unsigned int octave, unsigned int bucket)
{
	if (!octave)
		return bucket;
	return (((uint64_t)FN_OCTAVE + bucket + 1) << (octave - 1)) - 1;
}

void fn_durations_quantiles(const struct fn_durations *durations, const double *q, uint64_t *ns,
			    size_t count)
{
	uint64_t seen = 0;
	size_t next = 0;

	for (unsigned int octave = 0; octave < FN_OCTAVES; octave++) {
		const uint32_t *buckets = durations->octaves[octave];

		for (unsigned int i = 0; buckets && i < FN_OCTAVE; i++) {
			uint64_t last = last_of(octave, i);

			seen += buckets[i];
			while (buckets[i] && next < count &&
			       (double)seen >= ceil(q[next] * (double)durations->count))
				ns[next++] = last < durations->max_ns ? last : durations->max_ns;
		}
	}
	while (next < count)
		ns[next++] = durations->max_ns;
}
