/* SPDX-License-Identifier: LGPL-2.1-only */
/* The recorder that the daemon's settings name is started, once. */
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
	unsigned int absent_s;	 /* calls in which no session daemon answered, one after another */
	int64_t due_ns, wait_ns; /* when it is tried again, on CLOCK_BOOTTIME, and the last wait */
	struct mm_error problem; /* why it is not done */
};

/*
 * To be called each second. Has `lttng-mm record --missing` start what the settings say, less what
 * is being recorded, as after a restart, or if the kernel command line requested it. Until that has
 * succeeded once, it is tried again, later the more often it failed, and sets @problem unless that
 * is set. It waits for a session daemon (daemons_revive()): one that it started would be a process
 * of the service, and end with that.
 */
void autostart_check(struct autostart *autostart, const struct settings *settings,
		     struct daemons *daemons, struct mm_error *problem);

#endif /* LTTNG_MM_DAEMON_SUPERVISOR_AUTOSTART_H */
