// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Adds the answer of the slab report, and the table and the next command of the first screen.
 * Sample:
 *
 *   Most allocated (freed memory included): pages of order 9, 1.7 GiB of 2.1 GiB (81 %), all by dd
 *   (pid 812); at most 12.0 MiB were live at one time.
 *   Most allocated slab memory: kmalloc-4k, 120.0 MiB of 310.0 MiB (39 %), most at
 *   alloc_thing+0x10.
 */
#include "analysis/slab/report/answer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/slab/report/cells.h"
#include "analysis/slab/report/select.h"
#include "analysis/slab/report/sentences.h"
#include "util/plural.h"
#include "util/time.h"

/* Internal fragmentation below this percentage is not mentioned. */
#define SLIGHT 1.0

/*
 * Writes to @text ", unless a stream is missing, which cannot be checked", or "" if everything can
 * be checked. Returns @text.
 */
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

static void answer_anomalies(struct slab_answer *answer)
{
	const struct slab_results *results = answer->results;
	uint64_t wrong = results->whole->objects.outcomes[SLAB_ANOMALOUS] +
			 results->whole->pages.outcomes[SLAB_ANOMALOUS] +
			 results->pairing->double_frees;
	char reasons[160];
	uint64_t paused = 0;

	for (size_t i = 0; i < results->pairing->anomaly_count; i++) {
		const struct slab_anomaly *anomaly = &results->pairing->anomalies[i];

		/* Outcomes of objects do not include SLAB_SIZE anomalies, so add these here. */
		wrong += anomaly->kind == SLAB_SIZE && anomaly->verdict == SLAB_ANOMALOUS;
		paused += anomaly->verdict == SLAB_UNDETERMINED &&
			  slab_coverage_has_gap(results->coverage, anomaly->first_ns,
						anomaly->second_ns);
	}
	answer->anomalies = wrong;
	if (paused)
		mm_report_note(
			answer->report,
			"%" PRIu64
			" pair%s of events that contradict each other (double free, wrong cache, ...) %s undetermined: between the two events, no stream has packets for some time, and recording may have been paused then.",
			paused, mm_plural_s(paused), mm_plural(paused, "is", "are"));
	if (wrong)
		slab_say(answer,
			 "%" PRIu64
			 " %s (double free, wrong cache, ...): missing events cannot explain %s%s.",
			 wrong, mm_plural(wrong, "anomaly", "anomalies"),
			 mm_plural(wrong, "it", "them"),
			 unless(results->coverage, reasons, sizeof(reasons)));
}

static void say_failures(struct slab_answer *answer, const struct slab_failed *worst)
{
	const struct slab_results *results = answer->results;
	char name[200], site[210] = "", kind[SLAB_NAME_BYTES] = "kmalloc";
	char process[SLAB_PROCESS_TEXT], by[SLAB_PROCESS_TEXT + 8] = "", part[64] = "";
	char first[MM_TIME_TEXT];

	if (worst->row.a != SLAB_NO_CODE) {
		slab_call_site_name(results, worst->row.a, name, sizeof(name));
		snprintf(site, sizeof(site), " at %s", name);
	}
	if (worst->row.b != SLAB_KIND_NONE)
		slab_kind_name(results->caches, worst->row.b, kind, sizeof(kind));
	if (worst->row.d != SLAB_NO_PROCESS)
		snprintf(by, sizeof(by), " by %s",
			 slab_process_text(results, worst->row.d, process, sizeof(process)));
	if (worst->count < answer->failures)
		snprintf(part, sizeof(part), ", %" PRIu64 " of them", worst->count);
	mm_time_format(first, sizeof(first), worst->first_ns, answer->report->gmt);
	/*
	 * The first sentence has already stated the number of expected failures. Treat the answer
	 * as full, so that slab_say() adds the details as a finding.
	 */
	if (!answer->unexpected)
		answer->said = SLAB_SENTENCES_MAX;
	slab_say(answer, "Failures: %s%" PRIu64 " allocation%s failed%s%s of %s%s%s, %s %s%s.",
		 results->coverage->failures_lossy ? "at least " : "", answer->failures,
		 mm_plural_s(answer->failures), part, *part ? "" : ",", kind, site, by,
		 worst->count > 1 ? "first at" : "at", first,
		 answer->unexpected ? ""
				    : "; all with NOWARN: the callers can do without the memory");
}

/* Did the caller suppress the kernel's warning? Such callers can continue without the memory. */
static bool is_expected(const struct slab_results *results, const struct slab_failed *failed)
{
	char gfp[SLAB_FLAGS_BYTES];

	mm_labels_text(&results->labels->gfp, failed->row.c, gfp, sizeof(gfp));
	return strstr(gfp, "NOWARN");
}

/*
 * Names the most frequent failure. Call it with @unexpected = true before all other sentences, and
 * with false after them.
 */
