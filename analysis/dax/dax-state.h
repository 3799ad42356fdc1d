/* SPDX-License-Identifier: LGPL-2.1-only */
/* What the DAX analysis adds up, between the events and the report. */
#ifndef LTTNG_MM_DAX_DAX_STATE_H
#define LTTNG_MM_DAX_DAX_STATE_H

#include "analysis/core/consumer.h"
#include "analysis/core/hash.h"
#include "analysis/core/latencies.h"
#include "analysis/dax/pairing.h"

/* How a fault ended. */
enum dax_outcome {
	DAX_OUTCOME_MAPPED,	/* NOPAGE, LOCKED */
	DAX_OUTCOME_FALLBACK,	/* PMD only */
	DAX_OUTCOME_SYNC,	/* NEEDDSYNC: mapped after an fsync, for MAP_SYNC */
	DAX_OUTCOME_COPIED,	/* DONE_COW: a private copy */
	DAX_OUTCOME_RETRY,	/* tried again: a race, or the mmap lock was let go */
	DAX_OUTCOME_SIGBUS,
	DAX_OUTCOME_OOM,
	DAX_OUTCOME_OTHER,
	DAX_OUTCOME_COUNT,
};

/* Why no huge-page fault came before a 4 KiB one. */
enum dax_no_pmd {
	DAX_NO_PMD_WRITE_PROTECT,
	DAX_NO_PMD_NOHUGEPAGE,
	DAX_NO_PMD_PAGE_TABLE,
	DAX_NO_PMD_UNKNOWN,
	DAX_NO_PMD_COUNT,
};

/* The faults that share kind, access, outcome and deciding cause. */
struct dax_group {
	enum dax_kind kind;
	bool write_protect;
	enum dax_outcome outcome;
	enum dax_cause cause;	/* DAX_CAUSE_COUNT: none */
	unsigned int major, minor;	/* the device, of DAX_CAUSE_DEVICE_MISALIGNED only */
	struct mm_latencies latencies;
	struct dax_fault example;	/* where there is a cause: the one that ended first */
};

struct dax_file {
	unsigned int major, minor;
	uint64_t ino;
	uint64_t pmd_faults, pmd_mapped, pmd_fallbacks, pte_faults, write_protect, sync, sigbus;
	uint64_t copied, retries, finish_sync, load_hole, pmd_load_hole, mkwrite_no_entry;
	uint64_t deciding[DAX_CAUSE_COUNT], holds[DAX_CAUSE_COUNT];
	uint64_t writeback_ranges, writeback_pages, writeback_ns;
};

#define DAX_COMM_BYTES 32

/* A pid that comes back under another name is another process. */
struct dax_process {
	int32_t pid;
	int32_t tid;	/* events without names: each thread by itself, until its name is looked up */
	char comm[DAX_COMM_BYTES];	/* hostile */
	uint64_t last_range;	/* of its last 4 KiB fault; UINT64_MAX: none */
	uint64_t pmd_faults, pmd_fallbacks, pte_faults, ns;
};

/* A 2 MiB range of a process's address space that has a page table, since its first 4 KiB fault. */
struct dax_range {
	uint64_t number;
	int64_t first_ns;	/* the end of that fault */
	int32_t pid;
	bool unexplained;	/* nothing but an earlier fault in the range would explain that fault */
};

#define DAX_SLOWEST_MAX 100

/* Kinds of event that are wanted. */
#define DAX_WANTS 13

/* An event of a thread that is still unknown, kept for merging. */
struct dax_kept_event;

/*
 * All of it are sums, sets, minima and maxima, so that two parts of a trace can be joined: nothing depends on
 * the order of events but the pairing of each thread's. Memory grows with the number of files, processes,
 * threads and 2 MiB ranges touched by 4 KiB faults (some 60 bytes each), and with faults that take
 * longer than a millisecond (8 bytes each); not with the number of events.
 *
 * What only the end of the trace or the snapshot's context can tell is taken for granted until
 * dax_state_conclude(): that the trace records extents (DAX_CAUSE_FS_ERROR rests on that), and that
 * devices are not aligned (DAX_CAUSE_DEVICE_MISALIGNED).
 */
struct dax_state {
	struct dax_pairing *pairing;
	const struct mm_context *context;	/* set by finish */
	const struct dax_pairing_counts *pairing_counts;
	bool short_of_memory;
	bool extent_declared, entry_declared;	/* set by finish */
	const struct mm_event_type *checked[DAX_WANTS];	/* have the fields that we read */

