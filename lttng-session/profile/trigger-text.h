/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Converts the text of triggers' options, from commands and profiles, to members of the trigger's
 * JSON form. trigger.h describes and checks that form.
 */
#ifndef LTTNG_MM_SESSION_PROFILE_TRIGGER_TEXT_H
#define LTTNG_MM_SESSION_PROFILE_TRIGGER_TEXT_H

#include <jansson.h>
#include <stdbool.h>

#include "util/error.h"

#define TRIGGER_NAME_MAX 64

/* Is @name a valid trigger name? (It becomes a file name.) */
bool trigger_name_is_valid(const char *name);

/*
 * Sets a member of @definition for an option of `lttng-mm trigger add`. @option is "on", "after",
 * "last", "cooldown", "max", "warm-up", "capture", "run", "run-timeout" or "session". @shown is its
 * name in messages, such as "--after". Returns 0. Returns 1 if there is no such option. Returns -1
 * with @err set if @text is invalid or memory is exhausted.
 */
int trigger_text_set(json_t *definition, const char *option, const char *shown, const char *text,
		     struct mm_error *err);

/* Has trigger_text_set() set the option @option? */
bool trigger_text_is_set(const json_t *definition, const char *option);

#endif /* LTTNG_MM_SESSION_PROFILE_TRIGGER_TEXT_H */
