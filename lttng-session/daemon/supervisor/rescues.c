// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tracks unfinished rescues. Each rescue has a shared lock on UNDER_WAY until it is complete.
 * Rescues write their snapshots one after another: the lock on TURN is exclusive.
 */
#include "lttng-session/daemon/supervisor/rescues.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/recorder/plan-file.h"

#define UNDER_WAY "rescues.lock"
#define TURN "rescue-turn.lock"
#define TURN_MS 60000
#define PAUSE_MS 100

static int open_lock(const char *name)
{
	int folder = plan_folder_open(true), fd;

	if (folder < 0)
		return -1;
	fd = openat(folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	close(folder);
	return fd;
}

/* Waits up to @limit_ms for the lock. Returns true if this process has it. */
static bool lock_within(int fd, int operation, unsigned int limit_ms)
{
	const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000l };

	for (unsigned int waited = 0; flock(fd, operation | LOCK_NB); waited += PAUSE_MS) {
		if ((errno != EWOULDBLOCK && errno != EINTR) || waited >= limit_ms)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

static int take(const char *name, int operation, unsigned int limit_ms)
{
	int fd = open_lock(name);

	if (fd >= 0 && !lock_within(fd, operation, limit_ms)) {
		close(fd);
		return -1;
	}
	return fd;
}

int rescues_begin(void)
{
	return take(UNDER_WAY, LOCK_SH, PAUSE_MS);
}

int rescues_take_turn(void)
{
	return take(TURN, LOCK_EX, TURN_MS);
}

bool rescues_await(unsigned int limit_ms)
{
	int fd = open_lock(UNDER_WAY);
	bool none = fd < 0 || lock_within(fd, LOCK_EX, limit_ms);

	if (fd >= 0)
		close(fd);
	return none;
}
