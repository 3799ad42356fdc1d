/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The notifications of a trigger of LTTng. A thread receives them, as fast as they come: the
 * session daemon keeps in its memory what is not received. The main loop takes all that have come
 * since it looked last at once.
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_WATCH_NOTIFICATIONS_H
#define LTTNG_MM_DAEMON_TRIGGERS_WATCH_NOTIFICATIONS_H

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "lttng-session/daemon/triggers/watch/events-lttng.h"

/* What has come. The times, the CPU (-1: not known) and the fields are those of the first. */
struct notification_batch {
	uint64_t count;
	int64_t monotonic_ns;
	int cpu;
	json_t *fields; /* NULL: none */
	bool dropped;	/* an unknown number besides was dropped */
	bool tested;	/* one of the test has come, */
	int64_t tested_ns;
	int tested_cpu; /* ... and when, and of which CPU */
	bool ended;	/* there will be none: the session daemon has closed the connection */
};

/* To be zeroed, except where it says so. */
struct notifications {
	const struct trigger *trigger;
	const struct events_lttng *lttng; /* whose notifications are received */
	const struct events_lttng *test;  /* those of the test, too */
	struct lttng_notification_channel *channel;
	int wake; /* is readable if there is something to take */
	pthread_mutex_t lock;
	struct notification_batch pending;
};

/*
 * Subscribes to the conditions of @lttng and @test, which need not be registered yet, so that
 * nothing is missed, and starts the thread. That waits with the channel locked, so nothing can be
 * subscribed to later. Returns 0, or -1 with @err set. All exists until the process ends.
 */
int notifications_start(struct notifications *notifications, const struct trigger *trigger,
			const struct events_lttng *lttng, const struct events_lttng *test,
			struct mm_error *err);

/* Takes what has come, with the reference to the fields. */
struct notification_batch notifications_take(struct notifications *notifications);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_WATCH_NOTIFICATIONS_H */
