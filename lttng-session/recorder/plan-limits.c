// SPDX-License-Identifier: LGPL-2.1-only
/* Reads and sets a recorder's folder and snapshot limits in the plan. */
#include "lttng-session/recorder/plan-limits.h"

#include <stdio.h>

static uint64_t limit(const json_t *limits, const char *name)
{
	return (uint64_t)json_integer_value(json_object_get(limits, name));
}

void plan_get_limits(const struct plan *plan, const char *name, struct retention_limits *limits)
{
	const json_t *recorder = plan_recorder_json(plan, name);
	const json_t *json_limits = json_object_get(recorder, "keep");
	const char *output = json_string_value(json_object_get(recorder, "output"));

	snprintf(limits->output, sizeof(limits->output), "%s", output ? output : RETENTION_OUTPUT);
	limits->count = limit(json_limits, "count");
	limits->max_bytes = limit(json_limits, "max_bytes");
	limits->min_free_percent = (unsigned int)limit(json_limits, "min_free_percent");
}

int plan_read_limits(const char *name, struct retention_limits *limits, struct mm_error *err)
{
	struct plan plan;
	int ret = plan_read(&plan, err);

	/* If plan_read() failed, the plan is empty, and plan_get_limits() returns the defaults. */
	plan_get_limits(&plan, name, limits);
	plan_release(&plan);
	return ret;
}

static int set_limit(json_t *limits, const char *name, uint64_t value)
{
	return value ? json_object_set_new(limits, name, json_integer((json_int_t)value)) : 0;
}

int plan_set_limits(struct plan *plan, const char *recorder, const struct retention_limits *limits,
		    struct mm_error *err)
{
	json_t *json = plan_recorder_json(plan, recorder);
	json_t *json_limits = json_object_get(json, "keep");
	int ret = json ? 0 : -1;

	if (!ret && *limits->output)
		ret = json_object_set_new(json, "output", json_string(limits->output));
	if (!ret && !json_limits && retention_limits_any(limits)) {
		json_limits = json_object();
		ret = json_object_set_new(json, "keep", json_limits);
	}
	if (!ret)
		ret = set_limit(json_limits, "count", limits->count) ||
				      set_limit(json_limits, "max_bytes", limits->max_bytes) ||
				      set_limit(json_limits, "min_free_percent",
						limits->min_free_percent)
			      ? -1
			      : 0;
	return ret ? mm_error_set(
			     err, MM_EXIT_ENVIRONMENT,
			     "record: --output: the path cannot be stored: it is not UTF-8, or out of memory")
		   : 0;
}
