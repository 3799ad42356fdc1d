/* SPDX-License-Identifier: LGPL-2.1-only */
/* A loser tree: the earliest of many streams, after log2(streams) comparisons. */
#ifndef LTTNG_MM_CTF_MERGE_H
#define LTTNG_MM_CTF_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a stream's next item is ordered by; a stream that is over has CTF_MERGE_OVER. */
struct ctf_merge_key {
	int64_t time_ns;
	uint32_t rank;	/* among equal times: each stream has its own */
};

#define CTF_MERGE_OVER ((struct ctf_merge_key){ INT64_MAX, UINT32_MAX })

struct ctf_merge;

/* NULL when memory is short. All streams begin as over; set their keys, then call build. */
struct ctf_merge *ctf_merge_create(size_t streams);
void ctf_merge_destroy(struct ctf_merge *merge);
void ctf_merge_set(struct ctf_merge *merge, size_t stream, struct ctf_merge_key key);
void ctf_merge_build(struct ctf_merge *merge);

/*
 * The stream with the smallest key, and in @next the smallest key of all the others: as long as the
 * stream's own stays below it, the stream stays first. @next may be NULL. Returns -1 when all are over.
 *
 * After Knuth, The Art of Computer Programming, volume 3, section 5.4.1 (tree of losers).
 */
long ctf_merge_first(const struct ctf_merge *merge, struct ctf_merge_key *next);

/* Gives the first stream its new key and finds the next first one. */
void ctf_merge_replace(struct ctf_merge *merge, struct ctf_merge_key key);

static inline bool ctf_merge_before(struct ctf_merge_key a, struct ctf_merge_key b)
{
	return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : a.rank < b.rank;
}

#endif /* LTTNG_MM_CTF_MERGE_H */
