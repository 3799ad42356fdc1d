// SPDX-License-Identifier: LGPL-2.1-only
/* The largest findings, as sentences with numbers. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/slab/report/report.h"
#include "util/plural.h"

/* So many sentences start a report at most: what else there is, tables have. */
#define FINDINGS_MAX 4
/* Below that part, in percent, what objects lose or where they are freed is no finding. */
#define SLIGHT 1.0

/* There is no allocation in the trace, but some may be missing from it. */
static const char none_is_certain[] = "No allocation is certain: events are missing.";

/* The rows that findings are made of, as the rankings have them. */
struct rankings {
	const struct slab_row *sites, *kinds;
	uint32_t site_count, kind_count;
};

/* A finding that concerns a part of the objects: the largest ones of these are reported. */
struct share {
	double percent;
	void (*find)(const struct slab_results *results, const struct rankings *rankings,
		     struct mm_report *report);
};

static uint64_t allocated(const struct slab_sum *sum)
{
	return sum->bytes_alloc;
}

static uint64_t live(const struct slab_sum *sum)
{
	return sum->live_alloc;
}

static uint64_t remote(const struct slab_sum *sum)
{
	return sum->other_cpu;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* The row of objects with the most of @amount, of @kind only unless that is SLAB_KIND_ANY. */
static const struct slab_row *most(const struct slab_row *rows, uint32_t count, uint32_t kind,
				   uint64_t (*amount)(const struct slab_sum *sum))
{
	const struct slab_row *found = NULL;

	for (uint32_t i = 0; i < count; i++) {
		if (kind == SLAB_KIND_ANY ? slab_kind_is_pages(rows[i].kind) : rows[i].kind != kind)
			continue;
		if (amount(&rows[i].sum) > (found ? amount(&found->sum) : 0))
			found = &rows[i];
	}
	return found;
}

/* ", most at CALL SITE", or nothing. */
static const char *most_at(const struct slab_results *results, const struct rankings *rankings,
			   uint32_t kind, uint64_t (*amount)(const struct slab_sum *sum),
			   char *text, size_t size)
{
	const struct slab_row *site = most(rankings->sites, rankings->site_count, kind, amount);
	char name[200];

	text[0] = '\0';
	if (!site)
		return text;
	slab_call_site_name(results, site->code, name, sizeof(name));
	snprintf(text, size, ", most at %s", name);
	return text;
}

/* "; 12 of unknown size", or nothing. */
static const char *unsized_text(uint64_t unsized, char *text, size_t size)
{
	text[0] = '\0';
	if (unsized)
		snprintf(text, size, "; %" PRIu64 " of unknown size", unsized);
	return text;
}

/* ", unless a stream is missing, which cannot be checked", or nothing. */
static const char *unless(const struct slab_coverage *coverage, char *text, size_t size)
{
	const char *const reasons[] = {
		coverage->unverified ? "a stream is missing" : NULL,
		coverage->unchecked ? "a packet is damaged" : NULL,
		coverage->maybe_paused ? "recording was paused, or events excluded" : NULL,
	};
	const char *before = ", unless ";
	size_t length = 0;

	text[0] = '\0';
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (!reasons[i])
			continue;
		length +=
			(size_t)snprintf(text + length, size - length, "%s%s", before, reasons[i]);
		before = ", or ";
	}
	if (length)
		snprintf(text + length, size - length, ", which cannot be checked");
	return text;
}

static void find_anomalies(const struct slab_results *results, struct mm_report *report)
{
	uint64_t wrong = results->whole->objects.outcomes[SLAB_ANOMALOUS] +
			 results->whole->pages.outcomes[SLAB_ANOMALOUS] +
			 results->pairing->double_frees;
	char reasons[160];
	uint64_t paused = 0;

	for (size_t i = 0; i < results->pairing->anomaly_count; i++) {
		const struct slab_anomaly *anomaly = &results->pairing->anomalies[i];

		/* It has no influence on how its object ends. */
		wrong += anomaly->kind == SLAB_SIZE && anomaly->verdict == SLAB_ANOMALOUS;
		paused += anomaly->verdict == SLAB_UNDETERMINED &&
			  slab_coverage_has_gap(results->coverage, anomaly->first_ns,
						anomaly->second_ns);
	}
	if (paused)
		mm_report_note(
			report,
			"%" PRIu64
			" pair%s of events that contradict each other (double free, wrong cache, ...) %s undetermined: between the two events, no stream has packets for a time, and recording may have been paused then.",
			paused, mm_plural_s(paused), mm_plural(paused, "is", "are"));
	if (wrong)
		mm_report_finding(
			report,
			"%" PRIu64
			" %s (double free, wrong cache, ...): nothing that is missing from the trace explains %s%s.",
			wrong, mm_plural(wrong, "anomaly", "anomalies"),
			mm_plural(wrong, "it", "them"),
			unless(results->coverage, reasons, sizeof(reasons)));
}

