/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Decides how to repair a session of the plan. The first line that applies counts:
 *
 *   the session daemon does not answer                 REPAIR_WAIT
 *   the session is missing, or replaced by another     REPAIR_RECREATE, after a rescue
 *   the session is stopped                             REPAIR_START
 *   channels or events are disabled                    REPAIR_ENABLE
 *   buffers were cleared                               REPAIR_STATE
 */
#ifndef LTTNG_MM_DAEMON_SUPERVISOR_REPAIR_H
#define LTTNG_MM_DAEMON_SUPERVISOR_REPAIR_H

#include <stdbool.h>

struct repair_seen {
	bool answers; /* the session daemon answers */
	bool listed;  /* the session daemon lists this session, not another session of this name */
	bool running; /* the session daemon lists the session as started */
	bool enabled; /* all channels and events are enabled, or this check did not compare them */
	/* @held: the module holds the buffers. @active, @cleared: see struct freeze_progress. */
	bool held, active, cleared;
};

enum repair_action {
	REPAIR_NONE,
	REPAIR_WAIT,
	REPAIR_RECREATE,
	REPAIR_START,
	REPAIR_ENABLE, /* enable channels and events */
	REPAIR_STATE,  /* only report that the contents of the buffers were lost */
};

/* Returns the first necessary action. The next check finds further problems. */
enum repair_action repair_decide(const struct repair_seen *seen);

/* Returns what happened to the session, as a text for messages: "stopped by another program". */
const char *repair_reason(enum repair_action action);

#endif /* LTTNG_MM_DAEMON_SUPERVISOR_REPAIR_H */
