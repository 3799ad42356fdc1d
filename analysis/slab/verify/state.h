/* SPDX-License-Identifier: LGPL-2.1-only */
/* State of the check of slab events, shared by its two files. */
#ifndef LTTNG_MM_SLAB_VERIFY_STATE_H
#define LTTNG_MM_SLAB_VERIFY_STATE_H

#include "util/rows.h"
#include "analysis/slab/verify/verify.h"
#include "reader/events/source.h"
#include "instrumentation/wire/slab.h"

/* Events with rules: events of objects, then of pages, then of the state dump. */
enum slab_verify_event {
	E_KMALLOC,
	E_KMALLOC_WIDE,
	E_KFREE,
	E_KFREE_WIDE,
	E_CACHE_ALLOC,
	E_CACHE_ALLOC_WIDE,
	E_CACHE_FREE,
	E_CACHE_FREE_WIDE,
	E_FREE_BULK,
	E_ALLOC_BULK,
	E_KFREE_RCU,
	E_REALLOC,
	E_PAGE_ALLOC,
	E_PAGE_BULK,
	E_PAGE_FREE,
	E_PAGE_BATCHED,
	E_PAGE_FAILED,
	E_DUMP_CACHE,
	E_DUMP_KMALLOC,
	E_DUMP_PATH,
	E_DUMP_NODE,
	E_COUNT,
};

enum slab_rule {
	NO_SIZE_CLASS,
	NO_OBJECT,
	NO_PATH,
	ORDER_RANGE,
	ORDER_ALIGN,
	ORDER_BULK,
	CLASS_SIZES,
	CACHE_NUMBER,
	CACHE_SIZES,
	CACHE_TWICE,
	NODE_RANGE,
	PAGE_SIZES,
	NO_THREAD,
	RULES_DAMAGE,			/* this rule and later ones cause notes, not damage */
	MORE_THAN_GIVEN = RULES_DAMAGE, /* a trace without damage may have this anomaly */
	CACHE_UNKNOWN,
	MEMORY_UNKNOWN,
	RULES,
};

/* An event that violates a rule, and the numbers in its message. */
struct verify_fault {
	int64_t time_ns;
	uint64_t ptr, a, b; /* for a page event, ptr is the page frame number and a is the order */
	uint32_t cpu, tid, code;
	uint8_t event, rule; /* enum slab_verify_event, enum slab_rule */
};

/* A kernel cannot be configured for larger orders. */
#define ORDER_MAX ((1u << LTTNG_MM_SLAB_ORDER_BITS) - 1)
#define TID_MAX 4194304u /* PID_MAX_LIMIT of 64-bit kernels */
/* Physical addresses have at most this many bits. */
#define PTR_BITS_MAX 52
#define PAGE_SHIFT 12 /* used if the trace has no page size */
/* A section number comes from an address or a page frame number. PAGES marks the latter. */
#define SECTION_SHIFT 27
#define SECTION_PAGES_SHIFT 15
#define PAGES (1ull << 63)
#define SECTIONS_MAX 65536u
/* cache 0 stands for all caches with larger numbers */
#define CACHES_MAX (1u << LTTNG_MM_SLAB_CACHE_BITS)
#define NODES_MAX 1024u

/* A section of memory, with the lowest and highest address or page frame number in events. */
struct verify_section {
	struct mm_row row;
	bool used;
	uint64_t low, high;
	struct verify_fault lowest, highest;
};

struct verify_cache {
	uint64_t events; /* events that name the cache */
	struct verify_fault first;
	bool dumped;
	uint32_t object_size, size, name; /* name: hash of the name */
};

struct verify_range {
	uint64_t start, end;
};

struct verify_checker {
	uint64_t events, counts[RULES];
	bool only_damage;	  /* look for damage only, and store nothing */
	struct verify_fault last; /* only_damage: the last violation */
	char what[256];		  /* the last violation as text */
	struct verify_fault *faults;
	size_t fault_count, fault_room;
	struct verify_cache *caches;
	struct mm_rows sections;
	struct verify_range *nodes;
	size_t node_count, node_room;
	/* there were too many ranges to store, so memory outside of known ranges is not reported */
	bool nodes_dropped;
	unsigned int page_shift; /* 0: unknown */
};

extern const struct mm_event_fields slab_verify_events[];
void slab_verify_request(void *user, unsigned int pass, struct mm_requests *requests);

static inline bool same_cache(const struct verify_cache *a, const struct verify_cache *b)
{
	return a->object_size == b->object_size && a->size == b->size && a->name == b->name;
}

/* Counts @fault, and stores it if there is room. */
int slab_verify_keep(struct verify_checker *checker, const struct verify_fault *fault);
int slab_verify_check(struct verify_checker *checker, const struct mm_event *event);

#endif /* LTTNG_MM_SLAB_VERIFY_STATE_H */
