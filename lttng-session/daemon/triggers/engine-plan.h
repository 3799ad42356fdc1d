/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The triggers of profiles. While a profile is being recorded, its triggers are in the recorders'
 * plan. They therefore start and end with the profile's session.
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_ENGINE_PLAN_H
#define LTTNG_MM_DAEMON_TRIGGERS_ENGINE_PLAN_H

#include <systemd/sd-event.h>

#include "lttng-session/daemon/triggers/engine.h"
#include "util/error.h"

struct engine_plan;

/*
 * Adds the triggers of the plan to the engine, now and whenever the plan changes. Call it after
 * adding the users' triggers, which take precedence. Returns NULL with errno set on failure.
 */
struct engine_plan *engine_plan_create(sd_event *event, struct engine *engine);
void engine_plan_destroy(struct engine_plan *plan);

/* Reads the plan again. */
void engine_plan_read(struct engine_plan *plan);

/*
 * Removes the trigger @name from the plan. It comes back when its profile is recorded again. Waits
 * for commands that have locked the plan. Returns 1 on success, 0 if there is no such trigger, or
 * -1 with @err set.
 */
int engine_plan_remove(const char *name, struct mm_error *err);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_ENGINE_PLAN_H */
