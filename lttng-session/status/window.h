/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Chooses the sizes of ring buffers for `record --window`. Measures the rates of the events, and
 * computes the sizes from them.
 */
#ifndef LTTNG_MM_SESSION_STATUS_WINDOW_H
#define LTTNG_MM_SESSION_STATUS_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lttng-session/recorder/budget.h"
#include "lttng-session/recorder/plan.h"
#include "lttng-session/recorder/recorder.h"
#include "util/error.h"

/* Duration of the measurement in seconds. */
#define WINDOW_MEASURE_S 5
/*
 * Minimum size of a sub-buffer in the first channel of a profile. In other channels, the minimum is
 * the size in the profile.
 */
#define WINDOW_SUBBUF_MIN (64u << 10)
/* Maximum size of a sub-buffer. Larger ones could not be frozen and read. */
#define WINDOW_SUBBUF_MAX (UINT64_C(1) << 31)

/* The ring buffers of a channel, one for each CPU. */
struct window_ring {
	uint64_t rate; /* highest rate of any CPU, in bytes per second */
	uint64_t subbuf_count;
	uint64_t least_bytes;  /* minimum size of a sub-buffer */
	uint64_t subbuf_bytes; /* chosen size of a sub-buffer */
	int64_t reach_ns; /* time that the ring reaches back at @rate; INT64_MAX if @rate is 0 */
};

/*
 * Chooses the smallest sub-buffers with which @ring reaches back @window_ns at 1.5 times its rate.
 * The sub-buffer that is being written does not count. Returns false if the size would exceed
 * WINDOW_SUBBUF_MAX.
 */
bool window_choose(struct window_ring *ring, int64_t window_ns);

/*
 * Returns how much additional memory is needed on @cpus CPUs, in bytes: for @count new rings, for
 * the rings of a new state session (@state, or NULL), for copies of all these in a snapshot, and
 * for copies of the buffers of the sessions in @plan. Returns UINT64_MAX on overflow.
 */
uint64_t window_memory(const struct window_ring *rings, size_t count,
		       const struct budget_ring *state, const struct plan *plan, unsigned int cpus);

struct window_result {
	/* in the order of the profiles and their channels */
	struct window_ring rings[RECORDER_PROFILES_MAX * PROFILE_CHANNELS_MAX];
	size_t count;
	uint64_t bytes; /* result of window_memory() */
	unsigned int cpus;
	int idle_percent; /* result of window_idle_percent() for the time of the measurement */
};

/*
 * If the CPUs were idle for at least this percentage of the measurement, `record` warns that the
 * rates will be higher under load.
 */
#define WINDOW_IDLE_PERCENT 90

/*
 * Returns the idle time in percent between two readings of the first line of /proc/stat, or -1 if
 * it is unknown.
 */
int window_idle_percent(const char *before, const char *after);

/*
 * Records the profiles of @options for WINDOW_MEASURE_S seconds in temporary sessions. Then sets
 * the sub-buffer sizes of the profiles, and @options->window_ns. Returns 0, or -1 with @err set if
 * buffers cannot be read or would need more than half of the available memory.
 */
int window_measure(struct recorder_options *options, int64_t window_ns,
		   struct window_result *result, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_STATUS_WINDOW_H */
