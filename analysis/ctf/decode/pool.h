/* SPDX-License-Identifier: LGPL-2.1-only */
/* Threads that fill lanes' chunks ahead of the one who merges them. */
#ifndef LTTNG_MM_DECODE_POOL_H
#define LTTNG_MM_DECODE_POOL_H

#include "analysis/ctf/decode/lane.h"

struct ctf_pool;

/*
 * @jobs threads in all, the caller's among them: it fills chunks too while it waits. NULL when
 * memory or threads are short. Lanes must outlive the pool.
 */
struct ctf_pool *ctf_pool_create(unsigned int jobs);

/* Gives @lane a chunk to fill, which the pool owns from now on until ctf_pool_take() returns it. */
void ctf_pool_give(struct ctf_pool *pool, struct ctf_lane *lane, struct ctf_chunk *chunk);

/* The lane's next chunk in the order of filling; waits for it. A chunk must have been given. */
struct ctf_chunk *ctf_pool_take(struct ctf_pool *pool, struct ctf_lane *lane);

/* Ends the threads. Chunks that were not taken are in the lanes' queues: ctf_pool_reclaim(). */
void ctf_pool_destroy(struct ctf_pool *pool);

/* After ctf_pool_destroy(): a chunk that is still with @lane, NULL when there is none left. */
struct ctf_chunk *ctf_pool_reclaim(struct ctf_lane *lane);

#endif /* LTTNG_MM_DECODE_POOL_H */
