/* SPDX-License-Identifier: LGPL-2.1-only */
/* Fills batches with packets, and checks their headers and indexes. */
#ifndef LTTNG_MM_INSPECT_VERIFY_PACKETS_H
#define LTTNG_MM_INSPECT_VERIFY_PACKETS_H

#include "reader/inspect/verify-private.h"

/*
 * Fills @batch with the next packets, all of one stream. Returns false if no packets are left. The
 * caller holds verify->lock.
 */
bool verify_take_packets(struct ctf_verification *verify, struct ctf_batch *batch);

#endif /* LTTNG_MM_INSPECT_VERIFY_PACKETS_H */
