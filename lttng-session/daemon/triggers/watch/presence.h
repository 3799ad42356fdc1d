/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Whether the tracer still has the event of a trigger. When a function is removed, or the module of
 * a probe is unloaded, LTTng keeps the trigger, which never fires again.
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_WATCH_PRESENCE_H
#define LTTNG_MM_DAEMON_TRIGGERS_WATCH_PRESENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lttng-session/daemon/triggers/definition/trigger.h"

struct presence {
	uint64_t key; /* of the modules and functions when they were last compared */
	bool gone;
};

enum presence_change {
	PRESENCE_SAME,
	PRESENCE_GONE,
	PRESENCE_BACK,
};

/* To be called before the event is looked up. */
void presence_init(struct presence *presence, const struct trigger *trigger);

/*
 * Asks the session daemon for the event if modules or functions have changed since the last call.
 * Writes to @why which module or function is gone, and the remedy.
 */
enum presence_change presence_look(struct presence *presence, const struct trigger *trigger,
				   char *why, size_t size);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_WATCH_PRESENCE_H */
