// SPDX-License-Identifier: LGPL-2.1-only
/* Creates triggers from profiles and from the plan. */
#include "lttng-session/daemon/triggers/definition/profile-trigger.h"

#include <stdlib.h>
#include <string.h>

/* Creates a trigger that belongs to root, because only root starts recorders. */
static struct trigger *make(const json_t *json, const char *recorder, struct mm_error *err)
{
	struct trigger *trigger = trigger_from_json(json, err);

	if (!trigger)
		return NULL;
	trigger->uid = 0;
	trigger->gid = 0;
	free(trigger->session);
	trigger->session = strdup(recorder);
	/* Profiles cannot set a command; doc/design/triggers.md gives the reason. */
	if (trigger->session && !trigger->run)
		return trigger;
	if (trigger->run)
		trigger_error(trigger, err, MM_EXIT_BAD_INPUT,
			      "a trigger of a profile cannot run a command");
	else
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "trigger: out of memory");
	trigger_destroy(trigger);
	return NULL;
}

int trigger_refuse_profile(const struct profile *profile, size_t number, const struct mm_error *why,
			   struct mm_error *err)
{
	return mm_error_set(err, why->code, "profile: %s:%u: %s", profile->file,
			    profile->triggers.all[number].line, why->message);
}

struct trigger *trigger_from_profile(const struct profile *profile, size_t number,
				     const char *recorder, struct mm_error *err)
{
	struct mm_error why = MM_ERROR_INIT;
	struct trigger *trigger = make(profile->triggers.all[number].definition, recorder, &why);

	if (!trigger)
		trigger_refuse_profile(profile, number, &why, err);
	return trigger;
}

struct trigger *trigger_from_plan(const json_t *json, const char *recorder, struct mm_error *err)
{
	return make(json, recorder, err);
}
