// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Distributes batches of packets to threads, and reports their findings in trace order.
 *
 * Under a lock, a thread fills a batch with the next packets of a stream. This only reads packet
 * headers, which is fast compared with decoding events. The thread then verifies the batch without
 * the lock. A queue passes the batch to the calling thread, which sorts batches by number. To limit
 * memory, the number of batches is fixed: a thread that is ahead must wait.
 */
#include "reader/inspect/verify.h"

#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#include "reader/coverage/certify/certify.h"
#include "reader/coverage/missing.h"
#include "reader/ctf/decode/source.h"
#include "reader/ctf/packet/packet-read.h"
#include "reader/coverage/certify/certify.h"
#include "reader/ctf/packet/sums.h"
#include "reader/events/source.h"
#include "reader/inspect/verify-batch.h"
#include "reader/inspect/verify-packets.h"
#include "reader/inspect/verify-private.h"
#include "reader/inspect/verify-report.h"
#include "reader/open/open.h"
#include "reader/coverage/missing.h"
#include "reader/events/source.h"
#include "reader/sysinfo/snapshot-dirs.h"
#include "util/escape.h"
#include "util/path.h"
#include "util/plural.h"
#include "util/text.h"
#include "util/threads.h"

#define BATCHES_PER_JOB 4

static void wait_for(sem_t *semaphore)
{
	while (sem_wait(semaphore) && errno == EINTR)
		;
}

/*
 * Must this batch be decoded before the next one? If packets have no start timestamps, the times of
 * a packet's events may depend on the last event of the previous packet.
 */
static bool must_follow(const struct ctf_batch *batch)
{
	return batch->stream->class->clock &&
	       !ctf_packet_plan_find(batch->stream->trace, batch->stream->class)->has_begin;
}

/* Takes and verifies one batch. Returns false if no packets are left. */
static bool work(struct ctf_verification *verify, struct ctf_batch *batch,
		 struct ctf_verifier *verifier)
{
	bool taken, follow;

	pthread_mutex_lock(&verify->lock);
	taken = verify_take_packets(verify, batch);
	follow = taken && must_follow(batch);
	if (follow) {
		ctf_batch_verify(batch, verifier);
		verify->end_clock = batch->any_event ? batch->last_clock : batch->start_clock;
	}
	pthread_mutex_unlock(&verify->lock);
	if (taken && !follow)
		ctf_batch_verify(batch, verifier);
	return taken;
}

static struct ctf_batch *get_spare(struct ctf_verification *verify)
{
	struct cds_wfs_node *node;

	wait_for(&verify->spare_count);
	node = cds_wfs_pop_blocking(&verify->spare);
	mm_after_dequeue(&verify->spare);
	return caa_container_of(node, struct ctf_batch, spare);
}

static void put_spare(struct ctf_verification *verify, struct ctf_batch *batch)
{
	mm_before_enqueue(&verify->spare);
	cds_wfs_node_init(&batch->spare);
	cds_wfs_push(&verify->spare, &batch->spare);
	sem_post(&verify->spare_count);
}

/* An invalid batch number. It marks the last batch of a thread. */
#define NO_NUMBER UINT64_MAX

static void put_done(struct ctf_verification *verify, struct ctf_batch *batch)
{
	mm_before_enqueue(&verify->done_tail);
	cds_wfcq_node_init(&batch->done);
	cds_wfcq_enqueue(&verify->done_head, &verify->done_tail, &batch->done);
	sem_post(&verify->done_count);
}

static struct ctf_batch *get_done(struct ctf_verification *verify)
{
	struct cds_wfcq_node *node;

	wait_for(&verify->done_count);
	node = cds_wfcq_dequeue_blocking(&verify->done_head, &verify->done_tail);
	mm_after_dequeue(&verify->done_tail);
	return caa_container_of(node, struct ctf_batch, done);
}

static void *run_thread(void *user)
{
	struct ctf_verification *verify = user;
	struct ctf_verifier verifier;
	struct ctf_batch *batch = get_spare(verify);

	if (ctf_verifier_init(&verifier, verify->value_count, verify->slot_count)) {
		/* The reporting thread reports this error once. Other threads continue. */
		ctf_batch_reset(batch);
		verify_no_memory(&batch->error);
	} else {
		while (work(verify, batch, &verifier)) {
			put_done(verify, batch);
			batch = get_spare(verify);
		}
	}
	ctf_verifier_done(&verifier);
	batch->number = NO_NUMBER;
	put_done(verify, batch);
	return NULL;
}

/* Reports verified batches in order until all threads have ended. */
static void collect(struct ctf_verification *verify, unsigned int threads)
{
	while (threads) {
		struct ctf_batch *batch = get_done(verify);

		if (batch->number == NO_NUMBER) {
			if (batch->error.code && !verify->err->code)
				*verify->err = batch->error;
			threads--;
			continue;
		}
		verify->ring[batch->number % verify->batch_count] = batch;
		while ((batch = verify->ring[verify->reported % verify->batch_count])) {
			verify->ring[verify->reported % verify->batch_count] = NULL;
			verify->reported++;
			verify_report_batch(verify, batch);
			if (verify->err->code) {
				pthread_mutex_lock(&verify->lock);
				verify->exhausted = true;
				pthread_mutex_unlock(&verify->lock);
			}
			put_spare(verify, batch);
		}
	}
}

