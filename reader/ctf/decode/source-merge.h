/* SPDX-License-Identifier: LGPL-2.1-only */
/* Merges the events of a source's streams in time order. */
#ifndef LTTNG_MM_CTF_DECODE_SOURCE_MERGE_H
#define LTTNG_MM_CTF_DECODE_SOURCE_MERGE_H

struct ctf_source;
struct mm_error;

/*
 * Delivers the events and losses of all streams to source->handler, state dumps before all others.
 * Returns 0, or -1 with @err set.
 */
int ctf_source_deliver(struct ctf_source *source, struct mm_error *err);

#endif /* LTTNG_MM_CTF_DECODE_SOURCE_MERGE_H */
