/* SPDX-License-Identifier: LGPL-2.1-only */
/* Joins entry, evidence and exit of DAX faults, thread by thread. */
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

/*
 * The values that an exit has in common with its entry. DAX_UNKNOWN matches any inode or address.
 */
struct dax_fault_key {
	enum dax_kind kind;
	bool incomplete; /* a value of the event is DAX_UNKNOWN */
	struct dax_file_key file;
	uint64_t address;
};

/* One fault, from its entry on. */
struct dax_fault {
	enum dax_kind kind;
	/* PTE: the same thread's PMD fault of this address fell back just before */
	bool after_fallback;
	int32_t tid, pid;
	uint32_t process; /* number of the process's record, for the caller */
	struct dax_file_key file;
	uint32_t cpu;  /* where it started */
	bool migrated; /* an event of it came from another CPU */
	/* events are missing in between: the absence of one proves nothing */
	bool uncertain;
	bool repeated; /* PMD: the next attempt of the same access is a huge-page fault, too */
	/* ... may be one: events are missing in between */
	bool maybe_repeated;
	bool pmd_maybe_lost; /* PTE: a huge-page fault before it may be missing */
	/* faults that started while this one was the thread's innermost open one */
	uint64_t inside;
	int64_t begin_ns, end_ns;
	uint64_t begin_clock_ns;
	/* of a PTE fault only address, pgoff, flags, result, vm_flags */
	struct dax_evidence evidence;
};

/* The counts of two parts of a trace are added. */
struct dax_pairing_counts {
	uint64_t unpaired_entries; /* no exit in the trace, and no loss that explains it */
	uint64_t unpaired_exits;   /* started before the trace, mostly */
	uint64_t
		/* no pair, or perhaps parts of two faults: events are missing */
		undetermined_by_loss;
	/* started inside another fault of the same thread, which ended after them */
	uint64_t nested;
	uint64_t uncertain; /* pairs while all of another stream is missing */
};

#define DAX_NESTING_MAX 8

/*
 * What is known of a thread. Its faults nest (a fault may copy to memory that faults) and never
 * overlap otherwise, so it has a stack. The huge-page fault that ended last stays above the stack's
 * top while it is pending: its dax_pmd_fallback event may still follow.
 */
struct dax_thread {
	int32_t tid;
	uint8_t depth; /* open faults */
	bool pending;
	bool fell_back; /* the last fault fell back: a 4 KiB fault of the address may follow */
	/*
	 * In a later part of a trace: the thread's state is not known yet, so faults are tracked,
	 * but not counted or delivered. See dax_pairing_continues().
	 */
	bool unknown;
	bool reached_unknown; /* an event referred to the unknown part of the stack */
	uint8_t depth_most;   /* since the thread is known */
	uint64_t outermost;   /* faults that started with no other one open, since then */
	int64_t last_ns;      /* its last entry or exit; INT64_MIN: none yet */
	uint64_t fallback_address, fallback_ino;
	/*
	 * A fault was assumed to have ended at this time without an exit, although no other one of
	 * its key can have started by then.
	 */
	int64_t abandoned_ns; /* INT64_MIN: none was */
	struct dax_fault_key abandoned;
	struct dax_fault *deeper; /* DAX_NESTING_MAX - 1 more, once faults have nested */

	/* The caller's: */
	uint32_t process;     /* number of the process's record, MM_HASH_NONE: none yet */
	uint32_t number;      /* of struct mm_threads, MM_HASH_NONE: not requested */
	uint32_t deferred;    /* events kept for merging */
	bool writeback_known; /* ... what follows was set in this part of the trace */
	bool writeback_open;
	int64_t writeback_begin_ns;
	uint64_t writeback_ino, writeback_start, writeback_end;

	struct dax_fault first; /* the bottom of the stack */
};

/* Recently used records are found without hashing: a power of two. */
#define DAX_RECENT 256u

/* Grows with the number of threads: some 400 bytes each, 1.6 KiB when their faults have nested. */
struct dax_pairing {
	void (*done)(void *user, const struct dax_fault *fault);
	void *user;
	bool continues;
	struct mm_loss_times losses;
	struct dax_thread *threads;
	uint32_t thread_count;
	size_t thread_room;
	struct mm_hash by_tid;
	uint32_t recent[DAX_RECENT]; /* numbers of threads, by their tid's low bits */
	struct dax_pairing_counts counts, undetermined;
};

