/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Holds slab and page events to their own rules, each event by itself: what an allocator can give
 * out, in the memory and of the caches that the state dump tells of. doc/man/lttng-mm-verify.1
 * lists the rules.
 */
#ifndef LTTNG_MM_SLAB_SLAB_VERIFY_H
#define LTTNG_MM_SLAB_SLAB_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/core/error.h"

/*
 * Sample of @what: "65 bytes asked for, 64 given; tid=20 call_site=0x180 ptr=0xa000". No part of it
 * is hostile.
 */
struct slab_verify_finding {
	bool broken;	   /* else a note: odd, and no proof of damage */
	const char *event; /* its name */
	int64_t time_ns;   /* since the Epoch */
	uint32_t cpu;	   /* MM_CPU_UNKNOWN where the trace doesn't say */
	const char *what;
};

struct slab_verify_counts {
	uint64_t events; /* that have rules */
	uint64_t broken, notes;
};

/* Kept to be told; what is found beyond that is only counted. */
#define SLAB_VERIFY_FINDINGS_MAX 65536u

/*
 * Is it an event with rules? Others' events of the same names do not begin with the same @field
 * (may be NULL).
 */
bool slab_verify_concerns(const char *event, const char *field);

/*
 * Reads the trace at @path on @jobs threads and hands the first @limit findings to @finding, damage before
 * notes, each in the order of time; the result is the same whatever @jobs is. Returns 0, with findings or
 * without, or -1 with @err set.
 */
int slab_verify(const char *path, unsigned int jobs, uint64_t limit,
		void (*finding)(void *user, const struct slab_verify_finding *finding), void *user,
		struct slab_verify_counts *counts, struct mm_error *err);

#endif /* LTTNG_MM_SLAB_SLAB_VERIFY_H */
