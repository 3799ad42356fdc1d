/* SPDX-License-Identifier: LGPL-2.1-only */
/* Functions of struct mrc_pages that handle objects and spans. */
#ifndef LTTNG_MM_MRC_PAGES_PRIVATE_H
#define LTTNG_MM_MRC_PAGES_PRIVATE_H

#include "analysis/mrc/pages.h"

#define MRC_SPAN_NONE UINT32_MAX /* mrc_space.since: no span is open */
#define MRC_ANCESTORS 16u

/* The object of a page of a file. The key is the file and the number of the page. */
struct mrc_file_row {
	struct mm_row key;
	uint32_t object;
};

/* Functions that return an int return 0, or -1 when out of memory. */

/* Was the page in the recorder's sample during the whole time range? */
bool mrc_is_sampled(const struct mrc_pages *pages, uint64_t page);
/*
 * Adds an object for the page number @page. Returns the number of the object, or 0 when out of
 * memory.
 *
 * The recorder's sample contains all objects with the same page number, or none of them. They must
 * therefore belong to the same sub-sample.
 */
uint32_t mrc_object_add(struct mrc_pages *pages, bool is_file, bool is_huge, uint64_t page);
/* Assigns object @number to entry @at of @block. */
void mrc_object_set(struct mrc_pages *pages, struct mrc_block *block, unsigned int at,
		    uint32_t number);
/*
 * Removes the object of an entry. @may_be_freed is true if the page of a file may have been
 * discarded, so that its next touch may be a first touch. Reclaim does not count as a discard.
 */
int mrc_object_drop(struct mrc_pages *pages, struct mrc_space *space, struct mrc_block *block,
		    unsigned int at, bool may_be_freed);
/*
 * Returns the object of a page that the address space has not touched yet, or 0 when out of memory.
 */
uint32_t mrc_object_identify(struct mrc_pages *pages, struct mrc_space *space,
			     const struct mrc_touch *touch, uint64_t key);
/* Notes that the kernel has read the object to copy it. */
int mrc_object_copy(struct mrc_pages *pages, uint32_t number);

/*
 * May one more block be visited? If mrc_pages.visits is 0, returns false and sets
 * mrc_pages.gave_up.
 */
bool mrc_may_visit(struct mrc_pages *pages);
/* Calls @visit for each known page with a key from @first to @last, and removes empty blocks. */
int mrc_visit_range(struct mrc_pages *pages, struct mrc_space *space, uint64_t first, uint64_t last,
		    int (*visit)(struct mrc_pages *pages, struct mrc_space *space,
				 struct mrc_block *block, unsigned int at, void *user),
		    void *user);
/* Assigns the objects of the parent to the pages of its copy @space. */
int mrc_inherit_range(struct mrc_pages *pages, struct mrc_space *space, uint64_t first,
		      uint64_t last);

/* Adds the page with @key to the list of pages with open spans. */
int mrc_spans_list(struct mrc_pages *pages, struct mrc_space *space, uint64_t key);
/* Opens a span that starts without a touch, unless a span of the page is already open. */
int mrc_spans_open_maybe(struct mrc_pages *pages, struct mrc_space *space, struct mrc_block *block,
			 unsigned int at);
/*
 * Opens spans in @space, a new copy of @parent: if a page is not marked in the parent, it is not
 * marked in the copy, either.
 */
int mrc_spans_open_copies(struct mrc_pages *pages, struct mrc_space *space,
			  struct mrc_space *parent);
/*
 * Opens spans without a touch for the sampled pages of a range. Adds the number of pages to *@sum.
 */
int mrc_spans_open_range(struct mrc_pages *pages, struct mrc_space *space, uint64_t first,
			 uint64_t count, uint64_t *sum);
/* Opens spans of unseen pages (prelude.h) whose first use may have been at @since_ns or earlier. */
int mrc_spans_open_unseen(struct mrc_pages *pages, struct mrc_space *space, int64_t since_ns);
/* Removes the first @late spans from the list. The next pass ends the remaining spans. */
void mrc_spans_keep_late(struct mrc_space *space, size_t late);
int mrc_spans_end_pass(struct mrc_pages *pages, struct mrc_space *space);
/* Closes all spans of the address space. */
int mrc_spans_close_all(struct mrc_pages *pages, struct mrc_space *space);

#endif /* LTTNG_MM_MRC_PAGES_PRIVATE_H */
