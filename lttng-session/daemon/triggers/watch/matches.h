/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Sends matches from a watcher to the daemon. A match is sent at once, unless a match of this
 * trigger was sent within MATCHES_INTERVAL_US. Later matches are counted and sent together, with
 * the time, fields and text of the first one. The watcher never waits for the daemon: while the
 * daemon does not read, it only counts.
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
	bool at_least;	      /* earlier matches may have been dropped */
	json_t *fields;	      /* may be NULL; matches_add() takes the reference */
	/* @length bytes, possibly not UTF-8; may be NULL. Addresses are masked (mask.h). */
	const char *text;
	size_t length;
};

struct matches;

/* Creates a sender for @socket, which the caller closes. Returns NULL with errno set. */
struct matches *matches_create(sd_event *event, int socket);
void matches_destroy(struct matches *matches);

/* Passes the daemon's messages, except tests, to @take. @take does not release them. */
void matches_listen(struct matches *matches, void (*take)(void *user, const json_t *message),
		    void *user);

/*
 * Calls @test with the trigger's name for each test that the daemon requests. @test sends steps and
 * then calls matches_end_test(). Without @test, a synthetic match answers tests.
 */
void matches_test(struct matches *matches, void (*test)(void *user, const char *name), void *user);
/* Sends a step (trigger.h). @held: the step works, but at present no match gets a snapshot. */
void matches_send_step(const struct matches *matches, const char *name, const char *step, bool ok,
		       bool held, const char *text);
/* Sends the end of a test, with the match that it caused or NULL. */
void matches_end_test(const struct matches *matches, const char *name, const struct match *match);

/* Counts and sends @match. When out of memory, only counts it. */
void matches_add(struct matches *matches, const struct trigger *trigger, const struct match *match);

/* Notes that matches of @trigger may be lost: the next message gets "at_least". */
void matches_lost(struct matches *matches, const struct trigger *trigger);

/* Reports why @trigger is not being watched; @why NULL: it is watched again. */
void matches_fail(struct matches *matches, const struct trigger *trigger, const char *why);

/* Reports that all triggers are armed. */
void matches_ready(struct matches *matches);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_WATCH_MATCHES_H */