	/* For parts of a trace: */
	bool continues;		/* this one is not the first */
	bool cannot_join;	/* the whole must be read in one piece */
	struct dax_kept_event *kept;
	size_t kept_count, kept_room;

	struct dax_group *groups;
	uint32_t group_count;
	size_t group_room;
	/* Number of the group, plus 1; those of DAX_CAUSE_DEVICE_MISALIGNED are in the hash. */
	uint32_t group_of[DAX_KIND_COUNT][2][DAX_OUTCOME_COUNT][DAX_CAUSE_COUNT + 1];
	struct mm_hash device_groups;

	struct dax_file *files;
	uint32_t file_count, last_file;
	size_t file_room;
	struct mm_hash file_by_key;

	struct dax_process *processes;
	uint32_t process_count;
	size_t process_room;
	struct mm_hash process_by_key;

	struct dax_range *ranges;
	uint32_t range_count;
	size_t range_room;
	struct mm_hash range_by_key;

	uint64_t no_pmd[DAX_NO_PMD_COUNT], after_fallback;
	uint64_t unexplained;	/* DAX_NO_PMD_PAGE_TABLE and DAX_NO_PMD_UNKNOWN together */

	/* Slowest first; of equal ones the one that ended first. */
	struct dax_fault slowest[DAX_SLOWEST_MAX];
	uint8_t slowest_order[DAX_SLOWEST_MAX];
	unsigned int slowest_count;

	/* Set by dax_state_conclude(): */
	uint64_t deciding[DAX_CAUSE_COUNT], holds[DAX_CAUSE_COUNT];
	const struct dax_fault *examples[DAX_CAUSE_COUNT];	/* NULL: none */
};

enum dax_outcome dax_outcome_of(uint32_t result);
extern const char *const dax_outcome_name[DAX_OUTCOME_COUNT];
extern const char *const dax_no_pmd_name[DAX_NO_PMD_COUNT];
extern const char *const dax_no_pmd_why[DAX_NO_PMD_COUNT];

/* NULL when memory is short. */
struct dax_state *dax_state_create(void);
void dax_state_destroy(struct dax_state *state);

/* A record, made when new; NULL when memory is short. Good until the next call for the same kind. */
struct dax_file *dax_state_file(struct dax_state *state, unsigned int major, unsigned int minor,
				uint64_t ino);

/* The number of the process's record; MM_HASH_NONE when memory is short. @comm may be "". */
uint32_t dax_state_process(struct dax_state *state, int32_t pid, int32_t tid, const char *comm);

static inline bool dax_process_is(const struct dax_process *process, int32_t pid, int32_t tid,
				  const char *comm)
{
	if (process->pid != pid || process->comm[0] != comm[0])
		return false;
	if (!comm[0])
		return process->tid == tid;
	return !__builtin_strncmp(process->comm, comm, DAX_COMM_BYTES - 1);
}

/* Adds a fault to the sums. Returns 0, or -1: memory is short. */
int dax_state_add(struct dax_state *state, const struct dax_fault *fault);

/* What merging uses too. The record of the same key as @like's, made when new; NULL: memory is short. */
struct dax_group *dax_state_group(struct dax_state *state, const struct dax_group *like);
struct dax_range *dax_state_range(struct dax_state *state, const struct dax_range *range);
void dax_state_add_slowest(struct dax_state *state, const struct dax_fault *fault);
/* Did @a end before @b? Never true of equal ones: who is there first stays. */
bool dax_fault_ended_before(const struct dax_fault *a, const struct dax_fault *b);

/*
 * Joins @later, which saw the part of the trace that follows @state's. 0: @state stands for both; 1: they cannot
 * be joined exactly, the trace is to be read in one piece; -1: memory is short. @later, and after
 * anything but 0 @state too, is good for nothing but destruction.
 */
int dax_state_merge(struct dax_state *state, struct dax_state *later);

/* Keeps a copy of an event of a thread that is still unknown. Returns 0, or -1: memory is short. */
int dax_state_keep(struct dax_state *state, struct dax_thread *thread,
		   const struct mm_event *event);

/* Handles one event. Returns 0, or -1: memory is short. */
int dax_state_event(struct dax_state *state, const struct mm_event *event);

/* The trace is over: settles what was taken for granted. Returns 0, or -1: memory is short. */
int dax_state_conclude(struct dax_state *state);

/* The report of the sums; see mm_analysis.fill. */
int dax_report_fill(struct dax_state *state, const struct mm_report_options *options,
		    struct mm_report *report);

#endif /* LTTNG_MM_DAX_DAX_STATE_H */
