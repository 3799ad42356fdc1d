/* SPDX-License-Identifier: LGPL-2.1-only */
/* Sums of the DAX analysis. Events add to them, and the report reads them. */
#ifndef LTTNG_MM_DAX_DAX_STATE_H
#define LTTNG_MM_DAX_DAX_STATE_H

#include "analysis/dax/pairing.h"
#include "analysis/dax/wide.h"
#include "analysis/subsystem/analysis.h"
#include "reader/events/labels.h"
#include "reader/sysinfo/threads.h"
#include "util/hash.h"
#include "util/latencies.h"
#include "util/rows.h"

/* Outcomes of faults, according to the kernel's result. */
enum dax_outcome {
	DAX_OUTCOME_MAPPED,   /* NOPAGE, LOCKED */
	DAX_OUTCOME_FALLBACK, /* huge-page faults only */
	DAX_OUTCOME_SYNC,     /* NEEDDSYNC: a MAP_SYNC mapping had to wait for fsync */
	DAX_OUTCOME_COPIED,   /* DONE_COW: copied a private page */
	/* the kernel retries the fault: a race, or the mmap lock was released */
	DAX_OUTCOME_RETRY,
	DAX_OUTCOME_SIGBUS,
	DAX_OUTCOME_OOM,
	DAX_OUTCOME_OTHER,
	DAX_OUTCOME_COUNT,
};

/* Reasons why no huge-page fault preceded a 4 KiB fault. */
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
	enum dax_cause cause;	   /* DAX_CAUSE_COUNT: no cause */
	unsigned int major, minor; /* the device; only for DAX_CAUSE_DEVICE_MISALIGNED */
};

#define DAX_QUANTILES 4

/* Handling a fault takes only microseconds of CPU time, so a fault of a millisecond has waited. */
#define DAX_SLOW_NS 1000000

/* faults that took DAX_SLOW_NS or more */
struct dax_slow {
	uint64_t faults, ns;
};

/* Faults with the same key: kind, write protection, outcome and first failed check. */
struct dax_group {
	struct dax_group_key key;
	struct mm_latencies latencies;
	uint64_t repeated; /* faults whose access faulted again */
	/*
	 * @failed_later: faults that would also have failed a later check, so the remedy of the
	 * cause is not enough. @later: the same faults by later check.
	 */
	uint64_t failed_later, later[DAX_CAUSE_COUNT];
	uint64_t ns;			     /* total time; set by dax_state_resolve() */
	struct dax_slow slow;		     /* set by dax_state_resolve() */
	uint64_t quantile_ns[DAX_QUANTILES]; /* for dax_quantiles; set by dax_state_resolve() */
	struct dax_fault example;	     /* the slowest fault, if the group has a cause */
};

/*
 * An access that faults several times counts once: number of accesses = number of faults - repeated
 * (see note_repeated() in pairing.c).
 */
struct dax_attempts {
	uint64_t repeated;	    /* faults whose access faulted again */
	uint64_t fallback_repeated; /* repeated faults that fell back */
	uint64_t fallback_ns;	    /* time in faults that fell back */
};

struct dax_file {
	struct dax_file_key key;
	enum { DAX_FILE_NEW, DAX_FILE_COUNTED, DAX_FILE_LEFT_OUT } use;
	bool has_events; /* with --file: some events of the file pass all other filters */
	uint64_t events; /* with --file: number of all events of the file */
	uint64_t faults[DAX_KIND_COUNT][DAX_OUTCOME_COUNT];
	struct dax_attempts attempts;
	uint64_t write_protect, finish_sync, load_hole, pmd_load_hole, mkwrite_no_entry;
	uint64_t first_failed[DAX_CAUSE_COUNT], all_failed[DAX_CAUSE_COUNT];
	uint64_t writeback_ranges, writeback_pages, writeback_ns;
	uint64_t written_pages; /* from dax_writeback_one events; huge pages count as 4 KiB pages */
};

#define DAX_COMM_BYTES 32

/* A process, identified by pid and name. */
struct dax_process {
	int32_t pid;
	/* if events contain no names: number of the thread that the process is named after */
	uint32_t thread;
	char comm[DAX_COMM_BYTES]; /* untrusted */
	/* index of the element of @ranges that contains the last 4 KiB fault, or MM_HASH_NONE */
	uint32_t last_ranges;
	uint64_t faults[DAX_KIND_COUNT], pmd_fallbacks, ns;
	struct dax_attempts attempts;
};

