/* SPDX-License-Identifier: LGPL-2.1-only */
/* LTTng's daemons: notices when they end. */
#ifndef LTTNG_MM_DAEMON_SUPERVISOR_DAEMONS_H
#define LTTNG_MM_DAEMON_SUPERVISOR_DAEMONS_H

#include <stdbool.h>
#include <sys/types.h>

#include "lttng-session/daemon/supervisor/settings.h"
#include "util/error.h"

struct daemons {
	/* Of the session daemon, and of its consumer daemon for the kernel; -1: none. */
	int session, consumer;
	pid_t session_pid;
	bool consumer_ended;   /* ... under this session daemon, which has no other one then */
	unsigned int absent_s; /* calls of daemons_revive() */
};

void daemons_init(struct daemons *daemons);

/* What is reported then. */
#define DAEMONS_NO_ANSWER \
	"the session daemon does not answer; see `systemctl status lttng-sessiond`"

/*
 * Unless a service manager runs this process, and starts that daemon, too: waits for a session
 * daemon, for three seconds, and then starts one.
 */
void daemons_await(void);

/*
 * To be called each second while no session daemon answers. Does what daemons_await() does, unless
 * a service manager runs this process: that is asked, after three seconds and then each half
 * minute, to start the session daemon's unit. The daemon that the kernel command line starts at
 * boot is not of that unit, and nobody else would start another one.
 */
void daemons_revive(struct daemons *daemons);

/*
 * Looks which ones run, and gives consumer daemons the priority that the settings say. Returns true
 * if the session daemon has ended since the last call.
 */
bool daemons_find(struct daemons *daemons, const struct settings *settings);

/* The process number that the last session daemon has noted; 0: none. */
pid_t daemons_pid(void);

/* Does a session daemon accept commands? */
bool daemons_answer(void);

/* Sets @err if the consumer daemon has ended. */
void daemons_check(const struct daemons *daemons, struct mm_error *err);

#endif /* LTTNG_MM_DAEMON_SUPERVISOR_DAEMONS_H */
