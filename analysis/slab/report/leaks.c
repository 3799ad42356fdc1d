// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Lists objects that were allocated and not freed, by call site, with age and growth. Leaves out an
 * object if a loss could explain its missing free.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/slab/report/answer.h"
#include "analysis/slab/report/cells.h"
#include "analysis/slab/report/select.h"
#include "analysis/slab/report/sentences.h"
#include "instrumentation/wire/slab.h"
#include "util/plural.h"
#include "util/time.h"

#define QUARTERS SLAB_LEAK_QUARTERS

/*
 * The interval in which all live objects are known, and its quarters. At the end, a busy call site
 * has live objects from the last quarter, a program's start-up has some from the first, and a leak
 * has some from every quarter.
 */
struct leak_interval {
	int64_t start_ns, end_ns;
	uint64_t quarter_ns;
};

/*
 * Live objects of a call site. If @rcu is set, only objects that were passed to kfree_rcu() count.
 */
struct leak {
	uint64_t count, bytes, unsized, freed_later;
	uint64_t counts[QUARTERS], sizes[QUARTERS]; /* by quarter of the allocation time */
	uint64_t steady, steady_bytes;		    /* minimum over the quarters */
	int64_t oldest_ns, youngest_ns;
	int64_t rcu_first_ns, rcu_last_ns; /* times of kfree_rcu() calls; INT64_MIN: unknown */
	uint32_t row;
	bool rcu;
};

static int compare_leaks(const void *a, const void *b)
{
	const struct leak *x = a, *y = b;

	if (x->steady_bytes != y->steady_bytes)
		return x->steady_bytes < y->steady_bytes ? 1 : -1;
	if (x->steady != y->steady)
		return x->steady < y->steady ? 1 : -1;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return (int)x->rcu - (int)y->rcu;
}

/*
 * Returns why objects passed to kfree_rcu() may already be free. Since 6.18, the kernel may free
 * them through sheaves, without an event.
 */
static const char *pending(const struct slab_results *results)
{
	switch (slab_kernel_is_since(results, 6, 18)) {
	case 0:
		return "kfree_rcu(): pending";
	case 1:
		return "kfree_rcu(): pending, or freed through a sheaf, without an event";
	default:
		return "kfree_rcu(): pending; since Linux 6.18 possibly freed through a sheaf, without an event";
	}
}

/*
 * Returns the path that may have freed objects of the call site without an event, or NULL. Frees of
 * the call site's omitted objects are evidence, too.
 */
static const char *path_of(const struct slab_results *results, const struct slab_site *site,
			   bool rcu)
{
	const struct slab_site *omitted =
		mm_rows_lookup3(&results->accounts->sites, site->row.a, site->row.b, 1);
	const struct slab_path_state *path;

	if (rcu)
		return pending(results);
	if (site->by_rcu || (omitted && omitted->by_rcu))
		return "kfree_rcu() (it freed other objects of the call site without an event)";
	if (site->outcomes[SLAB_FREED_UNTRACED] ||
	    (omitted && omitted->outcomes[SLAB_FREED_UNTRACED]))
		return "an untraced path (it freed other objects of the call site)";
	if (results->coverage->partial)
		return "a process that the recorder's tracker or filter excludes";
	path = slab_path_hidden(results->paths, LTTNG_MM_SLAB_PATH_FREE_BULK);
	if (path && slab_kind_is_cache(site->row.b))
		return path->function;
	path = slab_path_hidden(results->paths, LTTNG_MM_SLAB_PATH_KFREE_RCU);
	if (path)
		return path->function;
	if (!results->paths->count)
		return "a path that may be untraced (the state dump does not list the paths)";
	if (results->coverage->dump_lossy &&
	    !(slab_path_is_listed(results->paths, LTTNG_MM_SLAB_PATH_FREE_BULK) &&
	      slab_path_is_listed(results->paths, LTTNG_MM_SLAB_PATH_KFREE_RCU)))
		return "a path that may be untraced (the state dump lost events)";
	return NULL;
}

