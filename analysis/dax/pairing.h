/* SPDX-License-Identifier: LGPL-2.1-only */
/* Joins the entry, the evidence and the exit of each DAX fault, by thread. */
#ifndef LTTNG_MM_DAX_PAIRING_H
#define LTTNG_MM_DAX_PAIRING_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/dax/cause.h"
#include "analysis/dax/wide.h"
#include "reader/coverage/loss-times.h"
#include "util/hash.h"

enum dax_kind { DAX_KIND_PMD, DAX_KIND_PTE, DAX_KIND_COUNT };

struct dax_file_key {
	unsigned int major, minor;
	uint64_t ino;
};

/* The entry and the exit of a fault have the same key. DAX_UNKNOWN matches every value. */
struct dax_fault_key {
	enum dax_kind kind;
	bool incomplete; /* the event has values that are DAX_UNKNOWN */
	struct dax_file_key file;
	uint64_t address;
};

/* A fault, from its entry on. */
struct dax_fault {
	enum dax_kind kind;
	/* 4 KiB fault: just before, a huge-page fault of the thread at this address fell back */
	bool after_fallback;
	int32_t tid, pid;
	uint32_t process; /* record number of the process, for the caller */
	struct dax_file_key file;
	uint32_t cpu;  /* CPU of the entry */
	bool migrated; /* an event of the fault is from another CPU */
	/* events during the fault are missing, so the absence of an event proves nothing */
	bool uncertain;
	bool repeated; /* huge-page fault: the same access caused another huge-page fault */
	/* events are missing, so the same access may have caused another huge-page fault */
	bool maybe_repeated;
	bool pmd_maybe_lost; /* 4 KiB fault: an earlier huge-page fault may be missing */
	/* number of faults that started while this fault was the innermost open fault */
	uint64_t inside;
	int64_t begin_ns, end_ns;
	uint64_t begin_clock_ns;
	/* A 4 KiB fault has only address, pgoff, flags, result and vm_flags. */
	struct dax_evidence evidence;
};

/*
 * Counts of entries and exits without a partner, and of unusual pairs. When two parts of a trace
 * are merged, their counts are added up.
 */
struct dax_pairing_counts {
	uint64_t unpaired_entries; /* entries without an exit, although nothing was lost */
	uint64_t unpaired_exits;   /* exits without an entry, for example at the start of a trace */
	/* entries and exits whose partner may be lost, and pairs that may consist of two faults */
	uint64_t undetermined_by_loss;
	uint64_t nested;    /* faults that started inside another fault */
	uint64_t uncertain; /* pairs that were found although a whole stream is missing */
};

#define DAX_NESTING_MAX 8

/*
 * State of a thread. Its open faults form a stack: a fault may start while another one is open. The
 * last huge-page fault is pending after its exit, because its dax_pmd_fallback event may follow the
 * exit. The pending fault stays above the top of the stack.
 *
 *   running --entry--> open --exit--> pending (huge page) --next entry or exit--> delivered
 *                           --exit--> delivered (4 KiB)
 */
struct dax_thread {
	int32_t tid;
	uint8_t depth;
	bool pending;
	bool fell_back; /* the last fault fell back, so a 4 KiB fault may follow */
	/*
	 * the thread may have open faults from before this part (see dax_pairing_continues()); its
	 * faults are tracked, but not counted or delivered
	 */
	bool unknown;
	bool reached_unknown; /* an event belongs to a fault that started before this part */
	uint8_t depth_most;   /* largest depth since the thread became known */
	uint64_t outermost;   /* outermost faults since the thread became known */
	int64_t last_ns;      /* time of the last entry or exit; INT64_MIN: none yet */
	uint64_t fallback_address, fallback_ino;
	/*
	 * time at which a fault was abandoned because its exit was probably lost; INT64_MIN: never
	 */
	int64_t abandoned_ns;
	struct dax_fault_key abandoned;
	struct dax_fault *deeper; /* NULL until faults nest; then DAX_NESTING_MAX - 1 faults */

	/* The following members are for the caller. */
	uint32_t process;     /* record number of the process, or MM_HASH_NONE */
	uint32_t number;      /* number in struct mm_threads, or MM_HASH_NONE */
	uint32_t deferred;    /* number of deferred events */
	bool writeback_known; /* the start of a writeback range was seen in this part */
	bool writeback_open;
	int64_t writeback_begin_ns;
	uint64_t writeback_ino, writeback_start, writeback_end;

	struct dax_fault first; /* bottom of the stack */
};

/*
 * Size of the caches of recently used records, which avoid hashing. The size must be a power of
 * two.
 */
#define DAX_RECENT 256u

