/* SPDX-License-Identifier: LGPL-2.1-only */
/* The triggers that profiles name, and that the plan has of them while they are recorded. */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_PROFILE_TRIGGER_H
#define LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_PROFILE_TRIGGER_H

#include <jansson.h>
#include <stddef.h>

#include "lttng-session/daemon/triggers/definition/trigger.h"
#include "lttng-session/profile/profile.h"
#include "util/error.h"

/*
 * The trigger number @number of @profile, for snapshots of the recorder @recorder: one of root,
 * parsed, of which events and expressions are not checked. NULL with @err set, with file and line.
 */
struct trigger *trigger_from_profile(const struct profile *profile, size_t number,
				     const char *recorder, struct mm_error *err);

/* That trigger is refused for the reason @why: sets @err to it, with file and line. Returns -1. */
int trigger_refuse_profile(const struct profile *profile, size_t number, const struct mm_error *why,
			   struct mm_error *err);

/* The same from the plan (plan.h), whose text may be anything. NULL with @err set. */
struct trigger *trigger_from_plan(const json_t *json, const char *recorder, struct mm_error *err);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_PROFILE_TRIGGER_H */