static void add_rcu_time(struct leak *leak, int64_t rcu_ns)
{
	bool first = leak->count == 1;

	if (first || rcu_ns < leak->rcu_first_ns)
		leak->rcu_first_ns = rcu_ns;
	if (first || rcu_ns > leak->rcu_last_ns)
		leak->rcu_last_ns = rcu_ns;
}

static unsigned int quarter_of(const struct leak_interval *interval, int64_t time_ns)
{
	uint64_t quarter =
		((uint64_t)time_ns - (uint64_t)interval->start_ns) / interval->quarter_ns;

	return quarter < QUARTERS ? (unsigned int)quarter : QUARTERS - 1;
}

static void gather(const struct slab_results *results, const struct leak_interval *interval,
		   struct leak *leaks)
{
	const struct slab_object *object;
	uint32_t at = 0;

	while ((object = slab_pairing_next_live(results->pairing, &at))) {
		uint32_t kind, size;
		unsigned int quarter;
		struct leak *leak;

		if (object->address & SLAB_ADDRESS_PAGE || object->time_ns < interval->start_ns ||
		    !slab_account_is_counted(results->accounts, object->account))
			continue;
		leak = &leaks[2 * slab_object_site(results->pairing, object) +
			      !!(object->flags & SLAB_OBJECT_RCU)];
		kind = slab_account_at(results->accounts, object->account)->key.kind;
		size = slab_kind_size(results->caches, kind);
		leak->unsized += slab_kind_is_unsized(results->caches, kind);
		leak->freed_later += !!(object->flags & SLAB_OBJECT_FREED_LATER);
		size = size ? size : object->bytes_alloc;
		leak->bytes += size;
		quarter = quarter_of(interval, object->time_ns);
		leak->counts[quarter]++;
		leak->sizes[quarter] += size;
		if (!leak->count++)
			leak->oldest_ns = leak->youngest_ns = object->time_ns;
		if (object->time_ns < leak->oldest_ns)
			leak->oldest_ns = object->time_ns;
		if (object->time_ns > leak->youngest_ns)
			leak->youngest_ns = object->time_ns;
		if (object->flags & SLAB_OBJECT_RCU)
			add_rcu_time(leak, slab_pairing_rcu_time(results->pairing, object));
	}
}

/* Counts the objects that may be live. Leaves out omitted objects. */
static uint64_t count_maybe_live(const struct slab_results *results)
{
	const struct slab_object *object;
	uint64_t count = 0;
	uint32_t at = 0;

	while ((object = slab_pairing_next_maybe_live(results->pairing, &at)))
		count += !(object->address & SLAB_ADDRESS_PAGE) &&
			 slab_account_is_counted(results->accounts, object->account);
	return count;
}

/* Sets how long an object has been pending; 0 if it was passed to kfree_rcu() after @end_ns. */
static void set_pending(struct mm_cell *cell, int64_t rcu_ns, int64_t end_ns)
{
	if (rcu_ns != INT64_MIN)
		mm_cell_set_u(cell, rcu_ns < end_ns ? (uint64_t)end_ns - (uint64_t)rcu_ns : 0);
}

static void fill_quarters(const struct leak *leak, struct mm_cell *cells)
{
	slab_set_bytes(&cells[SLAB_LEAK_STEADY_BYTES], leak->steady_bytes, leak->unsized,
		       leak->count);
	mm_cell_set_u(&cells[SLAB_LEAK_STEADY_OBJECTS], leak->steady);
	for (int i = 0; i < QUARTERS; i++) {
		mm_cell_set_u(&cells[SLAB_LEAK_QUARTER_OBJECTS + i], leak->counts[i]);
		slab_set_bytes(&cells[SLAB_LEAK_QUARTER_BYTES + i], leak->sizes[i],
			       leak->counts[i] ? leak->unsized : 0, leak->count);
	}
}

