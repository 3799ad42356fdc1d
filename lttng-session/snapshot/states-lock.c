// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Lock file. Each snapshot takes a shared lock. A command waits for an exclusive lock before it
 * removes sessions.
 */
#include "lttng-session/snapshot/states-lock.h"

#include <errno.h>
#include <sys/file.h>
#include <unistd.h>

#include "lttng-session/recorder/plan-file.h"

#define LOCK "states.lock"

int states_lock(void)
{
	int fd = plan_lock_open(LOCK);

	/*
	 * states_await() in another process has the exclusive lock only for an instant, so waiting
	 * is short.
	 */
	while (fd >= 0 && flock(fd, LOCK_SH)) {
		if (errno == EINTR)
			continue;
		close(fd);
		fd = -1;
	}
	return fd;
}

bool states_await(unsigned int ms)
{
	int fd = plan_lock_open(LOCK);
	bool needed = fd >= 0 && plan_lock_wait(fd, ms) && errno == EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	return !needed;
}
