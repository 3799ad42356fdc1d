// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Processes batches in order on a separate thread, while the reader fills other batches. Reading
 * takes about as long as processing, so this nearly halves the time. Only the separate thread
 * processes operations, so the results do not depend on threads.
 */
#include "analysis/slab/track/batches.h"

#include <stdlib.h>

#include "reader/coverage/coverage.h"
#include "util/threads.h"

#define BATCHES 8u
/*
 * Sleeping and waking take as long as processing many events. The thread therefore sleeps until
 * several batches are full, and a reader without an empty batch waits until several are empty.
 */
#define WORTH_WAKING 3u

struct slab_work {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t passed, done;
	struct slab_batch *ring[BATCHES];
	/* protected by the lock: number of batches passed on, and number of processed batches */
	unsigned int passed_count, done_count;
	bool stop, failed;
	/* a waiting reader continues when at most this many batches are left */
	unsigned int pending_most;
	bool waits, idle; /* @waits: the reader waits; @idle: the thread waits for batches */
};

static unsigned int pending(const struct slab_work *work)
{
	return work->passed_count - work->done_count;
}

/* Sleeps until several batches are full, or the reader waits. The lock is held. */
static void sleep_on(struct slab_work *work)
{
	work->idle = true;
	while (!work->stop && (pending(work) < WORTH_WAKING && !(work->waits && pending(work))))
		pthread_cond_wait(&work->passed, &work->lock);
	work->idle = false;
}

/* Waits until at most @most batches are left. The lock is held. */
static void wait_until(struct slab_work *work, unsigned int most)
{
	work->pending_most = most;
	work->waits = true;
	if (work->idle)
		pthread_cond_signal(&work->passed);
	while (pending(work) > most)
		pthread_cond_wait(&work->done, &work->lock);
	work->waits = false;
}

static int take(struct slab_batches *batches, struct slab_batch *batch)
{
	if (batches->source)
		slab_pairing_started(&batches->tracker->pairing, batch->begin_ns);
	return slab_tracker_process(batches->tracker, batch);
}

static void *work_on(void *user)
{
	struct slab_batches *batches = user;
	struct slab_work *work = batches->work;

	pthread_mutex_lock(&work->lock);
	for (;;) {
		struct slab_batch *batch;
		bool failed = work->failed;

		if (!pending(work))
			sleep_on(work);
		if (!pending(work))
			break;
		batch = work->ring[work->done_count % BATCHES];
		pthread_mutex_unlock(&work->lock);
		/* After running out of memory, skip batches. */
		failed = failed || take(batches, batch);
		batch->count = 0;
		pthread_mutex_lock(&work->lock);
		work->failed = failed;
		work->done_count++;
		if (work->waits && pending(work) <= work->pending_most)
			pthread_cond_signal(&work->done);
	}
	pthread_mutex_unlock(&work->lock);
	return NULL;
}

static void release(struct slab_work *work)
{
	for (unsigned int i = 0; i < BATCHES; i++)
		free(work->ring[i]);
	pthread_cond_destroy(&work->passed);
	pthread_cond_destroy(&work->done);
	pthread_mutex_destroy(&work->lock);
	free(work);
}

static int start_thread(struct slab_batches *batches)
{
	struct slab_work *work = calloc(1, sizeof(*work));
	int ret = 0;

	if (!work)
		return -1;
	pthread_mutex_init(&work->lock, NULL);
	pthread_cond_init(&work->passed, NULL);
	pthread_cond_init(&work->done, NULL);
	for (unsigned int i = 0; i < BATCHES; i++) {
		work->ring[i] = calloc(1, sizeof(**work->ring));
		ret |= !work->ring[i];
	}
	batches->work = work;
	ret = ret || mm_thread_start(&work->thread, work_on, batches);
	if (!ret)
		return 0;
	release(work);
	batches->work = NULL;
	return -1;
}

