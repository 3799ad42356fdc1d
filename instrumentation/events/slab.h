/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Slab and page allocations. Macros describe the fields and their widths in bits
 * (probes/lib/record.h). Fields follow each other from low to high bits, without padding.
 * instrumentation/wire/slab.h defines the widths. doc/events.md describes every field.
 *
 * A packed event has at most 16 bytes. If a value does not fit, the event's wide variant is
 * recorded instead.
 */
#ifndef LTTNG_MM_INSTRUMENTATION_EVENTS_SLAB_H
#define LTTNG_MM_INSTRUMENTATION_EVENTS_SLAB_H

#include <instrumentation/enums/slab.h>
#include <instrumentation/wire/slab.h>
#include <probes/lib/record.h>

#define lttng_mm_where_fields							\
	lttng_mm_field_uint(tid, LTTNG_MM_SLAB_TID_BITS),				\
	lttng_mm_field_hex(call_site, LTTNG_MM_SLAB_CALL_SITE_BITS),				\
	lttng_mm_field_hex(ptr, LTTNG_MM_SLAB_PTR_BITS)

#define lttng_mm_where_wide_fields						\
	lttng_mm_field_uint(tid, 32),						\
	lttng_mm_field_hex(call_site, 32),					\
	lttng_mm_field_hex(ptr, 64)

/* kmalloc() and similar functions allocated memory in a size class, without a requested node. */
#define LTTNG_MM_SLAB_KMALLOC_BYTES		16
#define lttng_mm_slab_kmalloc_fields						\
	lttng_mm_where_fields,							\
	lttng_mm_field_uint(bytes_req, LTTNG_MM_SLAB_REQ_BITS),				\
	lttng_mm_field_enum(size_class, LTTNG_MM_SLAB_CLASS_BITS, &slab_size_class),	\
	lttng_mm_field_enum(gfp_flags, LTTNG_MM_SLAB_GFP_BITS, &slab_gfp_flags_23)

/*
 * The wide variant is recorded if a node was requested, for large sizes (more than a page or two),
 * and for values that exceed the widths above.
 */
#define lttng_mm_slab_kmalloc_wide_fields					\
	lttng_mm_where_wide_fields,						\
	lttng_mm_field_uint(bytes_req, 64),					\
	lttng_mm_field_uint(bytes_alloc, 64),					\
	lttng_mm_field_enum(gfp_flags, 32, &slab_gfp_flags_32),			\
	lttng_mm_field_int(node, 32)

/* kmalloc() or a similar function failed. */
#define lttng_mm_slab_kmalloc_failed_fields					\
	lttng_mm_field_uint(tid, 32),						\
	lttng_mm_field_hex(call_site, 32),					\
	lttng_mm_field_uint(bytes_req, 64),					\
	lttng_mm_field_enum(gfp_flags, 32, &slab_gfp_flags_32),			\
	lttng_mm_field_int(node, 32)

/* kfree() of an object; NULL and zero-size pointers are not recorded. */
#define LTTNG_MM_SLAB_KFREE_BYTES		11
#define lttng_mm_slab_kfree_fields		lttng_mm_where_fields
#define lttng_mm_slab_kfree_wide_fields	lttng_mm_where_wide_fields

/* kmem_cache_alloc() and similar functions allocated an object, without a requested node. */
#define LTTNG_MM_SLAB_CACHE_ALLOC_BYTES	16
#define lttng_mm_slab_cache_alloc_fields					\
	lttng_mm_where_fields,							\
	lttng_mm_field_uint(cache, LTTNG_MM_SLAB_CACHE_BITS),				\
	lttng_mm_field_enum(gfp_flags, LTTNG_MM_SLAB_GFP_BITS, &slab_gfp_flags_23),		\
	lttng_mm_field_uint(accounted, 1)

#define lttng_mm_slab_cache_alloc_wide_fields					\
	lttng_mm_where_wide_fields,						\
	lttng_mm_field_uint(cache, 32),					\
	lttng_mm_field_enum(gfp_flags, 32, &slab_gfp_flags_32),			\
	lttng_mm_field_int(node, 32),						\
	lttng_mm_field_uint(accounted, 8)

