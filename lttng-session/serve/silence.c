// SPDX-License-Identifier: LGPL-2.1-only
/* Finds sessions that are active and do not record. */
#include "lttng-session/serve/silence.h"

#include <stddef.h>

#include "util/threads.h"

enum silence_verdict silence_look(struct silence *silence, bool moved)
{
	if (moved) {
		*silence = (struct silence){ .looks = 0 };
		return SILENCE_NONE;
	}
	if (silence->caused)
		return SILENCE_FOUND;
	if (++silence->looks < SILENCE_LOOKS)
		return SILENCE_NONE;
	silence->caused = true;
	return SILENCE_CAUSE;
}

static void *end_at_once(void *user)
{
	return user;
}

int silence_cause(void)
{
	pthread_t thread;
	int error = mm_thread_start(&thread, end_at_once, NULL);

	return error ? error : pthread_join(thread, NULL);
}
