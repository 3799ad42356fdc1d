/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Finds the unmarked pages of address spaces after a series of events. These pages were touched, or
 * mapped by a fault on another page, after the last pass over their address space started.
 */
#ifndef LTTNG_MM_PAGEREF_UNMARKED_PAGES_H
#define LTTNG_MM_PAGEREF_UNMARKED_PAGES_H

#include "analysis/pageref/pageref-pages.h"

struct pageref_unmarked_pages {
	struct mm_rows spaces;	    /* struct pageref_unmarked_space */
	struct mm_last_ranges gone; /* ranges of pages that are gone, without values */
	uint64_t number;	    /* number of the last range in @gone */
	bool has_passed;	    /* a pass has started */
};

/* An address space. The key is its number. */
struct pageref_unmarked_space {
	struct mm_row key;
	struct pageref_unmarked_run *runs;
	size_t count, room;
	size_t late; /* index of the first run that was added during the pass in progress */
	bool in_pass, has_ended;
};

/* Functions that return an int return 0, or -1 when out of memory. */
int pageref_unmarked_init(struct pageref_unmarked_pages *unmarked);
void pageref_unmarked_release(struct pageref_unmarked_pages *unmarked);

/*
 * Notes that the @count pages from @first on, or the huge page that starts with @first, are not
 * marked. An event of the probe describes pages of one page table, so pages after the first 512 are
 * ignored.
 */
int pageref_unmarked_add(struct pageref_unmarked_pages *unmarked, uint32_t mm, uint64_t first,
			 uint64_t count, bool is_huge);
int pageref_unmarked_touch(struct pageref_unmarked_pages *unmarked, uint32_t mm, uint64_t address,
			   bool is_huge);
/* Notes that a pass starts or ends. @skipped is true if a pass that ends gave up early. */
int pageref_unmarked_pass(struct pageref_unmarked_pages *unmarked, uint32_t mm, bool is_end,
			  bool skipped);
int pageref_unmarked_gone(struct pageref_unmarked_pages *unmarked, uint32_t mm, uint64_t first,
			  uint64_t count);
int pageref_unmarked_end(struct pageref_unmarked_pages *unmarked, uint32_t mm);

/* Does the address space exist, and have unmarked pages, including pages that are gone? */
bool pageref_unmarked_has(const struct pageref_unmarked_pages *unmarked, uint32_t mm);
/* Receives a page, or the huge page that starts with @page. */
typedef int pageref_unmarked_visit_fn(void *user, uint32_t mm, uint64_t page, bool is_huge);
/*
 * Calls @visit for all pages of @mm that are not marked, some of them more than once. Returns 0, or
 * the first result of @visit that is not 0.
 */
int pageref_unmarked_visit(const struct pageref_unmarked_pages *unmarked, uint32_t mm,
			   pageref_unmarked_visit_fn *visit, void *user);

#endif /* LTTNG_MM_PAGEREF_UNMARKED_PAGES_H */
