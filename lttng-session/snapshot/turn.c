// SPDX-License-Identifier: LGPL-2.1-only
/* Locks of files tell which recorders have a snapshot in memory. */
#include "lttng-session/snapshot/turn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/recorder/plan-file.h"
#include "lttng-session/recorder/plan.h"

#define PAUSE_MS 50u

/* The name of the lock's file. Returns false if there is no budget. */
static bool name_lock(const char *recorder, char *name, size_t size)
{
	struct mm_error ignored = MM_ERROR_INIT;
	const char *of;
	bool limited;
	struct plan plan;

	if (plan_read(&plan, &ignored))
		return false;
	of = json_string_value(json_object_get(plan_recorder_json(&plan, recorder), "name"));
	limited = of && plan_budget(&plan, of) &&
		  snprintf(name, size, "turn-%s.lock", of) < (int)size;
	plan_release(&plan);
	return limited;
}

static int open_lock(const char *name)
{
	int folder = plan_folder_open(false), fd;

	if (folder < 0)
		return -1;
	fd = openat(folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	close(folder);
	return fd;
}

bool turn_take(const char *recorder, unsigned int wait_ms, int *turn)
{
	const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000l };
	char name[NAME_MAX + 1];

	*turn = name_lock(recorder, name, sizeof(name)) ? open_lock(name) : -1;
	for (unsigned int waited = 0; *turn >= 0 && flock(*turn, LOCK_EX | LOCK_NB);
	     waited += PAUSE_MS) {
		if (errno == EINTR || (errno == EWOULDBLOCK && waited < wait_ms)) {
			nanosleep(&pause, NULL);
			continue;
		}
		close(*turn);
		*turn = -1;
		return false;
	}
	return true;
}
