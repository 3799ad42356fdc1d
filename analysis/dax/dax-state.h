/* SPDX-License-Identifier: LGPL-2.1-only */
/* The sums of the DAX analysis, between the events and the report. */
#ifndef LTTNG_MM_DAX_DAX_STATE_H
#define LTTNG_MM_DAX_DAX_STATE_H

#include "analysis/dax/pairing.h"
#include "analysis/dax/wide.h"
#include "analysis/subsystem/analysis.h"
#include "reader/events/labels.h"
#include "reader/sysinfo/threads.h"
#include "util/hash.h"
#include "util/latencies.h"
#include "util/nearest.h"

/* The outcome of a fault. */
enum dax_outcome {
	DAX_OUTCOME_MAPPED,   /* NOPAGE, LOCKED */
	DAX_OUTCOME_FALLBACK, /* PMD only */
	DAX_OUTCOME_SYNC,     /* NEEDDSYNC: mapped after an fsync, for MAP_SYNC */
	DAX_OUTCOME_COPIED,   /* DONE_COW: a private copy */
	DAX_OUTCOME_RETRY,    /* retried: a race, or the mmap lock was released */
	DAX_OUTCOME_SIGBUS,
	DAX_OUTCOME_OOM,
	DAX_OUTCOME_OTHER,
	DAX_OUTCOME_COUNT,
};

/* Why no huge-page fault preceded a 4 KiB one. */
enum dax_no_pmd {
	DAX_NO_PMD_WRITE_PROTECT,
	DAX_NO_PMD_NOHUGEPAGE,
	DAX_NO_PMD_PAGE_TABLE,
	DAX_NO_PMD_UNDETERMINED,
	DAX_NO_PMD_COUNT,
};

struct dax_group_key {
	enum dax_kind kind;
	bool write_protect;
	enum dax_outcome outcome;
	enum dax_cause cause;	   /* DAX_CAUSE_COUNT: none */
	unsigned int major, minor; /* the device, of DAX_CAUSE_DEVICE_MISALIGNED only */
};

#define DAX_QUANTILES 4

/* The faults that share kind, access, outcome and first failed check. */
struct dax_group {
	struct dax_group_key key;
	struct mm_latencies latencies;
	uint64_t repeated;		     /* ... which the same access attempted again */
	uint64_t ns;			     /* in total, since dax_state_conclude() */
	uint64_t quantile_ns[DAX_QUANTILES]; /* dax_quantiles, since then */
	struct dax_fault example;	     /* where there is a cause: the slowest */
};

/* What huge-page faults need in addition, to count accesses: see pairing.c. */
struct dax_attempts {
	uint64_t repeated;	    /* faults that the same access attempted again */
	uint64_t fallback_repeated; /* ... of those that fell back */
	uint64_t fallback_ns;	    /* time in faults that fell back */
};

struct dax_file {
	struct dax_file_key key;
	enum { DAX_FILE_NEW, DAX_FILE_COUNTED, DAX_FILE_LEFT_OUT } use;
	bool has_events; /* with --file: events that no other filter excludes */
	uint64_t faults[DAX_KIND_COUNT][DAX_OUTCOME_COUNT];
	struct dax_attempts attempts;
	uint64_t write_protect, finish_sync, load_hole, pmd_load_hole, mkwrite_no_entry;
	uint64_t first_failed[DAX_CAUSE_COUNT], all_failed[DAX_CAUSE_COUNT];
	uint64_t writeback_ranges, writeback_pages, writeback_ns;
	uint64_t written_pages; /* by dax_writeback_one: a huge page is written whole */
};

#define DAX_COMM_BYTES 32

/* A pid that is used again with another name is another process. */
struct dax_process {
	int32_t pid;
	uint32_t thread; /* events without names: its number, by which its name is looked up */
	char comm[DAX_COMM_BYTES]; /* hostile */
	uint32_t last_ranges;	   /* of its last 4 KiB fault; MM_HASH_NONE: none */
	uint64_t faults[DAX_KIND_COUNT], pmd_fallbacks, ns;
	struct dax_attempts attempts;
};

