// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A pool of threads on liburcu's wait-free concurrent queues.
 *
 * One queue has the lanes with chunks to fill. While lane->scheduled is set, the lane is either in
 * this queue or in use by one thread, and is not queued again. Its chunks are therefore filled in
 * order without a lock. The merging thread takes filled chunks from the lane's own queue. One
 * semaphore counts the queued lanes. Another semaphore wakes the merging thread.
 */
#include "reader/ctf/decode/pool.h"

#include <errno.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "util/threads.h"

struct ctf_pool {
	struct cds_wfcq_head head;
	struct cds_wfcq_tail tail;
	sem_t lanes, filled;
	atomic_int stop;
	unsigned int thread_count;
	pthread_t threads[];
};

static void wait_for(sem_t *semaphore)
{
	while (sem_wait(semaphore) && errno == EINTR)
		;
}

/* Queues the lane, unless it is queued or held by a thread already. */
static void schedule(struct ctf_pool *pool, struct ctf_lane *lane)
{
	int idle = 0;

	if (!atomic_compare_exchange_strong(&lane->scheduled, &idle, 1))
		return;
	mm_before_enqueue(&pool->tail);
	cds_wfcq_node_init(&lane->node);
	cds_wfcq_enqueue(&pool->head, &pool->tail, &lane->node);
	sem_post(&pool->lanes);
}

static struct ctf_chunk *pop(struct __cds_wfcq_head *head, struct cds_wfcq_tail *tail)
{
	struct cds_wfcq_node *node = __cds_wfcq_dequeue_blocking(head, tail);

	mm_after_dequeue(tail);
	return node ? caa_container_of(node, struct ctf_chunk, node) : NULL;
}

static void push(struct __cds_wfcq_head *head, struct cds_wfcq_tail *tail, struct ctf_chunk *chunk)
{
	mm_before_enqueue(tail);
	cds_wfcq_node_init(&chunk->node);
	cds_wfcq_enqueue(head, tail, &chunk->node);
}

/*
 * Fills one chunk of the lane at the head of the queue. The caller has decremented the semaphore
 * pool->lanes.
 */
static void work(struct ctf_pool *pool)
{
	struct cds_wfcq_node *node = cds_wfcq_dequeue_blocking(&pool->head, &pool->tail);
	struct ctf_lane *lane;
	struct ctf_chunk *chunk;

	if (!node)
		return;
	mm_after_dequeue(&pool->tail);
	lane = caa_container_of(node, struct ctf_lane, node);
	chunk = pop(&lane->free_head, &lane->free_tail);
	if (chunk) {
		ctf_lane_fill(lane, chunk);
		push(&lane->ready_head, &lane->ready_tail, chunk);
		sem_post(&pool->filled);
	}
	/*
	 * Clear the flag before checking for more chunks. A chunk that another thread adds before
	 * the check is seen by the check. If the other thread adds the chunk after the check, it
	 * sees the cleared flag and schedules the lane. The exchange is a full barrier between
	 * clearing the flag and the check.
	 */
	atomic_exchange(&lane->scheduled, 0);
	if (!cds_wfcq_empty(&lane->free_head, &lane->free_tail))
		schedule(pool, lane);
}

static void *thread_main(void *user)
{
	struct ctf_pool *pool = user;

	for (;;) {
		wait_for(&pool->lanes);
		if (atomic_load(&pool->stop))
			return NULL;
		work(pool);
	}
}

struct ctf_pool *ctf_pool_create(unsigned int jobs)
{
	struct ctf_pool *pool = calloc(1, sizeof(*pool) + jobs * sizeof(pool->threads[0]));

	if (!pool)
		return NULL;
	cds_wfcq_init(&pool->head, &pool->tail);
	sem_init(&pool->lanes, 0, 0);
	sem_init(&pool->filled, 0, 0);
	if (jobs > 1)
		pool->thread_count = mm_threads_start(pool->threads, jobs - 1, thread_main, pool);
	return pool;
}

void ctf_pool_give(struct ctf_pool *pool, struct ctf_lane *lane, struct ctf_chunk *chunk)
{
	push(&lane->free_head, &lane->free_tail, chunk);
	schedule(pool, lane);
}

struct ctf_chunk *ctf_pool_take(struct ctf_pool *pool, struct ctf_lane *lane)
{
	struct ctf_chunk *chunk;

	while (!(chunk = pop(&lane->ready_head, &lane->ready_tail))) {
		if (!sem_trywait(&pool->lanes))
			work(pool);
		else
			wait_for(&pool->filled);
	}
	return chunk;
}

void ctf_pool_destroy(struct ctf_pool *pool)
{
	if (!pool)
		return;
	atomic_store(&pool->stop, 1);
	for (unsigned int i = 0; i < pool->thread_count; i++)
		sem_post(&pool->lanes);
	mm_threads_join(pool->threads, pool->thread_count);
	sem_destroy(&pool->lanes);
	sem_destroy(&pool->filled);
	cds_wfcq_destroy(&pool->head, &pool->tail);
	free(pool);
}

struct ctf_chunk *ctf_pool_reclaim(struct ctf_lane *lane)
{
	struct ctf_chunk *chunk = pop(&lane->ready_head, &lane->ready_tail);

	return chunk ? chunk : pop(&lane->free_head, &lane->free_tail);
}