static void fill_leak(const struct slab_results *results, const struct leak *leak,
		      const struct slab_site *site, int64_t end_ns, const char *path,
		      struct mm_table *table, struct mm_report *report)
{
	struct mm_cell *cells = mm_table_row(report, table);
	char text[256];

	if (!cells)
		return;
	slab_call_site_name(results, site->row.a, text, sizeof(text));
	mm_cell_set_s(&cells[SLAB_LEAK_CALL_SITE], text);
	mm_cell_set_u(&cells[SLAB_LEAK_CODE], site->row.a);
	slab_kind_name(results->caches, site->row.b, text, sizeof(text));
	mm_cell_set_s(&cells[SLAB_LEAK_KIND], text);
	slab_kind_name_shown(results, site->row.b, false, text, sizeof(text));
	mm_cell_set_shown(&cells[SLAB_LEAK_KIND], text);
	mm_cell_set_u(&cells[SLAB_LEAK_LIVE], leak->count);
	slab_set_bytes(&cells[SLAB_LEAK_LIVE_BYTES], leak->bytes, leak->unsized, leak->count);
	mm_cell_set_u(&cells[SLAB_LEAK_ALLOCATIONS], site->allocs);
	mm_cell_set_u(&cells[SLAB_LEAK_PAIRED], site->outcomes[SLAB_PAIRED]);
	mm_cell_set_u(&cells[SLAB_LEAK_OLDEST_NS], (uint64_t)end_ns - (uint64_t)leak->oldest_ns);
	mm_cell_set_u(&cells[SLAB_LEAK_YOUNGEST_NS],
		      (uint64_t)end_ns - (uint64_t)leak->youngest_ns);
	if (results->later_known)
		mm_cell_set_u(&cells[SLAB_LEAK_FREED_LATER], leak->freed_later);
	fill_quarters(leak, cells);
	mm_cell_set_s(&cells[path ? SLAB_UNCERTAIN_PATH : SLAB_LEAKS_PATH], path);
	if (!leak->rcu)
		return;
	set_pending(&cells[SLAB_UNCERTAIN_PENDING_OLDEST_NS], leak->rcu_first_ns, end_ns);
	set_pending(&cells[SLAB_UNCERTAIN_PENDING_YOUNGEST_NS], leak->rcu_last_ns, end_ns);
}

static int64_t since(const struct slab_results *results, const struct slab_options *options,
		     int64_t end_ns)
{
	const struct mm_time_span span = {
		.first_ns = results->tracker->live.first_ns,
		.last_ns = end_ns,
		.boot_ns = results->recorder->boot_ns,
		.has_last = true,
		.has_boot = true,
	};
	int64_t ns;

	return mm_time_resolve(&options->since.time, &span, options->since.gmt, &ns, NULL)
		       ? INT64_MIN
		       : ns;
}

static int64_t later_of(int64_t x, int64_t y)
{
	return x > y ? x : y;
}

/*
 * Finds the interval. It starts after all losses, after the starts of all streams, and after
 * --since. It ends at the end of the coverage, even if the last event is earlier.
 */
static void find_interval(const struct slab_results *results, const struct slab_options *options,
			  struct leak_interval *interval)
{
	int64_t start_ns = later_of(results->coverage->begin_ns, results->tracker->live.first_ns);
	int64_t end_ns = results->coverage->end_ns;
	uint64_t ns;

	if (end_ns == INT64_MAX)
		end_ns = results->tracker->last_ns;

	start_ns = later_of(start_ns, results->pairing->lost_until_ns);
	start_ns = later_of(start_ns, since(results, options, end_ns));
	ns = end_ns > start_ns ? (uint64_t)end_ns - (uint64_t)start_ns : 0;
	*interval = (struct leak_interval){ .start_ns = start_ns, .end_ns = end_ns };
	interval->quarter_ns = ns / QUARTERS + (ns % QUARTERS > 0) + !ns;
}

