/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Matches of triggers on their way from a process that watches for them to the daemon. A match is
 * sent at once if the last one of its trigger was sent MATCHES_INTERVAL_US ago; others are counted
 * and sent together, with the time, the fields and the text of the first. Nothing waits for the
 * daemon: while it does not read, matches are counted.
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_WATCH_MATCHES_H
#define LTTNG_MM_DAEMON_TRIGGERS_WATCH_MATCHES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "lttng-session/daemon/triggers/definition/trigger.h"

/* Between two messages of a trigger. */
#define MATCHES_INTERVAL_US 50000

struct match {
	int64_t monotonic_ns; /* on CLOCK_MONOTONIC; others are derived. 0: now */
	int cpu;	      /* -1: none */
	uint64_t others;      /* further ones with it, which are only counted */
	bool at_least;	      /* others before it may have been dropped */
	json_t *fields;	      /* may be NULL; matches_add() takes over the reference */
	/* Of @length bytes, which need not be UTF-8; may be NULL. It is sent masked (mask.h). */
	const char *text;
	size_t length;
};

struct matches;

/* Sends to @socket, which stays the caller's. Returns NULL with errno set. */
struct matches *matches_create(sd_event *event, int socket);
void matches_destroy(struct matches *matches);

/*
 * Has messages of the daemon, other than those for a test of a trigger, which are answered, passed
 * to @take, which does not release them.
 */
void matches_listen(struct matches *matches, void (*take)(void *user, const json_t *message),
		    void *user);

/*
 * Has tests of the trigger done by @test, which is given the name that was asked for, sends steps,
 * and ends with matches_end_test(). Otherwise they are answered with a synthetic match.
 */
void matches_test(struct matches *matches, void (*test)(void *user, const char *name), void *user);
/* Sends a step (trigger.h). @held: it works, but no match gets a snapshot now. */
void matches_send_step(const struct matches *matches, const char *name, const char *step, bool ok,
		       bool held, const char *text);
/* Sends the end of a test, with the match that came from it; NULL: none did. */
void matches_end_test(const struct matches *matches, const char *name, const struct match *match);

/* Counts and reports @match. If memory runs out, it is counted only. */
void matches_add(struct matches *matches, const struct trigger *trigger, const struct match *match);

/* Matches of @trigger may have been lost: the next message says "at least". */
void matches_lost(struct matches *matches, const struct trigger *trigger);

/* Reports that @trigger is not watched, and why; without @why, that it is now. */
void matches_fail(struct matches *matches, const struct trigger *trigger, const char *why);

/* Reports that all triggers are armed. */
void matches_ready(struct matches *matches);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_WATCH_MATCHES_H */
