/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Sends matches from a watcher to the daemon. Sends a match at once if no match of the same trigger
 * was sent within the last MATCHES_INTERVAL_US. Otherwise, counts the matches and sends them
 * together later, with the time, fields and text of the first match. The watcher never waits for
 * the daemon: while the daemon does not read, the watcher only counts.
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_WATCH_MATCHES_H
#define LTTNG_MM_DAEMON_TRIGGERS_WATCH_MATCHES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "lttng-session/daemon/triggers/definition/trigger.h"

/* Minimum time between two messages of a trigger. */
#define MATCHES_INTERVAL_US 50000

struct match {
	int64_t monotonic_ns; /* time on CLOCK_MONOTONIC; 0: now */
	int cpu;	      /* -1: none */
	uint64_t others;      /* number of further matches, without details */
	bool at_least;	      /* earlier matches may have been lost */
	json_t *fields;	      /* captured fields; may be NULL; matches_add() takes the reference */
	/*
	 * The matching line: @length bytes, possibly not UTF-8; may be NULL. Addresses are masked
	 * (mask.h).
	 */
	const char *text;
	size_t length;
};

struct matches;

/*
 * Creates a sender that writes to @socket. The caller closes @socket. Returns NULL with errno set
 * on failure.
 */
struct matches *matches_create(sd_event *event, int socket);
void matches_destroy(struct matches *matches);

/*
 * Sets the function that gets the daemon's messages, except requests for tests. @take does not
 * release the messages.
 */
void matches_listen(struct matches *matches, void (*take)(void *user, const json_t *message),
		    void *user);

/*
 * Sets the function that is called with the trigger's name when the daemon requests a test. @test
 * sends steps and then calls matches_end_test(). Without this function, a synthetic match answers
 * each test.
 */
void matches_test(struct matches *matches, void (*test)(void *user, const char *name), void *user);
/* Sends a step of a test (engine.h). If @held, the step works, but prevents snapshots for now. */
void matches_send_step(const struct matches *matches, const char *name, const char *step, bool ok,
		       bool held, const char *text);
/* Sends the end of a test, with the match that the test caused, or NULL if there was none. */
void matches_end_test(const struct matches *matches, const char *name, const struct match *match);

/* Counts and sends @match. When out of memory, only counts it. */
void matches_add(struct matches *matches, const struct trigger *trigger, const struct match *match);

/* Notes that matches of @trigger may have been lost. The trigger's next message gets "at_least". */
void matches_lost(struct matches *matches, const struct trigger *trigger);

/*
 * Reports why the condition of @trigger is not being watched for. If @why is NULL, reports that it
 * is being watched for again.
 */
void matches_fail(struct matches *matches, const struct trigger *trigger, const char *why);

/* Reports that all triggers are armed. */
void matches_ready(struct matches *matches);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_WATCH_MATCHES_H */
