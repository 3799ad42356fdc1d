/* SPDX-License-Identifier: LGPL-2.1-only */
/* Triggers of profiles. While a profile is being recorded, its triggers are also in the plan. */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_PROFILE_TRIGGER_H
#define LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_PROFILE_TRIGGER_H

#include <jansson.h>
#include <stddef.h>

#include "lttng-session/daemon/triggers/definition/trigger.h"
#include "lttng-session/profile/profile.h"
#include "util/error.h"

/*
 * Returns trigger @number of @profile, as a trigger of root for snapshots of @recorder. Parses the
 * trigger, but does not check its event and expressions. If the trigger is refused, returns NULL
 * with file and line in @err.
 */
struct trigger *trigger_from_profile(const struct profile *profile, size_t number,
				     const char *recorder, struct mm_error *err);

/* Sets @err to @why, with file and line of trigger @number. Returns -1. */
int trigger_refuse_profile(const struct profile *profile, size_t number, const struct mm_error *why,
			   struct mm_error *err);

/* Returns a trigger from the plan (plan.h), or NULL with @err set. @json is untrusted. */
struct trigger *trigger_from_plan(const json_t *json, const char *recorder, struct mm_error *err);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_PROFILE_TRIGGER_H */