/*
 * State of 64 adjacent 2 MiB ranges of a process's address space. Each mask has one bit per range.
 */
struct dax_ranges {
	uint64_t number; /* start address of the first range, in units of 64 ranges */
	int32_t pid;
	/* mask of ranges that have a page table, because a 4 KiB fault in them has ended */
	uint64_t known;
	/* mask of ranges in which the first 4 KiB fault has no known explanation */
	uint64_t unexplained;
};

#define DAX_SLOWEST_MAX 100

/* Fields whose labels the report shows. */
enum dax_label_field {
	DAX_LABEL_FLAGS,
	DAX_LABEL_RESULT,
	DAX_LABEL_VM_FLAGS,
	DAX_LABEL_EXTENT_TYPE,
	DAX_LABEL_FIELDS,
};

struct dax_cause_sum {
	uint64_t accesses; /* accesses whose last fault has this cause, whatever its outcome */
	uint64_t fallbacks;
	uint64_t failed_later, later[DAX_CAUSE_COUNT]; /* as in struct dax_group */
	uint64_t ns;				       /* time of all attempts */
	uint64_t fallback_ns;			       /* time of attempts that fell back */
};

/* DAX_REQUESTS is the number of all requests. Requests of packed events come first. */
#define DAX_PACKED_REQUESTS 8
#define DAX_REQUESTS (14 + DAX_PACKED_REQUESTS + 5)

/* Values of the options of the report. */
struct dax_options {
	struct mm_report_options report;
	const char *file; /* list of shell patterns; NULL: all files */
};

/* A deferred event of a thread whose state is unknown until the merge (deferred.h). */
struct dax_deferred_event;

/*
 * State of the DAX analysis. It consists of sums, sets, minima and maxima, so the states of two
 * parts of a trace can be merged. Only the pairing of a thread's events depends on their order.
 *
 * Memory grows with the number of files, processes and threads. Each 2 MiB range with 4 KiB faults
 * adds one byte, or 60 bytes if no adjacent range has such faults. A fault of more than a
 * millisecond adds 8 bytes. A fault that migrated adds 200 bytes if its cause depends on the
 * absence of an event. Memory does not grow with the number of events.
 *
 * Until dax_state_resolve(), the analysis assumes that the trace records extents (for
 * DAX_CAUSE_FS_ERROR) and that devices are misaligned (for DAX_CAUSE_DEVICE_MISALIGNED).
 */
struct dax_state {
	struct dax_pairing *pairing;
	const struct mm_sysinfo *sysinfo; /* set by finish */
	const struct dax_pairing_counts *pairing_counts;
	bool short_of_memory;
	bool extent_declared, entry_declared, writes_declared; /* set by finish */
	/* set by finish: the trace declares sched_switch, or interrupts */
	bool switches_declared, interrupts_declared;
	/* set by finish: the trace has all 4 KiB faults, so faults can be grouped into accesses */
	bool counts_accesses;
	bool wide_declared; /* set by finish: the trace declares a wide variant */
	const struct mm_event_type *checked[DAX_REQUESTS]; /* classes with valid field types */
	const struct mm_event_type *direct[DAX_REQUESTS];  /* classes whose events skip prepare() */

	/* @is_packed: mask of the requests with packed events; @packed: their field widths */
	uint32_t is_packed;
	struct dax_packed packed[DAX_PACKED_REQUESTS];
	struct dax_wides *wides;
	bool incomplete;	   /* some values of the current event are DAX_UNKNOWN */
	uint64_t incomplete_count; /* number of events with values that are DAX_UNKNOWN */
	struct mm_event whole;	   /* a packed event completed by its wide variant */
	union mm_scalar whole_fields[DAX_FIELDS_MAX];

	struct mm_labels labels[DAX_LABEL_FIELDS];

	/* threads to count; NULL: all */
	const struct mm_selection *selection;
	const char *file_pattern; /* --file; NULL: all files */
	bool any_left_out;	  /* some events were left out */
	bool is_filtered;	  /* a filter of the recorder may have excluded events */
	struct mm_selected_last selected;
	/* the recorder's faults and writebacks, which the figures omit if @knows_recorder */
	bool knows_recorder;
	uint64_t recorder_faults, recorder_writebacks;

