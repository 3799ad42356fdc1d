/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reports the findings of a verification to its handler, and counts them. */
#ifndef LTTNG_MM_INSPECT_VERIFY_REPORT_H
#define LTTNG_MM_INSPECT_VERIFY_REPORT_H

#include "reader/inspect/verify-private.h"
#include "reader/sysinfo/snapshot-dirs.h"
#include "reader/coverage/missing.h"

/* Reports the order in which packets are read. Returns 0, or -1 when out of memory. */
int verify_report_order(struct ctf_verification *verify);

/*
 * Reports the declared events, and faults that were found while opening the traces. These faults
 * are files that belong to no stream and are not listed as missing.
 */
void verify_report_opening(struct ctf_verification *verify, const struct mm_source *source);

/* Reports the missing files, pauses and other faults in @list. */
void verify_report_missing(struct ctf_verification *verify, const struct mm_missing_list *list);

/*
 * Implements certificate_differs_fn: reports the differences from a certificate. @user: the struct
 * ctf_verification.
 */
void verify_report_differences(void *user, const struct mm_snapshot_dir *dir, char *const *lines,
			       size_t line_count, size_t count);

/* Reports the findings of a batch. Call it in the order of the batches' numbers. */
void verify_report_batch(struct ctf_verification *verify, struct ctf_batch *batch);

#endif /* LTTNG_MM_INSPECT_VERIFY_REPORT_H */
