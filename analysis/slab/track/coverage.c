// SPDX-License-Identifier: LGPL-2.1-only
/* Finds the coverage from losses, the state dump and the system information. */
#include "analysis/slab/track/coverage.h"

#include <stdlib.h>
#include <string.h>

#include "reader/coverage/coverage.h"

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

/* May the stream have slab or page events? */
static bool has_events(const struct mm_source *source, const char *stream)
{
	for (size_t i = 0; i < mm_source_loss_count(source); i++) {
		const struct mm_loss *loss = mm_source_loss_at(source, i);

		if (loss->affects_others && !strcmp(loss->stream, stream))
			return true;
	}
	return false;
}

static int find_gaps(struct slab_coverage *coverage, const struct mm_source *source)
{
	const struct mm_missing_list *list = mm_source_missing(source);
	const struct mm_pause *all = list ? list->stream_gaps : NULL;
	size_t count = list ? list->stream_gap_count : 0;
	bool has = false;

	if (!count)
		return 0;
	coverage->gaps = calloc(count, sizeof(*coverage->gaps));
	if (!coverage->gaps)
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (!i || strcmp(all[i].file, all[i - 1].file) != 0)
			has = has_events(source, all[i].file);
		if (has)
			coverage->gaps[coverage->gap_count++] =
				(struct mm_range){ all[i].start_ns, all[i].end_ns };
	}
	mm_range_sort_by_reach(coverage->gaps, coverage->gap_count);
	return 0;
}

bool slab_coverage_has_gap(const struct slab_coverage *coverage, int64_t first_ns,
			   int64_t second_ns)
{
	return mm_range_reach(coverage->gaps, coverage->gap_count, second_ns) > first_ns;
}

const char *slab_coverage_live_unless(const struct slab_coverage *coverage)
{
	if (coverage->partial)
		return coverage->gap_count
			       ? ", unless freed by a process that a tracker or a filter excluded, or while recording was paused"
			       : ", unless freed by a process that a tracker or a filter excluded";
	return coverage->gap_count ? ", unless freed while recording was paused" : "";
}

const char *slab_coverage_at_most(const struct slab_coverage *coverage)
{
	return coverage->partial ? "at most " : "";
}

void slab_coverage_release(struct slab_coverage *coverage)
{
	free(coverage->gaps);
	coverage->gaps = NULL;
	coverage->gap_count = 0;
}

int slab_coverage_find(struct slab_coverage *coverage, const struct mm_source *source,
		       const struct mm_sysinfo *sysinfo, const struct slab_caches *caches,
		       const struct slab_paths *paths)
{
	const struct mm_missing_list *missing = mm_source_missing(source);

	*coverage = (struct slab_coverage){
		.hidden_allocs = slab_paths_hide_allocs(paths),
		.paths_unknown = !slab_paths_are_known(paths),
		.partial = mm_sysinfo_is_partial(sysinfo, source),
		.is_kmalloc_cache = is_kmalloc_cache,
		.is_gone = is_gone,
		.is_unknown = is_unknown,
		.user = caches,
		.unverified = missing && mm_missing_unverifiable(missing),
		.unchecked = missing && missing->without_sums,
		.maybe_paused = missing && missing->maybe_paused,
		.lossy = missing && missing->maybe_paused,
		.has_failures = mm_source_declares(source, "page_alloc_failed") &&
				mm_source_declares(source, "slab_kmalloc_failed"),
		.dump_absent = missing && missing->no_state_folder,
	};
	mm_coverage(source, &coverage->begin_ns, &coverage->end_ns);
	/*
	 * The range of a stream consists of whole packets, so it may end after the requested range.
	 */
	if (mm_source_options(source)->end_ns < coverage->end_ns)
		coverage->end_ns = mm_source_options(source)->end_ns;
	for (size_t i = 0; i < mm_source_loss_count(source); i++) {
		const struct mm_loss *loss = mm_source_loss_at(source, i);
		bool damaged = loss->damaged_since_ns != INT64_MAX;
		bool lossy = mm_loss_any(loss) || damaged;

		coverage->dump_lossy |= loss->has_state_dumps && lossy;
		coverage->lossy |= loss->affects_others && lossy;
		coverage->failures_lossy |= loss->has_counted && (mm_loss_may_lack(loss) ||
								  mm_missing_cut(source, loss));
		coverage->damaged |= loss->affects_others && damaged;
	}
	return find_gaps(coverage, source);
}
