/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Consumers of memory: each slab cache, size class and order of pages, with the bytes that were
 * allocated and that are left, and who allocated most. The report's answer and a table are made of
 * them.
 */
#ifndef LTTNG_MM_SLAB_REPORT_CONSUMERS_H
#define LTTNG_MM_SLAB_REPORT_CONSUMERS_H

#include "analysis/slab/report/report.h"

/* The call site, or the process as slab_thread_name() takes it, with the most bytes. */
struct slab_largest {
	uint32_t id;
	uint64_t bytes; /* 0: there is none */
};

struct slab_consumer {
	uint32_t kind;
	uint64_t allocs, bytes, unsized;
	uint64_t live_bytes; /* ... of these, at the end, for certain */
	/* Freed after all streams had started, and allocated before that. */
	uint64_t freed_bytes;
	struct slab_largest process, site;	     /* of the allocated bytes */
	struct slab_largest live_process, live_site; /* ... of the live ones */
};

struct slab_consumers {
	struct slab_consumer *all; /* the most allocated bytes first */
	uint32_t count;
	/*
	 * Frees of objects from before that state neither a cache nor a size, as kfree() does.
	 * With a filter, also frees that the filter may select (slab_may_free_selected()).
	 */
	uint64_t frees_unsized;
	uint64_t page_frees_unsure; /* frees of pages that --call-site may select */
	bool growth_known; /* no event between the start and the end is, or may be, missing */
};

/* To be released in any case. Returns 0, or -1: out of memory. */
int slab_consumers_find(const struct slab_results *results, const struct slab_options *options,
			struct slab_consumers *consumers);
void slab_consumers_release(struct slab_consumers *consumers);

/* Allocated less freed bytes, including those of objects that were allocated before. */
static inline int64_t slab_consumer_growth(const struct slab_consumer *consumer)
{
	return (int64_t)(consumer->live_bytes - consumer->freed_bytes);
}

/* Is the growth of pages, or of objects, an upper bound, as it is not known what was freed? */
static inline bool slab_growth_is_most(const struct slab_consumers *consumers, bool pages)
{
	return pages ? consumers->page_frees_unsure : consumers->frees_unsized;
}

/* Can the kernel reclaim the objects of that kind? 1, 0, or -1: not known. */
int slab_kind_is_reclaimable(const struct slab_results *results, uint32_t kind);

/* "dd (pid 812)", "kworker/u8" or "swapper (interrupt context)"; returns @text. */
const char *slab_process_text(const struct slab_results *results, uint32_t id, char *text,
			      size_t size);
#define SLAB_PROCESS_TEXT (SLAB_THREAD_BYTES + 40)
/* Sets @process to its name, which the text form shows as above, and @number to its process id. */
void slab_set_process(const struct slab_results *results, uint32_t id, struct mm_cell *process,
		      struct mm_cell *number);

/* The table of consumers, and the metrics of growth. */
void slab_report_consumers(const struct slab_results *results,
			   const struct slab_consumers *consumers,
			   const struct slab_options *options, struct mm_report *report);

/* The largest internal fragmentation of a call site and size, or of a slab cache: all equal. */
struct slab_wasteful {
	uint32_t code, kind;
	uint64_t count,
		slack; /* allocations, and bytes that each leaves unused; 0: there is none */
};

/* most-wasted.c: of kmalloc(). Returns 0, or -1: out of memory. */
int slab_most_wasteful(const struct slab_results *results, struct slab_wasteful *wasteful);

#endif /* LTTNG_MM_SLAB_REPORT_CONSUMERS_H */