static void answer_failures(struct slab_answer *answer, bool unexpected)
{
	const struct slab_failed *worst = NULL;
	struct mm_rows folded;

	if (slab_fold_failed(answer->results, answer->options, &folded)) {
		mm_rows_release(&folded);
		answer->report->failed = true;
		return;
	}
	for (uint32_t i = 0; i < folded.count; i++) {
		const struct slab_failed *failed = mm_rows_at(&folded, i);
		bool warns = !is_expected(answer->results, failed);

		if (unexpected) {
			answer->failures += failed->count;
			answer->unexpected += warns ? failed->count : 0;
		}
		if (!worst && warns == unexpected)
			worst = failed;
	}
	if (worst && unexpected == (answer->unexpected > 0))
		say_failures(answer, worst);
	else if (!folded.count && unexpected && answer->results->coverage->failures_lossy)
		mm_report_remark(
			answer->report,
			"It is not known whether allocations failed: events of failed allocations may be missing.");
	mm_rows_release(&folded);
}

/* Returns the page order (or if @pages is false, kind of object) with the most bytes, or NULL. */
static const struct slab_consumer *largest(const struct slab_consumers *consumers, bool pages)
{
	for (uint32_t i = 0; i < consumers->count; i++)
		if (slab_kind_is_pages(consumers->all[i].kind) == pages && consumers->all[i].bytes)
			return &consumers->all[i];
	return NULL;
}

#define CONSUMER_TEXT (2 * SLAB_NAME_BYTES + 512)

/* Returns @text: "kmalloc-4k, 1.0 MiB of 3.0 MiB OF (33 %), most at SITE, all by dd (pid 8)". */
static const char *describe(const struct slab_answer *answer, const struct slab_consumer *consumer,
			    const struct slab_sum *all, const char *of, char text[CONSUMER_TEXT])
{
	const struct slab_results *results = answer->results;
	char name[SLAB_NAME_BYTES], bytes[32], whole[32], share[32] = "";

	/* If some sizes are unknown, the total is unknown, and therefore all shares. */
	if (!all->unsized)
		snprintf(share, sizeof(share), " (%.0f %%)",
			 slab_percent(consumer->bytes, all->bytes_alloc));
	slab_kind_name(results->caches, consumer->kind, name, sizeof(name));
	snprintf(text, CONSUMER_TEXT, "%s, %s of %s%s%s", name,
		 slab_bytes_text(consumer->bytes, bytes, sizeof(bytes)),
		 slab_bytes_text(all->bytes_alloc, whole, sizeof(whole)), of, share);
	slab_add_who(results, &consumer->site, &consumer->process, consumer->bytes, text,
		     CONSUMER_TEXT);
	return text;
}

/*
 * Returns @text: "; at most 12.0 MiB were live at one time", or "" if not known. Allocated bytes
 * are a sum over time, so they say little about the memory in use.
 */
static const char *peak_of(const struct slab_answer *answer, const struct slab_consumer *pages,
			   char *text, size_t size)
{
	char bytes[32];
	uint64_t peak = 0;

	text[0] = '\0';
	if (answer->consumers->growth_known && !slab_is_filtered(answer->options))
		peak = slab_order_peak(answer->results, pages->kind - SLAB_KIND_PAGES);
	if (peak)
		snprintf(text, size, "; at most %s were live at one time",
			 slab_bytes_text(peak, bytes, sizeof(bytes)));
	return text;
}

static void answer_consumers(struct slab_answer *answer)
{
	const struct slab_totals *whole = answer->results->whole;
	const struct slab_consumer *pages = largest(answer->consumers, true);
	const struct slab_consumer *objects = largest(answer->consumers, false);
	char text[CONSUMER_TEXT], unsized[64], peak[96];

	slab_unsized_text(whole->objects.unsized, unsized, sizeof(unsized));
	if (pages)
		slab_say(answer, "Most allocated (freed memory included): %s%s%s.",
			 describe(answer, pages, &whole->pages, "", text),
			 peak_of(answer, pages, peak, sizeof(peak)), objects ? "" : unsized);
	if (objects)
		slab_say(answer, "%s: %s%s.",
			 pages ? "Most allocated slab memory"
			       : "Most allocated (freed memory included)",
			 describe(answer, objects, &whole->objects, pages ? "" : " of slab objects",
				  text),
			 unsized);
	else if (!pages && whole->objects.allocs)
		slab_say(answer, "%" PRIu64 " allocation%s%s.", whole->objects.allocs,
			 mm_plural_s(whole->objects.allocs), unsized);
	else if (!pages && answer->results->coverage->lossy)
		slab_say(answer, "No allocation is certain: events are missing.");
	else if (!pages && !slab_is_filtered(answer->options) && !answer->report->finding_count)
		slab_say(answer, "No allocation of slab objects or pages.");
}

