// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a trace's reader needs once: caches, size classes, code ranges, hooked functions, nodes
 * and their CPUs.
 *
 * LTTng has no hook for an out-of-tree state dump: these events are attached to the tracepoint with
 * which it ends its own. Each is called once, with the session that is dumped, and writes all it
 * has.
 *
 * Context: process; preemption is off. Tables are this module's own; no lock is taken.
 */

#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <instrumentation/enums/slab.h>
#include <probes/slab/slab.h>

/* Is this event one of the session that is dumped? */
static bool concerns(struct lttng_kernel_event_common *event, struct lttng_kernel_session *session)
{
	return event->type == LTTNG_KERNEL_EVENT_TYPE_RECORDER &&
	       container_of(event, struct lttng_kernel_event_recorder, parent)
			       ->chan->parent.session == session;
}

void mm_dump_slab_statedump_cache(void *event, struct lttng_kernel_session *session)
{
	struct mm_cache_state cache;

	if (!concerns(event, session))
		return;
	preempt_disable_notrace();
	for (unsigned int i = 0; mm_cache_state(i, &cache); i++) {
		struct mm_slab_statedump_cache rec = {
			.cache = cache.number,
			.object_size = cache.object_size,
			.size = cache.size,
			.align = cache.align,
			.accounted = cache.accounted,
			.alive = cache.alive,
		};

		if (cache.number)
			mm_record_slow(event, &mm_class_slab_statedump_cache, &rec, sizeof(rec),
				       cache.name);
	}
	preempt_enable_notrace();
}

void mm_dump_slab_statedump_alias(void *event, struct lttng_kernel_session *session)
{
	struct mm_slab_statedump_alias rec;
	const char *name;

	if (!concerns(event, session))
		return;
	preempt_disable_notrace();
	for (unsigned int i = 0; (name = mm_cache_alias_state(i, &rec.cache)); i++)
		mm_record_slow(event, &mm_class_slab_statedump_alias, &rec, sizeof(rec), name);
	preempt_enable_notrace();
}

void mm_dump_slab_statedump_kmalloc(void *event, struct lttng_kernel_session *session)
{
	u32 previous = 0;

	if (!concerns(event, session))
		return;
	preempt_disable_notrace();
	while (previous < KMALLOC_MAX_CACHE_SIZE) {
		u32 bytes = kmalloc_size_roundup(previous + 1);
		struct mm_slab_statedump_kmalloc rec = {
			.size_class = bytes == 96    ? MM_SIZE_CLASS_96
				      : bytes == 192 ? MM_SIZE_CLASS_192
						     : (u8)ilog2(bytes),
			.bytes_alloc = bytes,
			.bytes_req_min = previous + 1,
			.bytes_req_max = bytes,
		};

		if (bytes <= previous)
			break;
		mm_record_slow(event, &mm_class_slab_statedump_kmalloc, &rec, sizeof(rec), NULL);
		previous = bytes;
	}
	preempt_enable_notrace();
}

void mm_dump_slab_statedump_code(void *event, struct lttng_kernel_session *session)
{
	struct mm_code_state code;

	if (!concerns(event, session))
		return;
	preempt_disable_notrace();
	for (unsigned int i = 0; memset(&code, 0, sizeof(code)), mm_code_state(i, &code); i++) {
		struct mm_slab_statedump_code rec = {
			.code = code.code,
			.size = code.size,
			.alive = code.alive,
		};

		mm_record_slow(event, &mm_class_slab_statedump_code, &rec, sizeof(rec), code.name);
	}
	preempt_enable_notrace();
}

void mm_dump_slab_statedump_path(void *event, struct lttng_kernel_session *session)
{
	struct mm_slab_path_state path;

	if (!concerns(event, session))
		return;
	preempt_disable_notrace();
	for (unsigned int i = 0; mm_slab_path_state(i, &path); i++) {
		struct mm_slab_statedump_path rec = {
			.path = path.path,
			.hooked = path.hooked,
			.missed = path.missed,
		};

		mm_record_slow(event, &mm_class_slab_statedump_path, &rec, sizeof(rec),
			       path.function);
	}
	preempt_enable_notrace();
}

void mm_dump_page_statedump_node(void *event, struct lttng_kernel_session *session)
{
	int node;

	if (!concerns(event, session))
		return;
	preempt_disable_notrace();
	for_each_online_node(node)
	{
		struct mm_page_statedump_node rec = {
			.node = node,
			.pfn_start = node_start_pfn(node),
			.pfn_end = node_end_pfn(node),
			.page_size = PAGE_SIZE,
		};

		mm_record_slow(event, &mm_class_page_statedump_node, &rec, sizeof(rec), NULL);
	}
	preempt_enable_notrace();
}

void mm_dump_page_statedump_cpu(void *event, struct lttng_kernel_session *session)
{
	unsigned int cpu;

	if (!concerns(event, session))
		return;
	preempt_disable_notrace();
	for_each_present_cpu(cpu)
	{
		struct mm_page_statedump_cpu rec = {
			.cpu = cpu,
			.node = cpu_to_node(cpu),
		};

		mm_record_slow(event, &mm_class_page_statedump_cpu, &rec, sizeof(rec), NULL);
	}
	preempt_enable_notrace();
}
