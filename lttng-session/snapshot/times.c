// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the clocks for the times of a snapshot. */
#include "lttng-session/snapshot/times.h"
#include "util/clock.h"

#define CLOCK_TRIES 16

void snapshot_now(struct snapshot_times *times)
{
	times->monotonic_ns = mm_clock_ns(CLOCK_MONOTONIC);
	times->realtime_ns = mm_clock_ns(CLOCK_REALTIME);
	times->boottime_ns = mm_clock_ns(CLOCK_BOOTTIME);
}

void snapshot_clocks(int64_t *monotonic_ns, int64_t *realtime_ns)
{
	int64_t shortest = INT64_MAX;

	for (int i = 0; i < CLOCK_TRIES; i++) {
		const int64_t before = mm_clock_ns(CLOCK_MONOTONIC);
		const int64_t now = mm_clock_ns(CLOCK_REALTIME);
		const int64_t between = mm_clock_ns(CLOCK_MONOTONIC) - before;

		if (between >= shortest)
			continue;
		shortest = between;
		*monotonic_ns = before + between / 2;
		*realtime_ns = now;
	}
}

json_t *snapshot_times_json(const struct snapshot_times *times)
{
	json_t *json = times ? json_object() : json_null();

	if (!times)
		return json;
	json_object_set_new(json, "realtime_ns", json_integer(times->realtime_ns));
	json_object_set_new(json, "monotonic_ns", json_integer(times->monotonic_ns));
	json_object_set_new(json, "boottime_ns", json_integer(times->boottime_ns));
	return json;
}
