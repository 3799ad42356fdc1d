/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What the parts of a process share that watches for the conditions of triggers. All of it exists
 * until the process ends.
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_WATCH_SOURCE_H
#define LTTNG_MM_DAEMON_TRIGGERS_WATCH_SOURCE_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "lttng-session/daemon/triggers/definition/trigger.h"
#include "lttng-session/daemon/triggers/watch/matches.h"

/*
 * Of a line or message, in bytes, so that the time that an expression takes for one is limited:
 * the rest is not matched, nor reported.
 */
#define WATCH_LINE_MAX 4096
/* Between attempts to open what does not exist or must not be read. */
#define WATCH_AGAIN_US UINT64_C(1000000)

/* A trigger with the expression that its lines are matched against. */
struct watched_trigger {
	const struct trigger *trigger;
	regex_t regex;
	bool has_regex;
};

struct watch_ctx {
	sd_event *event;
	struct matches *matches;
	struct watched_trigger *all;
	size_t count;
};

/* In source.c. Does @line, whose @length bytes may be any, match the expression? */
bool watch_matches(const struct watched_trigger *watched, const char *line, size_t length);

/* Reports that @watched is not watched, and why. */
void watch_fail(struct watch_ctx *watch, const struct watched_trigger *watched, const char *fmt,
		...) __attribute__((format(printf, 3, 4)));

/* So that an expression that is slow to match does not keep the other triggers waiting. */
int64_t watch_turn_end(void);
bool watch_turn_is_over(int64_t end_ns);

/* Of the triggers of its kind. Before the process gives up its rights: the kernel's are needed. */
void pressure_watch(struct watch_ctx *watch);

/*
 * Returns the kernel's log, from which records are read that are added from now on, or -1 with
 * errno set. Requires CAP_SYSLOG on Debian (kernel.dmesg_restrict).
 */
int kmsg_open(void);
/*
 * Watches for kernel messages and failed allocations in the log @fd, which it takes over and closes
 * when the event loop is released.
 */
void kmsg_watch(struct watch_ctx *watch, int fd);
bool kmsg_has(enum trigger_kind kind);

/* With the user's rights. */
void file_watch(struct watch_ctx *watch);
void journal_watch(struct watch_ctx *watch);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_WATCH_SOURCE_H */
