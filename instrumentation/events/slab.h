/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Slab and page allocations. Fields are described by hand (probes/record.h): a number of bits each,
 * low to high, without padding. doc/events.md describes every field.
 *
 * A packed event is at most 16 bytes. What does not fit it goes into the event's "wide" twin.
 */
#ifndef LTTNG_MM_INSTRUMENTATION_EVENTS_SLAB_H
#define LTTNG_MM_INSTRUMENTATION_EVENTS_SLAB_H

#include <instrumentation/enums/slab.h>
#include <probes/record.h>

/* Widths of the packed fields. */
#define MM_TID_BITS		22	/* PID_MAX_LIMIT */
#define MM_CODE_BITS		26	/* 64 MiB of kernel and module text */
#define MM_PTR_BITS		40	/* 1 TiB of direct map */
#define MM_REQ_BITS		13
#define MM_CLASS_BITS		4
#define MM_GFP_BITS		23	/* up to ACCOUNT */
#define MM_CACHE_BITS		16
#define MM_PFN_BITS		38
#define MM_ORDER_BITS		4
#define MM_MIGRATE_BITS		3
#define MM_PAGE_GFP_BITS	29

/* Bits from the end of ptr to the end of the first word and the second's use. */
#define MM_PTR_SHIFT		(MM_TID_BITS + MM_CODE_BITS)
#define MM_TAIL_SHIFT		(MM_PTR_SHIFT + MM_PTR_BITS - 64)

#define mm_where_fields							\
	mm_field_uint(tid, MM_TID_BITS),				\
	mm_field_hex(call_site, MM_CODE_BITS),				\
	mm_field_hex(ptr, MM_PTR_BITS)

#define mm_where_wide_fields						\
	mm_field_uint(tid, 32),						\
	mm_field_hex(call_site, 32),					\
	mm_field_hex(ptr, 64)

/* kmalloc() and its kin gave out memory of a size class, no node asked for. */
#define MM_SLAB_KMALLOC_BYTES		16
#define mm_slab_kmalloc_fields						\
	mm_where_fields,							\
	mm_field_uint(bytes_req, MM_REQ_BITS),				\
	mm_field_enum(size_class, MM_CLASS_BITS, &slab_size_class),	\
	mm_field_enum(gfp_flags, MM_GFP_BITS, &slab_gfp_flags_23)

/* The same where a node was asked for, for more than a page or two, or past the widths above. */
#define mm_slab_kmalloc_wide_fields					\
	mm_where_wide_fields,						\
	mm_field_uint(bytes_req, 64),					\
	mm_field_uint(bytes_alloc, 64),					\
	mm_field_enum(gfp_flags, 32, &slab_gfp_flags_32),			\
	mm_field_int(node, 32)

/* It gave none. */
#define mm_slab_kmalloc_failed_fields					\
	mm_field_uint(tid, 32),						\
	mm_field_hex(call_site, 32),					\
	mm_field_uint(bytes_req, 64),					\
	mm_field_enum(gfp_flags, 32, &slab_gfp_flags_32),			\
	mm_field_int(node, 32)

/* kfree() of something: not of NULL, nor of a zero-size pointer. */
#define MM_SLAB_KFREE_BYTES		11
#define mm_slab_kfree_fields		mm_where_fields
#define mm_slab_kfree_wide_fields	mm_where_wide_fields

/* kmem_cache_alloc() and its kin gave out an object, no node asked for. */
#define MM_SLAB_CACHE_ALLOC_BYTES	16
#define mm_slab_cache_alloc_fields					\
	mm_where_fields,							\
	mm_field_uint(cache, MM_CACHE_BITS),				\
	mm_field_enum(gfp_flags, MM_GFP_BITS, &slab_gfp_flags_23),		\
	mm_field_uint(accounted, 1)

#define mm_slab_cache_alloc_wide_fields					\
	mm_where_wide_fields,						\
	mm_field_uint(cache, 32),					\
	mm_field_enum(gfp_flags, 32, &slab_gfp_flags_32),			\
	mm_field_int(node, 32),						\
	mm_field_uint(accounted, 8)

#define mm_slab_cache_alloc_failed_fields				\
	mm_field_uint(tid, 32),						\
	mm_field_hex(call_site, 32),					\
	mm_field_uint(cache, 32),					\
	mm_field_enum(gfp_flags, 32, &slab_gfp_flags_32),			\
	mm_field_int(node, 32),						\
	mm_field_uint(accounted, 8)

/* kmem_cache_free(). */
#define MM_SLAB_CACHE_FREE_BYTES	13
#define mm_slab_cache_free_fields					\
	mm_where_fields,							\
	mm_field_uint(cache, MM_CACHE_BITS)

#define mm_slab_cache_free_wide_fields					\
	mm_where_wide_fields,						\
	mm_field_uint(cache, 32)

/* Objects that go round the kernel's tracepoints; one event each (see probes/slab/paths.c). */
#define mm_slab_free_bulk_fields					\
	mm_where_wide_fields,						\
	mm_field_uint(cache, 32),					\
	mm_field_enum(path, 8, &slab_path)

#define mm_slab_alloc_bulk_fields					\
	mm_where_wide_fields,						\
	mm_field_uint(cache, 32),					\
	mm_field_uint(bytes_req, 64),					\
	mm_field_enum(gfp_flags, 32, &slab_gfp_flags_32),			\
	mm_field_enum(path, 8, &slab_path)

#define mm_slab_kfree_rcu_fields	mm_where_wide_fields

