/* SPDX-License-Identifier: LGPL-2.1-only */
/* Chooses sizes of ring buffers for `record --window`: measures rates, and computes sizes. */
#ifndef LTTNG_MM_SESSION_STATUS_WINDOW_H
#define LTTNG_MM_SESSION_STATUS_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lttng-session/recorder/budget.h"
#include "lttng-session/recorder/plan.h"
#include "lttng-session/recorder/recorder.h"
#include "util/error.h"

/* Duration of the measurement. */
#define WINDOW_MEASURE_S 5
/*
 * Minimum sub-buffer size in a profile's first channel. Other channels use at least the profile's
 * sizes.
 */
#define WINDOW_SUBBUF_MIN (64u << 10)
/* Maximum size of a sub-buffer that can be frozen and read. */
#define WINDOW_SUBBUF_MAX (UINT64_C(1) << 31)

/* The ring buffers of a channel, one for each CPU. */
struct window_ring {
	uint64_t rate; /* greatest rate of a CPU, in bytes per second */
	uint64_t subbuf_count;
	uint64_t least_bytes;  /* minimum size of a sub-buffer */
	uint64_t subbuf_bytes; /* chosen size */
	int64_t reach_ns;      /* window at @rate; INT64_MAX if @rate is 0 */
};

/*
 * Chooses the smallest sub-buffers that let @ring reach back @window_ns at 1.5 times its rate. The
 * sub-buffer being written does not count. Returns false if the size would exceed
 * WINDOW_SUBBUF_MAX.
 */
bool window_choose(struct window_ring *ring, int64_t window_ns);

/*
 * Returns the additional memory needed on @cpus CPUs, in bytes. It is for @count new rings, the
 * rings of a new state session (or NULL), their copies in a snapshot, and copies of the planned
 * sessions. Returns UINT64_MAX on overflow.
 */
uint64_t window_memory(const struct window_ring *rings, size_t count,
		       const struct budget_ring *state, const struct plan *plan, unsigned int cpus);

struct window_result {
	/* in the order of the profiles and their channels */
	struct window_ring rings[RECORDER_PROFILES_MAX * PROFILE_CHANNELS_MAX];
	size_t count;
	uint64_t bytes; /* window_memory() */
	unsigned int cpus;
	int idle_percent; /* window_idle_percent() during the measurement */
};

/* Warn if the CPUs are idle for this percentage of the time: under load, rates are higher. */
#define WINDOW_IDLE_PERCENT 90

/*
 * Returns the idle time in percent between two readings of the first line of /proc/stat; -1:
 * unknown.
 */
int window_idle_percent(const char *before, const char *after);

/*
 * Records the profiles of @options for WINDOW_MEASURE_S seconds in temporary sessions. Then sets
 * the profiles' sub-buffer sizes and @options->window_ns. Returns 0. Returns -1 with @err set if
 * buffers cannot be read, or would need more than half of the available memory.
 */
int window_measure(struct recorder_options *options, int64_t window_ns,
		   struct window_result *result, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_STATUS_WINDOW_H */