#define lttng_mm_slab_cache_alloc_failed_fields				\
	lttng_mm_field_uint(tid, 32),						\
	lttng_mm_field_hex(call_site, 32),					\
	lttng_mm_field_uint(cache, 32),					\
	lttng_mm_field_enum(gfp_flags, 32, &slab_gfp_flags_32),			\
	lttng_mm_field_int(node, 32),						\
	lttng_mm_field_uint(accounted, 8)

/* kmem_cache_free() freed an object. */
#define LTTNG_MM_SLAB_CACHE_FREE_BYTES	13
#define lttng_mm_slab_cache_free_fields					\
	lttng_mm_where_fields,							\
	lttng_mm_field_uint(cache, LTTNG_MM_SLAB_CACHE_BITS)

#define lttng_mm_slab_cache_free_wide_fields					\
	lttng_mm_where_wide_fields,						\
	lttng_mm_field_uint(cache, 32)

/*
 * Objects that are allocated or freed on paths without a tracepoint (probes/slab/paths.c). Each
 * object has an event of its own.
 */
#define lttng_mm_slab_free_bulk_fields					\
	lttng_mm_where_wide_fields,						\
	lttng_mm_field_uint(cache, 32),					\
	lttng_mm_field_enum(path, 8, &slab_path)

#define lttng_mm_slab_alloc_bulk_fields					\
	lttng_mm_where_wide_fields,						\
	lttng_mm_field_uint(cache, 32),					\
	lttng_mm_field_uint(bytes_req, 64),					\
	lttng_mm_field_enum(gfp_flags, 32, &slab_gfp_flags_32),			\
	lttng_mm_field_enum(path, 8, &slab_path)

#define lttng_mm_slab_kfree_rcu_fields	lttng_mm_where_wide_fields

#define lttng_mm_slab_krealloc_in_place_fields				\
	lttng_mm_where_wide_fields,						\
	lttng_mm_field_uint(bytes_req, 64),					\
	lttng_mm_field_enum(gfp_flags, 32, &slab_gfp_flags_32)

/* Page allocations, including slab pages. The tracepoint does not pass a call site. */
#define LTTNG_MM_PAGE_ALLOC_BYTES		12
#define lttng_mm_page_alloc_fields						\
	lttng_mm_field_uint(tid, LTTNG_MM_SLAB_TID_BITS),				\
	lttng_mm_field_hex(pfn, LTTNG_MM_SLAB_PFN_BITS),					\
	lttng_mm_field_uint(order, LTTNG_MM_SLAB_ORDER_BITS),				\
	lttng_mm_field_enum(migrate_type, LTTNG_MM_SLAB_MIGRATE_BITS, &page_migrate_type), \
	lttng_mm_field_enum(gfp_flags, LTTNG_MM_SLAB_PAGE_GFP_BITS, &page_gfp_flags_29)

/*
 * One page of a bulk allocation. No tracepoint of the kernel reports such pages. The fields are the
 * fields of page_alloc (the order is 0) and the call site.
 */
#define LTTNG_MM_PAGE_ALLOC_BULK_BYTES	16
#define lttng_mm_page_alloc_bulk_fields					\
	lttng_mm_page_alloc_fields,						\
	lttng_mm_field_hex(call_site, 32)

#define lttng_mm_page_alloc_failed_fields					\
	lttng_mm_field_uint(tid, 32),						\
	lttng_mm_field_uint(order, 8),					\
	lttng_mm_field_enum(migrate_type, 8, &page_migrate_type),		\
	lttng_mm_field_enum(gfp_flags, 32, &page_gfp_flags_32)

/* Freed pages. Each freed page is in exactly one page_free event. */
#define LTTNG_MM_PAGE_FREE_BYTES		8
#define lttng_mm_page_free_fields						\
	lttng_mm_field_uint(tid, LTTNG_MM_SLAB_TID_BITS),				\
	lttng_mm_field_hex(pfn, LTTNG_MM_SLAB_PFN_BITS),					\
	lttng_mm_field_uint(order, LTTNG_MM_SLAB_ORDER_BITS)

