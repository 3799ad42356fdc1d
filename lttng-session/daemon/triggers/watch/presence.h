/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Detects when the event of a trigger vanishes or comes back. If a function is removed or a probe's
 * module is unloaded, LTTng keeps the trigger registered, but the trigger never fires again.
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_WATCH_PRESENCE_H
#define LTTNG_MM_DAEMON_TRIGGERS_WATCH_PRESENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lttng-session/daemon/triggers/definition/trigger.h"

struct presence {
	uint64_t key; /* hash of the modules and functions at the last presence_look() */
	bool gone;
};

enum presence_change {
	PRESENCE_SAME,
	PRESENCE_GONE,
	PRESENCE_BACK,
};

/*
 * Computes the first hash. Call it before the first lookup of the event, so that no change is
 * missed.
 */
void presence_init(struct presence *presence, const struct trigger *trigger);

/*
 * Looks up the event again if modules or functions have changed since the last call. When it
 * returns PRESENCE_GONE, @why states what is missing and the remedy. May block in the session
 * daemon.
 */
enum presence_change presence_look(struct presence *presence, const struct trigger *trigger,
				   char *why, size_t size);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_WATCH_PRESENCE_H */
