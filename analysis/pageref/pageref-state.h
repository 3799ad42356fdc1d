/* SPDX-License-Identifier: LGPL-2.1-only */
/* The state of the analysis of page references: mappings, address spaces, threads and passes. */
#ifndef LTTNG_MM_PAGEREF_PAGEREF_STATE_H
#define LTTNG_MM_PAGEREF_PAGEREF_STATE_H

#include "analysis/pageref/pageref-io.h"
#include "analysis/pageref/pageref-pages.h"
#include "analysis/pageref/pageref-queue.h"
#include "analysis/pageref/unmarked-pages.h"
#include "analysis/subsystem/analysis.h"
#include "instrumentation/wire/pageref-sample.h"
#include "instrumentation/wire/pageref.h"
#include "reader/coverage/loss-times.h"
#include "reader/sysinfo/threads.h"

/* Number of kinds of touches. The last kind stands for kinds that this program does not know. */
#define PAGEREF_KINDS (LTTNG_MM_PAGEREF_KIND_END + 1)
extern const char *const pageref_kind_names[PAGEREF_KINDS];

#define PAGEREF_NO_PID UINT32_MAX

/* Requests in their order. The requests for events of threads, enum mm_thread_event, come first. */
enum pageref_request {
	PAGEREF_ON_SPACE = MM_THREAD_DUMP_LTTNG + 1,
	PAGEREF_ON_MAPPING,
	PAGEREF_ON_FILE,
	PAGEREF_ON_TOUCH,
	PAGEREF_ON_TOUCH_WIDE,
	PAGEREF_ON_AROUND,
	PAGEREF_ON_PASS,
	PAGEREF_ON_UNSEEN,
	PAGEREF_ON_GONE,
	PAGEREF_ON_FILE_IO,
	PAGEREF_ON_SPACE_DUMP,
	PAGEREF_ON_MAPPING_DUMP,
};

/* Fields of events of mappings. */
enum {
	PAGEREF_MAPPING_MM,
	PAGEREF_MAPPING_START,
	PAGEREF_MAPPING_END,
	PAGEREF_MAPPING_PGOFF,
	PAGEREF_MAPPING_MAJOR,
	PAGEREF_MAPPING_MINOR,
	PAGEREF_MAPPING_INO,
	PAGEREF_MAPPING_NAME
};

/*
 * Counts for an address space, a mapping or a thread. All members except @touches count pages.
 */
struct pageref_counts {
	uint64_t touches, pages, written, huge;
	/*
	 * possibly touched pages: a pass found them without a mark, or a fault on another page
	 * mapped them
	 */
	uint64_t maybe;
};

/*
 * Minimum ages of cold pages. The age of a page is the time from its last touch to the end of the
 * trace.
 */
#define PAGEREF_AGES 3
extern const int64_t pageref_ages_ns[PAGEREF_AGES];
extern const char *const pageref_age_names[PAGEREF_AGES];

/*
 * Resident pages. They were touched, and the address space had not lost them at the end of the
 * trace.
 */
struct pageref_resident {
	uint64_t pages;
	/* for each age: pages without a recorded touch for that long; an upper bound */
	uint64_t most_cold[PAGEREF_AGES];
	/* for each age: pages that were marked for that long; a lower bound */
	uint64_t least_cold[PAGEREF_AGES];
};

/* An address space. The key is its number. */
struct touched_space {
	struct mm_row key;
	uint32_t pid; /* PAGEREF_NO_PID: unknown */
	/*
	 * number of the first thread that touched one of its pages; MM_HASH_NONE: no touch so far,
	 * or the address space was named before its first touch
	 */
	uint32_t thread;
	uint32_t interval; /* number of the interval to which new touches belong */
	uint32_t before;   /* interval before the last pass */
	/* first and last interval that starts with a pass over the address space; 0: none */
	uint32_t first_passed, last_passed;
	/*
	 * Pages with earlier touches may have been used until this interval, because a pass left
	 * out the address space or some of its pages.
	 */
	uint32_t used_until;
	bool is_named, has_ended;
	char name[MM_COMM_BYTES];
	uint64_t changed; /* value of pages.number at the last change of its pages or mappings */
	uint64_t touches[PAGEREF_KINDS], passes;
	struct pageref_counts counts;
	struct pageref_resident resident;
	uint64_t armed, unseen, around;
	/* possibly touched pages that were not marked when the time range started */
	uint64_t unmarked;
	/* pages that the last pass did not mark, because their mapping is never marked */
	uint64_t left_out;
};

/* A mapping. @first is its first page, and @pgoff the offset of this page in the file, in pages. */
struct pageref_area {
	uint64_t first, pgoff;
	uint32_t object;
	uint32_t use; /* row of struct pageref_use; 0: not known yet */
};

/*
 * A file or a kind of memory. The key of a file has its device, its inode number and 1. The key of
 * [heap], [stack] and other memory has its enum pageref_memory and zeros.
 */
