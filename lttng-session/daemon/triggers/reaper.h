/* SPDX-License-Identifier: LGPL-2.1-only */
/* Ends processes of triggers in the background. */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_REAPER_H
#define LTTNG_MM_DAEMON_TRIGGERS_REAPER_H

#include <sys/types.h>
#include <systemd/sd-event.h>

/* Waits for the process in the background, and kills it if it does not end. */
void reap_in_background(sd_event *event, pid_t pid);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_REAPER_H */
