// SPDX-License-Identifier: LGPL-2.1-only
/* What grew: allocated less freed bytes, and the largest part of that. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/slab/report/answer.h"
#include "util/plural.h"

#define PART_TEXT (2 * SLAB_NAME_BYTES + 640)

static uint64_t live(const struct slab_sum *sum)
{
	return sum->live_alloc;
}

/*
 * Appends ", the largest growth is 1.5 MiB of dentry (reclaimable), all of it at SITE by dd (pid 8)";
 * if @shrank, all together: ", although dentry (reclaimable) grew by 1.5 MiB, ...". @bound, "at most "
 * or nothing, precedes the bytes.
 */
static void add_largest(const struct slab_results *results, const struct slab_consumer *most,
			bool shrank, const char *bound, char *text)
{
	size_t length = strlen(text);
	char name[SLAB_NAME_BYTES], bytes[32], process[SLAB_PROCESS_TEXT];
	int64_t growth = slab_consumer_growth(most);
	const char *reclaimable =
		slab_kind_is_reclaimable(results, most->kind) > 0 ? " (reclaimable)" : "";

	slab_kind_name(results->caches, most->kind, name, sizeof(name));
	slab_bytes_text((uint64_t)growth, bytes, sizeof(bytes));
	if (shrank)
		snprintf(text + length, PART_TEXT - length, ", although %s%s grew by %s%s", name,
			 reclaimable, bound, bytes);
	else
		snprintf(text + length, PART_TEXT - length, ", the largest growth is %s%s of %s%s",
			 bound, bytes, name, reclaimable);
	/* What is live is more than the growth if something was freed that was allocated before. */
	if (most->live_bytes == (uint64_t)growth) {
		slab_add_who(results, &most->live_site, &most->live_process, most->live_bytes, text,
			     PART_TEXT);
		return;
	}
	length = strlen(text);
	if (most->live_process.bytes)
		snprintf(
			text + length, PART_TEXT - length,
			", where %s allocated %s that was not freed",
			slab_process_text(results, most->live_process.id, process, sizeof(process)),
			slab_bytes_text(most->live_process.bytes, bytes, sizeof(bytes)));
}

/*
 * "pages grew by 1.5 MiB (3.0 MiB allocated, 1.5 MiB freed), ...". Returns @text, which is empty if
 * nothing of the kind was allocated or freed. Sets *@grew if it grew.
 */
static const char *describe(const struct slab_answer *answer, bool pages, bool *grew, char *text)
{
	const struct slab_consumers *consumers = answer->consumers;
	const struct slab_consumer *most = NULL;
	const char *bound = slab_coverage_at_most(answer->results->coverage);
	char change[32], allocated[32], freed[32];
	int64_t growth = 0;
	uint64_t bytes = 0;
	bool any = false;

	text[0] = '\0';
	for (uint32_t i = 0; i < consumers->count; i++) {
		const struct slab_consumer *consumer = &consumers->all[i];

		if (slab_kind_is_pages(consumer->kind) != pages)
			continue;
		any = true;
		growth += slab_consumer_growth(consumer);
		bytes += consumer->bytes;
		if (!most || slab_consumer_growth(consumer) > slab_consumer_growth(most))
			most = consumer;
	}
	if (!any)
		return text;
	if (slab_growth_is_most(consumers, pages))
		bound = "at most ";
	slab_bytes_text(growth < 0 ? 0 - (uint64_t)growth : (uint64_t)growth, change,
			sizeof(change));
	slab_bytes_text(bytes, allocated, sizeof(allocated));
	slab_bytes_text(bytes - (uint64_t)growth, freed, sizeof(freed));
	if (!growth)
		snprintf(text, PART_TEXT, "%s did not grow (%s allocated, %s freed)",
			 pages ? "pages" : "slab objects", allocated, freed);
	else
		snprintf(text, PART_TEXT, "%s %s by %s%s (%s allocated, %s%s freed)",
			 pages ? "pages" : "slab objects", growth > 0 ? "grew" : "shrank",
			 growth > 0 ? bound
			 : *bound   ? "at least "
				    : "",
			 change, allocated, *bound ? "at least " : "", freed);
	if (slab_consumer_growth(most) > 0)
		add_largest(answer->results, most, growth <= 0, bound, text);
	*grew |= growth > 0;
	return text;
}

/* Where events are missing, what was freed is not known: only what is live, as far as that is. */
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
		 "Growth is not known, as events %s missing: %s%s in objects%s are live at the"
		 " end%s%s%s; peak of the objects: %s.",
		 results->coverage->maybe_paused || !results->coverage->lossy ? "may be" : "are",
		 all->live_unsized ? "" : slab_coverage_at_most(results->coverage),
		 slab_bytes_text(all->live_alloc, sum, sizeof(sum)), and,
		 slab_coverage_live_unless(results->coverage),
		 slab_unsized_text(all->live_unsized, unsized, sizeof(unsized)), part, peak);
}

/* What is live at the end is not known, or nothing is. */
static void say_nothing_live(struct slab_answer *answer, const char *peak)
{
	const struct slab_results *results = answer->results;
	const struct slab_sum *all = &results->whole->objects, *pages = &results->whole->pages;

	if (all->maybe_live || pages->maybe_live)
		slab_say(answer,
			 "Peak of live bytes: %s; what is live at the end is not known: %" PRIu64
			 " object%s and %" PRIu64 " page allocation%s may be.",
			 peak, all->maybe_live, mm_plural_s(all->maybe_live), pages->maybe_live,
			 mm_plural_s(pages->maybe_live));
	else
		slab_say(answer, "Peak of live bytes: %s; %s.", peak,
			 results->coverage->lossy
				 ? "what is live at the end is not known: events are missing"
				 : "nothing is live at the end");
}

void slab_answer_growth(struct slab_answer *answer)
{
	const struct slab_results *results = answer->results;
	const struct slab_sum *all = &results->whole->objects, *pages = &results->whole->pages;
	char peak[96], of_pages[PART_TEXT], of_objects[PART_TEXT], unsized[64];
	bool grew = false;

	if (!answer->consumers->count) {
		if (results->coverage->lossy)
			slab_say(answer,
				 "What is live at the end is not known: events are missing.");
		return;
	}
	slab_peak_text(results, peak, sizeof(peak));
	if (!answer->consumers->growth_known && (all->live || pages->live)) {
		say_live(answer, peak);
		return;
	}
	if (!answer->consumers->growth_known ||
	    (!all->live && !pages->live && (all->maybe_live || pages->maybe_live))) {
		say_nothing_live(answer, peak);
		return;
	}
	describe(answer, true, &grew, of_pages);
	describe(answer, false, &grew, of_objects);
	slab_say(answer, "%s: %s%s%s%s%s.", grew ? "Growth" : "No growth in total", of_pages,
		 *of_pages && *of_objects ? "; " : "", of_objects,
		 slab_coverage_live_unless(results->coverage),
		 slab_unsized_text(all->live_unsized, unsized, sizeof(unsized)));
	mm_report_finding(answer->report, "Peak of live objects: %s.", peak);
}
