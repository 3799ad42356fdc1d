/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Data of a trace that must be known before its touches are read:
 *
 * - the mappings from before the time range and from state dumps
 * - the names of processes
 * - the recorder's sample of the pages
 * - the pages that are not marked when the time range starts
 * - unseen pages, which a pass finds without a mark although no touch was recorded
 *
 * Pages of the last two kinds may be used without a recorded touch. An unseen page may have been
 * used since the previous pass, but only the later pass reports it.
 */
#ifndef LTTNG_MM_MRC_PRELUDE_H
#define LTTNG_MM_MRC_PRELUDE_H

#include "analysis/mrc/mapped-files.h"
#include "analysis/pageref/unmarked-pages.h"

#define MRC_NAME_BYTES 16
#define MRC_NO_UNSEEN UINT32_MAX

/* An address space. The key is its number. */
struct mrc_known_space {
	struct mm_row key;
	uint32_t pid;	 /* 0: not known */
	uint32_t parent; /* 0: none, or not known */
	bool is_named;
	char name[MRC_NAME_BYTES];
	uint32_t first_unseen, last_unseen; /* indexes in mrc_prelude.unseen, or MRC_NO_UNSEEN */
	/* Starts of the pass in progress and of the last complete pass. INT64_MIN: none. */
	int64_t current_pass_ns, last_pass_ns;
};

/* A range of unseen pages. They may have been used since the pass that started at @since_ns. */
struct mrc_unseen {
	int64_t since_ns; /* INT64_MIN: the pass is not in the trace */
	uint64_t first, pages;
	uint32_t next; /* index of the address space's next range, in time order */
};

struct mrc_prelude {
	struct mm_rows spaces; /* struct mrc_known_space */
	struct mrc_mappings mappings;
	struct mrc_unseen *unseen;
	size_t unseen_count, unseen_room;
	/* pages without a mark when the time range starts */
	struct pageref_unmarked_pages unmarked;
	bool reads_unmarked;
	/*
	 * The lowest and the highest threshold of the recorder's sample (pageref-sample.h) in the
	 * time range. @highest 0: not known.
	 */
	uint32_t sample, highest;
};

/*
 * Reads the trace at @path. With @unmarked, also finds the pages that are not marked when the time
 * range starts. Returns an object to release with mrc_prelude_destroy(), or NULL with @err set.
 */
struct mrc_prelude *mrc_prelude_read(const char *path, const struct mm_source_options *options,
				     bool unmarked, struct mm_error *err);
void mrc_prelude_destroy(struct mrc_prelude *prelude);

/* Returns the share of the pages that the recorder sampled: above 0, at most 1. */
double mrc_prelude_recorded(const struct mrc_prelude *prelude);

/* Returns the data of an address space, or NULL if it is not known. */
const struct mrc_known_space *mrc_prelude_space(const struct mrc_prelude *prelude, uint32_t mm);

/*
 * May pages of the address space be used without a touch from the start of the time range on? They
 * are unmarked then, or the first pass finds them unmarked.
 */
bool mrc_prelude_may_use(const struct mrc_prelude *prelude, uint32_t mm);

#endif /* LTTNG_MM_MRC_PRELUDE_H */
