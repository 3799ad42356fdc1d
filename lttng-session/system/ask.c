// SPDX-License-Identifier: LGPL-2.1-only
/* Calls LTTng's library in a thread that can be abandoned. */
#include "lttng-session/system/ask.h"

#include <pthread.h>
#include <time.h>

#include "util/threads.h"

static struct {
	ask_call *call;
	void *data;
	pthread_t thread;
	bool running; /* @thread was started but not joined yet */
	bool hangs;
} asked;

static void *run(void *user)
{
	(void)user;
	asked.call(asked.data);
	return NULL;
}

bool ask_start(ask_call *call, void *data)
{
	if (asked.hangs)
		return false;
	asked.call = call;
	asked.data = data;
	asked.running = !mm_thread_start(&asked.thread, run, NULL);
	if (!asked.running)
		call(data);
	return true;
}

bool ask_wait(unsigned int ms)
{
	struct timespec end;

	if (asked.hangs || !asked.running)
		return !asked.hangs;
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += ms / 1000;
	end.tv_nsec += ms % 1000 * 1000000L;
	end.tv_sec += end.tv_nsec / 1000000000;
	end.tv_nsec %= 1000000000;
	asked.hangs = pthread_clockjoin_np(asked.thread, NULL, CLOCK_MONOTONIC, &end);
	asked.running = false;
	return !asked.hangs;
}

bool ask(ask_call *call, void *data)
{
	return ask_start(call, data) && ask_wait(ASK_MS);
}

bool ask_hangs(void)
{
	return asked.hangs;
}
