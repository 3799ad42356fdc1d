/* SPDX-License-Identifier: LGPL-2.1-only */
/* LTTng's daemons: notices when they end. */
#ifndef LTTNG_MM_SESSION_DAEMONS_H
#define LTTNG_MM_SESSION_DAEMONS_H

#include <stdbool.h>
#include <sys/types.h>

#include "lttng-session/serve/settings.h"
#include "util/error.h"

struct daemons {
	/* Of the session daemon, and of its consumer daemon for the kernel; -1: none. */
	int session, consumer;
	pid_t session_pid;
	bool consumer_ended; /* ... under this session daemon, which has no other one then */
};

void daemons_init(struct daemons *daemons);

/*
 * Waits for a session daemon, for half a minute; then, unless a service manager runs this process
 * and starts that daemon, too, starts one.
 */
void daemons_await(void);
/* Does a service manager run this process? */
bool daemons_are_managed(void);

/*
 * Looks which ones run, and gives consumer daemons the priority that the settings say. Returns true
 * if the session daemon has ended since the last call.
 */
bool daemons_find(struct daemons *daemons, const struct settings *settings);

/* Does a session daemon accept commands? */
bool daemons_answer(void);

/* Sets @err if the consumer daemon has ended. */
void daemons_check(const struct daemons *daemons, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_DAEMONS_H */
