// SPDX-License-Identifier: LGPL-2.1-only
/* Limits of the snapshots in a recorder's folder: number, size, free space. */
#include "lttng-session/recorder/keep-limits.h"

bool keep_has_limits(const struct keep *keep)
{
	return keep->count || keep->max_bytes || keep->min_free_percent;
}

/* Is the limit absent, or a positive integer of at most @max? */
static bool is_limit(const json_t *keep, const char *name, json_int_t max)
{
	const json_t *limit = json_object_get(keep, name);

	return !limit || (json_is_integer(limit) && json_integer_value(limit) > 0 &&
			  json_integer_value(limit) <= max);
}

bool keep_is_valid(const json_t *recorder)
{
	const json_t *output = json_object_get(recorder, "output");
	const json_t *keep = json_object_get(recorder, "keep");

	if (output && (!json_is_string(output) || *json_string_value(output) != '/' ||
		       json_string_length(output) >= PATH_MAX))
		return false;
	return (!keep || json_is_object(keep)) && is_limit(keep, "count", INT64_MAX) &&
	       is_limit(keep, "max_bytes", INT64_MAX) && is_limit(keep, "min_free_percent", 99);
}
