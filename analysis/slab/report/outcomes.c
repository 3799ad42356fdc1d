// SPDX-License-Identifier: LGPL-2.1-only
/* Reports the outcomes of objects and the peak of live bytes. Notes gaps in the trace. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/slab/report/report.h"
#include "util/plural.h"

/* Names and meanings of the outcomes. */
static const struct {
	const char *label, *shown, *meaning;
} outcomes[SLAB_OUTCOMES] = {
	[SLAB_PAIRED] = { "paired", "paired", "allocated and freed in the trace" },
	[SLAB_LIVE] = { "live", "live at the end",
			"allocated before the first stream ended, and not freed in the trace" },
	[SLAB_BEFORE_TRACE] = { "before_trace", "allocated before the trace",
				"freed in the trace; allocated before it, or before the streams of all CPUs started" },
	[SLAB_FREED_UNTRACED] = { "freed_untraced", "freed by an untraced path",
				  "the address was allocated or freed again, or the cache was destroyed; a free or allocation by an untraced path explains this" },
	[SLAB_ANOMALOUS] = { "anomalies", "anomalies",
			     "double free or wrong cache that missing events cannot explain" },
	[SLAB_UNDETERMINED] = { "undetermined", "undetermined",
				"events were or may have been lost in between, a stream had ended, or the state dump lacks the data needed to decide" },
};

static uint64_t count_outcome(const struct slab_results *results, enum slab_outcome outcome,
			      enum slab_memory of)
{
	const struct slab_pairing *pairing = results->pairing;
	const struct slab_sum *sum =
		of == SLAB_MEMORY_PAGES ? &results->whole->pages : &results->whole->objects;

	switch (outcome) {
	case SLAB_BEFORE_TRACE:
		return pairing->before_trace[of].count;
	case SLAB_FREED_UNTRACED:
		return sum->outcomes[outcome] +
		       (of == SLAB_MEMORY_PAGES ? pairing->page_refreed : pairing->untraced_allocs);
	case SLAB_ANOMALOUS:
		return sum->outcomes[outcome] +
		       (of == SLAB_MEMORY_PAGES ? 0 : pairing->double_frees);
	case SLAB_UNDETERMINED:
		return sum->outcomes[outcome] + pairing->undetermined_frees[of];
	default:
		return sum->outcomes[outcome];
	}
}

/*
 * Sets the meaning of an outcome. If the trace excludes processes, adds that these may have freed
 * (or allocated) some objects.
 */
static void fill_meaning(const struct slab_results *results, enum slab_outcome outcome,
			 struct mm_cell *cells)
{
	const char *other = NULL;
	char shown[64], meaning[256];

	if (results->coverage->partial && outcome == SLAB_LIVE)
		other = "an excluded process may have freed some";
	if (results->coverage->partial && outcome == SLAB_BEFORE_TRACE)
		other = "an excluded process may have allocated some";
	snprintf(shown, sizeof(shown), "%s%s", outcomes[outcome].shown, other ? ", at most" : "");
	snprintf(meaning, sizeof(meaning), "%s%s%s", outcomes[outcome].meaning, other ? "; " : "",
		 other ? other : "");
	mm_cell_set_shown(&cells[SLAB_OUTCOMES_OUTCOME], shown);
	mm_cell_set_s(&cells[SLAB_OUTCOMES_MEANING], meaning);
}

void slab_report_outcomes(const struct slab_results *results, struct mm_report *report)
{
	static const char *const ofs[SLAB_MEMORY_COUNT] = { "objects", "pages" };
	const struct slab_pairing *pairing = results->pairing;
	struct mm_table *table = mm_report_table(report, &slab_table_outcomes);

	for (int i = 0; i < SLAB_OUTCOMES; i++) {
		struct mm_cell *cells = mm_table_row(report, table);

		for (int of = 0; of < SLAB_MEMORY_COUNT; of++) {
			uint64_t count =
				count_outcome(results, (enum slab_outcome)i, (enum slab_memory)of);

			mm_report_count(report, count, "slab.outcomes", outcomes[i].label, ofs[of]);
			if (cells)
				mm_cell_set_u(&cells[SLAB_OUTCOMES_OBJECTS + of], count);
		}
		if (!cells)
			return;
		mm_cell_set_s(&cells[SLAB_OUTCOMES_OUTCOME], outcomes[i].label);
		fill_meaning(results, (enum slab_outcome)i, cells);
	}
	for (int of = 0; of < SLAB_MEMORY_COUNT; of++)
		mm_report_count(report, pairing->undetermined_frees[of], "slab.frees_undetermined",
				ofs[of]);
	mm_report_count(report, pairing->in_place, "slab.krealloc_in_place");
	mm_report_count(report, pairing->rcu_call_count, "slab.kfree_rcu");
}

/* Notes how many caches have no known name and size, and why. */
static void note_unsized(const struct slab_results *results, const struct slab_sum *sum,
			 struct mm_report *report)
{
	const char *why =
		"the trace has no state dump of caches; give the folder that `lttng-mm snapshot` printed, not a trace in it";

