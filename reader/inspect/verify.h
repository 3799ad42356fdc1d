/* SPDX-License-Identifier: LGPL-2.1-only */
/* Decodes every field of every event of a trace, and checks whether the trace is consistent. */
#ifndef LTTNG_MM_INSPECT_VERIFY_H
#define LTTNG_MM_INSPECT_VERIFY_H

#include "reader/inspect/finding.h"
#include "util/error.h"

/*
 * Verifies the trace in folder @path on @jobs threads. Reports findings in the order of streams and
 * packets, for any number of threads. After a fault in a packet, further faults in this packet may
 * not be reported. Returns 0, with or without findings; or -1 with @err set if the trace cannot be
 * opened or read to its end.
 */
int ctf_verify(const char *path, unsigned int jobs, const struct ctf_verify_handler *handler,
	       struct ctf_verify_counts *counts, struct mm_error *err);

/*
 * Handles --require-complete for a trace that libbabeltrace2 could not read. If the trace is
 * truncated but not damaged, replaces @err with the error of certificate_require().
 */
void ctf_verify_unread(const char *path, unsigned int jobs, struct mm_error *err);

#endif /* LTTNG_MM_INSPECT_VERIFY_H */
