/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Receives the notifications of LTTng's triggers in a dedicated thread, which keeps the session
 * daemon's queue short. Before LTTng 2.14.2 and 2.15.1, a full queue (8192 notifications) makes the
 * session daemon lock a mutex twice and hang. The main loop takes all notifications that have
 * arrived as one batch.
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_WATCH_NOTIFICATIONS_H
#define LTTNG_MM_DAEMON_TRIGGERS_WATCH_NOTIFICATIONS_H

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "lttng-session/daemon/triggers/watch/events-lttng.h"

/*
 * The notifications that have arrived since the last notifications_take(). Time, CPU (-1: unknown)
 * and fields belong to the first notification.
 */
struct notification_batch {
	uint64_t count;
	int64_t monotonic_ns;
	int cpu;
	json_t *fields; /* NULL: none */
	bool dropped;	/* an unknown number of further notifications was dropped */
	bool tested;	/* the notification of a test has arrived */
	int64_t tested_ns;
	int tested_cpu; /* CPU of the test's notification, which arrived at @tested_ns */
	bool ended;	/* the session daemon has closed the connection */
};

/* Zero-initialize it. */
struct notifications {
	const struct trigger *trigger;
	const struct events_lttng *lttng;
	const struct events_lttng *test;
	struct lttng_notification_channel *channel;
	int wake; /* an eventfd that is readable while there are notifications */
	pthread_mutex_t lock;
	struct notification_batch pending;
};

/*
 * Subscribes to the conditions of @lttng and @test, and starts the thread. Call it before
 * registering the LTTng triggers, or notifications may be missed. The thread waits with the channel
 * locked, so later subscriptions are impossible. Returns 0, or -1 with @err set. Nothing is freed
 * before the process ends.
 */
int notifications_start(struct notifications *notifications, const struct trigger *trigger,
			const struct events_lttng *lttng, const struct events_lttng *test,
			struct mm_error *err);

/* Returns the notifications since the last call. The caller releases the fields. */
struct notification_batch notifications_take(struct notifications *notifications);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_WATCH_NOTIFICATIONS_H */