/* Who allocated most, of all that was allocated. */
static void find_consumer(const struct slab_results *results, const struct rankings *rankings,
			  struct mm_report *report)
{
	const struct slab_sum *all = &results->whole->objects, *pages = &results->whole->pages;
	const struct slab_row *kind =
		most(rankings->kinds, rankings->kind_count, SLAB_KIND_ANY, allocated);
	char name[SLAB_NAME_BYTES], bytes[32], sum[32], at[256], unsized[64], and[96] = "";

	slab_bytes_text(pages->bytes_alloc, bytes, sizeof(bytes));
	if (pages->allocs && !kind) {
		mm_report_finding(report, "Pages: %" PRIu64 " page allocation%s, %s.",
				  pages->allocs, mm_plural_s(pages->allocs), bytes);
		return;
	}
	if (!all->allocs && results->coverage->lossy) {
		mm_report_finding(report, none_is_certain);
		return;
	}
	if (!kind) {
		mm_report_finding(report, "%" PRIu64 " allocation%s%s.", all->allocs,
				  mm_plural_s(all->allocs),
				  unsized_text(all->unsized, unsized, sizeof(unsized)));
		return;
	}
	if (pages->allocs)
		snprintf(and, sizeof(and), "; pages: %s in %" PRIu64 " allocation%s", bytes,
			 pages->allocs, mm_plural_s(pages->allocs));
	slab_kind_name(results->caches, kind->kind, name, sizeof(name));
	mm_report_finding(report,
			  "Most bytes allocated: %s, %s in %" PRIu64
			  " allocation%s (%.1f %% of %s in %" PRIu64 "%s)%s%s.",
			  name, slab_bytes_text(kind->sum.bytes_alloc, bytes, sizeof(bytes)),
			  kind->sum.allocs, mm_plural_s(kind->sum.allocs),
			  percent(kind->sum.bytes_alloc, all->bytes_alloc),
			  slab_bytes_text(all->bytes_alloc, sum, sizeof(sum)), all->allocs,
			  unsized_text(all->unsized, unsized, sizeof(unsized)),
			  most_at(results, rankings, kind->kind, allocated, at, sizeof(at)), and);
}

/* What is live at the end, and how much was at one time. */
static void find_growth(const struct slab_results *results, const struct rankings *rankings,
			struct mm_report *report)
{
	const struct slab_sum *all = &results->whole->objects, *pages = &results->whole->pages;
	const struct slab_row *kind =
		most(rankings->kinds, rankings->kind_count, SLAB_KIND_ANY, live);
	char name[SLAB_NAME_BYTES], bytes[32], sum[32], at[256], peak[96], unsized[64];
	char largest[SLAB_NAME_BYTES + 400] = "", and[64] = "";

