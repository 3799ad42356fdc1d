/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The targets of the page-reference recorder. The probe marks pages only while a process has
 * the probe's control file open, so the supervisor keeps the file open while the plan has targets.
 * If the supervisor or the daemon ends, the kernel closes the file, and the probe removes its
 * marks. The next supervisor sets the targets again (lttng-session/pageref/targets.h).
 */
#ifndef LTTNG_MM_DAEMON_SUPERVISOR_HELD_TARGETS_H
#define LTTNG_MM_DAEMON_SUPERVISOR_HELD_TARGETS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "lttng-session/recorder/plan.h"
#include "util/error.h"

struct held_targets {
	int control;	   /* the control file; -1: not open */
	json_t *targets;   /* the targets that are set, in the format of the plan */
	int64_t since_ns;  /* time at which the targets were set, in nanoseconds since the Epoch */
	char lacking[512]; /* text that names the targets that could not be set */
};

#define HELD_TARGETS_INIT ((struct held_targets){ .control = -1 })

/*
 * Opens the control file and sets the targets of @plan. Closes the file if the plan has no targets,
 * or if @lost is true: the session daemon has ended. Sets @problem on failure, unless another
 * problem is set. The next call tries again. Returns the state for the message "page_ref" (loop.h;
 * a new reference), or NULL if the plan has no targets. A process may have only one struct
 * held_targets.
 */
json_t *held_targets_look(struct held_targets *held, const struct plan *plan, bool lost,
			  struct mm_error *problem);

/* Closes the control file. When this function returns, no page is marked any more. */
void held_targets_release(struct held_targets *held);

#endif /* LTTNG_MM_DAEMON_SUPERVISOR_HELD_TARGETS_H */
