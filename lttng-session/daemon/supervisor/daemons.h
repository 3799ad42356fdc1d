/* SPDX-License-Identifier: LGPL-2.1-only */
/* Watches LTTng's daemons: finds them, notices when they end, and restarts them. */
#ifndef LTTNG_MM_DAEMON_SUPERVISOR_DAEMONS_H
#define LTTNG_MM_DAEMON_SUPERVISOR_DAEMONS_H

#include <stdbool.h>
#include <sys/types.h>

#include "lttng-session/daemon/supervisor/settings.h"
#include "util/error.h"

struct daemons {
	/* pidfds of the session daemon and its kernel consumer daemon; -1: none */
	int session, consumer;
	pid_t session_pid;
	/* the consumer has ended, and the session daemon does not restart it */
	bool consumer_ended;
	unsigned int absent_s; /* calls of daemons_revive() since a session daemon last ran */
};

void daemons_init(struct daemons *daemons);

/* The problem to report while no session daemon answers. */
#define DAEMONS_NO_ANSWER \
	"the session daemon does not answer; see `systemctl status lttng-sessiond`"

/*
 * Waits up to three seconds for another program to start a session daemon, then starts one. Does
 * nothing if a service manager runs this process, because the manager starts the session daemon.
 */
void daemons_await(void);

/*
 * Call this once a second while no session daemon answers. Without a service manager, calls
 * daemons_await(). Otherwise, asks the manager to start the session daemon's unit: after three
 * seconds, and again every half minute. The manager restarts the unit's session daemon by itself,
 * but it does not restart a session daemon that `lttng-mm record --boot` started.
 */
void daemons_revive(struct daemons *daemons);

/*
 * Finds the running daemons. Gives a new consumer daemon the priority from the settings. Returns
 * true if the session daemon has ended since the last call.
 */
bool daemons_find(struct daemons *daemons, const struct settings *settings);

/* Returns the process ID in the session daemon's PID file; 0: none. */
pid_t daemons_pid(void);

/* Does a session daemon accept commands? */
bool daemons_answer(void);

/* Sets @err, with the remedy, if the consumer daemon has ended. */
void daemons_check(const struct daemons *daemons, struct mm_error *err);

#endif /* LTTNG_MM_DAEMON_SUPERVISOR_DAEMONS_H */
