/* SPDX-License-Identifier: LGPL-2.1-only */
/* Adds certificates of coverage to the report of ctf_info(). */
#ifndef LTTNG_MM_INSPECT_INFO_CERTIFICATE_H
#define LTTNG_MM_INSPECT_INFO_CERTIFICATE_H

#include "reader/coverage/certify/certify.h"
#include "reader/inspect/info-sentence.h"
#include "reader/inspect/info.h"

/*
 * Adds the certificates of the traces' snapshots, and compares them with the files. For traces
 * without a snapshot.json, adds a derived certificate. Adds the facts of all certificates to
 * @facts. Returns 0, or -1 with @err set.
 */
int ctf_info_add_certificate(struct mm_report *report, const struct certify_traces *opened,
			     const struct ctf_info_options *options, struct ctf_info_facts *facts,
			     struct mm_error *err);

#endif /* LTTNG_MM_INSPECT_INFO_CERTIFICATE_H */