/* From now on, operations are written to @batch; NULL: there is no batch. */
static void fill_next(struct slab_batches *batches, struct slab_batch *batch)
{
	batches->batch = batch;
	batches->next = batch ? batch->ops : NULL;
	batches->full = batch ? batch->ops + SLAB_BATCH : NULL;
}

/*
 * Closes the batch. If the source has noticed the start of a stream since the previous batch was
 * closed, that start is later than the operations of the previous batch.
 */
static void end_batch(struct slab_batches *batches)
{
	struct slab_batch *batch = batches->batch;

	if (batches->source &&
	    mm_source_starts_noticed(batches->source) != batches->starts_noticed) {
		batches->starts_noticed = mm_source_starts_noticed(batches->source);
		batches->begin_ns = mm_coverage_started(batches->source);
	}
	batch->begin_ns = batches->begin_ns;
	batch->count = (unsigned int)(batches->next - batch->ops);
}

static int take_now(struct slab_batches *batches)
{
	end_batch(batches);
	batches->next = batches->batch->ops;
	batches->was_short |= take(batches, batches->batch) != 0;
	return batches->was_short ? -1 : 0;
}

int slab_batches_init(struct slab_batches *batches, struct slab_tracker *tracker)
{
	batches->tracker = tracker;
	fill_next(batches, calloc(1, sizeof(*batches->batch)));
	return batches->batch ? 0 : -1;
}

int slab_batches_start(struct slab_batches *batches, const struct mm_source *source, bool thread)
{
	batches->source = source;
	if (source) {
		batches->starts_noticed = mm_source_starts_noticed(source);
		batches->begin_ns = mm_coverage_started(source);
	}
	/* If no thread can be started, the reader processes the batches. */
	if (thread && !start_thread(batches)) {
		free(batches->batch);
		fill_next(batches, batches->work->ring[0]);
	}
	return 0;
}

int slab_batches_pass(struct slab_batches *batches)
{
	struct slab_work *work = batches->work;
	int ret;

	if (!work)
		return take_now(batches);
	end_batch(batches);
	batches->any_passed = true;
	pthread_mutex_lock(&work->lock);
	work->passed_count++;
	if (work->idle && pending(work) >= WORTH_WAKING)
		pthread_cond_signal(&work->passed);
	if (pending(work) == BATCHES)
		wait_until(work, BATCHES - WORTH_WAKING);
	fill_next(batches, work->ring[work->passed_count % BATCHES]);
	ret = work->failed ? -1 : 0;
	pthread_mutex_unlock(&work->lock);
	return ret;
}

/* Is there an operation, or a stream's start, that was not passed on to the tracker? */
static bool has_news(const struct slab_batches *batches)
{
	return batches->next > batches->batch->ops || !batches->any_passed ||
	       (batches->source &&
		mm_source_starts_noticed(batches->source) != batches->starts_noticed);
}

int slab_batches_drain(struct slab_batches *batches)
{
	struct slab_work *work = batches->work;
	int ret;

	if (!work)
		return take_now(batches);
	/*
	 * This runs for each event after the time range. Waking the thread takes as long as
	 * processing many events, so do not wake it for an empty batch.
	 */
	ret = has_news(batches) ? slab_batches_pass(batches) : 0;
	pthread_mutex_lock(&work->lock);
	if (pending(work))
		wait_until(work, 0);
	ret = work->failed ? -1 : ret;
	pthread_mutex_unlock(&work->lock);
	return ret;
}

void slab_batches_stop(struct slab_batches *batches)
{
	struct slab_work *work = batches->work;

	if (!work) {
		free(batches->batch);
		fill_next(batches, NULL);
		return;
	}
	pthread_mutex_lock(&work->lock);
	work->stop = true;
	pthread_cond_signal(&work->passed);
	pthread_mutex_unlock(&work->lock);
	pthread_join(work->thread, NULL);
	release(work);
	batches->work = NULL;
	fill_next(batches, NULL);
}
