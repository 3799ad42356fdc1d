/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Receives the notifications of LTTng's triggers. A dedicated thread keeps the session daemon's
 * queue short. Before LTTng 2.14.2 and 2.15.1, a full queue (8192 notifications) makes the daemon
 * lock a mutex twice and hang. The main loop takes all notifications since its last look as a
 * batch.
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_WATCH_NOTIFICATIONS_H
#define LTTNG_MM_DAEMON_TRIGGERS_WATCH_NOTIFICATIONS_H

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "lttng-session/daemon/triggers/watch/events-lttng.h"

/* Notifications since the last look. Time, CPU (-1: unknown) and fields are from the first one. */
struct notification_batch {
	uint64_t count;
	int64_t monotonic_ns;
	int cpu;
	json_t *fields; /* NULL: none */
	bool dropped;	/* further notifications were dropped; nobody knows how many */
	bool tested;	/* the test's notification has arrived */
	int64_t tested_ns;
	int tested_cpu; /* CPU of the test's notification, which arrived at @tested_ns */
	bool ended;	/* the session daemon has closed the connection */
};

/* Zero-initialized. */
struct notifications {
	const struct trigger *trigger;
	const struct events_lttng *lttng;
	const struct events_lttng *test;
	struct lttng_notification_channel *channel;
	int wake; /* an eventfd, readable if there are notifications */
	pthread_mutex_t lock;
	struct notification_batch pending;
};

/*
 * Subscribes to the conditions of @lttng and @test, and starts the thread. Call it before
 * registering them, or notifications may be missed. The thread waits with the channel locked, so
 * later subscriptions are impossible. Returns 0, or -1 with @err set. Nothing is freed before the
 * process ends.
 */
int notifications_start(struct notifications *notifications, const struct trigger *trigger,
			const struct events_lttng *lttng, const struct events_lttng *test,
			struct mm_error *err);

/* Takes the notifications since the last call; the caller releases the fields. */
struct notification_batch notifications_take(struct notifications *notifications);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_WATCH_NOTIFICATIONS_H */
