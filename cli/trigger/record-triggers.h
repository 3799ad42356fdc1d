/* SPDX-License-Identifier: LGPL-2.1-only */
/* The triggers of the profiles that `lttng-mm record` starts. */
#ifndef LTTNG_MM_CLI_TRIGGER_RECORD_TRIGGERS_H
#define LTTNG_MM_CLI_TRIGGER_RECORD_TRIGGERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lttng-session/daemon/triggers/definition/trigger.h"
#include "lttng-session/profile/triggers.h"
#include "lttng-session/recorder/recorder.h"
#include "util/error.h"

#define RECORD_TRIGGERS_MAX ((size_t)RECORDER_PROFILES_MAX * PROFILE_TRIGGERS_MAX)

/*
 * The triggers of all profiles, in the order of the profiles. Release with
 * record_triggers_release().
 */
struct record_triggers {
	struct recorder_options *options;
	/* the recorder daemon, not this command, checks the triggers against the tracer's events */
	bool unchecked;
	struct trigger *all[RECORD_TRIGGERS_MAX];
	size_t profiles[RECORD_TRIGGERS_MAX], numbers[RECORD_TRIGGERS_MAX];
	size_t count;
};

/*
 * Parses the triggers of the profiles of @options. When the recorder starts, they are checked
 * against the tracer's events and stored in the plan. @options must outlive @triggers. Returns 0,
 * or -1 with @err set.
 */
int record_triggers_use(struct record_triggers *triggers, struct recorder_options *options,
			struct mm_error *err);
void record_triggers_release(struct record_triggers *triggers);

/* Prints comments about the triggers for --dry-run. */
void record_triggers_print(FILE *out, const struct record_triggers *triggers);

/*
 * Prints which triggers are active, and notes about the others. Call this after the start of the
 * recorder.
 */
void record_triggers_report(FILE *out, FILE *notes, const struct record_triggers *triggers);

#endif /* LTTNG_MM_CLI_TRIGGER_RECORD_TRIGGERS_H */