/* 64 neighbouring 2 MiB ranges of a process's address space, one bit each. */
struct dax_ranges {
	uint64_t number; /* of the 64, in the address space */
	int32_t pid;
	uint64_t known; /* has a page table, since its first 4 KiB fault ended */
	/* ... and only an earlier fault in the range would explain that one */
	uint64_t unexplained;
};

#define DAX_SLOWEST_MAX 100

/* The fields of which labels are kept. */
enum dax_label_field {
	DAX_LABEL_FLAGS,
	DAX_LABEL_RESULT,
	DAX_LABEL_VM_FLAGS,
	DAX_LABEL_EXTENT_TYPE,
	DAX_LABEL_FIELDS,
};

/* The faults of a cause. */
struct dax_cause_sum {
	uint64_t accesses;    /* that it ended without a huge page, whatever the outcome */
	uint64_t fallbacks;   /* ... that fell back */
	uint64_t ns;	      /* in all attempts */
	uint64_t fallback_ns; /* ... in those that fell back */
};

/* Kinds of requested events; the first ones are packed, and have wide variants. */
#define DAX_PACKED_REQUESTS 8
#define DAX_REQUESTS (14 + DAX_PACKED_REQUESTS + 5)

/* The values of the options of the report. */
struct dax_options {
	struct mm_report_options report;
	const char *file; /* a list of shell patterns; NULL: all files */
};

/* An event of a thread that is not known yet, kept for merging. */
struct dax_deferred_event;

/*
 * All of these are sums, sets, minima and maxima, so that two parts of a trace can be joined:
 * nothing but the pairing of each thread's events depends on their order. Memory grows with the
 * number of files, processes, threads and 2 MiB ranges touched by 4 KiB faults (a byte, or 60 where
 * they are alone), and with faults that take longer than a millisecond (8 bytes each), or that
 * change the CPU and depend on the absence of an event (200 bytes each); not with the number of
 * events.
 *
 * What only the end of the trace or the snapshot's system information can show is assumed until
 * dax_state_conclude(): that the trace records extents (DAX_CAUSE_FS_ERROR depends on that), and
 * that devices are not aligned (DAX_CAUSE_DEVICE_MISALIGNED).
 */
struct dax_state {
	struct dax_pairing *pairing;
	const struct mm_sysinfo *sysinfo; /* set by finish */
	const struct dax_pairing_counts *pairing_counts;
	bool short_of_memory;
	bool extent_declared, entry_declared, writes_declared; /* set by finish */
	bool switches_declared; /* ... likewise: `report why` can tell time off the CPU */
	/* ... 4 KiB faults are recorded, which separate the accesses that fall back */
	bool counts_accesses;
	bool wide_declared;				   /* ... some wide variant */
	const struct mm_event_type *checked[DAX_REQUESTS]; /* have the fields that we read */
	const struct mm_event_type *direct[DAX_REQUESTS];  /* ... which all values fit */

	/* Packed events: of which kinds they are, as a mask, and how wide their fields are. */
	uint32_t is_packed;
	struct dax_packed packed[DAX_PACKED_REQUESTS];
	struct dax_wides *wides;
	bool incomplete;	   /* the event at hand has values that are DAX_UNKNOWN */
	uint64_t incomplete_count; /* events that had */
	struct mm_event whole;	   /* a packed event with what its wide variant has */
	union mm_scalar whole_fields[DAX_FIELDS_MAX];

	struct mm_labels labels[DAX_LABEL_FIELDS];

