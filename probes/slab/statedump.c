// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state dump: caches, size classes, hooked functions, nodes and their CPUs.
 *
 * Context: process, preemption off. Reads tables of this module, and the kernel's zones and CPUs.
 * Takes no lock.
 */

#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <instrumentation/events/slab.h>
#include <probes/lib/statedump.h>
#include <probes/slab/slab.h>

void lttng_mm_dump_slab_statedump_cache(void *event, struct lttng_kernel_session *session)
{
	const struct lttng_mm_cache *cache = NULL;

	if (!lttng_mm_statedump_concerns(event, session))
		return;
	preempt_disable_notrace();
	while ((cache = lttng_mm_cache_next(cache))) {
		struct lttng_mm_slab_statedump_cache rec = {
			.cache = cache->number,
			.object_size = cache->object_size,
			.size = cache->size,
			.align = cache->align,
			.accounted = cache->accounted,
			.alive = !lttng_mm_cache_is_released(cache),
		};

		/* No event refers to a cache without a number. */
		if (rec.cache)
			lttng_mm_record_text(event, &lttng_mm_class_slab_statedump_cache, &rec,
					     sizeof(rec), cache->name);
	}
	preempt_enable_notrace();
}

void lttng_mm_dump_slab_statedump_alias(void *event, struct lttng_kernel_session *session)
{
	struct lttng_mm_slab_statedump_alias rec;
	const char *name;

	if (!lttng_mm_statedump_concerns(event, session))
		return;
	preempt_disable_notrace();
	for (unsigned int i = 0; (name = lttng_mm_cache_alias_state(i, &rec.cache)); i++)
		if (rec.cache)
			lttng_mm_record_text(event, &lttng_mm_class_slab_statedump_alias, &rec,
					     sizeof(rec), name);
	preempt_enable_notrace();
}

void lttng_mm_dump_slab_statedump_kmalloc(void *event, struct lttng_kernel_session *session)
{
	u32 previous = 0;

	if (!lttng_mm_statedump_concerns(event, session))
		return;
	preempt_disable_notrace();
	while (previous < KMALLOC_MAX_CACHE_SIZE) {
		u32 bytes = kmalloc_size_roundup(previous + 1);
		struct lttng_mm_slab_statedump_kmalloc rec = {
			.size_class = (u8)lttng_mm_size_class(bytes),
			.bytes_alloc = bytes,
			.bytes_req_min = previous + 1,
			.bytes_req_max = bytes,
		};

		if (bytes <= previous)
			break;
		lttng_mm_record_general(event, &lttng_mm_class_slab_statedump_kmalloc, &rec,
					sizeof(rec));
		previous = bytes;
	}
	preempt_enable_notrace();
}

void lttng_mm_dump_slab_statedump_path(void *event, struct lttng_kernel_session *session)
{
	struct lttng_mm_slab_path_state path;

	if (!lttng_mm_statedump_concerns(event, session))
		return;
	preempt_disable_notrace();
	for (unsigned int i = 0; lttng_mm_slab_path_state(i, &path); i++) {
		struct lttng_mm_slab_statedump_path rec = {
			.path = path.path,
			.hooked = path.hooked,
			.missed = path.missed,
		};

		lttng_mm_record_text(event, &lttng_mm_class_slab_statedump_path, &rec, sizeof(rec),
				     path.function);
	}
	preempt_enable_notrace();
}

/*
 * A node's span may contain holes and memory of other nodes, so a node is dumped as runs of
 * sections with online memory. The search goes through the zones of the node instead of its span,
 * because the span may also contain device memory at far higher addresses.
 */
#ifdef CONFIG_SPARSEMEM
static unsigned long section_end(unsigned long pfn)
{
	return (pfn | ~PAGE_SECTION_MASK) + 1;
}

static bool is_page_of(const struct page *page, int node)
{
	return page && page_to_nid(page) == node;
}

/*
 * Does [@pfn, @end) have pages of the node? The range is in one section. Checks the first and the
 * last page. If one of them is offline, checks each subsection.
 */
static bool has_pages_of(unsigned long pfn, unsigned long end, int node)
{
	const struct page *first, *last;

	if (!online_section_nr(pfn_to_section_nr(pfn)))
		return false;
	first = pfn_to_online_page(pfn);
	last = pfn_to_online_page(end - 1);
	if (first && last)
		return is_page_of(first, node) || is_page_of(last, node);
	for (; pfn < end; pfn += PAGES_PER_SUBSECTION)
		if (is_page_of(pfn_to_online_page(pfn), node))
			return true;
	return is_page_of(last, node);
}
#else /* flat memory belongs to one node */
static unsigned long section_end(unsigned long pfn)
{
	return ULONG_MAX;
}

static bool has_pages_of(unsigned long pfn, unsigned long end, int node)
{
	return true;
}
#endif

/* Adds the runs of @zone to the run in @rec. If the next run is not adjacent, writes @rec first. */
static void dump_zone(void *event, const struct zone *zone,
		      struct lttng_mm_page_statedump_node *rec)
{
	unsigned long end = zone_end_pfn(zone), next;

	for (unsigned long pfn = zone->zone_start_pfn; pfn < end; pfn = next) {
		next = min(section_end(pfn), end);
		if (!has_pages_of(pfn, next, rec->node))
			continue;
		if (rec->pfn_end != pfn) {
			if (rec->pfn_end)
				lttng_mm_record_general(event, &lttng_mm_class_page_statedump_node,
							rec, sizeof(*rec));
			rec->pfn_start = pfn;
		}
		rec->pfn_end = next;
	}
}

static void dump_node(void *event, int node)
{
	struct lttng_mm_page_statedump_node rec = { .node = node, .page_size = PAGE_SIZE };
	struct zone *zones = NODE_DATA(node)->node_zones;

	for (unsigned int i = 0; i < MAX_NR_ZONES; i++)
		if (!zone_is_zone_device(&zones[i]))
			dump_zone(event, &zones[i], &rec);
	/*
	 * Write the last run. If the node has no memory, this record only states that the node
	 * exists.
	 */
	lttng_mm_record_general(event, &lttng_mm_class_page_statedump_node, &rec, sizeof(rec));
}

void lttng_mm_dump_page_statedump_node(void *event, struct lttng_kernel_session *session)
{
	int node;

	if (!lttng_mm_statedump_concerns(event, session))
		return;
	preempt_disable_notrace();
	for_each_online_node(node)
		dump_node(event, node);
	preempt_enable_notrace();
}

void lttng_mm_dump_page_statedump_cpu(void *event, struct lttng_kernel_session *session)
{
	unsigned int cpu;

	if (!lttng_mm_statedump_concerns(event, session))
		return;
	preempt_disable_notrace();
	for_each_present_cpu(cpu) {
		struct lttng_mm_page_statedump_cpu rec = {
			.cpu = cpu,
			.node = cpu_to_node(cpu),
		};

		lttng_mm_record_general(event, &lttng_mm_class_page_statedump_cpu, &rec,
					sizeof(rec));
	}
	preempt_enable_notrace();
}
