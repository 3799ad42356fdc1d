/* SPDX-License-Identifier: LGPL-2.1-only */
/* The state of the analysis of page references: pages, mappings, address spaces and passes. */
#ifndef LTTNG_MM_PAGEREF_PAGEREF_STATE_H
#define LTTNG_MM_PAGEREF_PAGEREF_STATE_H

#include "analysis/pageref/pageref-io.h"
#include "analysis/subsystem/analysis.h"
#include "instrumentation/wire/pageref.h"
#include "reader/coverage/loss-times.h"
#include "reader/sysinfo/threads.h"
#include "util/last-range.h"

/* The kinds of touches, and a kind that this program does not know. */
#define PAGEREF_KINDS (LTTNG_MM_PAGEREF_KIND_END + 1)
extern const char *const pageref_kind_names[PAGEREF_KINDS];

/* Pages are of 4 KiB; a huge page is all pages of its page table. */
#define PAGEREF_PAGE_SHIFT 12
#define PAGEREF_PAGE_BYTES (UINT64_C(1) << PAGEREF_PAGE_SHIFT)
#define PAGEREF_TABLE_SHIFT 9
#define PAGEREF_TABLE_PAGES (1u << PAGEREF_TABLE_SHIFT)
#define PAGEREF_NO_PID UINT32_MAX

/* Numbers of the requests. The requests for threads, enum mm_thread_event, precede them. */
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

/* An address space; the key is its number. */
struct touched_space {
	struct mm_row key;
	uint32_t pid;			    /* PAGEREF_NO_PID: no event says it */
	uint32_t thread;		    /* number of the first thread that touched a page */
	uint32_t interval;		    /* number of the interval that touches belong to now */
	uint32_t first_passed, last_passed; /* intervals that start with a pass; 0: none */
	bool is_named;
	char name[MM_COMM_BYTES];
	uint64_t changed; /* number of the last range that was mapped, or whose pages are gone */
	uint64_t touches[PAGEREF_KINDS], pages, passes;
	uint64_t armed, unseen, around;
	uint64_t left_out; /* of the last pass */
};

/* The pages of one page table, or a huge page. The key is the address space and the address. */
struct pageref_pages {
	struct mm_row key;
	uint32_t interval; /* of @in_interval */
	uint32_t area;	   /* area of the last touch */
	uint64_t number;   /* state.range_number at the last touch after a change */
	uint64_t touched[PAGEREF_TABLE_PAGES / 64];	/* and not gone since */
	uint64_t in_interval[PAGEREF_TABLE_PAGES / 64]; /* touched in the interval */
};

/* A range of addresses with one mapping, in pages. */
struct pageref_area {
	uint64_t first, last;
	uint32_t object;
};

/*
 * A file or a kind of memory. The key of a file is its device, the inode number and 1. The key of
 * [heap], [stack] and other memory is its enum pageref_memory, 0, 0 and 0.
 */
struct pageref_object {
	struct mm_row key;
	char *name; /* owned; last component of a file's path; NULL: not known */
};

enum pageref_memory {
	PAGEREF_MEMORY_UNKNOWN,
	PAGEREF_MEMORY_ANONYMOUS,
	PAGEREF_MEMORY_HEAP,
	PAGEREF_MEMORY_STACK,
	PAGEREF_MEMORIES,
};

/* Touches of an object in an address space; the key is both. */
struct pageref_use {
	struct mm_row key;
	uint64_t touches, pages;
};

/* Touches of a page without a mapping so far. The key is the address space and the page. */
struct pageref_unmapped {
	struct mm_row key;
	uint64_t touches, pages;
};

/* Pages that an address space touched in an interval; the key is both. */
struct pageref_interval_use {
	struct mm_row key;
	uint64_t pages;
};

/* The time from the start of one pass over all address spaces to the start of the next one. */
struct pageref_interval {
	int64_t start_ns;
	bool lacks_events;
};

/* The last wide variant of a touch on a CPU. */
struct pageref_wide {
	uint32_t tid, mm;
	uint64_t address;
};
#define PAGEREF_WIDE_CPUS 1024u

struct pageref_state {
	struct mm_rows spaces;	      /* struct touched_space */
	struct mm_rows tables;	      /* struct pageref_pages */
	struct mm_rows objects;	      /* struct pageref_object */
	struct mm_rows uses;	      /* struct pageref_use */
	struct mm_rows unmapped;      /* struct pageref_unmapped */
	struct mm_rows interval_uses; /* struct pageref_interval_use */
	/* Ranges: mappings in pages, and page tables whose pages are gone. */
	struct mm_last_ranges mappings, earlier_mappings, gone;
	uint64_t range_number;
	struct pageref_area *areas; /* area 0 is unknown */
	size_t area_count, area_room;
	struct pageref_interval *intervals; /* interval 0 precedes the first pass */
	size_t interval_count, interval_room;
	uint32_t last_passed; /* the address space of the last pass */
	struct pageref_wide wides[PAGEREF_WIDE_CPUS];
	struct pageref_io io;
	struct mm_threads threads, earlier_threads;
	struct mm_loss_times losses;
	const struct mm_sysinfo *sysinfo;
	uint64_t incomplete; /* touches with a value that does not fit, and no wide variant */
	bool started;	     /* an event other than state dumps and threads was handled */
	bool failed;
	bool has_system_calls; /* the trace declares events of system calls */
};

/* Return NULL or -1 when out of memory. */
struct pageref_state *pageref_state_create(void);
void pageref_state_destroy(struct pageref_state *state);
void pageref_state_request(struct mm_requests *requests);
void pageref_state_request_history(struct mm_requests *requests);
int pageref_state_event(struct pageref_state *state, const struct mm_event *event);
/* Handles an event of the history before the requested time range. */
int pageref_state_before(struct pageref_state *state, const struct mm_event *event);
int pageref_state_finish(struct pageref_state *state, const struct mm_sysinfo *sysinfo);

/*
 * Fills the report. Returns 0, or -1 with report->failed set. Options: --top and --pid.
 */
int pageref_report_fill(struct pageref_state *state, const struct mm_report_options *options,
			struct mm_report *report);

#endif /* LTTNG_MM_PAGEREF_PAGEREF_STATE_H */