	/* Whose events are counted; NULL: all threads', or the events are read. */
	const struct mm_selection *selection;
	const char *file_pattern; /* ... of which files; NULL: all */
	/* "; did you mean 'a'?", if it selects none; or empty. */
	char file_hint[MM_NEAREST_TEXT];
	bool any_left_out; /* there are events that are not counted */
	bool is_filtered;  /* a filter may have excluded any event */
	struct mm_selected_last selected;
	/* The recorder is left out: so many faults and writebacks of it have ended. */
	bool knows_recorder;
	uint64_t recorder_faults, recorder_writebacks;

	struct mm_threads threads;	   /* where events have no names */
	struct mm_threads earlier_threads; /* ... by what precedes the requested time range */

	/* For parts of a trace: */
	bool continues;	  /* this one is not the first */
	bool started;	  /* there was an event that is no state dump */
	bool cannot_join; /* the trace must be read in one piece */
	struct dax_deferred_event *deferred;
	size_t deferred_count, deferred_room;
	struct dax_deferred_event *replayed; /* during a merge */

	struct dax_group *groups;
	uint32_t group_count;
	size_t group_room;
	/* Number of the group, plus 1; those of DAX_CAUSE_DEVICE_MISALIGNED are in the hash. */
	uint32_t group_of[DAX_KIND_COUNT][2][DAX_OUTCOME_COUNT][DAX_CAUSE_COUNT + 1];
	struct mm_hash device_groups;

	struct dax_file *files;
	uint32_t file_count;
	uint32_t recent_files[DAX_RECENT]; /* by their inode's low bits */
	size_t file_room;
	struct mm_hash file_by_key;

	struct dax_process *processes;
	uint32_t process_count;
	size_t process_room;
	struct mm_hash process_by_key;

	struct dax_ranges *ranges;
	uint32_t ranges_count;
	size_t ranges_room;
	struct mm_hash ranges_by_key;

	/* Huge-page faults whose cause depends on an event that another CPU may have recorded. */
	struct dax_fault *migrated;
	size_t migrated_count, migrated_room;
	/* a cause depends on an event that may be among the missing ones */
	bool undetermined_by_loss;
	/* ... on dax_pmd_load_hole_fallback, which the fault lacks */
	bool lacks_hole;
	/*
	 * Set by finish: a stream lacks events that may only have been this one or
	 * dax_insert_pfn_mkwrite_no_entry.
	 */
	bool rare_lossy;
	int64_t begin_ns, end_ns; /* set by finish: every CPU has its events in this range */

	/* Faults that the same access may have attempted again: events are missing in between. */
	uint64_t maybe_repeated;
	uint64_t no_pmd[DAX_NO_PMD_COUNT], after_fallback, after_fallback_ns;
	/*
	 * 4 KiB faults that only an earlier one in the range would explain: DAX_NO_PMD_PAGE_TABLE,
	 * or unknown
	 */
	uint64_t unexplained;
	uint64_t writebacks_unpaired;  /* no pair, or perhaps parts of two */
	uint64_t writebacks_uncertain; /* pairs while all of another stream is missing */

	/* Slowest first; of equal ones the one that ended first. */
	struct dax_fault slowest[DAX_SLOWEST_MAX];
	uint8_t slowest_order[DAX_SLOWEST_MAX];
	unsigned int slowest_count;
	/* the list is full, and faster faults than this are not listed */
	int64_t slowest_floor;

	/* Set by dax_state_conclude(): */
	struct dax_cause_sum by_cause[DAX_CAUSE_COUNT];
	uint64_t first_failed[DAX_CAUSE_COUNT], all_failed[DAX_CAUSE_COUNT];
	const struct dax_fault *examples[DAX_CAUSE_COUNT]; /* NULL: none */
};

enum dax_outcome dax_outcome_of(uint32_t result);
extern const char *const dax_outcome_name[DAX_OUTCOME_COUNT];
extern const char *const dax_no_pmd_name[DAX_NO_PMD_COUNT];
extern const char *const dax_no_pmd_why[DAX_NO_PMD_COUNT];

/* NULL when out of memory. */
struct dax_state *dax_state_create(void);
void dax_state_destroy(struct dax_state *state);

