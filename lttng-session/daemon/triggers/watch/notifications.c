// SPDX-License-Identifier: LGPL-2.1-only
/* Receives notifications in a thread. */
#include "lttng-session/daemon/triggers/watch/notifications.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/threads.h"

/* Counts a notification. Reads captured values only for the first notification of a batch. */
static void add(struct notifications *notifications, const struct lttng_notification *notification)
{
	struct notification_batch *pending = &notifications->pending;

	if (!pending->count++) {
		pending->monotonic_ns = mm_clock_ns(CLOCK_MONOTONIC);
		events_lttng_captured(notifications->lttng, notifications->trigger, notification,
				      &pending->cpu, &pending->fields);
	}
}

static void add_tested(struct notifications *notifications,
		       const struct lttng_notification *notification)
{
	static const struct trigger none = { .kind = TRIGGER_EVENT };
	struct notification_batch *pending = &notifications->pending;
	json_t *fields;

	pending->tested = true;
	pending->tested_ns = mm_clock_ns(CLOCK_MONOTONIC);
	events_lttng_captured(notifications->test, &none, notification, &pending->tested_cpu,
			      &fields);
}

/* Receives one notification. Returns false after the end of the connection. */
static bool receive(struct notifications *notifications)
{
	struct lttng_notification *notification = NULL;
	enum lttng_notification_channel_status status =
		lttng_notification_channel_get_next_notification(notifications->channel,
								 &notification);
	bool ended = status != LTTNG_NOTIFICATION_CHANNEL_STATUS_OK &&
		     status != LTTNG_NOTIFICATION_CHANNEL_STATUS_NOTIFICATIONS_DROPPED;
	const uint64_t one = 1;

	if (status == LTTNG_NOTIFICATION_CHANNEL_STATUS_INTERRUPTED)
		return true;
	pthread_mutex_lock(&notifications->lock);
	if (ended)
		notifications->pending.ended = true;
	else if (status != LTTNG_NOTIFICATION_CHANNEL_STATUS_OK)
		notifications->pending.dropped = true;
	else if (events_lttng_has_sent(notifications->lttng, notification))
		add(notifications, notification);
	else if (events_lttng_has_sent(notifications->test, notification))
		add_tested(notifications, notification);
	pthread_mutex_unlock(&notifications->lock);
	lttng_notification_destroy(notification);
	return write(notifications->wake, &one, sizeof(one)) == (ssize_t)sizeof(one) && !ended;
}

static void *receive_all(void *user)
{
	while (receive(user))
		;
	return NULL;
}

int notifications_start(struct notifications *notifications, const struct trigger *trigger,
			const struct events_lttng *lttng, const struct events_lttng *test,
			struct mm_error *err)
{
	pthread_t thread;

	notifications->trigger = trigger;
	notifications->lttng = lttng;
	notifications->test = test;
	pthread_mutex_init(&notifications->lock, NULL);
	notifications->channel =
		lttng_notification_channel_create(lttng_session_daemon_notification_endpoint);
	if (!notifications->channel ||
	    lttng_notification_channel_subscribe(notifications->channel, lttng->condition) !=
		    LTTNG_NOTIFICATION_CHANNEL_STATUS_OK ||
	    lttng_notification_channel_subscribe(notifications->channel, test->condition) !=
		    LTTNG_NOTIFICATION_CHANNEL_STATUS_OK)
		return mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"lttng-sessiond: the session daemon does not run or sends no notifications; start it: systemctl start lttng-sessiond");
	notifications->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (notifications->wake < 0)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "%s", strerror(errno));
	errno = mm_thread_start(&thread, receive_all, notifications);
	return errno ? mm_error_set(err, MM_EXIT_ENVIRONMENT, "%s", strerror(errno)) : 0;
}

struct notification_batch notifications_take(struct notifications *notifications)
{
	struct notification_batch taken;
	uint64_t count;

	if (read(notifications->wake, &count, sizeof(count)) < 0 && errno != EAGAIN)
		count = 0;
	pthread_mutex_lock(&notifications->lock);
	taken = notifications->pending;
	notifications->pending = (struct notification_batch){ .cpu = -1, .ended = taken.ended };
	pthread_mutex_unlock(&notifications->lock);
	return taken;
}
