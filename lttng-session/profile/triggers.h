/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The triggers of a profile: sections [trigger NAME] of its file. Their keys are options of
 * `lttng-mm trigger add`. Only trigger.h parses and checks conditions.
 *
 * There is no key for a command. Profiles are copied from machine to machine, and any user may
 * cause an event. The recorder daemon would then run the command as root. Only root's `lttng-mm
 * trigger add` can set a command.
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
	unsigned int line;  /* line of the condition; without one, line of the section */
	json_t *definition; /* the JSON form of trigger.h, without a user */
};

struct profile_triggers {
	struct profile_trigger all[PROFILE_TRIGGERS_MAX];
	size_t count;
};

/* Is @section (without brackets) the name of a trigger's section? */
bool profile_triggers_are_in(const char *section);

/*
 * Starts the section @section, whose header is in the line @line of the profile. Returns 0, or -1
 * with @err set. The message in @err does not name the file and the line.
 */
int profile_triggers_begin(struct profile_triggers *triggers, const char *section,
			   unsigned int line, struct mm_error *err);

/* A line in a section that has begun. */
struct profile_trigger_line {
	const char *section, *key, *value;
	const char *text; /* the whole line */
	unsigned int line;
};
int profile_triggers_take(struct profile_triggers *triggers,
			  const struct profile_trigger_line *line, struct mm_error *err);

/*
 * Checks the triggers at the end of the file. Returns 0, or -1 with @err set if the trigger that
 * starts in *@line is incomplete.
 */
int profile_triggers_end(const struct profile_triggers *triggers, unsigned int *line,
			 struct mm_error *err);

void profile_triggers_release(struct profile_triggers *triggers);

#endif /* LTTNG_MM_SESSION_PROFILE_TRIGGERS_H */
