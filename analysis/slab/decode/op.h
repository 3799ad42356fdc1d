/* SPDX-License-Identifier: LGPL-2.1-only */
/* An operation: an allocation or a free, decoded from any event to one form. */
#ifndef LTTNG_MM_SLAB_DECODE_OP_H
#define LTTNG_MM_SLAB_DECODE_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "instrumentation/wire/slab.h"
#include "util/rows.h"

/* The kind of an object: a size class of kmalloc(), a cache, or a block of pages. */
#define SLAB_KIND_LARGE 0u /* kmalloc() of pages, or of a size without a class */
/* + the cache's index: slab_cache_index(); below it the size class as the trace codes it. */
#define SLAB_KIND_CACHE ((uint32_t)LTTNG_MM_SLAB_SIZE_CLASS_COUNT)
#define SLAB_KIND_PAGES 0x100000u /* + order */
#define SLAB_KIND_NONE UINT32_MAX

/*
 * Numbers of caches that packed events hold are indexes; those beyond are numbered in the order in
 * which they appear.
 */
#define SLAB_CACHES_NEAR (1u << LTTNG_MM_SLAB_CACHE_BITS)
#define SLAB_CACHES_MAX (2 * SLAB_CACHES_NEAR)
/* Kinds of kmalloc() and of caches. */
#define SLAB_KINDS (SLAB_KIND_CACHE + SLAB_CACHES_MAX)

#define SLAB_NO_CODE UINT32_MAX
#define SLAB_CPU_MAX 2046u

/* Pages are objects, too: their address is the page frame number with this bit. */
#define SLAB_ADDRESS_PAGE (1ull << 63)
/* The order of objects other than pages. */
#define SLAB_ORDER_NONE 63u
/* Bytes of pages are counted in pages of that size, and reported in those of the trace. */
#define SLAB_PAGE_UNIT 4096u
/* Allocated by kmalloc_nolock(). */
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

/* The values of slab_op.what. In the first four, one bit is set for frees, one for pages. */
enum slab_operation {
	SLAB_OPERATION_ALLOC,
	SLAB_OPERATION_FREE,
	SLAB_OPERATION_ALLOC_PAGES,
	SLAB_OPERATION_FREE_PAGES,
	SLAB_OPERATION_REALLOC,
	SLAB_OPERATION_RCU,
	/* key.tid now stands for another thread; bytes_req is the number of the earlier one */
	SLAB_OPERATION_RENEW,
};

/* The function that frees. */
enum slab_api {
	SLAB_API_KFREE,
	SLAB_API_CACHE_FREE,
	SLAB_API_BULK,
	SLAB_API_NOLOCK,
	SLAB_API_PAGES
};

/*
 * When a thread id is used again, the counts of the earlier thread get this bit and the thread's
 * number instead of the thread id. No kernel has thread ids above 2^22.
 */
#define SLAB_THREAD_PAST 0x80000000u

/* The accounting key, under which everything is counted. */
union slab_accounting_key {
	struct mm_row row;
	struct {
		uint32_t code;
		/* Of a free: the cache that is passed; SLAB_KIND_NONE: by address alone. */
		uint32_t kind;
		uint32_t tid;
		uint32_t cpu;
	};
};

/* The kind of operation and its function. */
struct slab_op_type {
	uint8_t what;  /* enum slab_operation */
	uint8_t api;   /* enum slab_api, of a free */
	uint8_t flags; /* of the object that is allocated: SLAB_FLAG_NOLOCK; else 0 */
	uint8_t order; /* of pages; SLAB_ORDER_NONE */
};

struct slab_op {
	uint64_t address;
	int64_t time_ns;
	union slab_accounting_key key;
	uint32_t bytes_req, bytes_alloc;
	uint32_t tag, quick; /* where to look for the object, and for the account: slab_op_aim() */
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

/* Is it an operation on memory, which happened at op->time_ns? The others are about threads. */
static inline bool slab_op_has_time(const struct slab_op *op)
{
	return op->what < SLAB_OPERATION_RENEW;
}

/*
 * 128 MiB, which are assumed to be on one node, as memory sections mostly are. Of pages: page
 * frames.
 */
#define SLAB_SECTION_SHIFT 27
#define SLAB_SECTION_PAGES_SHIFT 15

/* The section of memory that contains the object. */
static inline uint32_t slab_section_of(uint64_t address)
{
	unsigned int shift =
		address & SLAB_ADDRESS_PAGE ? SLAB_SECTION_PAGES_SHIFT : SLAB_SECTION_SHIFT;
	uint64_t section = (address & ~SLAB_ADDRESS_PAGE) >> shift;

	return section < UINT32_MAX ? (uint32_t)section : UINT32_MAX;
}

#endif /* LTTNG_MM_SLAB_DECODE_OP_H */
