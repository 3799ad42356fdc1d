// SPDX-License-Identifier: LGPL-2.1-only
/* Describes the slab subsystem: slab and page allocations. */
#include "analysis/subsystem/subsystem.h"

#include "analysis/slab/decode/sysinfo.h"
#include "analysis/slab/slab.h"
#include "analysis/slab/verify/verify.h"

static const struct mm_need needs[] = {
	{ MM_NEED_CONFIG, "CONFIG_SLUB", "the probe supports no other allocator" },
	{ MM_NEED_CONFIG, "CONFIG_DEBUG_INFO_BTF",
	  "the probe locates the members of struct kmem_cache by it" },
	{ MM_NEED_CONFIG, "CONFIG_KPROBES", "the probe hooks paths without a tracepoint by it" },
	{ 0 },
};

static const struct mm_event_text texts[] = {
	{ .events = "slab_*", .call_site = "call_site" },
	{ .events = NULL },
};

/* The prefixes must not match the kernel's own events page_fault_user and page_fault_kernel. */
static const char *const prefixes[] = { "slab_", "page_alloc", "page_free", "page_statedump_",
					NULL };
static const char *const allocations[] = {
	"slab_kmalloc",	   "slab_kmalloc_wide", "slab_cache_alloc", "slab_cache_alloc_wide",
	"slab_alloc_bulk", "page_alloc",	"page_alloc_bulk",  NULL,
};
static const struct mm_event_roles roles = { .prefixes = prefixes, .allocations = allocations };

extern const struct mm_subsystem mm_slab_subsystem;

const struct mm_subsystem mm_slab_subsystem = {
	.name = "slab",
	.profile = "slab",
	.needs = needs,
	.analysis = &mm_slab_analysis,
	.rules = &mm_slab_rules,
	.texts = texts,
	.parts = slab_sysinfo_parts,
	.roles = &roles,
};