	slab_peak_text(results, peak, sizeof(peak));
	if (!all->live && !pages->live && (all->maybe_live || pages->maybe_live)) {
		mm_report_finding(
			report,
			"Peak of live bytes: %s; what is live at the end is not known: %" PRIu64
			" object%s and %" PRIu64 " page allocation%s may be.",
			peak, all->maybe_live, mm_plural_s(all->maybe_live), pages->maybe_live,
			mm_plural_s(pages->maybe_live));
		return;
	}
	if (!all->live && !pages->live) {
		mm_report_finding(
			report, "Peak of live bytes: %s; %s.", peak,
			results->coverage->lossy
				? "what is live at the end is not known: events are missing"
				: "nothing is live at the end");
		return;
	}
	if (kind) {
		slab_kind_name(results->caches, kind->kind, name, sizeof(name));
		most_at(results, rankings, kind->kind, live, at, sizeof(at));
		snprintf(largest, sizeof(largest),
			 "; the largest part of the objects is %s, %s in %" PRIu64 " object%s%s",
			 name, slab_bytes_text(kind->sum.live_alloc, bytes, sizeof(bytes)),
			 kind->sum.live, mm_plural_s(kind->sum.live), at);
	}
	if (pages->live)
		snprintf(and, sizeof(and), " and %s in pages",
			 slab_bytes_text(pages->live_alloc, bytes, sizeof(bytes)));
	mm_report_finding(
		report,
		"Growth: %s%s in objects%s are live at the end%s%s%s; peak of the objects: %s.",
		all->live_unsized ? "" : slab_coverage_at_most(results->coverage),
		slab_bytes_text(all->live_alloc, sum, sizeof(sum)), and,
		slab_coverage_live_unless(results->coverage),
		unsized_text(all->live_unsized, unsized, sizeof(unsized)), largest, peak);
}

static void find_fragmentation(const struct slab_results *results, const struct rankings *rankings,
			       struct mm_report *report)
{
	const struct slab_sum *all = &results->whole->objects;
	const struct slab_row *kind =
		most(rankings->kinds, rankings->kind_count, SLAB_KIND_ANY, slab_sum_waste);
	char name[SLAB_NAME_BYTES], bytes[32], sum[32], at[256];

	if (!kind)
		return;
	slab_kind_name(results->caches, kind->kind, name, sizeof(name));
	mm_report_finding(report,
			  "Internal fragmentation: %.1f %% of the allocated bytes, %s; %s wastes"
			  " most, %s (%.1f %% of its bytes)%s.",
			  slab_sum_waste_percent(all),
			  slab_bytes_text(slab_sum_waste(all), sum, sizeof(sum)), name,
			  slab_bytes_text(slab_sum_waste(&kind->sum), bytes, sizeof(bytes)),
			  slab_sum_waste_percent(&kind->sum),
			  most_at(results, rankings, kind->kind, slab_sum_waste, at, sizeof(at)));
}

static void find_failures(const struct slab_results *results,
			  const struct mm_report_options *options, struct mm_report *report)
{
	const struct slab_failed *worst;
	struct mm_rows folded;
	uint64_t count = 0;
	char name[200], site[210] = "", kind[SLAB_NAME_BYTES] = "kmalloc";
	char gfp[SLAB_FLAGS_BYTES], most_often[48] = "";

	if (slab_fold_failed(results, options, &folded))
		report->failed = true;
	if (report->failed || !folded.count) {
		if (!report->failed && results->coverage->failures_lossy)
			mm_report_remark(
				report,
				"Whether allocations failed is not known: events of failed allocations may be missing.");
		mm_rows_release(&folded);
		return;
	}
	worst = mm_rows_at(&folded, 0);
	for (uint32_t i = 0; i < folded.count; i++)
		count += ((const struct slab_failed *)mm_rows_at(&folded, i))->count;
	if (worst->row.a != SLAB_NO_CODE) {
		slab_call_site_name(results, worst->row.a, name, sizeof(name));
		snprintf(site, sizeof(site), " at %s", name);
	}
	if (worst->row.b != SLAB_KIND_NONE)
		slab_kind_name(results->caches, worst->row.b, kind, sizeof(kind));
	mm_labels_text(&results->labels->gfp, worst->row.c, gfp, sizeof(gfp));
	if (worst->count < count)
		snprintf(most_often, sizeof(most_often), "; most often, %" PRIu64 " time%s",
			 worst->count, mm_plural_s(worst->count));
	mm_report_finding(report, "Failures: %s%" PRIu64 " allocation%s failed%s, of %s (%s)%s.",
			  results->coverage->failures_lossy ? "at least " : "", count,
			  mm_plural_s(count), most_often, kind, gfp, site);
	mm_rows_release(&folded);
}

static void find_remote_frees(const struct slab_results *results, const struct rankings *rankings,
			      struct mm_report *report)
{
	const struct slab_sum *all = &results->whole->objects;
	const struct slab_row *kind =
		most(rankings->kinds, rankings->kind_count, SLAB_KIND_ANY, remote);
	uint64_t paired = all->outcomes[SLAB_PAIRED];
	char name[SLAB_NAME_BYTES];

