// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reports the recorder's own allocations, which all figures omit: a remark, a finding and metrics.
 */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/slab/report/cells.h"
#include "analysis/slab/report/report.h"
#include "analysis/slab/report/select.h"
#include "util/plural.h"

/* The recorder's allocations. @sum and @pages include only allocations that match the filters. */
struct recorder_total {
	struct slab_sum sum, pages;
	/*
	 * allocations of objects, and of pages, that are counted although their process is unknown
	 */
	uint64_t unknown, unknown_pages;
	uint64_t share;	    /* all allocations of the recorder, ignoring filters */
	uint64_t misjudged; /* accounts that were omitted, or counted, by mistake */
};

static void add_account(const struct slab_results *results, const struct slab_options *options,
			uint32_t number, struct recorder_total *own)
{
	const struct slab_account *account = slab_account_at(results->accounts, number);
	struct slab_site site = { .row = { account->key.code, account->key.kind, 0, 0 } };

	own->share += account->allocs;
	if (!account->allocs || !slab_matches_account(results, options, number))
		return;
	slab_account_add_to_site(results->accounts, number, &site);
	slab_sum_site(results, &site,
		      slab_kind_is_pages(account->key.kind) ? &own->pages : &own->sum);
}

static void add_object(const struct slab_results *results, const struct slab_options *options,
		       const struct slab_object *object, bool lives, struct recorder_total *own)
{
	const struct slab_account *account = slab_account_at(results->accounts, object->account);
	const struct slab_site site = {
		.row = { account->key.code, account->key.kind, 0, 0 },
		.live = lives,
		.maybe_live = !lives,
		.live_alloc = lives ? object->bytes_alloc : 0,
	};

	if (slab_recorder_is_account(results->recorder, object->account) &&
	    slab_matches_account(results, options, object->account))
		slab_sum_site(results, &site,
			      slab_kind_is_pages(account->key.kind) ? &own->pages : &own->sum);
}

static void add_up(const struct slab_results *results, const struct slab_options *options,
		   struct recorder_total *own)
{
	const struct slab_object *object;
	uint32_t at = 0;

	for (uint32_t i = 1; i < slab_accounts_count(results->accounts); i++) {
		const struct slab_account *account = slab_account_at(results->accounts, i);

		if (slab_recorder_is_account(results->recorder, i))
			add_account(results, options, i, own);
		else if (slab_account_is_counted(results->accounts, i) &&
			 slab_thread_pid(results->threads, account->key.tid) < 0)
			*(slab_kind_is_pages(account->key.kind) ? &own->unknown_pages
								: &own->unknown) += account->allocs;
		own->misjudged += slab_account_is_counted(results->accounts, i) !=
				  slab_selects_account(results, options, i);
	}
	while ((object = slab_pairing_next_live(results->pairing, &at)))
		add_object(results, options, object, true, own);
	at = 0;
	while ((object = slab_pairing_next_maybe_live(results->pairing, &at)))
		add_object(results, options, object, false, own);
}

/* Fills the metrics. If the recorder is unknown, @own is NULL, and the metrics get no values. */
static void fill_metrics(struct mm_report *report, const struct recorder_total *own,
			 bool live_unknown)
{
	const struct recorder_total none = { 0 }, *of = own ? own : &none;
	const struct slab_sum *sum = &of->sum;
	const struct {
		const char *name;
		uint64_t value, unsized, count;
		bool unknown;
	} metrics[] = {
		{ "slab.recorder.allocations", sum->allocs, 0, 0, !own },
		{ "slab.recorder.bytes_allocated", sum->bytes_alloc, sum->unsized, sum->allocs,
		  !own },
		{ "slab.recorder.live", sum->live, 0, 0, live_unknown },
		{ "slab.recorder.live_bytes", sum->live_alloc, sum->live_unsized, sum->live,
		  live_unknown },
		{ "slab.recorder.page_allocations", of->pages.allocs, 0, 0, !own },
	};

	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		struct mm_metric *metric = mm_report_metric(report, metrics[i].name, NULL);

		if (!metrics[i].unknown)
			slab_set_bytes(&metric->value, metrics[i].value, metrics[i].unsized,
				       metrics[i].count);
	}
}

