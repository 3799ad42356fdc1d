// SPDX-License-Identifier: LGPL-2.1-only
/* Marks a session as not KASLR-safe if it records functions. */
#include "lttng-session/profile/event-names.h"
#include "lttng-session/recorder/plan.h"
#include "lttng-session/recorder/recorder.h"

static bool has_functions(const struct plan_session *session)
{
	const json_t *channels = json_object_get(session->json, "channels"), *channel, *event;
	size_t i, e;

	json_array_foreach(channels, i, channel)
	{
		json_array_foreach(json_object_get(channel, "events"), e, event)
		{
			if (event_name_is_function(json_string_value(event)))
				return true;
		}
	}
	return false;
}

/* Returns a session that records functions and is marked KASLR-safe, or NULL. */
static const struct plan_session *find_safe(const struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		if (plan->sessions[i].kaslr_safe && has_functions(&plan->sessions[i]))
			return &plan->sessions[i];
	return NULL;
}

bool recorder_has_functions(void)
{
	struct mm_error ignored = MM_ERROR_INIT;
	bool found = false;
	struct plan plan;

	if (plan_read(&plan, &ignored))
		return false;
	for (size_t i = 0; i < plan.count; i++)
		found |= has_functions(&plan.sessions[i]);
	plan_release(&plan);
	return found;
}

bool recorder_is_idle(void)
{
	struct mm_error ignored = MM_ERROR_INIT;
	struct plan plan;
	bool idle;

	if (plan_read(&plan, &ignored))
		return false;
	idle = !plan.count;
	plan_release(&plan);
	return idle;
}

static int mark_all(struct plan *plan, struct mm_error *err)
{
	const struct plan_session *session;

	while ((session = find_safe(plan)))
		if (plan_set_revealing(plan, session->name, err))
			return -1;
	return plan_write(plan, err);
}

int recorder_reveal_functions(struct mm_error *err)
{
	struct plan plan;
	int lock, ret;
	bool found;

	if (plan_read(&plan, err))
		return -1;
	found = find_safe(&plan);
	plan_release(&plan);
	if (!found)
		return 0;
	lock = plan_lock(PLAN_WAIT_MS, err);
	if (lock < 0)
		return -1;
	ret = plan_read(&plan, err) || mark_all(&plan, err) ? -1 : 0;
	plan_release(&plan);
	plan_unlock(lock);
	return ret;
}
