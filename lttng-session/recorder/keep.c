// SPDX-License-Identifier: LGPL-2.1-only
/* Reads and sets a recorder's folder, and the limits on the snapshots in it, in the plan. */
#include "lttng-session/recorder/keep.h"

#include <stdio.h>

static uint64_t limit(const json_t *keep, const char *name)
{
	return (uint64_t)json_integer_value(json_object_get(keep, name));
}

void keep_of(const struct plan *plan, const char *name, struct keep *keep)
{
	const json_t *recorder = plan_recorder_json(plan, name);
	const json_t *limits = json_object_get(recorder, "keep");
	const char *output = json_string_value(json_object_get(recorder, "output"));

	snprintf(keep->output, sizeof(keep->output), "%s", output ? output : KEEP_OUTPUT);
	keep->count = limit(limits, "count");
	keep->max_bytes = limit(limits, "max_bytes");
	keep->min_free_percent = (unsigned int)limit(limits, "min_free_percent");
}

int keep_read(const char *name, struct keep *keep, struct mm_error *err)
{
	struct plan plan;
	int ret = plan_read(&plan, err);

	/* The plan is empty after an error. */
	keep_of(&plan, name, keep);
	plan_release(&plan);
	return ret;
}

static int set_limit(json_t *keep, const char *name, uint64_t value)
{
	return value ? json_object_set_new(keep, name, json_integer((json_int_t)value)) : 0;
}

int keep_set(struct plan *plan, const char *recorder, const struct keep *keep, struct mm_error *err)
{
	json_t *json = plan_recorder_json(plan, recorder);
	json_t *limits = json_object_get(json, "keep");
	int ret = json ? 0 : -1;

	if (!ret && *keep->output)
		ret = json_object_set_new(json, "output", json_string(keep->output));
	if (!ret && !limits && keep_has_limits(keep)) {
		limits = json_object();
		ret = json_object_set_new(json, "keep", limits);
	}
	if (!ret)
		ret = set_limit(limits, "count", keep->count) ||
				      set_limit(limits, "max_bytes", keep->max_bytes) ||
				      set_limit(limits, "min_free_percent", keep->min_free_percent)
			      ? -1
			      : 0;
	return ret ? mm_error_set(
			     err, MM_EXIT_ENVIRONMENT,
			     "record: --output: the path cannot be stored: it is not UTF-8, or out of memory")
		   : 0;
}
