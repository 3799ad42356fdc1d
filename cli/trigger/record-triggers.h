/* SPDX-License-Identifier: LGPL-2.1-only */
/* The part of `lttng-mm record` that concerns the triggers of profiles. */
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

/* Those of all profiles, in their order. Release with record_triggers_release(). */
struct record_triggers {
	struct recorder_options *options;
	bool unchecked; /* by the tracer: the recorder daemon does that */
	struct trigger *all[RECORD_TRIGGERS_MAX];
	size_t profiles[RECORD_TRIGGERS_MAX], numbers[RECORD_TRIGGERS_MAX];
	size_t count;
};

/*
 * Parses the triggers of the profiles of @options, which must remain, and has them checked against
 * the events that the tracer has, and noted in the plan, when the recorder starts. Returns 0, or -1
 * with @err set: one of them is refused.
 */
int record_triggers_use(struct record_triggers *triggers, struct recorder_options *options,
			struct mm_error *err);
void record_triggers_release(struct record_triggers *triggers);

/* Comments that show them, for the commands of --dry-run. */
void record_triggers_print(FILE *out, const struct record_triggers *triggers);

/* After the start: says which triggers are in effect, and which are not, and why. */
void record_triggers_report(FILE *out, FILE *notes, const struct record_triggers *triggers);

#endif /* LTTNG_MM_CLI_TRIGGER_RECORD_TRIGGERS_H */
