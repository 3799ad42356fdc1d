/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Finds out which memory a touch uses, and updates the LRU stack.
 *
 * An object is the contents of a page. It is either a page of a file, or anonymous memory. All
 * processes share a page of a file. An address space and the copies that fork() makes of it share
 * anonymous memory. A write to a shared page makes a copy: another object. Anonymous objects are
 * freed when no address space maps them any more. Pages of files stay in the page cache.
 */
#ifndef LTTNG_MM_MRC_PAGES_H
#define LTTNG_MM_MRC_PAGES_H

#include "analysis/mrc/blocks.h"
#include "analysis/mrc/prelude.h"
#include "analysis/mrc/stack.h"
#include "instrumentation/wire/pageref-sample.h"
#include "instrumentation/wire/pageref.h"

#define MRC_PAGE_SHIFT 12
#define MRC_PAGE_BYTES (UINT64_C(1) << MRC_PAGE_SHIFT)
#define MRC_HUGE_PAGES (1u << MRC_HUGE_SHIFT)
#define MRC_CHILDREN 16u

struct mrc_object {
	uint64_t id;	   /* serial number from 1 on, never reused */
	uint32_t mappings; /* number of block entries that refer to the object */
	bool is_file;
};

/* An address space. */
struct mrc_space {
	uint32_t mm;
	struct mrc_blocks blocks;
	/* Keys of the pages with open spans, in the order in which they were opened. */
	uint64_t *opened;
	size_t opened_count, opened_room;
	size_t late; /* index in @opened of the first late span */
	bool in_pass, ended;
	/*
	 * Segments in which the first span and the first late span started. A late span is ended by
	 * the next pass, not by the pass in progress. MRC_SPAN_NONE: there is none.
	 */
	uint32_t since, late_since;
	/* page counts that were passed to mrc_stack_open_others() */
	uint64_t others, late_others;
	bool has_maybes; /* mrc_pages.maybes has ranges of this address space */
	bool has_huge;
	uint32_t unseen; /* index of the next range in mrc_prelude.unseen */
	/*
	 * @parent: the address space that fork() copied. @born: id of the next new object at the
	 * time of the fork. Objects that existed then have lower ids.
	 */
	struct mrc_space *parent;
	uint64_t born;
	struct mrc_space *children[MRC_CHILDREN]; /* the latest copies of this address space */
	uint32_t child_count;
};

struct mrc_touch {
	uint32_t mm;
	uint64_t address;
	unsigned int kind; /* enum lttng_mm_pageref_kind */
	bool is_huge, is_write;
};

struct mrc_pages {
	struct mrc_stack stack;
	const struct mrc_prelude *prelude;
	struct mm_rows spaces;	 /* struct space_row, by number of the address space */
	struct mm_rows files[2]; /* objects by page of a file; [0]: 4 KiB pages, [1]: huge pages */
	struct mrc_mappings mappings;
	/* ranges that may have been used; value: segment of the last possible use, plus 1 */
	struct mm_last_ranges maybes;
	uint64_t maybe_number;
	struct mrc_object *objects; /* element 0 is unused */
	size_t object_count, object_room;
	uint32_t *free;
	size_t free_count, free_room;
	uint64_t next_id;
	/*
	 * Number of blocks that may still be visited. Each event increases the number, so even a
	 * hostile trace takes only linear time. If the number is too small, @gave_up is set, and
	 * the refaults have no upper bound.
	 */
	uint64_t visits;
	bool gave_up;
	struct mm_rows huge; /* the huge pages that were touched, by address space and number */
	/* The following members count only events and pages in the recorder's sample. */
	uint64_t touches; /* number of events */
	/*
	 * @unseen: pages that a pass found unmarked; @around: pages that were mapped by a fault on
	 * another page
	 */
	uint64_t unseen, around;
	uint64_t unmarked; /* pages that were not marked when the time range started */
	/*
	 * Optional: called for each touch of an object, and for each freed object. @object is an
	 * index in mrc_stack.pages.
	 */
	int (*touched)(void *user, uint32_t object);
	int (*freed)(void *user, uint32_t object);
	void *user;
	bool keep; /* the numbers of freed objects are not used again */
};

/*
 * Ignores pages that are not in prelude->sample. @rate is the share of the pages in the sample that
 * are counted. @prelude must outlive @pages. Functions that return an int return 0, or -1 when out
 * of memory.
 */
int mrc_pages_init(struct mrc_pages *pages, const struct mrc_prelude *prelude, double rate);
void mrc_pages_release(struct mrc_pages *pages);

int mrc_pages_touch(struct mrc_pages *pages, const struct mrc_touch *touch);
/*
 * Prefetches the data that mrc_pages_touch() needs for @touches. Ignores touches after the first
 * MRC_PREFETCH_MAX.
 */
#define MRC_PREFETCH_MAX 32u
void mrc_pages_prefetch(const struct mrc_pages *pages, const struct mrc_touch *touches,
			size_t count);
/* Handles pages that were not touched, but mapped by a fault on another page. */
int mrc_pages_around(struct mrc_pages *pages, uint32_t mm, uint64_t address, uint64_t count);
int mrc_pages_pass(struct mrc_pages *pages, uint32_t mm, bool is_end, int64_t time_ns);
/* Handles pages that the address space has lost. @cause: enum lttng_mm_pageref_cause. */
int mrc_pages_gone(struct mrc_pages *pages, uint32_t mm, uint64_t address, uint64_t count,
		   unsigned int cause);
/* Handles the start of an address space. @parent: the address space that was copied; 0: none. */
int mrc_pages_space(struct mrc_pages *pages, uint32_t mm, uint32_t parent);
/* Closes all spans at the end of the trace. */
int mrc_pages_finish(struct mrc_pages *pages);

#endif /* LTTNG_MM_MRC_PAGES_H */
