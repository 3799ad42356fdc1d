// SPDX-License-Identifier: LGPL-2.1-only
/* The largest findings, as sentences with numbers; each only where it says something. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/slab/report/report.h"

/* Below that part, in percent, internal fragmentation and remote frees are no finding. */
#define SLIGHT 1.0

/* The rows that findings are made of, as the rankings have them. */
struct rankings {
	const struct slab_row *sites, *kinds;
	uint32_t site_count, kind_count;
	struct slab_sum objects, pages;
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

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
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

static void find_consumer(const struct slab_results *results, const struct rankings *rankings,
			  struct mm_report *report)
{
	const struct slab_row *kind =
		most(rankings->kinds, rankings->kind_count, SLAB_KIND_ANY, allocated);
	char name[SLAB_NAME_BYTES], bytes[32], at[256];

	if (!kind)
		return;
	slab_kind_name(results->caches, kind->kind, name, sizeof(name));
	mm_report_finding(report,
			  "Largest consumer: %s, %s in %" PRIu64
			  " allocation%s (%.1f %% of the allocated bytes)%s.",
			  name, slab_bytes_text(kind->sum.bytes_alloc, bytes, sizeof(bytes)),
			  kind->sum.allocs, plural(kind->sum.allocs),
			  percent(kind->sum.bytes_alloc, rankings->objects.bytes_alloc),
			  most_at(results, rankings, kind->kind, allocated, at, sizeof(at)));
}

static void find_growth(const struct slab_results *results, const struct rankings *rankings,
			struct mm_report *report)
{
	const struct slab_row *kind =
		most(rankings->kinds, rankings->kind_count, SLAB_KIND_ANY, live);
	char name[SLAB_NAME_BYTES], bytes[32], all[32], at[256];

	if (!kind)
		return;
	slab_kind_name(results->caches, kind->kind, name, sizeof(name));
	mm_report_finding(
		report,
		"Growth: %s allocated in the trace are live at the end; the largest part is %s, %s in"
		" %" PRIu64 " object%s%s.",
		slab_bytes_text(rankings->objects.live_alloc, all, sizeof(all)), name,
		slab_bytes_text(kind->sum.live_alloc, bytes, sizeof(bytes)), kind->sum.live,
		plural(kind->sum.live),
		most_at(results, rankings, kind->kind, live, at, sizeof(at)));
}

static void find_fragmentation(const struct slab_results *results, const struct rankings *rankings,
			       struct mm_report *report)
{
	const struct slab_row *kind =
		most(rankings->kinds, rankings->kind_count, SLAB_KIND_ANY, slab_sum_waste);
	char name[SLAB_NAME_BYTES], bytes[32], at[256];

	if (!kind || slab_sum_waste_percent(&rankings->objects) < SLIGHT)
		return;
	slab_kind_name(results->caches, kind->kind, name, sizeof(name));
	mm_report_finding(report,
			  "Internal fragmentation: %s wastes most, %s (%.1f %% of its bytes)%s.",
			  name, slab_bytes_text(slab_sum_waste(&kind->sum), bytes, sizeof(bytes)),
			  slab_sum_waste_percent(&kind->sum),
			  most_at(results, rankings, kind->kind, slab_sum_waste, at, sizeof(at)));
}

static void find_failures(const struct slab_results *results, struct mm_report *report)
{
	const struct slab_failed *worst = NULL;
	uint64_t count = 0;
	char name[200], site[210] = "", kind[SLAB_NAME_BYTES] = "kmalloc";
	char gfp[SLAB_FLAGS_BYTES];

	for (uint32_t i = 0; i < results->requests->failed.count; i++) {
		const struct slab_failed *failed = mm_rows_at(&results->requests->failed, i);

		count += failed->count;
		if (failed->count > (worst ? worst->count : 0))
			worst = failed;
	}
	if (!worst)
		return;
	if (worst->row.a != SLAB_NO_CODE) {
		slab_call_site_name(results, worst->row.a, name, sizeof(name));
		snprintf(site, sizeof(site), " at %s", name);
	}
	if (worst->row.b != SLAB_KIND_NONE)
		slab_kind_name(results->caches, worst->row.b, kind, sizeof(kind));
	mm_labels_text(&results->labels->gfp, worst->row.c, gfp, sizeof(gfp));
	mm_report_finding(report,
			  "Failures: %" PRIu64 " allocation%s failed; most often, %" PRIu64
			  " times, of %s (%s)%s.",
			  count, plural(count), worst->count, kind, gfp, site);
}

static void find_remote_frees(const struct slab_results *results, const struct rankings *rankings,
			      struct mm_report *report)
{
	const struct slab_row *kind =
		most(rankings->kinds, rankings->kind_count, SLAB_KIND_ANY, remote);
	const struct slab_sum *all = &rankings->objects;
	double part = percent(all->other_cpu, all->outcomes[SLAB_PAIRED]);
	char name[SLAB_NAME_BYTES];

	if (!kind || part < SLIGHT)
		return;
	slab_kind_name(results->caches, kind->kind, name, sizeof(name));
	mm_report_finding(report,
			  "Remote frees: %" PRIu64 " of %" PRIu64
			  " paired objects (%.1f %%) were freed on another CPU than allocated; most"
			  " are of %s, %" PRIu64 ".",
			  all->other_cpu, all->outcomes[SLAB_PAIRED], part, name,
			  kind->sum.other_cpu);
}

static void find_pages(const struct rankings *rankings, struct mm_report *report)
{
	const struct slab_sum *pages = &rankings->pages;
	char bytes[32], kept[32];

	if (pages->allocs)
		mm_report_finding(report,
				  "Pages: %" PRIu64 " page allocation%s, %s; %s live at the end.",
				  pages->allocs, plural(pages->allocs),
				  slab_bytes_text(pages->bytes_alloc, bytes, sizeof(bytes)),
				  slab_bytes_text(pages->live_alloc, kept, sizeof(kept)));
}

void slab_report_findings(const struct slab_results *results, const struct slab_row *sites,
			  uint32_t site_count, const struct slab_row *kinds, uint32_t kind_count,
			  struct mm_report *report)
{
	struct rankings rankings = {
		.sites = sites, .kinds = kinds, .site_count = site_count, .kind_count = kind_count
	};

	for (uint32_t i = 0; i < kind_count; i++)
		slab_add_sum(slab_kind_is_pages(kinds[i].kind) ? &rankings.pages
							       : &rankings.objects,
			     &kinds[i].sum);
	find_failures(results, report);
	find_consumer(results, &rankings, report);
	find_growth(results, &rankings, report);
	find_fragmentation(results, &rankings, report);
	find_remote_frees(results, &rankings, report);
	find_pages(&rankings, report);
}