/* Finds the call site and size (or slab cache) with the most internal fragmentation. */
static void find_wasteful(struct slab_answer *answer, struct slab_wasteful *wasteful)
{
	const struct slab_results *results = answer->results;

	if (slab_most_wasteful(results, wasteful))
		answer->report->failed = true;
	for (uint32_t i = 0; i < answer->kind_count; i++) {
		const struct slab_row *row = &answer->kinds[i], *site;
		uint64_t waste;

		if (!slab_kind_is_cache(row->kind) || !row->sum.allocs)
			continue;
		site = slab_row_with_most(answer->sites, answer->site_count, row->kind,
					  slab_sum_waste);
		waste = site ? slab_sum_waste(&site->sum) : 0;
		if (!site || waste <= wasteful->count * wasteful->slack)
			continue;
		*wasteful = (struct slab_wasteful){ site->code, row->kind, site->sum.allocs,
						    waste / site->sum.allocs };
	}
}

static void answer_fragmentation(struct slab_answer *answer)
{
	const struct slab_results *results = answer->results;
	const struct slab_sum *all = &results->whole->objects;
	struct slab_wasteful worst;
	char name[SLAB_NAME_BYTES], bytes[32], sum[32], site[200] = "", slack[32];

	if (slab_sum_waste_percent(all) < SLIGHT)
		return;
	find_wasteful(answer, &worst);
	if (!worst.count)
		return;
	slab_kind_name(results->caches, worst.kind, name, sizeof(name));
	slab_call_site_name(results, worst.code, site, sizeof(site));
	slab_say(answer,
		 "Internal fragmentation of slab objects, freed ones included: %s (%.1f %%), %s"
		 " of it in %s at %s: %s"
		 " in %s%" PRIu64 " allocation%s.",
		 slab_bytes_text(slab_sum_waste(all), sum, sizeof(sum)),
		 slab_sum_waste_percent(all),
		 slab_bytes_text(worst.count * worst.slack, bytes, sizeof(bytes)), name, site,
		 slab_bytes_text(worst.slack, slack, sizeof(slack)),
		 worst.count > 1 ? "each of " : "", worst.count, mm_plural_s(worst.count));
}

/* Chooses the command that shows more about the largest problem. */
static void choose_next(const struct slab_answer *answer)
{
	const struct slab_consumers *consumers = answer->consumers;
	const struct slab_totals *whole = answer->results->whole;
	int64_t pages = 0, objects = 0;

	for (uint32_t i = 0; i < consumers->count && consumers->growth_known; i++)
		*(slab_kind_is_pages(consumers->all[i].kind) ? &pages : &objects) +=
			slab_consumer_growth(&consumers->all[i]);
	if (answer->anomalies)
		mm_report_next(answer->report, "To see the events of each anomaly",
			       "lttng-mm report slab --table anomalies TRACE");
	else if (answer->unexpected)
		mm_report_next(answer->report, "To see all failed allocations",
			       "lttng-mm report slab --table failed TRACE");
	else if (!consumers->count)
		return;
	else if (objects > 0 && objects >= pages / 2)
		mm_report_next(answer->report,
			       "To see which call sites do not free what they allocate",
			       "lttng-mm report slab --leaks TRACE");
	else if (answer->results->stacks->used)
		mm_report_next(answer->report, "To see the call stacks of allocations",
			       "lttng-mm report slab --table call-stacks TRACE");
	else if (pages > 0 || !largest(consumers, false) ||
		 whole->pages.bytes_alloc > whole->objects.bytes_alloc)
		mm_report_next(answer->report, "To see which processes allocated the pages",
			       "lttng-mm report slab --table processes --top=20 TRACE");
	else
		mm_report_next(answer->report, "To see all call sites of slab objects",
			       "lttng-mm report slab --table call-sites TRACE");
}

/* States that nothing is wrong, as far as the trace shows. */
static void answer_health(struct slab_answer *answer)
{
	const struct slab_results *results = answer->results;
	const struct slab_coverage *coverage = results->coverage;
	char reasons[160] = "", failures[128] = " and no failed allocation";

	if (answer->anomalies || answer->unexpected ||
	    (!results->whole->objects.allocs && !results->whole->pages.allocs))
		return;
	if (coverage->failures_lossy || !coverage->has_failures)
		*failures = '\0';
	else if (answer->failures)
		snprintf(failures, sizeof(failures),
			 " and no failed allocation, except %" PRIu64 " expected (NOWARN)",
			 answer->failures);
	if (!coverage->lossy)
		unless(coverage, reasons, sizeof(reasons));
	slab_say(answer, "No anomaly (double free, wrong cache, ...)%s%s%s.",
		 coverage->lossy ? " is certain, because events are missing" : "",
		 coverage->lossy ? "" : failures, reasons);
}

void slab_report_answer(struct slab_answer *answer)
{
	answer_anomalies(answer);
	if (answer->options->leaks)
		return;
	answer_failures(answer, true);
	answer_health(answer);
	answer_consumers(answer);
	slab_answer_growth(answer);
	answer_fragmentation(answer);
	answer_failures(answer, false);
	mm_report_first_table(answer->report, &slab_table_consumers, answer->options->report.top);
	choose_next(answer);
}