	if (slab_caches_any_known(results->caches))
		why = "the state dump does not list these caches";
	if (results->coverage->dump_absent)
		why = "the folder state/ of the snapshot, or a folder in it, is missing; copy the whole snapshot again";
	else if (results->coverage->dump_lossy)
		why = "the state dump lost events, or streams of it are missing";
	if (sum->unsized)
		mm_report_remark(report,
				 "Slab caches of unknown name and size: %" PRIu32 ", with %" PRIu64
				 " of %" PRIu64 " allocation%s: %s.",
				 results->tracker->live.unsized_caches, sum->unsized, sum->allocs,
				 mm_plural_s(sum->allocs), why);
}

static const char excluded[] = "excluded processes may have freed objects";

/* Returns why the peak is inexact; NULL: exact. Sets *@least if the peak is a lower bound. */
static const char *why_inexact(const struct slab_results *results, bool *least)
{
	*least = false;
	if (results->coverage->lossy)
		return "events are missing (lost, damaged or truncated)";
	if (results->tracker->live.peak.alloc &&
	    (results->tracker->live.peak_ns < results->coverage->begin_ns ||
	     results->tracker->live.peak_ns > results->coverage->end_ns))
		return "at the time of the peak, not every stream has events";
	if (results->coverage->partial)
		return excluded;
	*least = results->tracker->live.unsized_until_ns != INT64_MIN;
	return *least ? "sizes of caches were not known when their objects were allocated" : NULL;
}

/*
 * Is the peak an upper bound, because frees may be excluded? An unknown size could make the true
 * peak larger, so all sizes must be known.
 */
static bool is_most(const struct slab_results *results, const char *why)
{
	return why == excluded && results->tracker->live.unsized_until_ns == INT64_MIN;
}

const char *slab_peak_text(const struct slab_results *results, char *text, size_t size)
{
	const struct slab_live *live = &results->tracker->live;
	bool least;
	const char *why = why_inexact(results, &least);
	char bytes[32];

	snprintf(text, size, "%s%s, %.3f s after the first slab or page event",
		 least			 ? "at least "
		 : is_most(results, why) ? "at most "
		 : why			 ? "about "
					 : "",
		 slab_bytes_text(live->peak.alloc, bytes, sizeof(bytes)),
		 live->peak.alloc ? (double)(live->peak_ns - live->first_ns) / 1e9 : 0.0);
	return text;
}

static void report_peak(const struct slab_results *results, struct mm_report *report)
{
	const struct {
		const char *name;
		uint64_t bytes;
	} peaks[] = {
		{ "slab.peak_bytes", results->tracker->live.peak.alloc },
		{ "slab.peak_bytes_requested", results->tracker->live.peak.req },
	};
	bool least;
	const char *why = why_inexact(results, &least);

	if (why)
		mm_report_note(report, "The peak of live bytes is not exact: %s.", why);
	for (size_t i = 0; i < sizeof(peaks) / sizeof(peaks[0]); i++) {
		struct mm_cell *cell = &mm_report_metric(report, peaks[i].name, NULL)->value;

		mm_cell_set_u(cell, peaks[i].bytes);
		cell->least = least;
		cell->most = is_most(results, why);
	}
	mm_cell_set_b(&mm_report_metric(report, "slab.peak_is_exact", NULL)->value, !why);
}

/*
 * Notes how many caches had objects before their sizes became known. In a live session, for
 * example, the state dump may come later than the first objects.
 */
static void note_late_dump(const struct slab_results *results, struct mm_report *report)
{
	uint32_t late = results->tracker->live.late_caches;

	if (late)
		mm_report_note(
			report,
			"The state dump came late: objects of %" PRIu32
			" slab %s known; until the state dump, the peak and the series leave these objects out.",
			late,
			mm_plural(late, "cache were allocated before its size was",
				  "caches were allocated before their sizes were"));
	if (results->tracker->cross_node.late)
		mm_report_note(
			report,
			"The state dump came late: allocations and frees before it are not counted by NUMA node.");
}

void slab_report_notes(const struct slab_results *results, struct mm_report *report)
{
	if (results->coverage->partial)
		mm_report_remark(
			report,
			"Recorded through a tracker or a filter: excluded allocations and frees are not in the trace.");
	note_unsized(results, &results->whole->objects, report);
	if (!results->nodes->page_shift && results->requests->page_flags.count > 1)
		mm_report_note(
			report,
			"The size of pages is not known, because the state dump lacks it: each page counts as 4 KiB.");
	note_late_dump(results, report);
	if (results->caches->far_dropped)
		mm_report_note(
			report,
			"The trace has more than %u slab caches with numbers above %u: further caches count as one unknown cache.",
			SLAB_CACHES_MAX - SLAB_CACHES_NEAR, SLAB_CACHES_NEAR - 1);
	slab_note_paths(results, report);
	slab_note_symbols(results, report);
	report_peak(results, report);
}
