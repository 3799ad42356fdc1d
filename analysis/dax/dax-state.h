/* SPDX-License-Identifier: LGPL-2.1-only */
/* What the DAX analysis adds up, between the events and the report. */
#ifndef LTTNG_MM_DAX_DAX_STATE_H
#define LTTNG_MM_DAX_DAX_STATE_H

#include "analysis/core/consumer.h"
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
	uint64_t *latencies_ns;
	size_t count, room;
};

struct dax_file {
	unsigned int major, minor;
	uint64_t ino;
	uint64_t pmd_faults, pmd_mapped, pmd_fallbacks, pte_faults, write_protect, sync, sigbus;
	uint64_t copied, retries, finish_sync, load_hole, pmd_load_hole, mkwrite_no_entry;
	uint64_t deciding[DAX_CAUSE_COUNT], holds[DAX_CAUSE_COUNT];
	uint64_t no_pmd[DAX_NO_PMD_COUNT];
	uint64_t writeback_ranges, writeback_pages, writeback_ns;
};

struct dax_process {
	int32_t pid;
	char comm[32];
	uint64_t pmd_faults, pmd_fallbacks, pte_faults, ns;
};

struct dax_example {
	bool set;
	struct dax_fault fault;
};

#define DAX_SLOWEST_MAX 100

struct dax_state {
	struct dax_pairing *pairing;
	const struct mm_context *context;	/* set by finish */
	const struct dax_pairing_counts *pairing_counts;
	struct mm_error *err;
	bool short_of_memory;
	bool extent_declared, entry_declared;

	/* Faults wait here until the trace is over: only then is it known what it declares. */
	struct dax_fault *faults;
	size_t fault_count, fault_room;

	struct dax_group *groups;
	size_t group_count;
	struct dax_file *files;
	size_t file_count;
	struct dax_process *processes;
	size_t process_count;
	uint64_t deciding[DAX_CAUSE_COUNT], holds[DAX_CAUSE_COUNT];
	struct dax_example examples[DAX_CAUSE_COUNT];
	uint64_t no_pmd[DAX_NO_PMD_COUNT], after_fallback;
	struct dax_fault slowest[DAX_SLOWEST_MAX];	/* slowest first */
	size_t slowest_count;
	void *ranges;	/* tsearch(3) tree: 2 MiB ranges known to have a page table */
	void *writebacks;	/* tsearch(3) tree: open dax_writeback_range per thread */
};

enum dax_outcome dax_outcome_of(uint32_t result);
extern const char *const dax_outcome_name[DAX_OUTCOME_COUNT];
extern const char *const dax_no_pmd_name[DAX_NO_PMD_COUNT];
extern const char *const dax_no_pmd_why[DAX_NO_PMD_COUNT];

/* The file's record, made when new; NULL when memory is short. */
struct dax_file *dax_state_file(struct dax_state *state, unsigned int major, unsigned int minor,
				uint64_t ino);

/* Adds every waiting fault to the sums. Returns 0, or -1 when memory is short. */
int dax_state_classify(struct dax_state *state);

/* The report of the sums; see mm_analysis.fill. */
int dax_report_fill(struct dax_state *state, const struct mm_report_options *options,
		    struct mm_report *report);

#endif /* LTTNG_MM_DAX_DAX_STATE_H */
