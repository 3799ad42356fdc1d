/* SPDX-License-Identifier: LGPL-2.1-only */
/* Checks the events of a trace against the rules of a subsystem. */
#ifndef LTTNG_MM_RUN_RULES_H
#define LTTNG_MM_RUN_RULES_H

#include "analysis/subsystem/rules.h"

/*
 * Checks the trace at @path on @jobs threads. Passes the first @limit findings to @finding. Returns
 * 0, with or without findings, or -1 with @err set.
 */
int mm_rules_run(const struct mm_rules *rules, const char *path, unsigned int jobs, uint64_t limit,
		 mm_rules_finding_fn *finding, void *user, struct mm_rules_counts *counts,
		 struct mm_error *err);

/*
 * Searches the time range of @options for damaged events (mm_rules.damaged()). If such an event is
 * in a packet without a checksum, adds the packet to @suspects. Ignores a trace that cannot be
 * opened, because the next reader reports the error. Returns 0, or -1 with @err set.
 */
int mm_rules_suspects(const struct mm_rules *rules, const char *path,
		      const struct mm_source_options *options, struct mm_suspects *suspects,
		      struct mm_error *err);

#endif /* LTTNG_MM_RUN_RULES_H */
