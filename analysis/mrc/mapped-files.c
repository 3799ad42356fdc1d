// SPDX-License-Identifier: LGPL-2.1-only
/* Keeps the mappings of address spaces, from the events that describe them. */
#include "analysis/mrc/mapped-files.h"

#include <stdlib.h>

#define PAGE_SHIFT 12

enum { MM, START, END, PGOFF, WRITABLE, SHARED, MAJOR, MINOR, INO };
static const char *const fields[] = { "mm",	"start",     "end",	  "pgoff", "writable",
				      "shared", "dev_major", "dev_minor", "ino" };

int mrc_mappings_init(struct mrc_mappings *mappings)
{
	*mappings = (struct mrc_mappings){ .count = 1 };
	return mm_last_ranges_init(&mappings->ranges);
}

void mrc_mappings_release(struct mrc_mappings *mappings)
{
	mm_last_ranges_release(&mappings->ranges);
	free(mappings->all);
}

void mrc_mappings_request(struct mm_requests *requests, const char *event)
{
	mm_requests_add(requests, event);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		mm_requests_add_field(requests, fields[i], MM_FIELD_INTEGER);
}

int mrc_mappings_add(struct mrc_mappings *mappings, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	struct mrc_mapping *all =
		mm_array_grow(mappings->all, mappings->count, &mappings->room, sizeof(*all));

	if (!all)
		return -1;
	mappings->all = all;
	if (f[START].u >= f[END].u)
		return 0;
	all[mappings->count] = (struct mrc_mapping){
		.first = f[START].u >> PAGE_SHIFT,
		.file_page = f[PGOFF].u,
		.ino = f[INO].u,
		.dev = (uint32_t)f[MAJOR].u << 20 | (uint32_t)f[MINOR].u,
		.is_file = f[INO].u || f[MAJOR].u || f[MINOR].u,
		.is_shared = f[SHARED].u,
		.is_writable = f[WRITABLE].u,
	};
	return mm_last_ranges_set(&mappings->ranges, (uint32_t)f[MM].u, f[START].u >> PAGE_SHIFT,
				  (f[END].u - 1) >> PAGE_SHIFT, ++mappings->number,
				  (uint32_t)mappings->count++);
}

int mrc_mappings_remove(struct mrc_mappings *mappings, uint32_t mm, uint64_t first, uint64_t last)
{
	return mm_last_ranges_set(&mappings->ranges, mm, first, last, ++mappings->number, 0);
}

const struct mrc_mapping *mrc_mappings_find(const struct mrc_mappings *mappings, uint32_t mm,
					    uint64_t page, bool *known)
{
	const struct mm_last_range found = mm_last_ranges_find(&mappings->ranges, mm, page);

	if (known)
		*known = found.number;
	return found.value ? &mappings->all[found.value] : NULL;
}