struct pageref_object {
	struct mm_row key;
	char *name;	/* owned; last component of a file's path; NULL: not known */
	bool is_listed; /* the option --first-touch names the file */
};

enum pageref_memory {
	PAGEREF_MEMORY_UNKNOWN,
	PAGEREF_MEMORY_ANONYMOUS,
	PAGEREF_MEMORY_HEAP,
	PAGEREF_MEMORY_STACK,
	PAGEREF_MEMORIES,
};

/* Counts for an object in an address space. The key is the object and the address space. */
struct pageref_use {
	struct mm_row key;
	struct pageref_counts counts;
	struct pageref_resident resident;
};

/* Counts for a thread in an address space. The key is the thread and the address space. */
struct pageref_thread_use {
	struct mm_row key;
	struct pageref_counts counts; /* a page counts for the thread that touched it first */
	uint64_t kernel;	      /* touches by the kernel, for example in a system call */
};

/* The first touch of a page. */
struct pageref_first {
	int64_t time_ns;
	uint32_t thread;
	uint8_t kind;
	bool huge;
};

/*
 * Counts for a page whose mapping is not known yet. @counts.maybe is the number of possibly touched
 * pages in ranges that start with this page. The key is the address space and the page.
 */
struct pageref_unmapped {
	struct mm_row key;
	struct pageref_counts counts;
	uint64_t certain; /* pages that first counted as possibly touched, then as touched */
	struct pageref_first first;
};

/* First touch of a listed file's page. The key is object, page in the file and address space. */
struct pageref_file_page {
	struct mm_row key;
	struct pageref_first first;
};

/* Pages of an address space in an interval. The key is the address space and the interval. */
struct pageref_interval_use {
	struct mm_row key;
	/*
	 * for each span of time that contains the interval: pages that were touched in the
	 * interval, but not earlier in the span
	 */
	uint64_t pages[PAGEREF_SPANS];
	uint64_t unseen, around;
};

/* The time from the start of one pass over all address spaces to the start of the next one. */
struct pageref_interval {
	int64_t start_ns;
	bool lacks_events;
	/* for each span of time that contains this interval: its first interval */
	uint32_t firsts[PAGEREF_SPANS];
};

/* The last wide variant of a touch on a CPU. */
struct pageref_wide {
	uint32_t tid, mm;
	uint64_t address;
};
#define PAGEREF_WIDE_CPUS 1024u

struct pageref_state {
	struct pageref_pages pages;
	struct mm_rows spaces;	      /* struct touched_space */
	struct mm_rows objects;	      /* struct pageref_object */
	struct mm_rows uses;	      /* struct pageref_use */
	struct mm_rows thread_uses;   /* struct pageref_thread_use */
	struct mm_rows unmapped;      /* struct pageref_unmapped */
	struct mm_rows file_pages;    /* struct pageref_file_page */
	struct mm_rows interval_uses; /* struct pageref_interval_use */
	/* Ranges of pages. A value is the number of an area, or 0 for pages that were unmapped. */
	struct mm_last_ranges mappings, earlier_mappings;
	struct pageref_area *areas; /* area 0 stands for an unknown mapping */
	size_t area_count, area_room;
	struct pageref_interval *intervals; /* interval 0 precedes the first pass */
	size_t interval_count, interval_room;
	uint32_t last_passed; /* number of the address space of the last pass */
	struct pageref_wide wides[PAGEREF_WIDE_CPUS];
	struct pageref_queue queue;
	struct pageref_io io;
	/* pages without a mark when the time range starts */
	struct pageref_unmarked_pages unmarked;
	struct mm_threads threads, earlier_threads;
	struct mm_loss_times losses;
	const struct mm_sysinfo *sysinfo;
	/* times of the first and the last event; state dumps and events of threads do not count */
	int64_t start_ns, end_ns;
	/* ignored touches: a value does not fit, and the wide variant is missing */
	uint64_t incomplete;
	/*
	 * number of passes that did not mark all pages; number of faults whose touches may be
	 * missing
	 */
	uint64_t skipped, missed_ends;
	/*
	 * Thresholds of the recorder's sample (pageref-sample.h). Pages outside of @sample are
	 * ignored. Pages in @lowest_sample were recorded all the time. Other pages in
	 * @highest_sample were recorded only at times.
	 */
	uint32_t sample, lowest_sample, highest_sample;
	const char *first_touch; /* name of the file whose pages are listed; NULL: none */
	bool started;		 /* an event other than a state dump or thread event was handled */
	bool failed;
	bool has_gaps;	       /* events may be missing in an interval */
	bool has_begin;	       /* the time range starts at a requested time */
	bool has_system_calls; /* the trace declares events of system calls */
	bool has_user_stacks;  /* the trace declares user call stacks */
	bool has_file_io;      /* the trace declares reads and writes of files */
};

