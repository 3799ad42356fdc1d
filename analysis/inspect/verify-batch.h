/* SPDX-License-Identifier: LGPL-2.1-only */
/* Packets that one thread verifies at a time, and what it finds in them. */
#ifndef LTTNG_MM_INSPECT_VERIFY_BATCH_H
#define LTTNG_MM_INSPECT_VERIFY_BATCH_H

#include <urcu/wfcqueue.h>
#include <urcu/wfstack.h>

#include "analysis/ctf/decode/decode.h"
#include "analysis/inspect/verify.h"

#define CTF_BATCH_PACKETS 64
/* A batch is full when it has that many bytes: enough to make handing it over cheap. */
#define CTF_BATCH_BYTES (256u << 10)
/* Kept of one batch; beyond that findings are only counted. */
#define CTF_BATCH_FINDINGS 256

struct ctf_note {
	enum ctf_verify_kind kind;
	char *file, *what;
	uint64_t packet, offset;
	size_t order; /* within the batch: 2 i for what was found before packet i, 2 i + 1 in it */
};

struct ctf_batch {
	struct cds_wfcq_node done; /* while it waits for who reports */
	struct cds_wfs_node spare; /* while it waits for work */
	uint64_t number;	   /* order over the whole trace */
	const struct ctf_stream *stream;
	const struct ctf_plan *plan;
	struct ctf_packet packets[CTF_BATCH_PACKETS];
	size_t packet_count;
	bool begins_stream;
	bool early_is_fine;   /* barectf's fault: events older than their packet */
	uint64_t start_clock; /* where the packets before ended, for those that tell no begin */

	/* What was found. */
	struct ctf_note *notes;
	size_t note_count, note_room, order; /* @order: of the next note */
	struct ctf_verify_counts counts;
	bool any_event;
	uint64_t first_clock, last_clock;    /* of its events */
	uint64_t first_packet, first_offset; /* where the first one is */
	const struct ctf_file *first_file;
	struct mm_error error;
};

/* A thread's own memory. */
struct ctf_verifier {
	union mm_scalar *values;
	uint64_t *slots;
	struct ctf_arena arena;
};

/* Room for the values of @value_count fields and @slot_count slots; -1: no memory. */
int ctf_verifier_init(struct ctf_verifier *verifier, size_t value_count, size_t slot_count);
void ctf_verifier_done(struct ctf_verifier *verifier);

/* Empties the batch, but keeps its memory. */
void ctf_batch_reset(struct ctf_batch *batch);
void ctf_batch_done(struct ctf_batch *batch);

__attribute__((format(printf, 6, 7))) void ctf_batch_note(struct ctf_batch *batch,
							  enum ctf_verify_kind kind,
							  const char *file, uint64_t packet,
							  uint64_t offset, const char *fmt, ...);

/* Decodes the events of the batch's packets. */
void ctf_batch_verify(struct ctf_batch *batch, struct ctf_verifier *verifier);

#endif /* LTTNG_MM_INSPECT_VERIFY_BATCH_H */
