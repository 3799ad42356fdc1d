/* SPDX-License-Identifier: LGPL-2.1-only */
/* The parts of mrc_pages: objects, and spans. */
#ifndef LTTNG_MM_MRC_PAGES_PRIVATE_H
#define LTTNG_MM_MRC_PAGES_PRIVATE_H

#include "analysis/mrc/pages.h"

#define MRC_SPAN_NONE UINT32_MAX /* mrc_space.since: no span is open */
#define MRC_ANCESTORS 16u

/* A page of a file; the key is the file and the number of the page. */
struct mrc_file_row {
	struct mm_row key;
	uint32_t object;
};

/* The functions that return an int return 0, or -1 when out of memory. */

/* Is the page in the recorder's sample, with its lowest threshold? */
bool mrc_is_sampled(const struct mrc_pages *pages, uint64_t page);
/*
 * Adds an object, which @page is the first one to use. Returns its number, or 0 when out of memory.
 *
 * The recorder samples by page numbers, so objects of one page number are in one sub-sample, too.
 */
uint32_t mrc_object_add(struct mrc_pages *pages, bool is_file, bool is_huge, uint64_t page);
/* Gives the object @number to entry @at of @block. */
void mrc_object_set(struct mrc_pages *pages, struct mrc_block *block, unsigned int at,
		    uint32_t number);
/* Removes the object of an entry. */
int mrc_object_drop(struct mrc_pages *pages, struct mrc_space *space, struct mrc_block *block,
		    unsigned int at, bool may_be_freed);
/* Returns the object of a page that the address space has not touched yet; 0: out of memory. */
uint32_t mrc_object_identify(struct mrc_pages *pages, struct mrc_space *space,
			     const struct mrc_touch *touch, uint64_t key);
/* Notes that the kernel has read the object to copy it. */
int mrc_object_copy(struct mrc_pages *pages, uint32_t number);

/* Returns whether a range may visit another block. If not, notes that the analysis gave up. */
bool mrc_may_visit(struct mrc_pages *pages);
/* Calls @visit for each known page with a key from @first to @last, and removes empty blocks. */
int mrc_visit_range(struct mrc_pages *pages, struct mrc_space *space, uint64_t first, uint64_t last,
		    int (*visit)(struct mrc_pages *pages, struct mrc_space *space,
				 struct mrc_block *block, unsigned int at, void *user),
		    void *user);
/* Gives pages of a copy the objects of the parent. */
int mrc_inherit_range(struct mrc_pages *pages, struct mrc_space *space, uint64_t first,
		      uint64_t last);

/* Notes that a span of the page with @key is open. */
int mrc_spans_list(struct mrc_pages *pages, struct mrc_space *space, uint64_t key);
/* Opens a span without a touch, unless a span is open already. */
int mrc_spans_open_maybe(struct mrc_pages *pages, struct mrc_space *space, struct mrc_block *block,
			 unsigned int at);
/* Pages that are not marked in the parent are not marked in its copy, either. */
int mrc_spans_open_copies(struct mrc_pages *pages, struct mrc_space *space,
			  struct mrc_space *parent);
/* Opens spans of the sampled pages of a range. Adds their number to *@sum. */
int mrc_spans_open_range(struct mrc_pages *pages, struct mrc_space *space, uint64_t first,
			 uint64_t count, uint64_t *sum);
/* Opens spans of the unseen pages that may have been used since a pass at @since_ns or earlier. */
int mrc_spans_open_unseen(struct mrc_pages *pages, struct mrc_space *space, int64_t since_ns);
/* Removes the first @late spans from the list. The next pass closes the others. */
void mrc_spans_keep_late(struct mrc_space *space, size_t late);
int mrc_spans_end_pass(struct mrc_pages *pages, struct mrc_space *space);
/* Closes all spans of the address space. */
int mrc_spans_close_all(struct mrc_pages *pages, struct mrc_space *space);

#endif /* LTTNG_MM_MRC_PAGES_PRIVATE_H */
