/* SPDX-License-Identifier: LGPL-2.1-only */
/* Sizes of ring buffers that reach back for a given time at the rate that was measured. */
#ifndef LTTNG_MM_SESSION_STATUS_WINDOW_H
#define LTTNG_MM_SESSION_STATUS_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lttng-session/recorder/budget.h"
#include "lttng-session/recorder/plan.h"
#include "lttng-session/recorder/recorder.h"
#include "util/error.h"

/* How long the rate is measured. */
#define WINDOW_MEASURE_S 5
/* The smallest sub-buffers of a profile's first channel; those of the others are its own. */
#define WINDOW_SUBBUF_MIN (64u << 10)
/* The greatest one that can be frozen, and its copy read. */
#define WINDOW_SUBBUF_MAX (UINT64_C(1) << 31)

/* The buffers of a channel, which each CPU has. */
struct window_ring {
	uint64_t rate; /* the greatest of a CPU, in bytes per second */
	uint64_t subbuf_count;
	uint64_t least_bytes;  /* no sub-buffer is smaller, however little was recorded */
	uint64_t subbuf_bytes; /* chosen */
	int64_t reach_ns; /* how far back that reaches at the rate; INT64_MAX: nothing is written */
};

/*
 * Chooses the smallest sub-buffers with which @ring reaches back for @window_ns at half as much
 * again as its rate, when the one being written has just been started. Returns false if they exceed
 * WINDOW_SUBBUF_MAX.
 */
bool window_choose(struct window_ring *ring, int64_t window_ns);

/*
 * The bytes that are needed on @cpus CPUs: for @count new rings, those of a new state
 * session (NULL: none), and for the copies of these and of the sessions in the plan that a snapshot
 * makes. UINT64_MAX if it is more than that.
 */
uint64_t window_memory(const struct window_ring *rings, size_t count,
		       const struct budget_ring *state, const struct plan *plan, unsigned int cpus);

struct window_result {
	/* Of the profiles and their channels, in their order. */
	struct window_ring rings[RECORDER_PROFILES_MAX * PROFILE_CHANNELS_MAX];
	size_t count;
	uint64_t bytes; /* as window_memory() */
	unsigned int cpus;
	int idle_percent; /* as window_idle_percent(), of the time that was measured */
};

/* From this share on, the machine was idle: under load, more is recorded. */
#define WINDOW_IDLE_PERCENT 90

/*
 * The share of processor time that nobody used between the times at which the first line of
 * /proc/stat was @before and @after, in percent; -1: these lines do not tell.
 */
int window_idle_percent(const char *before, const char *after);

/*
 * Records the profiles of @options for WINDOW_MEASURE_S seconds in sessions of their own, and sets
 * the sizes of its profiles, and its window_ns. Returns 0, or -1 with @err set: they would take
 * more than half of the available memory, or the buffers cannot be read.
 */
int window_measure(struct recorder_options *options, int64_t window_ns,
		   struct window_result *result, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_STATUS_WINDOW_H */