#define mm_slab_krealloc_in_place_fields				\
	mm_where_wide_fields,						\
	mm_field_uint(bytes_req, 64),					\
	mm_field_enum(gfp_flags, 32, &slab_gfp_flags_32)

/* Pages given out by the page allocator, slab pages included. No call site: the kernel has none. */
#define MM_PAGE_ALLOC_BYTES		12
#define mm_page_alloc_fields						\
	mm_field_uint(tid, MM_TID_BITS),				\
	mm_field_hex(pfn, MM_PFN_BITS),					\
	mm_field_uint(order, MM_ORDER_BITS),				\
	mm_field_enum(migrate_type, MM_MIGRATE_BITS, &page_migrate_type), \
	mm_field_enum(gfp_flags, MM_PAGE_GFP_BITS, &page_gfp_flags_29)

/*
 * One page of a bulk allocation, which the kernel's tracepoint does not show: the same fields, and the
 * call site. The order is 0.
 */
#define MM_PAGE_ALLOC_BULK_BYTES	16
#define mm_page_alloc_bulk_fields					\
	mm_page_alloc_fields,						\
	mm_field_hex(call_site, 32)

#define mm_page_alloc_failed_fields					\
	mm_field_uint(tid, 32),						\
	mm_field_uint(order, 8),					\
	mm_field_enum(migrate_type, 8, &page_migrate_type),		\
	mm_field_enum(gfp_flags, 32, &page_gfp_flags_32)

/* Pages taken back: each once. */
#define MM_PAGE_FREE_BYTES		8
#define mm_page_free_fields						\
	mm_field_uint(tid, MM_TID_BITS),				\
	mm_field_hex(pfn, MM_PFN_BITS),					\
	mm_field_uint(order, MM_ORDER_BITS)

/* A page of a list that is freed as one: in addition to its page_free. */
#define MM_PAGE_FREE_BATCHED_BYTES	8
#define mm_page_free_batched_fields					\
	mm_field_uint(tid, MM_TID_BITS),				\
	mm_field_hex(pfn, MM_PFN_BITS + MM_ORDER_BITS)

/* What is said once, at the end of each state dump. */
#define mm_slab_statedump_cache_fields					\
	mm_field_uint(cache, 32),					\
	mm_field_uint(object_size, 32),					\
	mm_field_uint(size, 32),					\
	mm_field_uint(align, 32),					\
	mm_field_uint(accounted, 8),					\
	mm_field_uint(alive, 8),					\
	mm_field_text(name)

#define mm_slab_statedump_alias_fields					\
	mm_field_uint(cache, 32),					\
	mm_field_text(name)

#define mm_slab_statedump_kmalloc_fields				\
	mm_field_enum(size_class, 8, &slab_size_class),			\
	mm_field_uint(bytes_alloc, 32),					\
	mm_field_uint(bytes_req_min, 32),				\
	mm_field_uint(bytes_req_max, 32)

#define mm_slab_statedump_code_fields					\
	mm_field_hex(code, 32),						\
	mm_field_uint(size, 32),					\
	mm_field_uint(alive, 8),					\
	mm_field_text(name)

#define mm_slab_statedump_path_fields					\
	mm_field_enum(path, 8, &slab_path),				\
	mm_field_uint(hooked, 8),					\
	mm_field_uint(missed, 64),					\
	mm_field_text(function)

#define mm_page_statedump_node_fields					\
	mm_field_int(node, 32),						\
	mm_field_hex(pfn_start, 64),					\
	mm_field_hex(pfn_end, 64),					\
	mm_field_uint(page_size, 32)

#define mm_page_statedump_cpu_fields					\
	mm_field_uint(cpu, 32),						\
	mm_field_int(node, 32)

/*
 * P(PROVIDER, EVENT, BYTES, HOOK): a packed event. W(PROVIDER, EVENT, HOOK): another.
 * S(PROVIDER, EVENT): an event of the state dump.
 */
#define mm_slab_packed_events(P)						\
	P(slab, slab_kmalloc, MM_SLAB_KMALLOC_BYTES, kmalloc)			\
	P(slab, slab_kfree, MM_SLAB_KFREE_BYTES, kfree)				\
	P(slab, slab_cache_alloc, MM_SLAB_CACHE_ALLOC_BYTES, cache_alloc)	\
	P(slab, slab_cache_free, MM_SLAB_CACHE_FREE_BYTES, cache_free)

#define mm_page_packed_events(P)						\
	P(page, page_alloc, MM_PAGE_ALLOC_BYTES, page_alloc)			\
	P(page, page_alloc_bulk, MM_PAGE_ALLOC_BULK_BYTES, page_bulk)		\
	P(page, page_free, MM_PAGE_FREE_BYTES, page_free)			\
	P(page, page_free_batched, MM_PAGE_FREE_BATCHED_BYTES, page_free_batched)

#define mm_slab_wide_events(W)							\
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

#define mm_page_wide_events(W)							\
	W(page, page_alloc_failed, page_alloc)

#define mm_slab_statedump_events(S)						\
	S(slab, slab_statedump_cache)						\
	S(slab, slab_statedump_alias)						\
	S(slab, slab_statedump_kmalloc)						\
	S(slab, slab_statedump_code)						\
	S(slab, slab_statedump_path)

#define mm_page_statedump_events(S)						\
	S(page, page_statedump_node)						\
	S(page, page_statedump_cpu)

#endif /* LTTNG_MM_INSTRUMENTATION_EVENTS_SLAB_H */
