/* SPDX-License-Identifier: LGPL-2.1-only */
/* Batches of packets, and their findings. A batch is the unit of work of a thread. */
#ifndef LTTNG_MM_INSPECT_VERIFY_BATCH_H
#define LTTNG_MM_INSPECT_VERIFY_BATCH_H

#include <urcu/wfcqueue.h>
#include <urcu/wfstack.h>

#include "reader/ctf/decode/decode.h"
#include "reader/inspect/finding.h"

#define CTF_BATCH_PACKETS 64
/*
 * Size of a full batch in bytes. It is large enough that passing batches between threads costs
 * little.
 */
#define CTF_BATCH_BYTES (256u << 10)
/* Maximum number of findings that a batch stores; more are only counted. */
#define CTF_BATCH_FINDINGS 256

struct ctf_note {
	enum ctf_verify_kind kind;
	char *file, *what;
	uint64_t packet, offset;
	/*
	 * order within the batch: 2 * i for findings in the header of packet i, 2 * i + 1 for its
	 * events
	 */
	size_t order;
};

struct ctf_batch {
	struct cds_wfcq_node done; /* link in the queue of the reporting thread */
	struct cds_wfs_node spare; /* link in the stack of unused batches */
	uint64_t number;	   /* position in the whole trace */
	const struct ctf_stream *stream;
	const struct ctf_plan *plan;
	struct ctf_packet packets[CTF_BATCH_PACKETS];
	size_t packet_count;
	bool begins_stream;
	bool early_is_fine; /* barectf's quirk: events may precede their packet's start */
	/* for packets without a start timestamp: end of the previous packet */
	uint64_t start_clock;

	/* The findings. */
	struct ctf_note *notes;
	size_t note_count, note_room, order; /* @order: value for the next note */
	struct ctf_verify_counts counts;
	bool any_event;
	uint64_t first_clock, last_clock;
	uint64_t first_packet, first_offset; /* position of the first event */
	const struct ctf_file *first_file;
	struct mm_error error;
};

struct ctf_verifier {
	union mm_scalar *values;
	uint64_t *slots;
	struct ctf_arena arena;
};

/*
 * Allocates the values of @value_count fields and @slot_count slots. Returns 0, or -1 when out of
 * memory.
 */
int ctf_verifier_init(struct ctf_verifier *verifier, size_t value_count, size_t slot_count);
void ctf_verifier_done(struct ctf_verifier *verifier);

/* Empties the batch, but does not free its memory. */
void ctf_batch_reset(struct ctf_batch *batch);
void ctf_batch_done(struct ctf_batch *batch);

__attribute__((format(printf, 6, 7))) void ctf_batch_note(struct ctf_batch *batch,
							  enum ctf_verify_kind kind,
							  const char *file, uint64_t packet,
							  uint64_t offset, const char *fmt, ...);

/* Decodes the events of the batch's packets. */
void ctf_batch_verify(struct ctf_batch *batch, struct ctf_verifier *verifier);

#endif /* LTTNG_MM_INSPECT_VERIFY_BATCH_H */