/* A page that is freed together with the other pages of a list. Fires in addition to page_free. */
#define LTTNG_MM_PAGE_FREE_BATCHED_BYTES	8
#define lttng_mm_page_free_batched_fields					\
	lttng_mm_field_uint(tid, LTTNG_MM_SLAB_TID_BITS),				\
	lttng_mm_field_hex(pfn, LTTNG_MM_SLAB_PFN_BITS + LTTNG_MM_SLAB_ORDER_BITS)

/* The following events are written at the end of each state dump. */
#define lttng_mm_slab_statedump_cache_fields					\
	lttng_mm_field_uint(cache, 32),					\
	lttng_mm_field_uint(object_size, 32),					\
	lttng_mm_field_uint(size, 32),					\
	lttng_mm_field_uint(align, 32),					\
	lttng_mm_field_uint(accounted, 8),					\
	lttng_mm_field_uint(alive, 8),					\
	lttng_mm_field_text(name)

#define lttng_mm_slab_statedump_alias_fields					\
	lttng_mm_field_uint(cache, 32),					\
	lttng_mm_field_text(name)

#define lttng_mm_slab_statedump_kmalloc_fields				\
	lttng_mm_field_enum(size_class, 8, &slab_size_class),			\
	lttng_mm_field_uint(bytes_alloc, 32),					\
	lttng_mm_field_uint(bytes_req_min, 32),				\
	lttng_mm_field_uint(bytes_req_max, 32)

#define lttng_mm_slab_statedump_path_fields					\
	lttng_mm_field_enum(path, 8, &slab_path),				\
	lttng_mm_field_uint(hooked, 8),					\
	lttng_mm_field_uint(missed, 64),					\
	lttng_mm_field_text(function)

#define lttng_mm_page_statedump_node_fields					\
	lttng_mm_field_int(node, 32),						\
	lttng_mm_field_hex(pfn_start, 64),					\
	lttng_mm_field_hex(pfn_end, 64),					\
	lttng_mm_field_uint(page_size, 32)

#define lttng_mm_page_statedump_cpu_fields					\
	lttng_mm_field_uint(cpu, 32),						\
	lttng_mm_field_int(node, 32)

/* Records of the wide and state-dump events, in the layout of the fields above. */
struct lttng_mm_slab_where {
	u32 tid;
	u32 call_site;
	u64 ptr;
} __packed;

struct lttng_mm_slab_kmalloc_wide {
	struct lttng_mm_header header;
	struct lttng_mm_slab_where where;
	u64 bytes_req;
	u64 bytes_alloc;
	u32 gfp_flags;
	s32 node;
} __packed;

struct lttng_mm_slab_kmalloc_failed {
	struct lttng_mm_header header;
	u32 tid;
	u32 call_site;
	u64 bytes_req;
	u32 gfp_flags;
	s32 node;
} __packed;

struct lttng_mm_slab_kfree_wide {
	struct lttng_mm_header header;
	struct lttng_mm_slab_where where;
} __packed;

struct lttng_mm_slab_cache_alloc_wide {
	struct lttng_mm_header header;
	struct lttng_mm_slab_where where;
	u32 cache;
	u32 gfp_flags;
	s32 node;
	u8 accounted;
} __packed;

struct lttng_mm_slab_cache_alloc_failed {
	struct lttng_mm_header header;
	u32 tid;
	u32 call_site;
	u32 cache;
	u32 gfp_flags;
	s32 node;
	u8 accounted;
} __packed;

struct lttng_mm_slab_cache_free_wide {
	struct lttng_mm_header header;
	struct lttng_mm_slab_where where;
	u32 cache;
} __packed;

struct lttng_mm_slab_free_bulk {
	struct lttng_mm_header header;
	struct lttng_mm_slab_where where;
	u32 cache;
	u8 path;
} __packed;

struct lttng_mm_slab_alloc_bulk {
	struct lttng_mm_header header;
	struct lttng_mm_slab_where where;
	u32 cache;
	u64 bytes_req;
	u32 gfp_flags;
	u8 path;
} __packed;