/* All faults of a kind. */
uint64_t dax_file_faults(const struct dax_file *file, enum dax_kind kind);

/*
 * Returns a record, making it if it is new, or NULL when out of memory. It is valid until the next
 * call for the same kind.
 */
struct dax_file *dax_state_file(struct dax_state *state, const struct dax_file_key *key);

/*
 * Is the file one of those that are counted? A pattern must match its path, the last component of
 * the path, or the inode number as in 0x1003. The answer is kept: paths are known while events are
 * read, as state->selection has them.
 */
bool dax_file_is_counted(const struct dax_state *state, struct dax_file *file);

/* A 4 KiB fault that is not counted has made a page table. Returns 0, or -1: out of memory. */
int dax_state_note_page_table(struct dax_state *state, int32_t pid, uint64_t address);

/*
 * Returns the number of the process's record, or MM_HASH_NONE when out of memory. If @comm is "",
 * @thread has the name.
 */
uint32_t dax_state_process(struct dax_state *state, int32_t pid, uint32_t thread, const char *comm);

static inline bool dax_process_is(const struct dax_process *process, int32_t pid, uint32_t thread,
				  const char *comm)
{
	if (process->pid != pid || process->comm[0] != comm[0])
		return false;
	if (!comm[0])
		return process->thread == thread;
	return !__builtin_strncmp(process->comm, comm, DAX_COMM_BYTES - 1);
}

/*
 * Returns those of @causes that are certain although events of the fault may be missing: some
 * depend on the absence of dax_fault_extent.
 */
uint32_t dax_causes_without(uint32_t causes, enum dax_cause *first);

/* Adds a fault to the sums. Returns 0, or -1: out of memory. */
int dax_state_add(struct dax_state *state, const struct dax_fault *fault);

void dax_attempts_merge(struct dax_attempts *attempts, const struct dax_attempts *from);

/* For merging, too. Returns a group, making it if it is new; NULL: out of memory. */
struct dax_group *dax_state_group(struct dax_state *state, const struct dax_group_key *key);
/* The number of such a group; MM_HASH_NONE: out of memory. */
uint32_t dax_state_ranges(struct dax_state *state, int32_t pid, uint64_t number);
void dax_state_add_slowest(struct dax_state *state, const struct dax_fault *fault);
/* Makes room for one more fault that dax_state_conclude() resolves. NULL: out of memory. */
struct dax_fault *dax_state_add_migrated(struct dax_state *state);
/*
 * Adds the fault of @key, except for the cause, to the sums by cause. Returns 0, or -1: out of
 * memory.
 */
int dax_state_add_cause(struct dax_state *state, const struct dax_fault *fault, uint32_t causes,
			enum dax_cause first);
/* Returns what explains the fault. 0: it needs no explanation. */
uint32_t dax_fault_causes(const struct dax_fault *fault, enum dax_cause *first);
/*
 * Did @a take longer than @b, or as long and end first? False if they are equal: the one that is
 * listed first stays.
 */
bool dax_fault_is_slower(const struct dax_fault *a, const struct dax_fault *b);

/*
 * Joins @later, which saw the part of the trace that follows @state's. 0: @state stands for both;
 * 1: they cannot be joined exactly, the trace must be read in one piece; -1: out of memory. @later,
 * and after any result but 0 @state too, can only be destroyed.
 */
int dax_state_merge(struct dax_state *state, struct dax_state *later);

/* dax-events.c: requests the events that dax_state_event() processes, and those of threads. */
void dax_request_events(struct mm_requests *requests);
/* Does the trace declare the wide variant of any event? */
bool dax_wides_are_declared(const struct mm_source *source);
/* Keeps the labels of an event class for the report. Returns 0, or -1: out of memory. */
int dax_read_labels(struct dax_state *state, const struct mm_event_type *type);
/* Handles one event. Returns 0, or -1: out of memory. */
int dax_state_event(struct dax_state *state, const struct mm_event *event);

