/* SPDX-License-Identifier: LGPL-2.1-only */
/* Holds the events of a trace to the rules of a subsystem. */
#ifndef LTTNG_MM_RUN_RULES_H
#define LTTNG_MM_RUN_RULES_H

#include "analysis/subsystem/rules.h"

/*
 * Reads the trace at @path on @jobs threads and hands the first @limit findings to @finding; the
 * result is the same whatever @jobs is. Returns 0, with findings or without, or -1 with @err set.
 */
int mm_rules_run(const struct mm_rules *rules, const char *path, unsigned int jobs, uint64_t limit,
		 mm_rules_finding_fn *finding, void *user, struct mm_rules_counts *counts,
		 struct mm_error *err);

#endif /* LTTNG_MM_RUN_RULES_H */