/* Returns @text: "50.6 MiB in objects". */
static const char *bytes_text(const struct slab_sum *sum, const char *what, char *text, size_t size)
{
	char bytes[32];

	snprintf(text, size, "%s%s in %s", sum->unsized ? "at least " : "",
		 slab_bytes_text(sum->bytes_alloc, bytes, sizeof(bytes)), what);
	return text;
}

/* Returns @text: "at most 1.9 MiB in objects", the bytes that are live at the end. */
static const char *live_text(const struct slab_results *results, const struct slab_sum *sum,
			     const char *what, char *text, size_t size)
{
	char bytes[32];

	snprintf(text, size, "%s%s in %s",
		 sum->live_unsized ? "at least "
		 : sum->live	   ? slab_coverage_at_most(results->coverage)
				   : "",
		 slab_bytes_text(sum->live_alloc, bytes, sizeof(bytes)), what);
	return text;
}

/* States how many bytes the figures leave out. A finding says how many of them are live. */
static void say_bytes(const struct slab_results *results, const struct recorder_total *own,
		      bool included, struct mm_report *report)
{
	const struct slab_sum *sum = &own->sum, *pages = &own->pages;
	char of_objects[80], of_pages[80];

	mm_report_remark(report, "The recorder's own %s and %s are %s.",
			 bytes_text(sum, "objects", of_objects, sizeof(of_objects)),
			 bytes_text(pages, "pages", of_pages, sizeof(of_pages)),
			 included ? "included" : "left out");
	if (slab_total_is_unknown(results, sum) || slab_total_is_unknown(results, pages))
		mm_report_finding(
			report,
			"It is not known how much of the recorder's own allocations is live at the end.");
	else if (sum->live || pages->live)
		mm_report_finding(
			report, "Of the recorder's own allocations, %s and %s are live at the end.",
			live_text(results, sum, "objects", of_objects, sizeof(of_objects)),
			live_text(results, pages, "pages", of_pages, sizeof(of_pages)));
}

static void conclude(const struct slab_results *results, const struct recorder_total *own,
		     const struct slab_options *options, struct mm_report *report)
{
	const struct slab_sum *sum = &own->sum, *pages = &own->pages;
	char unknown[80];

	if (!sum->allocs && !pages->allocs && !own->unknown && !own->unknown_pages)
		return;
	say_bytes(results, own, options->report.include_recorder, report);
	if (own->unknown || own->unknown_pages) {
		snprintf(unknown, sizeof(unknown),
			 "%" PRIu64 " allocation%s and %" PRIu64 " page allocation%s", own->unknown,
			 mm_plural_s(own->unknown), own->unknown_pages,
			 mm_plural_s(own->unknown_pages));
		mm_report_remark_unknown(report, unknown);
	}
	if (own->misjudged)
		mm_report_note(
			report,
			"The trace could be read only once, and some of the recorder's processes were recognized only at its end: the figures treat the allocations of these processes like those of other processes.");
}

void slab_report_recorder(const struct slab_results *results, const struct slab_options *options,
			  struct mm_report *report)
{
	struct recorder_total own = { 0 };
	uint64_t all = 0;

	if (!slab_recorder_is_known(results->recorder)) {
		mm_report_remark(
			report,
			"The recorder's own allocations are included in all figures: no system information says which processes recorded.");
		fill_metrics(report, NULL, true);
		return;
	}
	add_up(results, options, &own);
	conclude(results, &own, options, report);
	fill_metrics(report, &own, slab_total_is_unknown(results, &own.sum));
	for (uint32_t i = 0; i < slab_accounts_count(results->accounts); i++)
		all += slab_account_at(results->accounts, i)->allocs;
	if (all)
		mm_cell_set_r(&report->coverage[MM_COVERAGE_RECORDER_SHARE],
			      (double)own.share / (double)all);
}
