/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What must be known of a trace before its touches are read: mappings from before the time range
 * and from state dumps, the names of processes, which sample of the pages was recorded, and two
 * kinds of pages that may be used without a touch: pages that are not marked when the time range
 * starts, and pages that passes found without a mark. The latter may have been used since the pass
 * before, but only the later pass reports them.
 */
#ifndef LTTNG_MM_MRC_PRELUDE_H
#define LTTNG_MM_MRC_PRELUDE_H

#include "analysis/mrc/mapped-files.h"
#include "analysis/pageref/unmarked-pages.h"

#define MRC_NAME_BYTES 16
#define MRC_NO_UNSEEN UINT32_MAX

/* An address space; the key is its number. */
struct mrc_known_space {
	struct mm_row key;
	uint32_t pid;	 /* 0: not known */
	uint32_t parent; /* 0: none, or not known */
	bool is_named;
	char name[MRC_NAME_BYTES];
	uint32_t first_unseen, last_unseen; /* numbers of ranges, or MRC_NO_UNSEEN */
	/* Starts of the pass in progress and of the last complete pass. INT64_MIN: none. */
	int64_t current_pass_ns, last_pass_ns;
};

/* Pages that may have been used since the pass that started at @since_ns. */
struct mrc_unseen {
	int64_t since_ns; /* INT64_MIN: the pass is not in the trace */
	uint64_t first, pages;
	uint32_t next; /* of the address space, in order of time */
};

struct mrc_prelude {
	struct mm_rows spaces; /* struct mrc_known_space */
	struct mrc_mappings mappings;
	struct mrc_unseen *unseen;
	size_t unseen_count, unseen_room;
	struct pageref_unmarked_pages unmarked; /* when the time range starts */
	bool reads_unmarked;
	/* The lowest threshold of the recorder's sample in the time range (pageref-sample.h). */
	uint32_t sample;
};

/*
 * Reads @path. @unmarked: also the pages that are not marked when the time range starts. Returns an
 * object to release with mrc_prelude_destroy(), or NULL with @err set.
 */
struct mrc_prelude *mrc_prelude_read(const char *path, const struct mm_source_options *options,
				     bool unmarked, struct mm_error *err);
void mrc_prelude_destroy(struct mrc_prelude *prelude);

/* Returns the part of the pages that the trace has, from 0 (exclusive) to 1. */
double mrc_prelude_recorded(const struct mrc_prelude *prelude);

/* Returns what is known of an address space, or NULL. */
const struct mrc_known_space *mrc_prelude_space(const struct mrc_prelude *prelude, uint32_t mm);

#endif /* LTTNG_MM_MRC_PRELUDE_H */
