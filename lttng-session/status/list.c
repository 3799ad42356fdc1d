// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Lists recorders in a thread, because LTTng's library has no timeout if the session daemon hangs.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "lttng-session/status/status.h"
#include "util/threads.h"

/*
 * A request to the session daemon in a thread. There is at most one request at a time, because
 * LTTng's library has only one connection.
 */
struct list_request {
	pthread_t thread;
	struct recorder_status *list;
	int count;
	bool other_boot;
	struct mm_error err;
};

static struct list_request *pending;

static void *run(void *user)
{
	struct list_request *request = user;

	request->count = recorder_list(&request->list, &request->other_boot, &request->err);
	return NULL;
}

static struct timespec later(unsigned int ms)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	time.tv_sec += ms / 1000 + (time.tv_nsec + ms % 1000 * 1000000L) / 1000000000;
	time.tv_nsec = (time.tv_nsec + ms % 1000 * 1000000L) % 1000000000;
	return time;
}

int status_list(unsigned int timeout_ms, struct recorder_status **list, bool *answers,
		bool *other_boot, struct mm_error *err)
{
	const struct timespec end = later(timeout_ms);
	int count;

	*answers = true;
	if (!pending) {
		pending = calloc(1, sizeof(*pending));
		if (!pending || mm_thread_start(&pending->thread, run, pending)) {
			free(pending);
			pending = NULL;
			return recorder_list(list, other_boot, err);
		}
	}
	/* On a timeout, keep @pending, because the thread still uses it. */
	if (pthread_clockjoin_np(pending->thread, NULL, CLOCK_MONOTONIC, &end)) {
		*answers = false;
		return recorder_list_planned(list, other_boot, err);
	}
	*list = pending->list;
	*other_boot = pending->other_boot;
	count = pending->count;
	if (pending->err.code)
		*err = pending->err;
	free(pending);
	pending = NULL;
	return count;
}
