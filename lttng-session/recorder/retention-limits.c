// SPDX-License-Identifier: LGPL-2.1-only
/* Checks the limits of the snapshots in a recorder's folder. */
#include "lttng-session/recorder/retention-limits.h"

bool retention_limits_any(const struct retention_limits *limits)
{
	return limits->count || limits->max_bytes || limits->min_free_percent;
}

/* Is the limit absent, or a positive integer of at most @max? */
static bool is_limit(const json_t *limits, const char *name, json_int_t max)
{
	const json_t *limit = json_object_get(limits, name);

	return !limit || (json_is_integer(limit) && json_integer_value(limit) > 0 &&
			  json_integer_value(limit) <= max);
}

bool retention_limits_are_valid(const json_t *recorder)
{
	const json_t *output = json_object_get(recorder, "output");
	const json_t *limits = json_object_get(recorder, "keep");

	if (output && (!json_is_string(output) || *json_string_value(output) != '/' ||
		       json_string_length(output) >= PATH_MAX))
		return false;
	return (!limits || json_is_object(limits)) && is_limit(limits, "count", INT64_MAX) &&
	       is_limit(limits, "max_bytes", INT64_MAX) && is_limit(limits, "min_free_percent", 99);
}
