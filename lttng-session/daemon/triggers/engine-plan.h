/* SPDX-License-Identifier: LGPL-2.1-only */
/* The triggers of the profiles that are being recorded, which the plan has. */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_ENGINE_PLAN_H
#define LTTNG_MM_DAEMON_TRIGGERS_ENGINE_PLAN_H

#include <systemd/sd-event.h>

#include "lttng-session/daemon/triggers/engine.h"
#include "util/error.h"

struct engine_plan;

/*
 * Has the triggers of the plan in effect, now and whenever it changes. After the triggers that were
 * added, which take precedence. Returns NULL with errno set.
 */
struct engine_plan *engine_plan_create(sd_event *event, struct engine *engine);
void engine_plan_destroy(struct engine_plan *plan);

/* The plan has changed. */
void engine_plan_read(struct engine_plan *plan);

/*
 * Removes the trigger @name from the plan: it is not in effect until its profile is recorded anew.
 * Waits for commands that change the plan. Returns whether there was one, or -1 with @err set.
 */
int engine_plan_remove(const char *name, struct mm_error *err);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_ENGINE_PLAN_H */