	struct mm_threads threads;	   /* used if events contain no names */
	struct mm_threads earlier_threads; /* threads before the requested time range */

	/* The following members are used if the trace is read in parts. */
	bool continues; /* this is not the first part */
	bool started;
	bool cannot_join; /* the parts cannot be merged: read the trace in one piece */
	struct dax_deferred_event *deferred;
	size_t deferred_count, deferred_room;
	struct dax_deferred_event *replayed; /* event that dax_state_merge() replays */

	struct dax_group *groups;
	uint32_t group_count;
	size_t group_room;
	/*
	 * Number of a group plus 1; 0: no group yet. DAX_CAUSE_DEVICE_MISALIGNED uses device_groups
	 * instead.
	 */
	uint32_t group_of[DAX_KIND_COUNT][2][DAX_OUTCOME_COUNT][DAX_CAUSE_COUNT + 1];
	struct mm_hash device_groups;

	struct dax_file *files;
	uint32_t file_count;
	uint32_t other_file_count;	   /* number of excluded files, at the end of the array */
	struct mm_rows others;		   /* filters.c: processes that --pid excludes */
	uint32_t recent_files[DAX_RECENT]; /* indexed by the low bits of the inode number */
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

	/* faults with events on several CPUs, if the cause depends on the absence of an event */
	struct dax_fault *migrated;
	size_t migrated_count, migrated_room;
	/* at least one fault has an undetermined cause, because an event may be missing */
	bool undetermined_by_loss;
	/* a cause is undetermined, because the device's alignment is unknown; set by resolving */
	bool alignment_unknown;
	/* a fault on a hole has an undetermined cause: no dax_pmd_load_hole_fallback was found */
	bool lacks_hole;
	/*
	 * Set by finish. Events are missing from a stream whose only DAX events are
	 * dax_pmd_load_hole_fallback and dax_insert_pfn_mkwrite_no_entry.
	 */
	bool rare_lossy;
	int64_t begin_ns, end_ns; /* set by finish: the time that all streams cover */

	/* faults whose access may have faulted again; unknown, because events are missing */
	uint64_t maybe_repeated;
	uint64_t no_pmd[DAX_NO_PMD_COUNT], after_fallback, after_fallback_ns;
	/*
	 * Number of 4 KiB faults that only an earlier fault in the same 2 MiB range can explain. At
	 * the end, the first fault in each range counts as DAX_NO_PMD_UNDETERMINED, and the others
	 * count as DAX_NO_PMD_PAGE_TABLE.
	 */
	uint64_t unexplained;
	uint64_t writebacks_unpaired; /* events without a certain pair */
	/* pairs that were found although a whole stream is missing */
	uint64_t writebacks_uncertain;

	/* @slowest_order: indexes in @slowest, slowest fault first */
	struct dax_fault slowest[DAX_SLOWEST_MAX];
	uint8_t slowest_order[DAX_SLOWEST_MAX];
	unsigned int slowest_count;
	/* if the list is full: duration of its fastest fault */
	int64_t slowest_floor;

	/* set by dax_state_resolve(): */
	struct dax_cause_sum by_cause[DAX_CAUSE_COUNT];
	uint64_t first_failed[DAX_CAUSE_COUNT], all_failed[DAX_CAUSE_COUNT];
	const struct dax_fault *examples[DAX_CAUSE_COUNT]; /* NULL: none */
};

enum dax_outcome dax_outcome_of(uint32_t result);
extern const char *const dax_outcome_name[DAX_OUTCOME_COUNT];
extern const char *const dax_no_pmd_name[DAX_NO_PMD_COUNT];
extern const char *const dax_no_pmd_why[DAX_NO_PMD_COUNT];

/* Returns NULL when out of memory. */
struct dax_state *dax_state_create(void);
void dax_state_destroy(struct dax_state *state);

/* Returns the number of all faults of a kind. */
uint64_t dax_file_faults(const struct dax_file *file, enum dax_kind kind);

/*
 * Finds or adds the record of the file. Returns NULL when out of memory. The pointer is valid until
 * the next call.
 */
