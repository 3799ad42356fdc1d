// SPDX-License-Identifier: LGPL-2.1-only
/* States the growth (allocated minus freed bytes), and the consumer that grew most. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/slab/report/answer.h"
#include "analysis/slab/report/sentences.h"
#include "util/plural.h"

/*
 * The answer states the largest growth of pages and of objects. A growth below this
 * percentage of the other growth is stated as a finding instead.
 */
#define SLIGHT 1

static uint64_t live(const struct slab_sum *sum)
{
	return sum->live_alloc;
}

/* Total growth of pages, or of slab objects, and the consumer that grew most. */
struct total_growth {
	bool any;
	int64_t bytes;
	bool is_most; /* the growth is an upper bound */
	const struct slab_consumer *largest;
};

static struct total_growth add_up(const struct slab_answer *answer, bool pages)
{
	const struct slab_consumers *consumers = answer->consumers;
	struct total_growth growth = { .is_most =
					       *slab_coverage_at_most(answer->results->coverage) ||
					       slab_growth_is_most(consumers, pages) };

	for (uint32_t i = 0; i < consumers->count; i++) {
		const struct slab_consumer *consumer = &consumers->all[i];

		if (slab_kind_is_pages(consumer->kind) != pages)
			continue;
		growth.any = true;
		growth.bytes += slab_consumer_growth(consumer);
		if (!growth.largest ||
		    slab_consumer_growth(consumer) > slab_consumer_growth(growth.largest))
			growth.largest = consumer;
	}
	return growth;
}

static uint64_t largest_bytes(const struct total_growth *growth)
{
	int64_t bytes = growth->largest ? slab_consumer_growth(growth->largest) : 0;

	return bytes > 0 ? (uint64_t)bytes : 0;
}

/* Appends "WHAT grew by at most 1.5 MiB" to @text; nothing if there are no pages. */
static void add_total(const struct total_growth *growth, const char *what, char *text, size_t size)
{
	size_t length = strlen(text);
	char bytes[32];

	if (!growth->any)
		return;
	slab_bytes_text(growth->bytes < 0 ? 0 - (uint64_t)growth->bytes : (uint64_t)growth->bytes,
			bytes, sizeof(bytes));
	snprintf(text + length, size - length, "%s%s %s%s%s", length ? ", " : "", what,
		 growth->bytes > 0   ? "grew by "
		 : growth->bytes < 0 ? "shrank by "
				     : "did not grow",
		 !growth->is_most || !growth->bytes ? ""
		 : growth->bytes > 0		    ? "at most "
						    : "at least ",
		 growth->bytes ? bytes : "");
}

/*
 * Explains "at most", "at least" and "<=": writes to @text how many frees may be missing from the
 * growth, or "" if there are none. Returns @text.
 */
static const char *bound_text(const struct slab_consumers *consumers,
			      const struct total_growth *pages, const struct total_growth *objects,
			      char *text, size_t size)
{
	uint64_t frees = (objects->any ? consumers->frees_unsized : 0) +
			 (pages->any ? consumers->page_frees_unsure : 0);

	text[0] = '\0';
	if (frees)
		snprintf(text, size,
			 "; only a bound, because %" PRIu64
			 " free%s released an unknown amount of memory from before the trace",
			 frees, mm_plural_s(frees));
	return text;
}

static void say_totals(struct slab_answer *answer, const struct total_growth *pages,
		       const struct total_growth *objects)
{
	const struct slab_results *results = answer->results;
	char text[224] = "", unsized[64], bound[160];

	add_total(pages, "page memory (with page cache and memory of processes)", text,
		  sizeof(text));
	add_total(objects, "slab memory", text, sizeof(text));
	slab_say(answer, "%s %s%s%s%s.",
		 pages->bytes > 0 || objects->bytes > 0 ? "Growth:" : "In total,", text,
		 slab_coverage_live_unless(results->coverage),
		 slab_unsized_text(results->whole->objects.live_unsized, unsized, sizeof(unsized)),
		 bound_text(answer->consumers, pages, objects, bound, sizeof(bound)));
}

/*
 * States "Largest growth: dentry (reclaimable), 1.5 MiB, all at SITE by dd (pid 8).", if anything
 * grew. If the growth is small compared with @other, the sentence becomes a finding.
 */
