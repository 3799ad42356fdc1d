/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reaps child processes that were told to end. */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_REAPER_H
#define LTTNG_MM_DAEMON_TRIGGERS_REAPER_H

#include <sys/types.h>
#include <systemd/sd-event.h>

/* Reaps @pid from the event loop. Kills the process if it has not ended after ten seconds. */
void reap_in_background(sd_event *event, pid_t pid);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_REAPER_H */
