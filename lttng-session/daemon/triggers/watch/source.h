/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The sources of a watcher process (watch.h): pressure, kernel messages, files and the journal.
 * Each source serves the triggers of its kind. Sources are not freed before the process ends.
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
 * Maximum number of bytes of a line or message that are matched and reported. Matching may take
 * time proportional to the square of the length.
 */
#define WATCH_LINE_MAX 4096
/* Pause between attempts to open a file that is missing or unreadable. */
#define WATCH_AGAIN_US UINT64_C(1000000)

/* A trigger with its compiled regular expression. */
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

/* Does the expression match @line? @line has @length bytes of any values. */
bool watch_matches(const struct watched_trigger *watched, const char *line, size_t length);

/* Reports why the trigger's condition is not being watched for. */
void watch_fail(struct watch_ctx *watch, const struct watched_trigger *watched, const char *fmt,
		...) __attribute__((format(printf, 3, 4)));

/*
 * A source works in turns of limited length, so that it does not delay other sources for long.
 * watch_turn_end() returns the time at which a turn that starts now must end; watch_turn_is_over()
 * compares that time with the clock.
 */
int64_t watch_turn_end(void);
bool watch_turn_is_over(int64_t end_ns);

/* Registers PSI triggers, which requires root's rights. */
void pressure_watch(struct watch_ctx *watch);

/*
 * Opens the kernel log at its end. Requires CAP_SYSLOG on Debian (kernel.dmesg_restrict). Returns
 * the descriptor, or -1 with errno set.
 */
int kmsg_open(void);
/*
 * Watches for kernel messages and failed allocations in the log @fd. The event loop closes @fd when
 * the loop ends. If @fd is negative, reports a failure with errno as the reason.
 */
void kmsg_watch(struct watch_ctx *watch, int fd);
bool kmsg_has(enum trigger_kind kind);

/* Watch files and the journal. Call these only with the user's rights. */
void file_watch(struct watch_ctx *watch);
void journal_watch(struct watch_ctx *watch);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_WATCH_SOURCE_H */
