/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The triggers of a profile: the sections [trigger NAME] of its file. The keys in them are options
 * of `lttng-mm trigger add`. definition/trigger.h parses and checks the conditions.
 *
 * There is no key for a command, because the recorder daemon would run it as root: profiles are
 * copied from machine to machine, and any user may cause the event of a condition. Only root can
 * set a command, with `lttng-mm trigger add`.
 */
#ifndef LTTNG_MM_SESSION_PROFILE_TRIGGERS_H
#define LTTNG_MM_SESSION_PROFILE_TRIGGERS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "lttng-session/profile/trigger-text.h"
#include "util/error.h"

#define PROFILE_TRIGGERS_MAX 16

struct profile_trigger {
	char name[TRIGGER_NAME_MAX];
	unsigned int line;  /* line of the condition, or of the section if there is no condition */
	json_t *definition; /* the trigger's JSON form (definition/trigger.h), without a user */
};

struct profile_triggers {
	struct profile_trigger all[PROFILE_TRIGGERS_MAX];
	size_t count;
};

/* Is @section (without brackets) a section of a trigger? */
bool profile_triggers_are_in(const char *section);

/*
 * Starts the section @section, which is in line @line of the profile. Returns 0, or -1 with @err
 * set. The message in @err lacks the file and the line.
 */
int profile_triggers_begin(struct profile_triggers *triggers, const char *section,
			   unsigned int line, struct mm_error *err);

/* A line in a section of a trigger. */
struct profile_trigger_line {
	const char *section, *key, *value;
	const char *text; /* the whole line */
	unsigned int line;
};
int profile_triggers_take(struct profile_triggers *triggers,
			  const struct profile_trigger_line *line, struct mm_error *err);

/*
 * Checks at the end of the file that all triggers are complete. Returns 0. If a trigger is
 * incomplete, returns -1 with @err set, and *@line is the line at which the trigger starts.
 */
int profile_triggers_end(const struct profile_triggers *triggers, unsigned int *line,
			 struct mm_error *err);

void profile_triggers_release(struct profile_triggers *triggers);

#endif /* LTTNG_MM_SESSION_PROFILE_TRIGGERS_H */