/* Moves call sites with leaks to the start, and sorts them. Returns their number. */
static uint32_t rank(struct leak *leaks, uint32_t count)
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct leak *leak = &leaks[i];

		leak->row = i / 2;
		leak->rcu = i % 2;
		leak->steady = leak->counts[0];
		leak->steady_bytes = leak->sizes[0];
		for (int q = 1; q < QUARTERS; q++) {
			if (leak->counts[q] < leak->steady)
				leak->steady = leak->counts[q];
			if (leak->sizes[q] < leak->steady_bytes)
				leak->steady_bytes = leak->sizes[q];
		}
		if (leak->count)
			leaks[used++] = *leak;
	}
	qsort(leaks, used, sizeof(*leaks), compare_leaks);
	return used;
}

struct leak_total {
	uint64_t objects, bytes, unsized, steady_sites, freed_later;
	uint64_t maybe;		      /* objects whose frees may be missing from the trace */
	uint64_t apart;		      /* objects that an untraced path may have freed */
	const struct leak *steadiest; /* first call site with steady growth, or NULL */
};

static void add_leak(struct leak_total *total, const struct leak *leak)
{
	total->objects += leak->count;
	total->bytes += leak->bytes;
	total->unsized += leak->unsized;
	total->freed_later += leak->freed_later;
	total->steady_sites += leak->steady > 0;
	if (leak->steady && !total->steadiest)
		total->steadiest = leak;
}

static void conclude_steady(struct slab_answer *answer, const struct leak_total *total,
			    const struct leak_interval *interval)
{
	const struct slab_results *results = answer->results;
	const struct leak *leak = total->steadiest;
	char name[256];

	if (!leak)
		return;
	slab_call_site_name(results, slab_site_at(results->accounts, leak->row)->row.a, name,
			    sizeof(name));
	slab_say(answer,
		 "Steady growth: %" PRIu64
		 " call site%s leak candidates from each quarter of the %.3f s;"
		 " the first is %s, with at least %" PRIu64 " object%s per quarter.",
		 total->steady_sites, mm_plural(total->steady_sites, " has", "s have"),
		 (double)((uint64_t)interval->end_ns - (uint64_t)interval->start_ns) / 1e9, name,
		 leak->steady, mm_plural_s(leak->steady));
}

static void fill_metrics(const struct leak_total *total, bool unknown, struct mm_report *report)
{
	struct mm_metric *objects = mm_report_metric(report, "slab.leaks.objects", NULL);
	struct mm_metric *bytes = mm_report_metric(report, "slab.leaks.bytes", NULL);
	struct mm_metric *unsized = mm_report_metric(report, "slab.leaks.size_unknown", NULL);
	struct mm_metric *steady = mm_report_metric(report, "slab.leaks.steady_call_sites", NULL);

	if (unknown)
		return;
	mm_cell_set_u(&objects->value, total->objects);
	slab_set_bytes(&bytes->value, total->bytes, total->unsized, total->objects);
	mm_cell_set_u(&unsized->value, total->unsized);
	mm_cell_set_u(&steady->value, total->steady_sites);
}

/* States how many pages are live. (The tables of leak candidates list only objects.) */
static void conclude_pages(struct slab_answer *answer)
{
	const struct slab_sum *pages = &answer->results->whole->pages;
	char bytes[40];

	if (pages->live && !slab_is_filtered(answer->options))
		slab_say(answer,
			 "Leak candidates do not include pages: %" PRIu64
			 " page allocation%s, %s%s, %s live at the end"
			 " (see --table page-orders without --leaks).",
			 pages->live, mm_plural_s(pages->live),
			 slab_coverage_at_most(answer->results->coverage),
			 slab_bytes_text(pages->live_alloc, bytes, sizeof(bytes)),
			 mm_plural(pages->live, "is", "are"));
}

