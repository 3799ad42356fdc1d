/* SPDX-License-Identifier: LGPL-2.1-only */
/* Operations: allocations and frees in one form for all events. */
#ifndef LTTNG_MM_SLAB_DECODE_OP_H
#define LTTNG_MM_SLAB_DECODE_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "instrumentation/wire/slab.h"
#include "util/rows.h"

/* The kind of an object: a size class of kmalloc(), a cache, or an order of pages. */
#define SLAB_KIND_LARGE 0u /* kmalloc() of whole pages, or of a size without a class */
/* The kind of a cache is this number plus slab_cache_index(). Lower kinds are size classes. */
#define SLAB_KIND_CACHE ((uint32_t)LTTNG_MM_SLAB_SIZE_CLASS_COUNT)
#define SLAB_KIND_PAGES 0x100000u /* kind of pages of order 0; for other kinds, add the order */
#define SLAB_KIND_NONE UINT32_MAX

/*
 * Cache numbers that fit in packed events are also indexes. Larger numbers get indexes in the order
 * of their first events.
 */
#define SLAB_CACHES_NEAR (1u << LTTNG_MM_SLAB_CACHE_BITS)
#define SLAB_CACHES_MAX (2 * SLAB_CACHES_NEAR)
/* Number of kinds of kmalloc() and of caches. */
#define SLAB_KINDS (SLAB_KIND_CACHE + SLAB_CACHES_MAX)

#define SLAB_NO_CODE UINT32_MAX
#define SLAB_CPU_MAX 2046u

/* Marks a block of pages. The other bits of its address are the page frame number. */
#define SLAB_ADDRESS_PAGE (1ull << 63)
/* Order of objects that are not pages. */
#define SLAB_ORDER_NONE 63u
/* Each page counts as this many bytes. The report scales sums to the page size of the trace. */
#define SLAB_PAGE_UNIT 4096u
/* Flag: allocated by kmalloc_nolock(). */
#define SLAB_FLAG_NOLOCK 4u

static inline bool slab_kind_is_kmalloc(uint32_t kind)
{
	return kind < SLAB_KIND_CACHE;
}

static inline bool slab_kind_is_cache(uint32_t kind)
{
	return kind >= SLAB_KIND_CACHE && kind < SLAB_KIND_PAGES;
}

static inline bool slab_kind_is_pages(uint32_t kind)
{
	return kind >= SLAB_KIND_PAGES && kind != SLAB_KIND_NONE;
}

/*
 * Values of slab_op.what. In the first four values, one bit means "free" and another means "pages".
 */
enum slab_operation {
	SLAB_OPERATION_ALLOC,
	SLAB_OPERATION_FREE,
	SLAB_OPERATION_ALLOC_PAGES,
	SLAB_OPERATION_FREE_PAGES,
	SLAB_OPERATION_REALLOC,
	SLAB_OPERATION_RCU,
	/* the thread id now belongs to another thread; bytes_req: number of the earlier thread */
	SLAB_OPERATION_RENEW,
};

/* Functions that free. */
enum slab_api {
	SLAB_API_KFREE,
	SLAB_API_CACHE_FREE,
	SLAB_API_BULK,
	SLAB_API_NOLOCK,
	SLAB_API_PAGES
};

/*
 * When a thread id is reused, the earlier thread gets another id in all counts: its number in
 * struct mm_threads, with this bit. No kernel has thread ids above 2^22, so the two ids differ.
 */
#define SLAB_THREAD_PAST 0x80000000u

/* Key of an account, which counts all operations with this key. */
union slab_accounting_key {
	struct mm_row row;
	struct {
		uint32_t code;
		/*
		 * for a free: the cache that was passed to the freeing function; SLAB_KIND_NONE if
		 * only an address was passed
		 */
		uint32_t kind;
		uint32_t tid;
		uint32_t cpu;
	};
};

struct slab_op_type {
	uint8_t what;  /* enum slab_operation */
	uint8_t api;   /* frees: enum slab_api */
	uint8_t flags; /* allocation: SLAB_FLAG_NOLOCK or 0 */
	uint8_t order; /* order of pages; else SLAB_ORDER_NONE */
};

struct slab_op {
	uint64_t address;
	int64_t time_ns;
	union slab_accounting_key key;
	uint32_t bytes_req, bytes_alloc;
	uint32_t tag,
		/*
		 * hints of slab_op_locate(): the object's tag; the account's likely index in
		 * rows.recent
		 */
		quick;
	union {
		struct slab_op_type op_type;
		struct {
			uint8_t what, api, flags, order;
		};
	};
};

static inline bool slab_op_is_free(const struct slab_op *op)
{
	return op->what & SLAB_OPERATION_FREE;
}

static inline bool slab_op_is_pages(const struct slab_op *op)
{
	return op->what & SLAB_OPERATION_ALLOC_PAGES;
}

/* Is op->time_ns set? All operations on memory have a time. Operations on threads have none. */
static inline bool slab_op_has_time(const struct slab_op *op)
{
	return op->what < SLAB_OPERATION_RENEW;
}

/*
 * Memory is divided into sections of 128 MiB. Nearly every section belongs to a single NUMA node,
 * so the analysis assigns each section to one node. The section of a page is computed from its page
 * frame number.
 */
#define SLAB_SECTION_SHIFT 27
#define SLAB_SECTION_PAGES_SHIFT 15

static inline uint32_t slab_section_of(uint64_t address)
{
	unsigned int shift =
		address & SLAB_ADDRESS_PAGE ? SLAB_SECTION_PAGES_SHIFT : SLAB_SECTION_SHIFT;
	uint64_t section = (address & ~SLAB_ADDRESS_PAGE) >> shift;

	return section < UINT32_MAX ? (uint32_t)section : UINT32_MAX;
}

#endif /* LTTNG_MM_SLAB_DECODE_OP_H */