static void say_largest(struct slab_answer *answer, const struct total_growth *growth,
			const struct total_growth *other, const char *of)
{
	const struct slab_results *results = answer->results;
	const struct slab_consumer *most = growth->largest;
	char name[SLAB_NAME_BYTES], bytes[32], process[SLAB_PROCESS_TEXT];
	char who[512] = "", text[SLAB_NAME_BYTES + sizeof(who) + 128];
	uint64_t grown = largest_bytes(growth);

	if (!grown)
		return;
	slab_process_text(results, most->live_process.id, process, sizeof(process));
	slab_kind_name(results->caches, most->kind, name, sizeof(name));
	/*
	 * If objects from before the trace were freed, the growth is smaller than the live bytes.
	 * Shares of the live bytes then do not apply to the growth.
	 */
	if (most->live_bytes == grown)
		slab_add_who(results, &most->live_site, &most->live_process, grown, who,
			     sizeof(who));
	else if (most->live_process.bytes)
		snprintf(who, sizeof(who), "; %s allocated %s that was not freed", process,
			 slab_bytes_text(most->live_process.bytes, bytes, sizeof(bytes)));
	if (!*who && most->live_process.bytes)
		snprintf(who, sizeof(who), ", the largest part by %s, %s", process,
			 slab_bytes_text(most->live_process.bytes, bytes, sizeof(bytes)));
	snprintf(text, sizeof(text), "Largest growth%s: %s%s, %s%s%s.", of, name,
		 slab_kind_is_reclaimable(results, most->kind) > 0 ? " (reclaimable)" : "",
		 growth->is_most ? "at most " : "", slab_bytes_text(grown, bytes, sizeof(bytes)),
		 who);
	if (grown < largest_bytes(other) / 100 * SLIGHT)
		mm_report_finding(answer->report, "%s", text);
	else
		slab_say(answer, "%s", text);
}

/*
 * States the live bytes. The growth is unknown, because events, and therefore frees, may be
 * missing.
 */
static void say_live(struct slab_answer *answer, const char *peak)
{
	const struct slab_results *results = answer->results;
	const struct slab_sum *all = &results->whole->objects, *pages = &results->whole->pages;
	const struct slab_row *kind =
		slab_row_with_most(answer->kinds, answer->kind_count, SLAB_KIND_ANY, live);
	char name[SLAB_NAME_BYTES], bytes[32], sum[32], unsized[64];
	char part[SLAB_NAME_BYTES + 100] = "", and[64] = "";

	if (kind) {
		slab_kind_name(results->caches, kind->kind, name, sizeof(name));
		snprintf(part, sizeof(part),
			 "; the largest part of the objects is %s, %s in %" PRIu64 " object%s",
			 name, slab_bytes_text(kind->sum.live_alloc, bytes, sizeof(bytes)),
			 kind->sum.live, mm_plural_s(kind->sum.live));
	}
	if (pages->live)
		snprintf(and, sizeof(and), " and %s in pages",
			 slab_bytes_text(pages->live_alloc, bytes, sizeof(bytes)));
	slab_say(answer,
		 "Growth is not known, because events %s missing: %s%s in objects%s are live at the"
		 " end%s%s%s; peak of the objects: %s.",
		 results->coverage->maybe_paused || !results->coverage->lossy ? "may be" : "are",
		 all->live_unsized ? "" : slab_coverage_at_most(results->coverage),
		 slab_bytes_text(all->live_alloc, sum, sizeof(sum)), and,
		 slab_coverage_live_unless(results->coverage),
		 slab_unsized_text(all->live_unsized, unsized, sizeof(unsized)), part, peak);
}

/*
 * States the peak. Adds that nothing is live at the end, or that it is unknown whether objects are
 * live.
 */
static void say_nothing_live(struct slab_answer *answer, const char *peak)
{
	const struct slab_results *results = answer->results;
	const struct slab_sum *all = &results->whole->objects, *pages = &results->whole->pages;

	if (all->maybe_live || pages->maybe_live)
		slab_say(answer,
			 "Peak of live bytes: %s; it is not known what is live at the end: %" PRIu64
			 " object%s and %" PRIu64 " page allocation%s may be live.",
			 peak, all->maybe_live, mm_plural_s(all->maybe_live), pages->maybe_live,
			 mm_plural_s(pages->maybe_live));
	else
		slab_say(answer, "Peak of live bytes: %s; %s.", peak,
			 results->coverage->lossy
				 ? "it is not known what is live at the end: events are missing"
				 : "nothing is live at the end");
}

void slab_answer_growth(struct slab_answer *answer)
{
	const struct slab_results *results = answer->results;
	const struct slab_totals *whole = results->whole;
	bool live = whole->objects.live || whole->pages.live;
	struct total_growth pages, objects;
	char peak[96];

	if (!answer->consumers->count) {
		if (results->coverage->lossy)
			slab_say(answer,
				 "It is not known what is live at the end: events are missing.");
		return;
	}
	slab_peak_text(results, peak, sizeof(peak));
	if (!answer->consumers->growth_known && live) {
		say_live(answer, peak);
		return;
	}
	if (!answer->consumers->growth_known ||
	    (!live && (whole->objects.maybe_live || whole->pages.maybe_live))) {
		say_nothing_live(answer, peak);
		return;
	}
	pages = add_up(answer, true);
	objects = add_up(answer, false);
	say_totals(answer, &pages, &objects);
	say_largest(answer, &pages, &objects, "");
	say_largest(answer, &objects, &pages, largest_bytes(&pages) ? " of slab objects" : "");
	mm_report_finding(answer->report, "Peak of live objects: %s.", peak);
}