struct dax_file *dax_state_file(struct dax_state *state, const struct dax_file_key *key);

/*
 * Does --file select the file? The pattern must match its path, the path's last component, or the
 * inode number (0x1003). The first call stores the answer. It needs the paths in state->selection.
 */
bool dax_file_is_counted(const struct dax_state *state, struct dax_file *file);

/*
 * Call this for a 4 KiB fault that --file excludes. Notes that its 2 MiB range has a page table,
 * which explains later faults in the range. Returns 0, or -1 when out of memory.
 */
int dax_state_note_page_table(struct dax_state *state, int32_t pid, uint64_t address);

/*
 * Finds or adds a process. Returns its index, or MM_HASH_NONE when out of memory. If @comm is "",
 * the process is named after thread @thread.
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
 * Some causes are concluded from the absence of a dax_fault_extent event. If events of the fault
 * may be missing, these causes are uncertain. Returns @causes without them. Sets *@first to the
 * first cause in the result.
 */
uint32_t dax_causes_without(uint32_t causes, enum dax_cause *first);

/* Adds a fault to the sums. Returns 0, or -1 when out of memory. */
int dax_state_add(struct dax_state *state, const struct dax_fault *fault);

void dax_attempts_merge(struct dax_attempts *attempts, const struct dax_attempts *from);

/* Adds the counts of later failed checks. */
void dax_later_merge(uint64_t later[DAX_CAUSE_COUNT], const uint64_t from[DAX_CAUSE_COUNT]);

/* Finds or adds the group. Returns NULL when out of memory. */
struct dax_group *dax_state_group(struct dax_state *state, const struct dax_group_key *key);
/* Finds or adds an element of 64 ranges. Returns its index, or MM_HASH_NONE when out of memory. */
uint32_t dax_state_ranges(struct dax_state *state, int32_t pid, uint64_t number);
void dax_state_add_slowest(struct dax_state *state, const struct dax_fault *fault);
/* Adds an element to @migrated for the caller to fill in. Returns NULL when out of memory. */
struct dax_fault *dax_state_add_migrated(struct dax_state *state);
/* Adds a fault to the sums by cause. Returns 0, or -1 when out of memory. */
int dax_state_add_cause(struct dax_state *state, const struct dax_fault *fault, uint32_t causes,
			enum dax_cause first);
/* Returns the failed checks that explain the fault, or 0 if the fault needs no explanation. */
uint32_t dax_fault_causes(const struct dax_fault *fault, enum dax_cause *first);
/*
 * Does @a come before @b in the list of the slowest faults? Slower faults come first. Of equally
 * slow faults, the one that ended first comes first.
 */
bool dax_fault_is_slower(const struct dax_fault *a, const struct dax_fault *b);

/*
 * Merges @later, the state of the next part of the trace, into @state. Returns 0 on success; @state
 * then covers both parts. Returns 1 if the parts cannot be merged exactly, so the trace must be
 * read as a whole. Returns -1 when out of memory. The caller must then destroy @later and, after 1
 * or -1, also @state.
 */
int dax_state_merge(struct dax_state *state, struct dax_state *later);

/* dax-events.c: requests the events for dax_state_event(), and events of threads. */
void dax_request_events(struct mm_requests *requests);
/* Does the trace declare the wide variant of any event? */
bool dax_wides_are_declared(const struct mm_source *source);
/* Reads the labels of an event class for the report. Returns 0, or -1 when out of memory. */
int dax_read_labels(struct dax_state *state, const struct mm_event_type *type);
/* Processes one event. Returns 0, or -1 when out of memory. */
int dax_state_event(struct dax_state *state, const struct mm_event *event);

/*
 * Call this at the end of the trace. Corrects causes that depend on a wrong assumption. Returns 0,
 * or -1 when out of memory.
 */
int dax_state_resolve(struct dax_state *state);

/* dax-metrics.c: reports a metric for each possible kind, outcome and cause. */
void dax_report_fault_metrics(const struct dax_state *state, struct mm_report *report);
/* Room for a path and for the labels of flags. */
#define DAX_FAULT_TEXT 8192
/*
 * evidence.c: describes the fault and its evidence events on one line, with labels of flags. The
 * line starts with the time of the fault in a form that --begin accepts; @gmt: in UTC.
 */