/* The functions below return NULL or -1 when out of memory. */
struct pageref_state *pageref_state_create(void);
void pageref_state_destroy(struct pageref_state *state);
/*
 * Requests all events that pageref_state_event() handles. If @places_only is true, requests only
 * those fields of touches that pageref_queue_find_place() needs.
 */
void pageref_state_request(struct mm_requests *requests, bool places_only);
void pageref_state_request_history(struct mm_requests *requests);
/* Like pageref_state_request_history(). Also requests the events that mark or unmark pages. */
void pageref_state_request_unmarked(struct mm_requests *requests);
int pageref_state_event(struct pageref_state *state, const struct mm_event *event);
/*
 * Handles an event from before the time range. @is_ahead is false if the events of the time range
 * were read first: names of address spaces that have no event in the time range are then ignored.
 */
int pageref_state_before(struct pageref_state *state, const struct mm_event *event, bool is_ahead);
/* Notes a loss that mm_handler.lost() received. */
void pageref_state_lost(struct pageref_state *state, const struct mm_loss *loss, int64_t begin_ns);
int pageref_state_finish(struct pageref_state *state, const struct mm_sysinfo *sysinfo);

/* Returns the address space @mm. Adds it if it is new. Returns NULL when out of memory. */
struct touched_space *pageref_state_space(struct pageref_state *state, uint32_t mm);

/*
 * Notes the streams that may lack events at their start or end. Returns 0, or -1 when out of
 * memory.
 */
int pageref_state_start(struct pageref_state *state, const struct mm_source *source);

/*
 * Notes the time of an event that is neither a state dump nor an event of a thread, as
 * pageref_state_event() does. Returns 0, or -1 when out of memory.
 */
static inline int pageref_state_note(struct pageref_state *state, const struct mm_event *event)
{
	if (!state->started && pageref_state_start(state, event->source))
		return -1;
	if (event->time_ns < state->start_ns)
		state->start_ns = event->time_ns;
	if (event->time_ns > state->end_ns)
		state->end_ns = event->time_ns;
	return 0;
}

/* If an address space has had no pass yet, moves it to the interval of the other address spaces. */
static inline void pageref_state_enter_interval(const struct pageref_state *state,
						struct touched_space *space)
{
	if (!space->first_passed)
		space->interval = (uint32_t)state->interval_count - 1;
}

static inline bool pageref_state_is_sampled(const struct pageref_state *state, uint64_t page)
{
	return lttng_mm_sample_has(state->sample, page);
}

/* Adds an object for each kind of memory, and area 0. */
int pageref_mappings_init(struct pageref_state *state);
/* Adds the mapping of an event to state->mappings or state->earlier_mappings. */
int pageref_mappings_add(struct pageref_state *state, const struct mm_event *event,
			 struct mm_last_ranges *mappings);
/* Returns the counts for an object in an address space, or NULL when out of memory. */
struct pageref_use *pageref_mappings_use(struct pageref_state *state, uint32_t object, uint32_t mm);
/*
 * Returns the counts for the object of @area, or for the unknown object if @area is 0. Returns NULL
 * when out of memory.
 */
struct pageref_use *pageref_mappings_use_in(struct pageref_state *state, uint32_t area,
					    uint32_t mm);
/* Returns the row of a page whose mapping is not known yet, or NULL when out of memory. */
struct pageref_unmapped *pageref_mappings_unmapped(struct pageref_state *state, uint32_t mm,
						   uint64_t page);
/*
 * Adds @maybe possibly touched pages, from @page on, to the counts of @page's mapping. Returns 0,
 * or -1 when out of memory.
 */
int pageref_mappings_maybe(struct pageref_state *state, uint32_t mm, uint64_t page, uint64_t maybe);
/*
 * Subtracts @certain pages from the possibly touched pages of @use, because they were touched. The
 * result is at least 0.
 */
void pageref_mappings_subtract(struct pageref_use *use, uint64_t certain);
/*
 * Returns the area of a mapping that contains any of @count pages from @first on, or 0. Considers
 * the mappings at the end of the trace.
 */
uint32_t pageref_mappings_area(const struct pageref_state *state, uint32_t mm, uint64_t first,
			       uint64_t count);
/* Notes a first touch of @page, which is in @area, if --first-touch lists the pages of its file. */
int pageref_mappings_first(struct pageref_state *state, const struct pageref_area *area,
			   uint64_t page, uint32_t mm, const struct pageref_first *first);
/* Adds the counts in state->unmapped to mappings from before the time range or from state dumps. */
int pageref_mappings_resolve(struct pageref_state *state);
/* Counts possibly touched pages that were not marked when the time range started. */
int pageref_mappings_count_unmarked(struct pageref_state *state);
/* Fills the counts of resident pages of all address spaces and uses. */
int pageref_mappings_count_resident(struct pageref_state *state);

void pageref_counts_add(struct pageref_counts *sum, const struct pageref_counts *counts);

#endif /* LTTNG_MM_PAGEREF_PAGEREF_STATE_H */
