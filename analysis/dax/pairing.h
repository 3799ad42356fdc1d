/* SPDX-License-Identifier: LGPL-2.1-only */
/* Joins entry, evidence and exit of DAX faults, thread by thread. */
#ifndef LTTNG_MM_DAX_PAIRING_H
#define LTTNG_MM_DAX_PAIRING_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/dax/cause.h"

enum dax_kind { DAX_KIND_PMD, DAX_KIND_PTE, DAX_KIND_COUNT };

/* One fault, from its entry on. */
struct dax_fault {
	enum dax_kind kind;
	int32_t tid, pid;
	char comm[32];		/* hostile; empty when not recorded */
	unsigned int major, minor;
	uint64_t ino;
	int64_t begin_ns, end_ns;
	uint64_t begin_clock_ns;
	struct dax_evidence evidence;	/* of a PTE fault only address, pgoff, flags, result, vm_flags */
	bool after_fallback;	/* PTE: the same thread's PMD fault of this address fell back just before */
};

struct dax_pairing_counts {
	uint64_t unpaired_entries;	/* no exit in the trace, and no loss that explains it */
	uint64_t unpaired_exits;	/* began before the trace, mostly */
	uint64_t unknown_by_loss;	/* open when events were lost */
	uint64_t nested;		/* began inside another fault of the same thread */
};

struct dax_pairing;

/* @done gets each fault once, complete with its evidence. NULL when memory is short. */
struct dax_pairing *dax_pairing_create(void (*done)(void *user, const struct dax_fault *fault),
				       void *user);
void dax_pairing_destroy(struct dax_pairing *pairing);

/* A fault begins: @fault's identity, time and fields are set. Returns 0, or -1: memory is short. */
int dax_pairing_begin(struct dax_pairing *pairing, const struct dax_fault *fault);

/* A fault ends; @fault as its exit event tells it, end_ns and result set. */
int dax_pairing_end(struct dax_pairing *pairing, const struct dax_fault *fault);

/*
 * The evidence of thread @tid for file @ino: the fault that it belongs to, open, or ended as the
 * thread's last. NULL when there is none. The pointer is good until the next call.
 */
struct dax_evidence *dax_pairing_evidence(struct dax_pairing *pairing, int32_t tid, uint64_t ino,
					  bool also_ended);

/* Events were lost: what is open now cannot be paired any more. */
void dax_pairing_lost(struct dax_pairing *pairing);

/* The trace is over. Returns the final counts. */
const struct dax_pairing_counts *dax_pairing_finish(struct dax_pairing *pairing);

#endif /* LTTNG_MM_DAX_PAIRING_H */
