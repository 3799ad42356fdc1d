/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The settings of the recorder daemon, /etc/lttng-mm/recorder.conf:
 *
 *   [recorder]
 *   record = slab dax --budget=64M   what to record: the words that follow `lttng-mm record`
 *   rescue = yes                     take one when LTTng's daemons end, or others destroy a session
 *   consumer-nice = -5               of LTTng's consumer daemons: -20 (first) to 19
 *   user-max = 10/hour               snapshots of all triggers of a user other than root; or none
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
	char *record[SETTINGS_WORDS_MAX + 1]; /* ends with NULL; empty: nothing */
	unsigned int record_line;	      /* of the file */
	bool rescue;
	bool has_nice;
	int nice;
	uint64_t user_max;   /* snapshots of the triggers of a user other than root ... */
	int64_t user_max_ns; /* ... in any interval of this length; 0: any number; -1: not set */
};

/* What applies without a file. */
void settings_init(struct settings *settings);
void settings_release(struct settings *settings);

/*
 * Reads @path, or the lines of @in, which messages name @path. Without a file, the settings are as
 * settings_init() makes them. Returns 0, or -1 with @err set: file, line and reason.
 */
int settings_read(struct settings *settings, const char *path, struct mm_error *err);
int settings_parse(struct settings *settings, FILE *in, const char *path, struct mm_error *err);

#endif /* LTTNG_MM_DAEMON_SUPERVISOR_SETTINGS_H */
