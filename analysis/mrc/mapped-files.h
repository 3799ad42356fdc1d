/* SPDX-License-Identifier: LGPL-2.1-only */
/* The mappings of address spaces: which page of which file, if any, is at an address. */
#ifndef LTTNG_MM_MRC_MAPPED_FILES_H
#define LTTNG_MM_MRC_MAPPED_FILES_H

#include <stdbool.h>

#include "reader/events/source.h"
#include "util/last-range.h"

/* A mapping. @first and @file_page are page numbers, in units of 4 KiB. */
struct mrc_mapping {
	uint64_t first, file_page; /* page of the file at @first */
	uint64_t ino;
	uint32_t dev;
	bool is_file, is_shared, is_writable;
};

struct mrc_mappings {
	struct mm_last_ranges ranges;
	struct mrc_mapping *all; /* element 0 is unused */
	size_t count, room;
	uint64_t number; /* number of the last range */
};

/* Functions that return an int return 0, or -1 when out of memory. */
int mrc_mappings_init(struct mrc_mappings *mappings);
void mrc_mappings_release(struct mrc_mappings *mappings);

/* Requests @event: pageref_mapping, or another event with the same fields. */
void mrc_mappings_request(struct mm_requests *requests, const char *event);
int mrc_mappings_add(struct mrc_mappings *mappings, const struct mm_event *event);
/* Removes the mappings from page @first to @last. */
int mrc_mappings_remove(struct mrc_mappings *mappings, uint32_t mm, uint64_t first, uint64_t last);
/*
 * Returns the mapping of a page, or NULL. If @known is not NULL, sets *@known to true if any
 * mapping of the page was added or removed before.
 */
const struct mrc_mapping *mrc_mappings_find(const struct mrc_mappings *mappings, uint32_t mm,
					    uint64_t page, bool *known);

#endif /* LTTNG_MM_MRC_MAPPED_FILES_H */