	if (!kind)
		return;
	slab_kind_name(results->caches, kind->kind, name, sizeof(name));
	mm_report_finding(
		report,
		"Remote frees: %" PRIu64 " of %" PRIu64
		" paired object%s (%.1f %%) %s freed on another CPU than allocated; most are of"
		" %s, %" PRIu64 ".",
		all->other_cpu, paired, mm_plural_s(paired), percent(all->other_cpu, paired),
		mm_plural(all->other_cpu, "was", "were"), name, kind->sum.other_cpu);
}

/* Objects whose allocations (0) or frees (1) have a CPU and memory of known nodes. */
static uint64_t with_nodes(const struct slab_cross_node *cross_node, int event)
{
	return cross_node->counts[event][0][SLAB_NODE_SAME] +
	       cross_node->counts[event][0][SLAB_NODE_OTHER];
}

static double cross_node_percent(const struct slab_results *results)
{
	const struct slab_cross_node *cross_node = &results->tracker->cross_node;

	return cross_node->nodes ? percent(cross_node->counts[0][0][SLAB_NODE_OTHER] +
						   cross_node->counts[1][0][SLAB_NODE_OTHER],
					   with_nodes(cross_node, 0) + with_nodes(cross_node, 1))
				 : 0;
}

static void find_cross_node(const struct slab_results *results, const struct rankings *rankings,
			    struct mm_report *report)
{
	const struct slab_cross_node *cross_node = &results->tracker->cross_node;
	uint64_t remote_allocs = cross_node->counts[0][0][SLAB_NODE_OTHER];
	uint64_t allocs = with_nodes(cross_node, 0);

	(void)rankings;
	mm_report_finding(report,
			  "Cross-node: %" PRIu64 " of %" PRIu64
			  " object%s %s allocated on a CPU of another node than %s memory's,"
			  " %" PRIu64 " of %" PRIu64 " freed on one.",
			  remote_allocs, allocs, mm_plural_s(allocs),
			  mm_plural(remote_allocs, "was", "were"),
			  mm_plural(remote_allocs, "its", "their"),
			  cross_node->counts[1][0][SLAB_NODE_OTHER], with_nodes(cross_node, 1));
}

static int compare_shares(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	return (x->percent < y->percent) - (x->percent > y->percent);
}

void slab_report_findings(const struct slab_results *results,
			  const struct mm_report_options *options, const struct slab_row *sites,
			  uint32_t site_count, const struct slab_row *kinds, uint32_t kind_count,
			  struct mm_report *report)
{
	const struct slab_sum *all = &results->whole->objects;
	const struct rankings rankings = {
		.sites = sites, .kinds = kinds, .site_count = site_count, .kind_count = kind_count
	};
	struct share shares[] = {
		{ slab_sum_waste_percent(all), find_fragmentation },
		{ percent(all->other_cpu, all->outcomes[SLAB_PAIRED]), find_remote_frees },
		{ cross_node_percent(results), find_cross_node },
	};

	find_anomalies(results, report);
	find_failures(results, options, report);
	find_consumer(results, &rankings, report);
	find_growth(results, &rankings, report);
	qsort(shares, sizeof(shares) / sizeof(shares[0]), sizeof(shares[0]), compare_shares);
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
		if (shares[i].percent >= SLIGHT && report->finding_count < FINDINGS_MAX)
			shares[i].find(results, &rankings, report);
}

void slab_report_sums(const struct slab_results *results, struct mm_report *report)
{
	const struct slab_sum *all = &results->whole->objects;
	char requested[32], allocated_bytes[32], peak[96], unsized[64];

	find_anomalies(results, report);
	if (!all->allocs && results->coverage->lossy)
		mm_report_finding(report, none_is_certain);
	else
		mm_report_finding(
			report, "%" PRIu64 " allocation%s: %s requested, %s allocated%s.",
			all->allocs, mm_plural_s(all->allocs),
			slab_bytes_text(all->bytes_req, requested, sizeof(requested)),
			slab_bytes_text(all->bytes_alloc, allocated_bytes, sizeof(allocated_bytes)),
			unsized_text(all->unsized, unsized, sizeof(unsized)));
	mm_report_finding(report, "Peak of live bytes: %s.",
			  slab_peak_text(results, peak, sizeof(peak)));
}