static void conclude_objects(struct slab_answer *answer, const struct leak_total *total,
			     bool unknown)
{
	const struct slab_coverage *coverage = answer->results->coverage;
	const char *unless = slab_coverage_live_unless(coverage);
	char later[80] = "";

	if (answer->results->later_known)
		snprintf(later, sizeof(later), "; %" PRIu64 " of them %s freed later in the trace",
			 total->freed_later, mm_plural(total->freed_later, "is", "are"));

	if (unknown && !total->maybe)
		slab_say(answer, "Leak candidates: not known: events are missing.");
	else if (unknown)
		slab_say(answer,
			 "Leak candidates: not known: the frees of %" PRIu64
			 " object%s may be missing from the trace.",
			 total->maybe, mm_plural_s(total->maybe));
	else if (!total->objects && total->apart)
		slab_say(answer,
			 "Leak candidates: none is certain: %s may have freed"
			 " %" PRIu64 " object%s that would otherwise be live.",
			 coverage->partial ? "an excluded process" : "an untraced path",
			 total->apart, mm_plural_s(total->apart));
	else if (total->unsized && total->unsized == total->objects)
		slab_say(answer, "Leak candidates: %" PRIu64 " %s%s%s.", total->objects,
			 mm_plural(total->objects, "object of unknown size",
				   "objects of unknown sizes"),
			 unless, later);
	else
		slab_say(answer, "Leak candidates: %" PRIu64 " object%s, %s%.1f KiB%s%s.",
			 total->objects, mm_plural_s(total->objects),
			 total->unsized ? "at least " : "", (double)total->bytes / 1024, unless,
			 later);
}

static void conclude(struct slab_answer *answer, const struct leak_total *total,
		     const struct leak_interval *interval)
{
	struct mm_report *report = answer->report;
	bool unknown = !total->objects && (total->maybe || answer->results->coverage->lossy);
	struct mm_metric *metric;

	if (answer->options->leaks) {
		conclude_objects(answer, total, unknown);
		conclude_steady(answer, total, interval);
		conclude_pages(answer);
		mm_report_first_table(
			report, total->objects ? &slab_table_leaks : &slab_table_leaks_uncertain,
			answer->options->report.top);
		if (answer->results->stacks->used)
			mm_report_next(report, "To see the call stacks of live objects",
				       "lttng-mm report slab --leaks --table leak-stacks TRACE");
		else
			mm_report_next(report, "To record the call stacks of allocations, too",
				       "lttng-mm record slab --callstack");
	}
	fill_metrics(total, unknown, report);
	metric = mm_report_metric(report, "slab.leaks.quarter_ns", NULL);
	if (interval->end_ns > interval->start_ns)
		mm_cell_set_u(&metric->value, interval->quarter_ns);
}

void slab_report_leaks(struct slab_answer *answer)
{
	const struct slab_results *results = answer->results;
	const struct slab_options *options = answer->options;
	struct mm_report *report = answer->report;
	struct mm_table *table = mm_report_table(report, &slab_table_leaks);
	struct mm_table *apart = mm_report_table(report, &slab_table_leaks_uncertain);
	uint32_t count = 2 * slab_sites_count(results->accounts), used;
	struct leak *leaks = calloc(count + 1, sizeof(*leaks));
	struct leak_total total = { 0 };
	struct leak_interval interval;

	if (!leaks) {
		report->failed = true;
		return;
	}
	find_interval(results, options, &interval);
	gather(results, &interval, leaks);
	used = rank(leaks, count);
	table->text_rows = apart->text_rows = options->report.top;
	table->omits_empty = apart->omits_empty = true;
	table->hidden = apart->hidden = !options->leaks;
	for (uint32_t i = 0; i < used; i++) {
		const struct slab_site *site = slab_site_at(results->accounts, leaks[i].row);
		const char *path = path_of(results, site, leaks[i].rcu);

		fill_leak(results, &leaks[i], site, interval.end_ns, path, path ? apart : table,
			  report);
		if (path)
			total.apart += leaks[i].count;
		else
			add_leak(&total, &leaks[i]);
	}
	/*
	 * Count the uncertain objects only if there are no leak candidates. Otherwise, the table of
	 * outcomes lists them.
	 */
	if (!used)
		total.maybe = count_maybe_live(results);
	conclude(answer, &total, &interval);
	free(leaks);
}