void dax_describe(const struct dax_state *state, const struct dax_fault *fault, bool gmt,
		  char *text, size_t size);
/* Fills the columns of enum dax_fault_column from @cells on. */
void dax_report_fault(const struct dax_state *state, const struct dax_fault *fault,
		      struct mm_cell *cells, struct mm_report *report);
/* Returns the name of the process; "<...>" if it is unknown. */
const char *dax_fault_comm(const struct dax_state *state, const struct dax_fault *fault);
/* report-files.c: fills the tables by file, and the table of writeback. */
void dax_report_files(struct dax_state *state, struct mm_report *report);
void dax_report_writeback(struct dax_state *state, struct mm_report *report);
/*
 * Returns the path of the file. If the path is unknown, returns the mount point or the device.
 * Returns NULL when out of memory. Release with free().
 */
char *dax_file_name(const struct dax_state *state, const struct dax_file_key *key);
/* Returns the file with the most time in fallbacks; NULL if no file has fallbacks. */
const struct dax_file *dax_file_of_most_fallbacks(const struct dax_state *state);
/* report-processes.c: fills the table by process. */
void dax_report_processes(const struct dax_state *state, struct mm_report *report);
/*
 * Returns an array of *@count processes, sorted by the time in faults, or NULL when out of memory.
 * Processes with the same name and pid are one element. Release with free().
 */
struct dax_process *dax_list_processes(const struct dax_state *state, uint32_t *count);

/* findings.c: adds findings and notes, and the totals as metrics. */
void dax_report_findings(struct dax_state *state, const struct dax_options *options,
			 struct mm_report *report);
/*
 * filters.c: states the use of --file and --pid. If nothing matches, names other files or
 * processes.
 */
void dax_report_filters(const struct dax_state *state, const struct dax_options *options,
			struct mm_report *report);
/*
 * Returns --file and --pid as text, each after a space, or NULL when out of memory. Release with
 * free().
 */
char *dax_filters_text(const struct dax_options *options);
/* Functions that return an int return 0, or -1 when out of memory. */
int dax_filters_init(struct dax_state *state);
/* Counts @events of a process that --pid excludes; @comm may be empty. */
int dax_filters_note_process(struct dax_state *state, int32_t pid, uint64_t events,
			     const char *comm);
int dax_filters_merge(struct dax_state *state, const struct dax_state *later);
/* answer.c: adds the answer, and the table and the command of the first screen. */
void dax_report_answer(const struct dax_state *state, struct mm_report *report);

/* Sums over all files. */
struct dax_totals {
	uint64_t pmd, pmd_mapped, pmd_fallbacks, pte;
	struct dax_attempts attempts;
	/* time in 4 KiB faults, in faults that mapped a huge page, and in all faults */
	uint64_t pte_ns, mapped_ns, all_ns;
};

struct dax_totals dax_sum_up(const struct dax_state *state);
/*
 * Estimates how long @accesses would have taken, in ns, if each had mapped a huge page. Returns a
 * negative number if no estimate is possible.
 */
double dax_estimate_huge(const struct dax_state *state, const struct dax_totals *totals,
			 uint64_t accesses);
/* Notes how many events have unknown values. */
void dax_report_incomplete(const struct dax_state *state, struct mm_report *report);
/* Return the names of the group's kind and of its cause ("": no cause). */
const char *dax_group_kind(const struct dax_group_key *key);
const char *dax_group_cause(const struct dax_group_key *key);
/*
 * Returns the remedy for the cause. The remedy for an undetermined cause depends on the trace; its
 * text may be written to @text.
 */
const char *dax_cause_remedy(const struct dax_state *state, enum dax_cause cause,
			     const struct mm_report *report, char *text, size_t size);
#define DAX_REMEDY_TEXT 400
extern const double dax_quantiles[DAX_QUANTILES];
/* With fewer faults than this, the 99th percentile hardly differs from the maximum. */
#define DAX_P99_FAULTS 200

/* Fills the report; see mm_analysis.fill. */
int dax_report_fill(struct dax_state *state, const struct dax_options *options,
		    struct mm_report *report);

#endif /* LTTNG_MM_DAX_DAX_STATE_H */
