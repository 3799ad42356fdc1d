// SPDX-License-Identifier: LGPL-2.1-only
/* A lock that snapshots share, and that is awaited before sessions are removed. */
#include "lttng-session/snapshot/states-lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/recorder/plan-file.h"

#define PAUSE_MS 50u

static int open_lock(void)
{
	int folder = plan_folder_open(false), fd;

	if (folder < 0)
		return -1;
	fd = openat(folder, "states.lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	close(folder);
	return fd;
}

int states_lock(void)
{
	int fd = open_lock();

	/* Those who wait have it only for an instant. */
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
	const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000l };
	int fd = open_lock();

	bool awaited = true;

	for (unsigned int waited = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB); waited += PAUSE_MS) {
		awaited = (errno != EWOULDBLOCK && errno != EINTR) || waited < ms;
		if (!awaited || (errno != EWOULDBLOCK && errno != EINTR))
			break;
		nanosleep(&pause, NULL);
	}
	if (fd >= 0)
		close(fd);
	return awaited;
}
