/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * State of a running verification. verify.c passes batches between threads, verify-packets.c fills
 * them with packets, and verify-report.c reports their findings.
 */
#ifndef LTTNG_MM_INSPECT_VERIFY_PRIVATE_H
#define LTTNG_MM_INSPECT_VERIFY_PRIVATE_H

#include <pthread.h>
#include <semaphore.h>

#include "reader/inspect/finding.h"
#include "reader/inspect/verify-batch.h"

struct ctf_verification {
	struct ctf_trace *const *traces;
	size_t trace_count;
	struct ctf_plan **plans;
	size_t plan_count, value_count, slot_count;

	/* where the next batch starts; protected by @lock */
	pthread_mutex_t lock;
	size_t trace, stream;
	bool in_stream, exhausted;
	struct ctf_packet_iterator iterator;
	struct ctf_batch *taking; /* collects the iterator's findings */
	uint64_t *slots;
	uint64_t next_number, end_clock;

	/* Queues of unused and of verified batches. */
	struct cds_wfs_stack spare;
	struct cds_wfcq_head done_head;
	struct cds_wfcq_tail done_tail;
	sem_t spare_count, done_count;
	/* verified batches, by number modulo @batch_count; NULL: not verified yet */
	struct ctf_batch **ring;
	size_t batch_count;

	const struct ctf_verify_handler *handler;
	struct ctf_verify_counts *counts;
	struct mm_error *err;
	uint64_t reported; /* number of reported batches */
	bool any_event;
	uint64_t last_clock; /* clock value of the stream's last event */
};

static inline int verify_no_memory(struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "verify: out of memory");
}

#endif /* LTTNG_MM_INSPECT_VERIFY_PRIVATE_H */
