/* SPDX-License-Identifier: LGPL-2.1-only */
/* What to do about a session of the plan, compared with what is seen of it. */
#ifndef LTTNG_MM_DAEMON_SUPERVISOR_REPAIR_H
#define LTTNG_MM_DAEMON_SUPERVISOR_REPAIR_H

#include <stdbool.h>

struct repair_seen {
	bool answers; /* the session daemon answers */
	bool listed;  /* ... and has the session, not another one of its name */
	bool running; /* ... started */
	bool enabled; /* ... with its channels and all its events, or that is not known */
	/* Its buffers are held, and what they show: see struct freeze_progress. */
	bool held, active, cleared;
};

enum repair_action {
	REPAIR_NONE,
	REPAIR_WAIT, /* for the session daemon */
	REPAIR_RECREATE,
	REPAIR_START,
	REPAIR_ENABLE, /* channels and events */
	REPAIR_STATE,  /* nothing can be repaired: contents were discarded */
};

/* One action at a time: what else is wrong is seen again. */
enum repair_action repair_decide(const struct repair_seen *seen);

/* What happened, for messages: "stopped by another program". */
const char *repair_reason(enum repair_action action);

#endif /* LTTNG_MM_DAEMON_SUPERVISOR_REPAIR_H */
