/* SPDX-License-Identifier: LGPL-2.1-only */
/* Has users' texts handled by processes that have neither root's rights nor much time. */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_CONFINED_H
#define LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_CONFINED_H

#include "lttng-session/daemon/triggers/definition/filter.h"
#include "lttng-session/daemon/triggers/definition/trigger.h"
#include "util/error.h"

/* Maximum bytes of a result: flags, and two forms of a filter, each with its NUL. */
#define CONFINED_TEXT (TRIGGER_CAPTURES_MAX + 1 + FILTER_TEXT_MAX + 1 + FILTER_REWRITTEN_MAX + 1)

/* Returns 0 with @text, or -1 with @err set. It has no descriptors but the standard ones. */
typedef int confined_check(const struct trigger *trigger, void *user, char text[CONFINED_TEXT],
			   struct mm_error *err);

/*
 * Calls @check in a process that has only the rights of the trigger's user (without root's: those
 * of the caller), and waits for it. What it changes is changed there only. Returns as @check does;
 * -1 also if the process takes too long.
 */
int confined_run(const struct trigger *trigger, confined_check *check, void *user,
		 char text[CONFINED_TEXT], struct mm_error *err);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_CONFINED_H */
