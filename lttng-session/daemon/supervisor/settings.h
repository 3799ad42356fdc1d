/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The settings of the recorder daemon, /etc/lttng-mm/recorder.conf:
 *
 *   [recorder]
 *   record = slab dax --budget=64M   arguments of `lttng-mm record`
 *   rescue = yes                     rescue buffers when they would be lost
 *   consumer-nice = -5               priority of LTTng's consumer daemons: -20 (highest) to 19
 *   user-max = 10/hour               maximum number of snapshots that the triggers of one user
 *                                    (except root) request together; `none`: no maximum
 */
#ifndef LTTNG_MM_DAEMON_SUPERVISOR_SETTINGS_H
#define LTTNG_MM_DAEMON_SUPERVISOR_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "util/error.h"

#define SETTINGS_FILE "/etc/lttng-mm/recorder.conf"
#define SETTINGS_WORDS_MAX 64

struct settings {
	char *record[SETTINGS_WORDS_MAX + 1]; /* the words, and NULL; empty: record nothing */
	unsigned int record_line;
	bool rescue;
	bool has_nice;
	int nice;
	/* maximum number of snapshots of all triggers of a user together, per interval */
	uint64_t user_max;
	int64_t user_max_ns; /* length of the interval; 0: no limit; -1: not set */
};

/* Sets the default values. */
void settings_init(struct settings *settings);
void settings_release(struct settings *settings);

/*
 * settings_read() reads the file @path, if it exists. settings_parse() reads @in, and uses @path
 * only in messages. Returns 0, or -1 with file, line and reason in @err.
 */
int settings_read(struct settings *settings, const char *path, struct mm_error *err);
int settings_parse(struct settings *settings, FILE *in, const char *path, struct mm_error *err);

#endif /* LTTNG_MM_DAEMON_SUPERVISOR_SETTINGS_H */