/* Pairs the faults of all threads. Uses 400 bytes per thread; with nested faults, 1.6 KiB. */
struct dax_pairing {
	void (*done)(void *user, const struct dax_fault *fault);
	void *user;
	bool continues;
	struct mm_loss_times losses;
	struct dax_thread *threads;
	uint32_t thread_count;
	size_t thread_room;
	struct mm_hash by_tid;
	uint32_t recent[DAX_RECENT]; /* thread numbers, indexed by the low bits of the tid */
	struct dax_pairing_counts counts, undetermined;
};

/* @done receives each fault once, with all its evidence. Returns NULL when out of memory. */
struct dax_pairing *dax_pairing_create(void (*done)(void *user, const struct dax_fault *fault),
				       void *user);
void dax_pairing_destroy(struct dax_pairing *pairing);

/*
 * Prepares for a part of a trace other than the first one. Call this before the first event of the
 * part. A thread is unknown until one of its outermost faults has both started and ended in the
 * part. Faults that started before the part stay unknown; on the stack, they would be below all
 * faults of the part. An exit or evidence that fits no known fault belongs to an unknown fault, and
 * sets @reached_unknown. If the thread is unknown at that time, it stays unknown until its next
 * outermost fault has started and ended.
 */
void dax_pairing_continues(struct dax_pairing *pairing);

struct dax_thread *dax_pairing_find_thread(struct dax_pairing *pairing, int32_t tid);

/* Returns thread @tid, or NULL. The pointer is valid until the next thread is added. */
static inline struct dax_thread *dax_pairing_thread(struct dax_pairing *pairing, int32_t tid)
{
	uint32_t number = pairing->recent[(uint32_t)tid % DAX_RECENT];

	if (number < pairing->thread_count && pairing->threads[number].tid == tid)
		return &pairing->threads[number];
	return dax_pairing_find_thread(pairing, tid);
}

/*
 * Call this when a new thread uses the thread id of an earlier one, because the open faults of the
 * earlier thread cannot end any more. Do not call this in a later part of a trace, where the open
 * faults are not known.
 */
void dax_pairing_replaced(struct dax_pairing *pairing, struct dax_thread *thread, int64_t now_ns);

/* Adds thread @tid, which must not exist yet. Returns NULL when out of memory. */
struct dax_thread *dax_pairing_make_thread(struct dax_pairing *pairing, int32_t tid);

/* Returns open fault number @at, from the bottom. Number @depth is the pending fault. */
static inline struct dax_fault *dax_thread_fault(struct dax_thread *thread, unsigned int at)
{
	return at ? &thread->deeper[at - 1] : &thread->first;
}

/* Makes room for nested faults. Returns 0, or -1 when out of memory. */
int dax_thread_deepen(struct dax_thread *thread);

/*
 * Starts a fault. Returns the fault, or NULL when out of memory. The key, the start, after_fallback
 * and pmd_maybe_lost are set. The caller fills in the process and the evidence.
 */
struct dax_fault *dax_pairing_begin(struct dax_pairing *pairing, struct dax_thread *thread,
				    const struct dax_fault_key *key, int64_t begin_ns);

/*
 * Ends the topmost open fault that matches @key. The exit event came from @cpu. Open faults above
 * this fault count as unpaired, because their exits are missing.
 */
void dax_pairing_end(struct dax_pairing *pairing, struct dax_thread *thread,
		     const struct dax_fault_key *key, uint32_t cpu, int64_t end_ns,
		     uint32_t result);

/*
 * Returns the evidence of the fault to which an event from @cpu belongs. This is an open fault of
 * the thread on file @ino or, with @also_ended, the fault that has just ended. Returns NULL if
 * there is no such fault.
 */
struct dax_evidence *dax_pairing_evidence(struct dax_pairing *pairing, struct dax_thread *thread,
					  uint64_t ino, uint32_t cpu, int64_t time_ns,
					  bool also_ended);

/*
 * Notes a loss of fault events. The arguments are those of mm_handler.lost(). Returns 0, or -1 when
 * out of memory.
 *
 * If the exit of one fault and the entry of the next fault are both missing, the remaining entry
 * and exit look like one fault if their keys are equal. The thread may have been on any CPU during
 * the loss, so losses on all CPUs count. If a whole stream is missing, the pair counts as one
 * uncertain fault.
 */
int dax_pairing_lost(struct dax_pairing *pairing, const struct mm_loss *loss, int64_t since_ns);

/* May both an exit and an entry be missing? The pair may then consist of two faults. */
static inline bool dax_pair_is_uncertain(struct mm_loss_bound missed)
{
	return missed.events >= 2;
}

/* Ends the pairing after the trace. Returns the final counts. */
const struct dax_pairing_counts *dax_pairing_finish(struct dax_pairing *pairing);

#endif /* LTTNG_MM_DAX_PAIRING_H */
