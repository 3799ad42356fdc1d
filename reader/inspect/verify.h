/* SPDX-License-Identifier: LGPL-2.1-only */
/* Decodes every field of every event of a trace and checks its consistency. */
#ifndef LTTNG_MM_INSPECT_VERIFY_H
#define LTTNG_MM_INSPECT_VERIFY_H

#include "reader/inspect/finding.h"
#include "util/error.h"

/*
 * Verifies the trace in folder @path on @jobs threads. Findings are reported in the order of
 * streams and packets, independent of @jobs; not all consequences of a damaged packet are reported.
 * Returns 0, with or without findings, or -1 with @err set if the trace cannot be opened or read to
 * its end.
 */
int ctf_verify(const char *path, unsigned int jobs, const struct ctf_verify_handler *handler,
	       struct ctf_verify_counts *counts, struct mm_error *err);

/*
 * What --require-complete says of the trace at @path that libbabeltrace2 could not read, for the
 * reason in @err: where files are truncated and nothing is damaged, the error of
 * certificate_require() takes its place.
 */
void ctf_verify_unread(const char *path, unsigned int jobs, struct mm_error *err);

#endif /* LTTNG_MM_INSPECT_VERIFY_H */
