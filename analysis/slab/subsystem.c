// SPDX-License-Identifier: LGPL-2.1-only
/* The slab subsystem: slab and page allocations. */
#include "analysis/subsystem/subsystem.h"

#include "analysis/slab/slab.h"
#include "analysis/slab/verify/verify.h"

/* All 22 fit LTTng's compact header. LTTng accepts any event name without complaint. */
static const char *const events[] = {
	"slab_kmalloc*",  "slab_kfree*", "slab_krealloc*", "slab_cache_*",   "slab_alloc_bulk",
	"slab_free_bulk", "page_alloc*", "page_free*",	   MM_THREAD_EVENTS, NULL
};
static const char *const state_events[] = {
	"slab_statedump_cache",	    "slab_statedump_alias", "slab_statedump_kmalloc",
	"callsite_statedump_range", "slab_statedump_path",  "page_statedump_node",
	"page_statedump_cpu",	    MM_THREAD_STATE_EVENTS, NULL
};
static const char *const contexts[] = { NULL };
static const char *const callstack_contexts[] = { "callstack-kernel", NULL };

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
	.profile = {
		.name = "slab",
		.module = "lttng-probe-slab",
		.events = events,
		.contexts = contexts,
		.callstack_contexts = callstack_contexts,
		.subbuf_bytes = 2 << 20,
		.subbuf_count = 8,
		.needs = needs,
		.starts_unevenly = true,
		.state_events = state_events,
	},
	.analysis = &mm_slab_analysis,
	.rules = &mm_slab_rules,
};
