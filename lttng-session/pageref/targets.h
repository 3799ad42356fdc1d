/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The targets of a recorder of page references, in the format of the plan (recorder/plan.h):
 *
 *   "targets": { "interval_ms": 500, "noted": 81250, "pid": [ { "id": 4711, "started": 81234 } ] }
 *
 * Instead of "pid", there may be "uid": 1000 or "cgroup": "/system.slice/db.service". "dax": true
 * stands for --dax, "max_overhead": 500 for --max-overhead=5%, and "from_bytes" for --from. "noted"
 * is the time of the call of `record`, and "started" the start time of the process. Both are clock
 * ticks since boot, like the start time in /proc/PID/stat. The start time distinguishes the process
 * from a later process with the same ID.
 *
 * The probe forgets the targets when its control file is closed. When the recorder daemon is
 * restarted, it sets them again. It sets those processes that still exist, and their living
 * descendants that started since "noted". It does not find a descendant whose parent has ended
 * meanwhile.
 */
#ifndef LTTNG_MM_SESSION_PAGEREF_TARGETS_H
#define LTTNG_MM_SESSION_PAGEREF_TARGETS_H

#include <jansson.h>

#include "lttng-session/pageref/control.h"

/*
 * Returns the targets in the format of the plan (a new reference), or NULL with @err set, for
 * example if a process does not exist.
 */
json_t *pageref_targets_note(const struct pageref_targets *targets, struct mm_error *err);

/*
 * Sends the targets, which come from the plan, to the probe. @control is the open control file.
 * Sets @lacking to a list of the processes that cannot be recorded: "process 4711 (ended)", or an
 * empty text. Returns 0, or -1 with @err set.
 */
int pageref_targets_set(int control, const json_t *targets, char *lacking, size_t size,
			struct mm_error *err);

/* Formats the targets of the plan: "pid 4711, 4712", "uid 1000", "cgroup /a.slice". */
void pageref_targets_text(const json_t *targets, char *text, size_t size);
unsigned int pageref_targets_interval_ms(const json_t *targets);
/* Returns the maximum overhead in 1/10,000, or 0 if there is no maximum. */
unsigned int pageref_targets_max_overhead(const json_t *targets);

#endif /* LTTNG_MM_SESSION_PAGEREF_TARGETS_H */
