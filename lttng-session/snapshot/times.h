/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads the clocks for the times of a snapshot. */
#ifndef LTTNG_MM_SESSION_TIMES_H
#define LTTNG_MM_SESSION_TIMES_H

#include <jansson.h>
#include <stdint.h>

/* One instant on three clocks. */
struct snapshot_times {
	int64_t realtime_ns, monotonic_ns, boottime_ns;
};

void snapshot_now(struct snapshot_times *times);

/*
 * Reads CLOCK_MONOTONIC and CLOCK_REALTIME at almost the same instant: uses the shortest of several
 * attempts.
 */
void snapshot_clocks(int64_t *monotonic_ns, int64_t *realtime_ns);

/* Returns an object with the three times, or JSON null if @times is NULL. */
json_t *snapshot_times_json(const struct snapshot_times *times);

#endif /* LTTNG_MM_SESSION_TIMES_H */
