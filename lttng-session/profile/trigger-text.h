/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The options of triggers as texts, which commands and profiles have, become members of the JSON
 * form of a trigger, which trigger.h describes and checks.
 */
#ifndef LTTNG_MM_SESSION_PROFILE_TRIGGER_TEXT_H
#define LTTNG_MM_SESSION_PROFILE_TRIGGER_TEXT_H

#include <jansson.h>
#include <stdbool.h>

#include "util/error.h"

#define TRIGGER_NAME_MAX 64

/* Can @name be the name of a trigger? It is that of a file, too. */
bool trigger_name_is_valid(const char *name);

/*
 * Sets the member of @definition that belongs to the option @option of `lttng-mm trigger add`: "on",
 * "after", "last", "cooldown", "max", "warm-up", "capture", "run", "run-timeout" or "session".
 * @shown: how messages name it, such as "--after". Returns 0, 1 if there is no such option, or -1
 * with @err set: @text is not valid, or out of memory.
 */
int trigger_text_set(json_t *definition, const char *option, const char *shown, const char *text,
		     struct mm_error *err);

/* Has trigger_text_set() set that option? */
bool trigger_text_is_set(const json_t *definition, const char *option);

#endif /* LTTNG_MM_SESSION_PROFILE_TRIGGER_TEXT_H */
