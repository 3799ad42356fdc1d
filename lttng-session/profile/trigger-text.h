/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Converts trigger options from text to members of a trigger's JSON form. Commands and profiles
 * give options as text. definition/trigger.h describes and checks the JSON form.
 */
#ifndef LTTNG_MM_SESSION_PROFILE_TRIGGER_TEXT_H
#define LTTNG_MM_SESSION_PROFILE_TRIGGER_TEXT_H

#include <jansson.h>
#include <stdbool.h>

#include "util/error.h"

#define TRIGGER_NAME_MAX 64

/* Can @name be the name of a trigger? It must be valid as a file name. */
bool trigger_name_is_valid(const char *name);

/*
 * Sets the member of @definition that belongs to an option of `lttng-mm trigger add`. @option is
 * "on", "after", "last", "cooldown", "max", "warm-up", "capture", "run", "run-timeout" or
 * "session". Messages call the option @shown, such as "--after". Returns 0 on success, 1 if there
 * is no such option, or -1 with @err set if @text is invalid or memory is exhausted.
 */
int trigger_text_set(json_t *definition, const char *option, const char *shown, const char *text,
		     struct mm_error *err);

/* Does @definition already have the member that belongs to @option? */
bool trigger_text_is_set(const json_t *definition, const char *option);

#endif /* LTTNG_MM_SESSION_PROFILE_TRIGGER_TEXT_H */
