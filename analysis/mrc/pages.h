/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Finds out which memory a touch uses, and feeds the LRU stack.
 *
 * An object is the contents of a page: a page of a file, which all processes share, or anonymous
 * memory, which belongs to an address space and to the copies that fork() made of it. A write to a
 * shared page makes a copy, which is another object. Anonymous objects are freed when no address
 * space maps them any more; pages of files stay in the page cache.
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
	uint64_t id;	   /* counts up from 1, never used again */
	uint32_t mappings; /* entries of blocks that refer to it */
	bool is_file;
};

/* An address space. */
struct mrc_space {
	uint32_t mm;
	struct mrc_blocks blocks;
	/* Keys of the pages with open spans, in the order in which they were opened. */
	uint64_t *opened;
	size_t opened_count, opened_room;
	size_t late; /* the spans from here on are closed by the next pass */
	bool in_pass, ended;
	/* Segments of the first span and of the first late span. UINT32_MAX: there is none. */
	uint32_t since, late_since;
	uint64_t others, late_others; /* pages of mrc_stack_open_others() */
	bool has_maybes;	      /* it has ranges in mrc_pages.maybes */
	bool has_huge;
	uint32_t unseen; /* the next range of mrc_prelude.unseen */
	/* The copy of the parent was made when the next object was @born. */
	struct mrc_space *parent;
	uint64_t born;
	struct mrc_space *children[MRC_CHILDREN]; /* the latest ones */
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
	struct mm_rows spaces;	 /* pointers to struct mrc_space, by number */
	struct mm_rows files[2]; /* numbers of objects, by page of a file; [1]: huge pages */
	struct mrc_mappings mappings;
	struct mm_last_ranges maybes; /* pages that may have been used; value: segment + 1 */
	uint64_t maybe_number;
	struct mrc_object *objects; /* the first one is unused */
	size_t object_count, object_room;
	uint32_t *free;
	size_t free_count, free_room;
	uint64_t next_id;
	/*
	 * Each event adds to the number of blocks that ranges may visit, so that a hostile trace
	 * does not take more than linear time. If it runs out, there is no bound.
	 */
	uint64_t visits;
	bool gave_up;
	struct mm_rows huge; /* the huge pages that were touched, by address space and number */
	/* Of the recorder's sample: */
	uint64_t touches;	 /* events */
	uint64_t unseen, around; /* pages */
	uint64_t unmarked;	 /* pages that were not marked when the time range started */
	/* Optional. @object: number below mrc_stack.page_count, not used again if @keep is set. */
	int (*touched)(void *user, uint32_t object);
	int (*freed)(void *user, uint32_t object);
	void *user;
	bool keep; /* the numbers of freed objects are not used again */
};

/*
 * @prelude must outlive @pages. Pages that are not in prelude->sample are ignored. @rate: part of
 * the other pages to count. The functions return 0, or -1 when out of memory.
 */
int mrc_pages_init(struct mrc_pages *pages, const struct mrc_prelude *prelude, double rate);
void mrc_pages_release(struct mrc_pages *pages);

int mrc_pages_touch(struct mrc_pages *pages, const struct mrc_touch *touch);
/*
 * Fetches into the caches of the CPU what mrc_pages_touch() needs for the next @count touches. At
 * most MRC_PREFETCH_MAX of them are fetched.
 */
#define MRC_PREFETCH_MAX 32u
void mrc_pages_prefetch(const struct mrc_pages *pages, const struct mrc_touch *touches,
			size_t count);
/* Handles pages that a fault mapped although they were not touched. */
int mrc_pages_around(struct mrc_pages *pages, uint32_t mm, uint64_t address, uint64_t count);
int mrc_pages_pass(struct mrc_pages *pages, uint32_t mm, bool is_end, int64_t time_ns);
/* @cause: enum lttng_mm_pageref_cause. */
int mrc_pages_gone(struct mrc_pages *pages, uint32_t mm, uint64_t address, uint64_t count,
		   unsigned int cause);
/* Handles the start of an address space, as a copy of @parent unless @parent is 0. */
int mrc_pages_space(struct mrc_pages *pages, uint32_t mm, uint32_t parent);
/* Closes all spans at the end of the trace. */
int mrc_pages_finish(struct mrc_pages *pages);

#endif /* LTTNG_MM_MRC_PAGES_H */
