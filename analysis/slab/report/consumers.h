/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Consumers of memory are slab caches, size classes and page orders. struct slab_consumer contains
 * the allocated bytes, the growth and the largest allocators of one consumer. The answer and a
 * table use this data.
 */
#ifndef LTTNG_MM_SLAB_REPORT_CONSUMERS_H
#define LTTNG_MM_SLAB_REPORT_CONSUMERS_H

#include "analysis/slab/report/report.h"

/* The call site or process (an id for slab_thread_name()) with the most bytes. */
struct slab_largest {
	uint32_t id;
	uint64_t bytes; /* 0: none */
};

struct slab_consumer {
	uint32_t kind;
	uint64_t allocs, bytes, unsized;
	uint64_t live_bytes; /* bytes certainly live at the end */
	/* bytes of objects that were allocated before the last stream started, and freed later */
	uint64_t freed_bytes;
	/* A call site's @bytes is 0 if the bytes without a call site exceed it. */
	struct slab_largest process, site;	     /* by allocated bytes */
	struct slab_largest live_process, live_site; /* by live bytes */
};

struct slab_consumers {
	struct slab_consumer *all; /* most allocated bytes first */
	uint32_t count;
	/*
	 * frees of objects from before the trace: their size is unknown (kfree() states no cache),
	 * or a filter may or may not select them
	 */
	uint64_t frees_unsized;
	uint64_t page_frees_unsure; /* page frees that --call-site may select */
	bool growth_known;	    /* certainly no events are missing */
};

/*
 * Finds all consumers. Returns 0, or -1 when out of memory. Call slab_consumers_release() even
 * then.
 */
int slab_consumers_find(const struct slab_results *results, const struct slab_options *options,
			struct slab_consumers *consumers);
void slab_consumers_release(struct slab_consumers *consumers);

/*
 * Returns the allocated bytes minus the freed bytes. Freed bytes include objects from before the
 * trace.
 */
static inline int64_t slab_consumer_growth(const struct slab_consumer *consumer)
{
	return (int64_t)(consumer->live_bytes - consumer->freed_bytes);
}

/* Is the growth of pages (or objects) an upper bound, because some freed sizes are unknown? */
static inline bool slab_growth_is_most(const struct slab_consumers *consumers, bool pages)
{
	return pages ? consumers->page_frees_unsure : consumers->frees_unsized;
}

/* Can the kernel reclaim objects of the kind? Returns 1, 0, or -1: unknown. */
int slab_kind_is_reclaimable(const struct slab_results *results, uint32_t kind);

/* Returns @text: "dd (pid 812)", "kworker/u8" or "swapper (interrupt context)". */
const char *slab_process_text(const struct slab_results *results, uint32_t id, char *text,
			      size_t size);
#define SLAB_PROCESS_TEXT (SLAB_THREAD_BYTES + 40)
/* Sets @process to the name (shown as slab_process_text()), and @number to the process id. */
void slab_set_process(const struct slab_results *results, uint32_t id, struct mm_cell *process,
		      struct mm_cell *number);

/* Fills the table of consumers, and the metrics of growth. */
void slab_report_consumers(const struct slab_results *results,
			   const struct slab_consumers *consumers,
			   const struct slab_options *options, struct mm_report *report);

/* pages.c: returns the peak of the live bytes in page allocations of this order. */
uint64_t slab_order_peak(const struct slab_results *results, uint32_t order);

/* The call site and size with the most internal fragmentation. */
struct slab_wasteful {
	uint32_t code, kind;
	uint64_t count; /* number of allocations; 0: none */
	uint64_t slack; /* unused bytes of each allocation */
};

/*
 * most-wasted.c: finds the most wasteful kmalloc() allocations. Returns 0, or -1 when out of
 * memory.
 */
int slab_most_wasteful(const struct slab_results *results, struct slab_wasteful *wasteful);

#endif /* LTTNG_MM_SLAB_REPORT_CONSUMERS_H */
