// SPDX-License-Identifier: LGPL-2.1-only
/* Lists allocation and free paths without a tracepoint, and says if they were traced. */
#include <stdio.h>
#include <string.h>

#include "analysis/slab/report/cells.h"
#include "analysis/slab/report/report.h"
#include "instrumentation/wire/slab.h"
#include "util/plural.h"

#define PATH(name) #name, LTTNG_MM_SLAB_PATH_##name

/* Properties of a path that are known without a state dump. */
static const struct known_path {
	const char *label;
	uint8_t number;
	bool pages;
	const char *event;
	/* name of the function before Linux 6.10, and since 6.10; NULL: see the state dump */
	const char *function, *function_6_10;
} known_paths[] = {
	{ PATH(ALLOC_BULK), false, "slab_alloc_bulk", NULL, NULL },
	{ PATH(KFREE_NOLOCK), false, "slab_free_bulk", NULL, NULL },
	{ PATH(KMALLOC_NOLOCK), false, "slab_alloc_bulk", NULL, NULL },
	{ PATH(KREALLOC), false, "slab_krealloc_in_place", NULL, NULL },
	{ PATH(FREE_BULK), false, "slab_free_bulk", NULL, NULL },
	{ PATH(KFREE_RCU), false, "slab_kfree_rcu", NULL, NULL },
	{ PATH(PAGE_ALLOC_BULK), true, "page_alloc_bulk", "__alloc_pages_bulk",
	  "alloc_pages_bulk_noprof" },
	{ PATH(ALLOC_CONTIG), true, NULL, "alloc_contig_range", "alloc_contig_range_noprof" },
	{ PATH(COMPACTION), true, NULL, "compact_zone", "compact_zone" },
};

/*
 * Prefers the kernel release in the trace, because the system information describes the machine at
 * the time of the snapshot, which may be later.
 */
int slab_kernel_is_since(const struct slab_results *results, unsigned int major, unsigned int minor)
{
	const char *release = mm_source_kernel_release(results->source);
	unsigned int has_major, has_minor;

	if (!release && !mm_source_kernels_differ(results->source))
		release = mm_sysinfo_system(results->sysinfo, "kernel_release");
	if (!release || sscanf(release, "%u.%u", &has_major, &has_minor) != 2)
		return -1;
	return has_major > major || (has_major == major && has_minor >= minor);
}

static bool was_seen(const struct slab_results *results, const struct known_path *path)
{
	return path->pages && path->event && results->requests->has_bulk_pages;
}

static const char *function_of(const struct slab_results *results, const struct known_path *path)
{
	int is_6_10 = slab_kernel_is_since(results, 6, 10);

	if (path->function && !strcmp(path->function, path->function_6_10))
		return path->function;
	return is_6_10 < 0 ? NULL : is_6_10 ? path->function_6_10 : path->function;
}

static bool is_known(const struct slab_results *results, const struct known_path *path)
{
	return was_seen(results, path) || !path->event ||
	       !mm_source_declares(results->source, path->event);
}

static const char *state_of(const struct slab_results *results, const struct known_path *path)
{
	if (was_seen(results, path))
		return "traced";
	return is_known(results, path) ? "not traced" : "not known";
}

static void fill_listed(const struct slab_path_state *path, struct mm_cell *cells)
{
	const char *state = path->hooked	? "traced"
			    : path->function[0] ? "not traced"
						: "not in this kernel";

	mm_cell_set_s(&cells[SLAB_PATHS_PATH], path->label);
	mm_cell_set_s(&cells[SLAB_PATHS_FUNCTION], path->function);
	mm_cell_set_s(&cells[SLAB_PATHS_STATE], state);
	/* Calls are counted only while the path is hooked. */
	if (path->hooked || path->missed || !path->function[0])
		mm_cell_set_u(&cells[SLAB_PATHS_MISSED], path->missed);
}

static void fill_unlisted(const struct slab_results *results, const struct known_path *path,
			  struct mm_cell *cells)
{
	mm_cell_set_s(&cells[SLAB_PATHS_PATH], path->label);
	mm_cell_set_s(&cells[SLAB_PATHS_FUNCTION], function_of(results, path));
	mm_cell_set_s(&cells[SLAB_PATHS_STATE], state_of(results, path));
}

/* Does the trace record the kind of memory (objects or pages) that the path allocates or frees? */
static bool concerns(const struct slab_results *results, const struct known_path *path)
{
	return path->pages ? results->requests->has_pages
			   : mm_source_declares(results->source, "slab_kfree") ||
				     mm_source_declares(results->source, "slab_cache_free");
}

/*
 * Adds a row about a path. Its state comes from the state dump or, if the dump does not list the
 * path, from the events of the trace.
 */
static void fill_path(const struct slab_results *results, const struct known_path *known,
		      const struct slab_path_state *listed, struct mm_table *table,
		      struct mm_report *report)
{
	struct mm_cell *cells = mm_table_row(report, table);

	if (!cells)
		return;
	if (listed)
		fill_listed(listed, cells);
	else
		fill_unlisted(results, known, cells);
}

/* Were all calls recorded, or does the kernel lack the path? */
static bool is_harmless(const struct slab_path_state *path)
{
	return !path->missed && (path->hooked || !path->function[0]);
}

/* Lists paths with possibly missing calls first. The text form shows only these paths. */
void slab_report_paths(const struct slab_results *results, const struct slab_options *options,
		       struct mm_report *report)
{
	struct mm_table *table =
		slab_report_table(report, options, "cache", &slab_table_untraced_paths);

	for (int harmless = 0; harmless < 2; harmless++) {
		for (uint32_t i = 0; i < results->paths->count; i++) {
			const struct slab_path_state *path = &results->paths->all[i];

			if (is_harmless(path) == harmless)
				fill_path(results, NULL, path, table, report);
		}
		for (size_t i = 0; i < sizeof(known_paths) / sizeof(known_paths[0]); i++) {
			const struct known_path *path = &known_paths[i];

			if (was_seen(results, path) == harmless && concerns(results, path) &&
			    !slab_path_is_listed(results->paths, path->number))
				fill_path(results, path, NULL, table, report);
		}
		if (!harmless)
			table->text_rows = table->row_count;
	}
	table->hidden |= !table->text_rows;
}

void slab_note_paths(const struct slab_results *results, struct mm_report *report)
{
	const char *why = "the state dump does not list these paths";
	unsigned int unknown = 0;

	for (size_t i = 0; i < sizeof(known_paths) / sizeof(known_paths[0]); i++)
		unknown += concerns(results, &known_paths[i]) &&
			   !slab_path_is_listed(results->paths, known_paths[i].number) &&
			   !is_known(results, &known_paths[i]);
	if (results->coverage->dump_absent)
		why = "the folder state/ of the snapshot, or a folder in it, is missing; copy the whole snapshot again";
	else if (results->coverage->dump_lossy)
		why = "the state dump lost events, or streams of it are missing";
	else if (!results->paths->count)
		why = "the trace has no state dump of paths; give the folder that `lttng-mm snapshot` printed, not a trace in it";
	if (unknown)
		mm_report_note(
			report,
			"Untraced allocation and free paths: it is not known whether %u of them %s traced: %s.",
			unknown, mm_plural(unknown, "was", "were"), why);
}
