/* SPDX-License-Identifier: LGPL-2.1-only */
/* Handles users' texts in processes without root's rights and with a time limit. */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_CONFINED_H
#define LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_CONFINED_H

#include "lttng-session/daemon/triggers/definition/filter.h"
#include "lttng-session/daemon/triggers/definition/trigger.h"
#include "util/error.h"

/* Maximum number of bytes of a result: flags, and two forms of a filter, each with a NUL. */
#define CONFINED_TEXT (TRIGGER_CAPTURES_MAX + 1 + FILTER_TEXT_MAX + 1 + FILTER_REWRITTEN_MAX + 1)

/*
 * Writes a result to @text and returns 0, or returns -1 with @err set. Runs in the child process,
 * where only descriptors 0 to 2 are open.
 */
typedef int confined_check(const struct trigger *trigger, void *user, char text[CONFINED_TEXT],
			   struct mm_error *err);

/*
 * Calls @check in a child process and waits for it. The child has the rights of the trigger's user,
 * or the caller's rights if the caller is not root. @check can change only the child's memory.
 * Returns the result of @check, or -1 with @err set if the child takes too long. @text is
 * untrusted, because the user may control the child.
 */
int confined_run(const struct trigger *trigger, confined_check *check, void *user,
		 char text[CONFINED_TEXT], struct mm_error *err);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_CONFINED_H */
