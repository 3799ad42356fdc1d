// SPDX-License-Identifier: LGPL-2.1-only
/* The slab subsystem: slab and page allocations. */
#include "analysis/subsystem/subsystem.h"

#include "analysis/slab/slab.h"
#include "analysis/slab/verify/verify.h"

/*
 * All 21 fit LTTng's compact header. LTTng accepts any event name without complaint. Records
 * contain the thread id; the name of a thread that exits before the snapshot is in its exit event,
 * which stays in the ring buffer at least as long as its other events.
 */
static const char *const events[] = { "slab_kmalloc*",
				      "slab_kfree*",
				      "slab_krealloc*",
				      "slab_cache_*",
				      "slab_alloc_bulk",
				      "slab_free_bulk",
				      "page_alloc*",
				      "page_free*",
				      "sched_process_fork",
				      "sched_process_exit",
				      NULL };
static const char *const state_events[] = {
	"slab_statedump_cache",	    "slab_statedump_alias",	     "slab_statedump_kmalloc",
	"callsite_statedump_range", "slab_statedump_path",	     "page_statedump_node",
	"page_statedump_cpu",	    "lttng_statedump_process_state", NULL
};
static const char *const contexts[] = { NULL };

static const struct mm_need needs[] = {
	{ MM_NEED_CONFIG, "CONFIG_SLUB", "the probe is for no other allocator" },
	{ MM_NEED_CONFIG, "CONFIG_DEBUG_INFO_BTF",
	  "the probe locates the members of struct kmem_cache by it" },
	{ MM_NEED_CONFIG, "CONFIG_KPROBES", "the probe hooks paths without a tracepoint by it" },
	{ 0 },
};

extern const struct mm_subsystem mm_slab_subsystem;

const struct mm_subsystem mm_slab_subsystem = {
	.name = "slab",
	.summary = "slab and page allocations and frees, with the state dump that names them",
	.profile = {
		.name = "slab",
		.module = "lttng-probe-slab",
		.events = events,
		.contexts = contexts,
		.subbuf_bytes = 2 << 20,
		.subbuf_count = 8,
		.needs = needs,
		.starts_unevenly = true,
		.state_events = state_events,
	},
	.analysis = &mm_slab_analysis,
	.rules = &mm_slab_rules,
};
