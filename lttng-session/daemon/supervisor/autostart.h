/* SPDX-License-Identifier: LGPL-2.1-only */
/* Starts the recorder of recorder.conf. Retries until the recorder has started. */
#ifndef LTTNG_MM_DAEMON_SUPERVISOR_AUTOSTART_H
#define LTTNG_MM_DAEMON_SUPERVISOR_AUTOSTART_H

#include <stdbool.h>
#include <stdint.h>

#include "lttng-session/daemon/supervisor/daemons.h"
#include "lttng-session/daemon/supervisor/settings.h"
#include "util/error.h"

/* Initialize with zeros. */
struct autostart {
	bool done;
	unsigned int absent_s; /* consecutive seconds without a session daemon */
	/* time of the next attempt (CLOCK_BOOTTIME); pause between attempts */
	int64_t due_ns, wait_ns;
	struct mm_error problem; /* why the recorder has not started yet */
};

/*
 * Call this once a second. Runs `lttng-mm record --missing` with the arguments of recorder.conf
 * until it succeeds once. The pause between attempts doubles from 5 s up to 5 minutes. Sets
 * @problem on failure, unless another problem is set. Makes no attempt before a session daemon
 * answers. Otherwise, `record` would start a session daemon inside this service, and systemd would
 * stop that session daemon together with the service.
 */
void autostart_check(struct autostart *autostart, const struct settings *settings,
		     struct daemons *daemons, struct mm_error *problem);

#endif /* LTTNG_MM_DAEMON_SUPERVISOR_AUTOSTART_H */
