/* SPDX-License-Identifier: LGPL-2.1-only */
/* Threads that fill the lanes' chunks ahead of the merging thread. */
#ifndef LTTNG_MM_CTF_DECODE_POOL_H
#define LTTNG_MM_CTF_DECODE_POOL_H

#include "reader/ctf/decode/lane.h"

struct ctf_pool;

/*
 * Creates a pool of @jobs threads, including the caller's, which fills chunks while it waits. Uses
 * fewer threads if not all can be started. Returns NULL when out of memory. Lanes must outlive the
 * pool.
 */
struct ctf_pool *ctf_pool_create(unsigned int jobs);

/* Gives @lane a chunk to fill. The pool owns the chunk until ctf_pool_take() returns it. */
void ctf_pool_give(struct ctf_pool *pool, struct ctf_lane *lane, struct ctf_chunk *chunk);

/* Waits for the lane's next filled chunk and returns it. The lane must have been given a chunk. */
struct ctf_chunk *ctf_pool_take(struct ctf_pool *pool, struct ctf_lane *lane);

/*
 * Ends the threads. Chunks that were not taken remain in the lanes' queues: see ctf_pool_reclaim().
 */
void ctf_pool_destroy(struct ctf_pool *pool);

/* Removes and returns a chunk of @lane after ctf_pool_destroy(); NULL if none is left. */
struct ctf_chunk *ctf_pool_reclaim(struct ctf_lane *lane);

#endif /* LTTNG_MM_CTF_DECODE_POOL_H */
