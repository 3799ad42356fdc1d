/* SPDX-License-Identifier: LGPL-2.1-only */
/* Starts the recorder that recorder.conf names, once. */
#ifndef LTTNG_MM_DAEMON_SUPERVISOR_AUTOSTART_H
#define LTTNG_MM_DAEMON_SUPERVISOR_AUTOSTART_H

#include <stdbool.h>
#include <stdint.h>

#include "lttng-session/daemon/supervisor/daemons.h"
#include "lttng-session/daemon/supervisor/settings.h"
#include "util/error.h"

/* Zero-initialized. */
struct autostart {
	bool done;
	unsigned int absent_s;	 /* consecutive calls without a session daemon */
	int64_t due_ns, wait_ns; /* next attempt, on CLOCK_BOOTTIME, and the last pause */
	struct mm_error problem; /* why it is not done */
};

/*
 * Call it once a second. Runs `lttng-mm record --missing`, which starts what the settings name and
 * is not being recorded yet, until it has succeeded once. The pause between attempts doubles, from
 * 5 s up to 5 minutes. A failure is set in @problem unless there is another one. Waits for a
 * session daemon (daemons_revive()) rather than starting one, which would be a process of this
 * service and end with it.
 */
void autostart_check(struct autostart *autostart, const struct settings *settings,
		     struct daemons *daemons, struct mm_error *problem);

#endif /* LTTNG_MM_DAEMON_SUPERVISOR_AUTOSTART_H */
