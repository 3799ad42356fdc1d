// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The recorder's own allocations: omitted from lists, and reported in a separate sentence and
 * metrics.
 */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/slab/report/report.h"
#include "analysis/slab/report/select.h"
#include "util/plural.h"

void slab_listed_site(const struct slab_results *results, const struct mm_report_options *options,
		      uint32_t number, struct slab_site *site)
{
	const struct slab_site *part = slab_unlisted_site(results, options, number);

	*site = *slab_site_at(results->accounts, number);
	if (!part)
		return;
	site->allocs -= part->allocs;
	site->bytes_req -= part->bytes_req;
	site->bytes_alloc -= part->bytes_alloc;
	site->live -= part->live;
	site->maybe_live -= part->maybe_live;
	site->live_req -= part->live_req;
	site->live_alloc -= part->live_alloc;
	for (int i = 0; i < SLAB_OUTCOMES; i++)
		site->outcomes[i] -= part->outcomes[i];
	site->pairs.other_cpu -= part->pairs.other_cpu;
	site->pairs.other_thread -= part->pairs.other_thread;
	site->pairs.kfreed -= part->pairs.kfreed;
	for (int i = 0; i < SLAB_LIFETIME_BINS; i++)
		site->pairs.lifetimes[i] -= part->pairs.lifetimes[i];
}

/* @sum NULL: who recorded is not known, and so is nothing of it. */
static void fill_metrics(struct mm_report *report, const struct slab_sum *sum, uint64_t pages,
			 bool live_unknown)
{
	const struct slab_sum none = { 0 }, *own = sum ? sum : &none;
	const struct {
		const char *name;
		uint64_t value, unsized, count;
		bool unknown;
	} metrics[] = {
		{ "slab.recorder.allocations", own->allocs, 0, 0, !sum },
		{ "slab.recorder.bytes_allocated", own->bytes_alloc, own->unsized, own->allocs,
		  !sum },
		{ "slab.recorder.live", own->live, 0, 0, live_unknown },
		{ "slab.recorder.live_bytes", own->live_alloc, own->live_unsized, own->live,
		  live_unknown },
		{ "slab.recorder.page_allocations", pages, 0, 0, !sum },
	};

	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		struct mm_metric *metric = mm_report_metric(report, metrics[i].name, NULL);

		if (!metrics[i].unknown)
			slab_set_bytes(&metric->value, metrics[i].value, metrics[i].unsized,
				       metrics[i].count);
	}
}

void slab_report_recorder(const struct slab_results *results,
			  const struct mm_report_options *options, struct mm_report *report)
{
	uint64_t all = results->whole->objects.allocs + results->whole->pages.allocs;
	struct slab_sum sum = { 0 };
	char allocated[40], live[40], at_end[80];
	uint64_t pages = 0;

	if (!slab_recorder_is_known(results->recorder)) {
		mm_report_remark(
			report,
			"The recorder's own allocations are included in rankings: no system information says which processes recorded.");
		fill_metrics(report, NULL, 0, true);
		return;
	}
	for (uint32_t i = 0; i < slab_sites_count(results->accounts); i++) {
		const struct slab_site *site = slab_recorder_site(results->recorder, i);

		if (slab_kind_is_pages(site->row.b))
			pages += site->allocs;
		else
			slab_sum_site(results, site, &sum);
	}
	if (slab_live_is_unknown(&sum))
		snprintf(at_end, sizeof(at_end), "how much of it is live at the end is not known");
	else
		snprintf(at_end, sizeof(at_end), "%s%s of them live at the end",
			 sum.live_unsized ? "at least " : "",
			 slab_bytes_text(sum.live_alloc, live, sizeof(live)));
	mm_report_remark(report,
			 "The recorder's own allocations are %s: %" PRIu64 ", %s%s, %s;"
			 " %" PRIu64 " page allocation%s.",
			 options->include_recorder ? "included in rankings"
						   : "left out of rankings (--include-recorder)",
			 sum.allocs, sum.unsized ? "at least " : "",
			 slab_bytes_text(sum.bytes_alloc, allocated, sizeof(allocated)), at_end,
			 pages, mm_plural_s(pages));
	fill_metrics(report, &sum, pages, slab_live_is_unknown(&sum));
	if (all)
		mm_cell_set_r(&report->coverage[MM_COVERAGE_RECORDER_SHARE],
			      (double)(sum.allocs + pages) / (double)all);
}
