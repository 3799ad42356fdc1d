// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The table of profiles. LTTng accepts any event name without complaint, so names are defined here
 * only.
 */
#include "lttng-session/profile.h"

#include <stddef.h>
#include <string.h>

static const char *const dax_events[] = { "dax_*", NULL };
static const char *const dax_contexts[] = { "procname", NULL };

/*
 * All 21 fit LTTng's compact header. Records contain the thread id; the name of a thread that exits
 * before the snapshot is in its exit event, which stays in the ring buffer at least as long as its
 * other events.
 */
static const char *const slab_events[] = { "slab_kmalloc*",
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
static const char *const slab_state_events[] = {
	"slab_statedump_cache",	    "slab_statedump_alias",	     "slab_statedump_kmalloc",
	"callsite_statedump_range", "slab_statedump_path",	     "page_statedump_node",
	"page_statedump_cpu",	    "lttng_statedump_process_state", NULL
};
static const char *const no_contexts[] = { NULL };

const struct profile profiles[] = {
	{
		.name = "dax",
		.summary = "DAX faults and the causes of fallbacks to 4 KiB",
		.module = "lttng-probe-dax",
		.events = dax_events,
		.contexts = dax_contexts,
		.subbuf_bytes = 1 << 20,
		.subbuf_count = 8,
		.needs_dax_mount = true,
	},
	{
		.name = "slab",
		.summary =
			"slab and page allocations and frees, with the state dump that names them",
		.module = "lttng-probe-slab",
		.events = slab_events,
		.contexts = no_contexts,
		.subbuf_bytes = 2 << 20,
		.subbuf_count = 8,
		.starts_unevenly = true,
		.state_events = slab_state_events,
	},
	{ .name = NULL },
};

const struct profile *profile_find(const char *name)
{
	for (const struct profile *profile = profiles; profile->name; profile++)
		if (!strcmp(profile->name, name))
			return profile;
	return NULL;
}
