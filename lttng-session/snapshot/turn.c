// SPDX-License-Identifier: LGPL-2.1-only
/* Implements turns with lock files, one per recorder. */
#include "lttng-session/snapshot/turn.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "lttng-session/recorder/plan-file.h"
#include "lttng-session/recorder/plan.h"

/* Formats the name of the recorder's lock file. Returns false if the recorder has no budget. */
static bool name_lock(const char *recorder, char *name, size_t size)
{
	struct mm_error ignored = MM_ERROR_INIT;
	const char *of;
	bool limited;
	struct plan plan;

	if (plan_read(&plan, &ignored))
		return false;
	of = json_string_value(json_object_get(plan_recorder_json(&plan, recorder), "name"));
	limited = of && plan_budget(&plan, of) &&
		  snprintf(name, size, "turn-%s.lock", of) < (int)size;
	plan_release(&plan);
	return limited;
}

bool turn_take(const char *recorder, unsigned int wait_ms, int *turn)
{
	char name[NAME_MAX + 1];

	*turn = name_lock(recorder, name, sizeof(name)) ? plan_lock_open(name) : -1;
	if (*turn >= 0 && plan_lock_wait(*turn, wait_ms)) {
		close(*turn);
		*turn = -1;
		return false;
	}
	return true;
}
