// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the clocks that a snapshot's times are stated by. */
#include "lttng-session/snapshot/times.h"
#include "util/clock.h"

void snapshot_now(struct snapshot_times *times)
{
	times->monotonic_ns = mm_clock_ns(CLOCK_MONOTONIC);
	times->realtime_ns = mm_clock_ns(CLOCK_REALTIME);
	times->boottime_ns = mm_clock_ns(CLOCK_BOOTTIME);
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