/* At the end of the trace: resolves the assumptions. Returns 0, or -1: out of memory. */
int dax_state_resolve(struct dax_state *state);

/*
 * dax-metrics.c: the metrics of faults by kind, outcome and cause, for every possible combination.
 */
void dax_report_fault_metrics(const struct dax_state *state, struct mm_report *report);
/* Room for a path, and for the labels of flags. */
#define DAX_FAULT_TEXT 8192
/*
 * evidence.c: the fault and its evidence events on one line, with the labels of its flags. It
 * starts with the fault's time, as --begin accepts it; @gmt: in UTC.
 */
void dax_describe(const struct dax_state *state, const struct dax_fault *fault, bool gmt,
		  char *text, size_t size);
/* Fills the columns of enum dax_fault_column; @cells is the first of them. */
void dax_report_fault(const struct dax_state *state, const struct dax_fault *fault,
		      struct mm_cell *cells, struct mm_report *report);
/* The process's name; "<...>": not known. */
const char *dax_fault_comm(const struct dax_state *state, const struct dax_fault *fault);
/* report-files.c: the tables by file, and those of writeback. */
void dax_report_files(struct dax_state *state, struct mm_report *report);
void dax_report_writeback(struct dax_state *state, struct mm_report *report);
/* The path, or what is known of it. NULL: out of memory. Release with free(). */
char *dax_file_name(const struct dax_state *state, const struct dax_file_key *key);
/* NULL: no file has fallbacks. */
const struct dax_file *dax_file_of_most_fallbacks(const struct dax_state *state);
/* report-processes.c: the table by process. */
void dax_report_processes(const struct dax_state *state, struct mm_report *report);
/*
 * Returns a list of the *@count processes, those with the most time in faults first; threads with
 * the same name are one process. NULL: out of memory. Release with free().
 */
struct dax_process *dax_list_processes(const struct dax_state *state, uint32_t *count);

/* findings.c: sentences that are not part of the answer, notes, and the totals as metrics. */
void dax_report_findings(struct dax_state *state, const struct dax_options *options,
			 struct mm_report *report);
/* report-files.c: says which figures the report has, with --file and --pid. */
void dax_report_filters(const struct dax_state *state, const struct dax_options *options,
			struct mm_report *report);
/* The two options as text, after a blank each. NULL: out of memory. Release with free(). */
char *dax_filters_text(const struct dax_options *options);
/* answer.c: the answer, with the table and the command of the first screen. */
void dax_report_answer(const struct dax_state *state, struct mm_report *report);

/* All files together. */
struct dax_totals {
	uint64_t pmd, pmd_mapped, pmd_fallbacks, pte;
	struct dax_attempts attempts;
	/* Time in 4 KiB faults, in faults that mapped a huge page, in all faults. */
	uint64_t pte_ns, mapped_ns, all_ns;
};

struct dax_totals dax_sum_up(const struct dax_state *state);
/* Reports events whose values are not all known. */
void dax_report_incomplete(const struct dax_state *state, struct mm_report *report);
/* The names of the group's kind and cause; "": no cause. */
const char *dax_group_kind(const struct dax_group_key *key);
const char *dax_group_cause(const struct dax_group_key *key);
/*
 * The remedy for the cause. For an undetermined one, it depends on the trace: then it is written to
 * @text.
 */
const char *dax_cause_remedy(const struct dax_state *state, enum dax_cause cause,
			     const struct mm_report *report, char *text, size_t size);
#define DAX_REMEDY_TEXT 400
extern const double dax_quantiles[DAX_QUANTILES];
/* With fewer faults, the 99th percentile says no more than the maximum. */
#define DAX_P99_FAULTS 200

/* Reports the sums; see mm_analysis.fill. */
int dax_report_fill(struct dax_state *state, const struct dax_options *options,
		    struct mm_report *report);

#endif /* LTTNG_MM_DAX_DAX_STATE_H */