struct lttng_mm_slab_kfree_rcu {
	struct lttng_mm_header header;
	struct lttng_mm_slab_where where;
} __packed;

struct lttng_mm_slab_krealloc_in_place {
	struct lttng_mm_header header;
	struct lttng_mm_slab_where where;
	u64 bytes_req;
	u32 gfp_flags;
} __packed;

struct lttng_mm_page_alloc_failed {
	struct lttng_mm_header header;
	u32 tid;
	u8 order;
	u8 migrate_type;
	u32 gfp_flags;
} __packed;

struct lttng_mm_slab_statedump_cache {
	u32 cache;
	u32 object_size;
	u32 size;
	u32 align;
	u8 accounted;
	u8 alive;
} __packed;

struct lttng_mm_slab_statedump_alias {
	u32 cache;
} __packed;

struct lttng_mm_slab_statedump_kmalloc {
	u8 size_class;
	u32 bytes_alloc;
	u32 bytes_req_min;
	u32 bytes_req_max;
} __packed;

struct lttng_mm_slab_statedump_path {
	u8 path;
	u8 hooked;
	u64 missed;
} __packed;

struct lttng_mm_page_statedump_node {
	s32 node;
	u64 pfn_start;
	u64 pfn_end;
	u32 page_size;
} __packed;

struct lttng_mm_page_statedump_cpu {
	u32 cpu;
	s32 node;
} __packed;

/*
 * P(PROVIDER, EVENT, BYTES, HOOK): a packed event. W(PROVIDER, EVENT, HOOK): a full-width event.
 * S(PROVIDER, EVENT): a state-dump event.
 */
#define lttng_mm_slab_packed_events(P)						\
	P(slab, slab_kmalloc, LTTNG_MM_SLAB_KMALLOC_BYTES, kmalloc)			\
	P(slab, slab_kfree, LTTNG_MM_SLAB_KFREE_BYTES, kfree)				\
	P(slab, slab_cache_alloc, LTTNG_MM_SLAB_CACHE_ALLOC_BYTES, cache_alloc)	\
	P(slab, slab_cache_free, LTTNG_MM_SLAB_CACHE_FREE_BYTES, cache_free)

#define lttng_mm_page_packed_events(P)						\
	P(page, page_alloc, LTTNG_MM_PAGE_ALLOC_BYTES, page_alloc)			\
	P(page, page_alloc_bulk, LTTNG_MM_PAGE_ALLOC_BULK_BYTES, page_bulk)		\
	P(page, page_free, LTTNG_MM_PAGE_FREE_BYTES, page_free)			\
	P(page, page_free_batched, LTTNG_MM_PAGE_FREE_BATCHED_BYTES, page_free_batched)

#define lttng_mm_slab_wide_events(W)							\
	W(slab, slab_kmalloc_wide, kmalloc)					\
	W(slab, slab_kmalloc_failed, kmalloc)					\
	W(slab, slab_kfree_wide, kfree)						\
	W(slab, slab_cache_alloc_wide, cache_alloc)				\
	W(slab, slab_cache_alloc_failed, cache_alloc)				\
	W(slab, slab_cache_free_wide, cache_free)				\
	W(slab, slab_free_bulk, free_bulk)					\
	W(slab, slab_alloc_bulk, alloc_bulk)					\
	W(slab, slab_kfree_rcu, kfree_rcu)					\
	W(slab, slab_krealloc_in_place, krealloc)

#define lttng_mm_page_wide_events(W)							\
	W(page, page_alloc_failed, page_alloc)

#define lttng_mm_slab_statedump_events(S)						\
	S(slab, slab_statedump_cache)						\
	S(slab, slab_statedump_alias)						\
	S(slab, slab_statedump_kmalloc)						\
	S(slab, slab_statedump_path)

#define lttng_mm_page_statedump_events(S)						\
	S(page, page_statedump_node)						\
	S(page, page_statedump_cpu)

#endif /* LTTNG_MM_INSTRUMENTATION_EVENTS_SLAB_H */
