// SPDX-License-Identifier: LGPL-2.1-only
/* Coverage, from the losses, the state dump and the system information. */
#include "analysis/slab/track/coverage.h"

#include <string.h>

#include "analysis/trace/coverage.h"
#include "analysis/trace/missing.h"

static bool is_kmalloc_cache(const void *caches, uint32_t kind, uint32_t bytes_alloc)
{
	return slab_kind_is_kmalloc_cache(caches, kind, bytes_alloc);
}

static bool is_unknown(const void *caches, uint32_t kind)
{
	return slab_kind_is_unsized(caches, kind);
}

static bool is_gone(const void *caches, uint32_t kind)
{
	return slab_kind_is_gone(caches, kind);
}

/*
 * The recorder states it in the system information; a plain LTTng session's tracker is not visible.
 */
static bool is_partial(const struct mm_sysinfo *sysinfo)
{
	const char *selection = mm_sysinfo_system(sysinfo, "selection");

	return selection && !strcmp(selection, "part");
}

void slab_coverage_find(struct slab_coverage *coverage, const struct mm_source *source,
			const struct mm_sysinfo *sysinfo, const struct slab_caches *caches,
			const struct slab_paths *paths)
{
	*coverage = (struct slab_coverage){
		.hidden_allocs = slab_paths_hide_allocs(paths),
		.paths_unknown = !slab_paths_are_known(paths),
		.partial = is_partial(sysinfo),
		.is_kmalloc_cache = is_kmalloc_cache,
		.is_gone = is_gone,
		.is_unknown = is_unknown,
		.user = caches,
		.unverified = source->missing && mm_missing_unverifiable(source->missing),
		.unchecked = source->missing && source->missing->without_sums,
		.maybe_paused = source->missing &&
				(source->missing->maybe_paused || source->missing->uncovered),
		.lossy = source->missing && source->missing->maybe_paused,
		.dump_absent = source->missing && source->missing->no_state_folder,
	};
	mm_coverage(source, &coverage->begin_ns, &coverage->end_ns);
	/*
	 * The time ranges of streams are those of their packets, of which a requested time range
	 * may have a part.
	 */
	if (source->options.end_ns < coverage->end_ns)
		coverage->end_ns = source->options.end_ns;
	for (size_t i = 0; i < source->loss_count; i++) {
		const struct mm_loss *loss = &source->losses[i];
		bool damaged = loss->damaged_since_ns != INT64_MAX;
		bool lossy = mm_loss_any(loss) || damaged;

		coverage->dump_lossy |= loss->has_state_dumps && lossy;
		coverage->lossy |= loss->affects_others && lossy;
		coverage->failures_lossy |= loss->has_counted && mm_loss_may_lack(loss);
		coverage->damaged |= loss->affects_others && damaged;
	}
}