static int run_alone(struct ctf_verification *verify)
{
	struct ctf_verifier verifier;
	struct ctf_batch *batch = calloc(1, sizeof(*batch));
	int ret = ctf_verifier_init(&verifier, verify->value_count, verify->slot_count);

	if (!batch || ret)
		verify_no_memory(verify->err);
	while (batch && !verify->err->code && work(verify, batch, &verifier))
		verify_report_batch(verify, batch);
	if (batch)
		ctf_batch_done(batch);
	free(batch);
	ctf_verifier_done(&verifier);
	return verify->err->code ? -1 : 0;
}

static int run_threads(struct ctf_verification *verify, unsigned int jobs)
{
	pthread_t *threads = calloc(jobs, sizeof(*threads));
	struct ctf_batch *batches;
	unsigned int started = 0;

	verify->batch_count = (size_t)jobs * BATCHES_PER_JOB;
	batches = calloc(verify->batch_count, sizeof(*batches));
	verify->ring = calloc(verify->batch_count, sizeof(*verify->ring));
	if (!threads || !batches || !verify->ring) {
		verify_no_memory(verify->err);
		goto end;
	}
	for (size_t i = 0; i < verify->batch_count; i++)
		put_spare(verify, &batches[i]);
	started = mm_threads_start(threads, jobs, run_thread, verify);
	if (!started)
		mm_error_set(verify->err, MM_EXIT_ENVIRONMENT, "verify: no thread can be started");
	collect(verify, started);
	mm_threads_join(threads, started);
	for (size_t i = 0; i < verify->batch_count; i++)
		ctf_batch_done(&batches[i]);
end:
	free(verify->ring);
	free(batches);
	free(threads);
	return verify->err->code ? -1 : 0;
}

static int make_plans(struct ctf_verification *verify)
{
	size_t count = 0, made = 0;

	for (size_t i = 0; i < verify->trace_count; i++)
		count += verify->traces[i]->class->stream_count;
	verify->plans = calloc(count + 1, sizeof(*verify->plans));
	if (!verify->plans)
		return -1;
	for (size_t i = 0; i < verify->trace_count; i++) {
		const struct ctf_trace_class *class = verify->traces[i]->class;

		if (class->slot_count > verify->slot_count)
			verify->slot_count = class->slot_count;
		for (size_t j = 0; j < class->stream_count; j++) {
			verify->plans[made] = ctf_plan_create(class->streams[j], NULL, NULL);
			if (!verify->plans[made])
				return -1;
			if (verify->plans[made]->value_count > verify->value_count)
				verify->value_count = verify->plans[made]->value_count;
			verify->plan_count = ++made;
		}
	}
	verify->slots = calloc(verify->slot_count + 1, sizeof(*verify->slots));
	return verify->slots ? 0 : -1;
}

int ctf_verify(const char *path, unsigned int jobs, const struct ctf_verify_handler *handler,
	       struct ctf_verify_counts *counts, struct mm_error *err)
{
	struct mm_error here = MM_ERROR_INIT;
	struct ctf_verification verify = { .handler = handler, .counts = counts, .err = &here };
	struct certify_traces opened;
	struct mm_source_options options;
	struct mm_source *source;

	memset(counts, 0, sizeof(*counts));
	pthread_mutex_init(&verify.lock, NULL);
	sem_init(&verify.spare_count, 0, 0);
	sem_init(&verify.done_count, 0, 0);
	cds_wfs_init(&verify.spare);
	cds_wfcq_init(&verify.done_head, &verify.done_tail);
	mm_source_options_init(&options);
	options.reader = MM_READER_FAST;
	source = mm_source_open(path, &options, &here);
	if (source)
		verify.traces = mm_ctf_source_traces(source, &verify.trace_count, &here);
	opened = (struct certify_traces){ source, verify.traces, verify.trace_count, false };
	if (verify.traces && make_plans(&verify))
		verify_no_memory(&here);
	if (source && verify.traces && !here.code && !mm_missing_find(source, &here) &&
	    !certificate_gaps(&opened, &counts->gaps, &here) && !verify_report_order(&verify)) {
		verify_report_opening(&verify, source);
		verify_report_missing(&verify, mm_source_missing(source));
		certificate_check_all(&opened, verify_report_differences, &verify, &here);
		if (jobs > 1)
			run_threads(&verify, jobs);
		else
			run_alone(&verify);
	}
	for (size_t i = 0; i < verify.plan_count; i++)
		ctf_plan_destroy(verify.plans[i]);
	free(verify.plans);
	free(verify.slots);
	mm_source_destroy(source);
	cds_wfcq_destroy(&verify.done_head, &verify.done_tail);
	cds_wfs_destroy(&verify.spare);
	sem_destroy(&verify.done_count);
	sem_destroy(&verify.spare_count);
	pthread_mutex_destroy(&verify.lock);
	if (err && here.code && !err->code)
		*err = here;
	return here.code ? -1 : 0;
}

static void ignore(void *user, const struct ctf_verify_finding *finding)
{
	(void)user;
	(void)finding;
}

void ctf_verify_unread(const char *path, unsigned int jobs, struct mm_error *err)
{
	const struct ctf_verify_handler handler = { .finding = ignore };
	struct mm_error incomplete = MM_ERROR_INIT;
	struct ctf_verify_counts counts;

	if (err->code != MM_EXIT_BAD_INPUT || ctf_verify(path, jobs, &handler, &counts, NULL) ||
	    !counts.packets_truncated || counts.findings[CTF_VERIFY_DAMAGED])
		return;
	certificate_require(path, &incomplete);
	if (incomplete.code == MM_EXIT_INCOMPLETE)
		*err = incomplete;
}