/* @done receives each fault once, with all its evidence. NULL when out of memory. */
struct dax_pairing *dax_pairing_create(void (*done)(void *user, const struct dax_fault *fault),
				       void *user);
void dax_pairing_destroy(struct dax_pairing *pairing);

/*
 * To be called before the first event of a part of a trace that started earlier. Threads are
 * unknown then, until one of their faults has started and ended: faults that were open before are
 * below it on the stack, and the rest of a thread's state was set since. An event that refers to
 * those below (an exit or evidence without an open fault) sets @reached and postpones this to the
 * next fault.
 */
void dax_pairing_continues(struct dax_pairing *pairing);

struct dax_thread *dax_pairing_find_thread(struct dax_pairing *pairing, int32_t tid);

/* Returns the thread @tid, or NULL. The pointer is valid until a thread is made. */
static inline struct dax_thread *dax_pairing_thread(struct dax_pairing *pairing, int32_t tid)
{
	uint32_t number = pairing->recent[(uint32_t)tid % DAX_RECENT];

	if (number < pairing->thread_count && pairing->threads[number].tid == tid)
		return &pairing->threads[number];
	return dax_pairing_find_thread(pairing, tid);
}

/*
 * Another thread has the thread id from now on: open faults of the previous one do not end. Not in
 * a later part of a trace.
 */
void dax_pairing_replaced(struct dax_pairing *pairing, struct dax_thread *thread, int64_t now_ns);

/* Makes the thread @tid, of which there is none yet. NULL: out of memory. */
struct dax_thread *dax_pairing_make_thread(struct dax_pairing *pairing, int32_t tid);

/* Open fault number @at, from the bottom; number @depth is the pending one. */
static inline struct dax_fault *dax_thread_fault(struct dax_thread *thread, unsigned int at)
{
	return at ? &thread->deeper[at - 1] : &thread->first;
}

/* Room for deeper faults. Returns 0, or -1: out of memory. */
int dax_thread_deepen(struct dax_thread *thread);

/*
 * A fault starts. Returns it with identity, kind, start, after_fallback and hidden set, and without
 * evidence events; the caller fills in the process and the evidence. NULL: out of memory.
 */
struct dax_fault *dax_pairing_begin(struct dax_pairing *pairing, struct dax_thread *thread,
				    const struct dax_fault_key *key, int64_t begin_ns);

/*
 * A fault ends, on @cpu. An exit closes the topmost open fault of its key; those above it have lost
 * their exits.
 */
void dax_pairing_end(struct dax_pairing *pairing, struct dax_thread *thread,
		     const struct dax_fault_key *key, uint32_t cpu, int64_t end_ns,
		     uint32_t result);

/*
 * The evidence for file @ino, from @cpu at @time_ns: of the thread's fault that it belongs to,
 * open, or ended as the thread's last. NULL when there is none.
 */
struct dax_evidence *dax_pairing_evidence(struct dax_pairing *pairing, struct dax_thread *thread,
					  uint64_t ino, uint32_t cpu, int64_t time_ns,
					  bool also_ended);

/*
 * Events were lost, with the arguments of mm_handler.lost(), in a stream that may have events of
 * faults. Returns 0, or -1: out of memory.
 *
 * It is not certain that an entry and the next exit of its key are one fault if the first one's
 * exit and the entry of another fault may be missing in between, which requires two missing events.
 * A thread can change the CPU at any time, so the CPU of these does not matter. Only if another
 * stream is missing completely, a pair counts as one fault, and as uncertain.
 */
int dax_pairing_lost(struct dax_pairing *pairing, const struct mm_loss *loss, int64_t since_ns);

/* May the first event's partner, and the second one's, be missing in between? */
static inline bool dax_pair_is_uncertain(struct mm_missed missed)
{
	return missed.events >= 2;
}

/* To be called at the end of the trace. Returns the final counts. */
const struct dax_pairing_counts *dax_pairing_finish(struct dax_pairing *pairing);

#endif /* LTTNG_MM_DAX_PAIRING_H */
