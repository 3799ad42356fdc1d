// SPDX-License-Identifier: LGPL-2.1-only
/* Reaps processes in the background. */
#include "lttng-session/daemon/triggers/reaper.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

/* Time for a process to end before it is killed. */
#define ENDING_US (10 * 1000000ull)

struct ending_process {
	sd_event_source *child, *timer;
	pid_t pid;
};

static void free_ending(struct ending_process *ending)
{
	sd_event_source_disable_unref(ending->child);
	sd_event_source_disable_unref(ending->timer);
	free(ending);
}

static int on_ended(sd_event_source *source, const siginfo_t *info, void *user)
{
	free_ending(user);
	return 0;
}

static int on_late(sd_event_source *source, uint64_t now, void *user)
{
	const struct ending_process *ending = user;

	kill(ending->pid, SIGKILL);
	return 0;
}

void reap_in_background(sd_event *event, pid_t pid)
{
	struct ending_process *ending = calloc(1, sizeof(*ending));

	if (ending) {
		ending->pid = pid;
		if (sd_event_add_child(event, &ending->child, pid, WEXITED, on_ended, ending) >=
			    0 &&
		    sd_event_add_time_relative(event, &ending->timer, CLOCK_MONOTONIC, ENDING_US, 0,
					       on_late, ending) >= 0)
			return;
		free_ending(ending);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
