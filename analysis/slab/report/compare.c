// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Compares two snapshots of one boot: what grew, by how much, and where. Adds to the general
 * comparison.
 *
 * Within a boot, call sites and caches keep their numbers. If a number has different names, it was
 * reassigned, and the rows are not compared.
 */
#include "analysis/slab/report/compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/slab/report/compare-tables.h"
#include "analysis/slab/report/report.h"
#include "util/plural.h"

/* Rows of the table on the first screen. */
#define FIRST_ROWS 10

/* A row of the older or the newer report. */
struct compared_row {
	const struct mm_table *table;
	const struct mm_cell *cells;
	const char *name, *kind;
	uint64_t number; /* number of the call site or cache */
	int of;		 /* 0: older report, 1: newer report */
	bool is_of_class;
};

/* Rows from both reports, sorted so that rows about the same call site or cache are adjacent. */
struct compared_rows {
	struct compared_row *all;
	size_t count, room;
};

struct slab_compare_ctx {
	struct mm_report *report;
	double seconds[2]; /* time that each report covers */
	double between;	   /* time between the ends of the reports */
	uint64_t renumbered;
};

static const struct mm_cell *cell_of(const struct compared_row *side, const char *key)
{
	int column = side ? mm_table_column(side->table, key) : -1;

	return column < 0 ? NULL : &side->cells[column];
}

/* Adds the rows of a table of report number @of. Returns 0, or -1: out of memory. */
static int collect(struct compared_rows *sides, const struct mm_report *report, int of,
		   const struct mm_table_def *def, const char *name, const char *number,
		   const char *kind)
{
	for (size_t i = 0; i < report->table_count; i++) {
		const struct mm_table *table = report->tables[i];
		size_t need = sides->count + table->row_count;
		struct compared_row *grown;

		if (table->def != def || !table->row_count)
			continue;
		grown = realloc(sides->all, need * sizeof(*grown));
		if (!grown)
			return -1;
		sides->all = grown;
		for (size_t r = 0; r < table->row_count; r++) {
			struct compared_row *side = &sides->all[sides->count++];
			const struct mm_cell *cell;

			*side = (struct compared_row){ .table = table, .of = of, .kind = "" };
			side->cells = &table->cells[r * table->column_count];
			side->name = cell_of(side, name)->s;
			cell = number ? cell_of(side, number) : NULL;
			side->number = cell ? cell->u : 0;
			side->is_of_class = !number;
			if (kind)
				side->kind = cell_of(side, kind)->s;
		}
	}
	return 0;
}

static int compare_row_keys(const void *a, const void *b)
{
	const struct compared_row *x = a, *y = b;
	int diff;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	diff = strcmp(x->kind, y->kind);
	/* Size classes, and caches without a number, are identified by name. */
	if (!diff && !*x->kind)
		diff = strcmp(x->name, y->name);
	return diff ? diff : x->of - y->of;
}

/* Is @range, such as "ext4+0x10" or "kernel+0x10", in the module or kernel of function @name? */
static bool is_in_range(const char *name, const char *range)
{
	const char *in = strrchr(name, '[');
	size_t length = strcspn(range, "+");

	if (!in)
		return !strncmp(range, "kernel+", strlen("kernel+"));
	return !strncmp(in + 1, range, length) && in[1 + length] == ']';
}

/*
 * May both names belong to one call site? The name changes if symbols are missing, or after the
 * module was unloaded.
 */
static bool is_same_name(const char *x, const char *y)
{
	return !strcmp(x, y) || !strncmp(x, "0x", 2) || !strncmp(y, "0x", 2) || is_in_range(x, y) ||
	       is_in_range(y, x);
}

static bool are_pair(const struct compared_row *was, const struct compared_row *is,
		     struct slab_compare_ctx *ctx)
{
	if (was->of || !is->of || was->number != is->number || strcmp(was->kind, is->kind) != 0)
		return false;
	if (is_same_name(was->name, is->name))
		return true;
	ctx->renumbered += *was->kind != '\0';
	return false;
}

static uint64_t count_of(const struct compared_row *side, const char *key)
{
	const struct mm_cell *cell = cell_of(side, key);

	return cell ? cell->u : 0;
}

/* Cells for the values of both snapshots and their difference. */
struct growth_cells {
	struct mm_cell *old, *new, *growth;
};

static void copy_count(struct mm_cell *to, const struct mm_cell *from)
{
	if (!from)
		mm_cell_set_u(to, 0);
	else if (from->least)
		mm_cell_set_least(to, from->u);
	else if (from->kind == MM_CELL_UNSIGNED)
		mm_cell_set_u(to, from->u);
}

/* Sets the values of both snapshots, and their difference if both are known. */
static void set_growth(const struct growth_cells *cells, const struct compared_row *was,
		       const struct compared_row *is, const char *key)
{
	const struct mm_cell *old = cell_of(was, key), *new = cell_of(is, key);
	bool known =
		(!old || old->kind == MM_CELL_UNSIGNED) && (!new || new->kind == MM_CELL_UNSIGNED);

	copy_count(cells->old, old);
	copy_count(cells->new, new);
	if (known && !cells->old->least && !cells->new->least)
		mm_cell_set_i(cells->growth, (int64_t)(cells->new->u - cells->old->u));
}

static void set_rate(const struct slab_compare_ctx *ctx, struct mm_cell *cell,
		     const struct compared_row *side, int of)
{
	if (ctx->seconds[of] > 0)
		mm_cell_set_r(cell, (double)count_of(side, "allocations") / ctx->seconds[of]);
}

static void fill_both(const struct slab_compare_ctx *ctx, struct mm_cell *cells,
		      const struct compared_row *was, const struct compared_row *is)
{
	const struct growth_cells live = {
		.old = &cells[SLAB_SIDES_OLD_LIVE],
		.new = &cells[SLAB_SIDES_NEW_LIVE],
		.growth = &cells[SLAB_SIDES_LIVE_GROWTH],
	};
	const struct growth_cells bytes = {
		.old = &cells[SLAB_SIDES_OLD_LIVE_BYTES],
		.new = &cells[SLAB_SIDES_NEW_LIVE_BYTES],
		.growth = &cells[SLAB_SIDES_BYTES_GROWTH],
	};

	set_growth(&live, was, is, "live");
	set_growth(&bytes, was, is, "live_bytes");
	set_rate(ctx, &cells[SLAB_SIDES_OLD_RATE], was, 0);
	set_rate(ctx, &cells[SLAB_SIDES_NEW_RATE], is, 1);
}

static void fill_cache(struct slab_compare_ctx *ctx, struct mm_table *table,
		       const struct compared_row *was, const struct compared_row *is)
{
	struct mm_cell *cells = mm_table_row(ctx->report, table);
	const struct compared_row *any = is ? is : was;

	if (!cells)
		return;
	mm_cell_set_s(&cells[SLAB_COMPARE_CACHES_CACHE], any->name);
	if (!any->is_of_class && any->number)
		mm_cell_set_u(&cells[SLAB_COMPARE_CACHES_NUMBER], any->number);
	fill_both(ctx, &cells[SLAB_COMPARE_CACHES_SIDES], was, is);
}

static struct mm_cell *add_site(struct slab_compare_ctx *ctx, struct mm_table *table,
				const struct compared_row *side)
{
	struct mm_cell *cells = mm_table_row(ctx->report, table);

	if (!cells)
		return NULL;
	mm_cell_set_s(&cells[SLAB_COMPARE_SITE_CALL_SITE], side->name);
	mm_cell_set_u(&cells[SLAB_COMPARE_SITE_CODE], side->number);
	mm_cell_set_s(&cells[SLAB_COMPARE_SITE_KIND], side->kind);
	return cells;
}

static void fill_site(struct slab_compare_ctx *ctx, struct mm_table *table,
		      const struct compared_row *was, const struct compared_row *is)
{
	struct mm_cell *cells = add_site(ctx, table, is ? is : was);

	if (cells)
		fill_both(ctx, &cells[SLAB_COMPARE_SITES_SIDES], was, is);
}

static void fill_leak(struct slab_compare_ctx *ctx, struct mm_table *table,
		      const struct compared_row *was, const struct compared_row *is)
{
	struct mm_cell *cells = was && is ? add_site(ctx, table, is) : NULL;
	struct mm_cell old_bytes = { 0 }; /* old bytes are not shown, but needed for the growth */

	if (!cells)
		return;
	set_growth(&(struct growth_cells){ &cells[SLAB_COMPARE_LEAKS_OLD_LIVE],
					   &cells[SLAB_COMPARE_LEAKS_NEW_LIVE],
					   &cells[SLAB_COMPARE_LEAKS_LIVE_GROWTH] },
		   was, is, "live");
	set_growth(&(struct growth_cells){ &old_bytes, &cells[SLAB_COMPARE_LEAKS_NEW_LIVE_BYTES],
					   &cells[SLAB_COMPARE_LEAKS_BYTES_GROWTH] },
		   was, is, "live_bytes");
	if (cells[SLAB_COMPARE_LEAKS_BYTES_GROWTH].kind != MM_CELL_EMPTY)
		mm_cell_set_r(&cells[SLAB_COMPARE_LEAKS_BYTES_PER_SECOND],
			      (double)cells[SLAB_COMPARE_LEAKS_BYTES_GROWTH].i / ctx->between);
	mm_cell_set_u(&cells[SLAB_COMPARE_LEAKS_OLDEST_NS], count_of(is, "oldest_ns"));
}

/* Passes each pair of rows, and each row without a partner, to @fill. Sorts by growth of bytes. */
static void fill_table(struct slab_compare_ctx *ctx, struct compared_rows *sides,
		       const struct mm_table_def *def,
		       void (*fill)(struct slab_compare_ctx *ctx, struct mm_table *table,
				    const struct compared_row *was, const struct compared_row *is))
{
	struct mm_table *table = mm_report_table(ctx->report, def);
	int growth[2];

	if (sides->count)
		qsort(sides->all, sides->count, sizeof(*sides->all), compare_row_keys);
	for (size_t i = 0; i < sides->count; i++) {
		const struct compared_row *side = &sides->all[i], *next = side + 1;

		if (i + 1 < sides->count && are_pair(side, next, ctx)) {
			fill(ctx, table, side, next);
			i++;
		} else {
			fill(ctx, table, side->of ? NULL : side, side->of ? side : NULL);
		}
	}
	growth[0] = mm_table_column(table, "live_growth");
	growth[1] = mm_table_column(table, "bytes_growth");
	for (int i = 0; i < 2; i++)
		if (mm_table_sort(table, (size_t)growth[i], true))
			ctx->report->failed = true;
	free(sides->all);
}

static void fill_tables(struct slab_compare_ctx *ctx, const struct mm_report *const reports[2])
{
	struct compared_rows leaks = { 0 }, caches = { 0 }, sites = { 0 };
	int failed = 0;

	for (int i = 0; i < 2 && !failed; i++)
		failed = collect(&leaks, reports[i], i, &slab_table_leaks, "call_site",
				 "call_site_number", "kind") ||
			 collect(&caches, reports[i], i, &slab_table_caches, "cache", "number",
				 NULL) ||
			 collect(&caches, reports[i], i, &slab_table_size_classes, "class", NULL,
				 NULL) ||
			 collect(&sites, reports[i], i, &slab_table_call_sites, "call_site",
				 "call_site_number", "kind");
	ctx->report->failed |= failed;
	fill_table(ctx, &leaks, &slab_compare_leaks, fill_leak);
	ctx->renumbered = 0;
	fill_table(ctx, &caches, &slab_compare_caches, fill_cache);
	fill_table(ctx, &sites, &slab_compare_sites, fill_site);
}

static const struct mm_table *find_table(const struct mm_report *report,
					 const struct mm_table_def *def)
{
	for (size_t i = 0; i < report->table_count; i++)
		if (report->tables[i]->def == def)
			return report->tables[i];
	return NULL;
}

static uint64_t sum(const struct mm_report *report, const struct mm_table_def *def, const char *key)
{
	const struct mm_table *table = find_table(report, def);
	int column = table ? mm_table_column(table, key) : -1;
	uint64_t all = 0;

	for (size_t r = 0; column >= 0 && r < table->row_count; r++)
		all += table->cells[r * table->column_count + (size_t)column].u;
	return all;
}

struct live_sum {
	uint64_t live, bytes;
};

/* Are the live objects at the end of the snapshot unknown? */
static bool is_unknown(const struct mm_report *report)
{
	for (size_t i = 0; i < report->metric_count; i++)
		if (!strcmp(report->metrics[i]->def->name, "slab.leaks.objects"))
			return report->metrics[i]->value.kind == MM_CELL_EMPTY;
	return false;
}

/* Adds a metric, which has no value if @unknown. */
static void set_count(struct mm_report *report, uint64_t count, bool unknown, const char *name,
		      const char *of)
{
	struct mm_metric *metric = mm_report_metric(report, name, of, NULL);

	if (!unknown)
		mm_cell_set_u(&metric->value, count);
}

static void set_metrics(const struct slab_compare_ctx *ctx,
			const struct mm_report *const reports[2], const bool unknown[2],
			struct live_sum live[2], struct live_sum leaks[2])
{
	static const char *const names[2] = { "old", "new" };
	static const char *const lives[2] = { "old_live", "new_live" };
	static const char *const bytes[2] = { "old_live_bytes", "new_live_bytes" };
	struct mm_report *report = ctx->report;

	for (int i = 0; i < 2; i++) {
		uint64_t allocations = sum(reports[i], &slab_table_caches, "allocations") +
				       sum(reports[i], &slab_table_size_classes, "allocations");
		struct mm_metric *rate =
			mm_report_metric(report, "slab.compare.allocation_rate", names[i], NULL);

		live[i].live = sum(report, &slab_compare_caches, lives[i]);
		live[i].bytes = sum(report, &slab_compare_caches, bytes[i]);
		leaks[i].live = sum(report, &slab_compare_leaks, lives[i]);
		set_count(report, live[i].live, unknown[i], "slab.compare.live", names[i]);
		set_count(report, live[i].bytes, unknown[i], "slab.compare.live_bytes", names[i]);
		set_count(report, leaks[i].live, unknown[i], "slab.compare.leaks", names[i]);
		if (ctx->seconds[i] > 0)
			mm_cell_set_r(&rate->value, (double)allocations / ctx->seconds[i]);
	}
	leaks[1].bytes = sum(report, &slab_compare_leaks, "new_live_bytes");
	leaks[0].bytes = leaks[1].bytes - sum(report, &slab_compare_leaks, "bytes_growth");
	for (int i = 0; i < 2; i++)
		set_count(report, leaks[i].bytes, unknown[0] || unknown[1],
			  "slab.compare.leaks_bytes", names[i]);
}

/*
 * If both snapshots reach back to the start of the session, their start times differ only by the
 * error of their clock offsets, which is below this limit. If the newer snapshot starts earlier by
 * more, its live objects include objects that were allocated before the older snapshot starts.
 */
#define SAME_START_NS 1000000

static void remark_early_start(struct mm_report *report, uint64_t old_start, uint64_t new_start)
{
	if (new_start + SAME_START_NS > old_start)
		return;
	mm_report_remark(
		report,
		"The newer snapshot starts %.3f s before the older one: what was allocated in that time counts as growth if it is live at the end.",
		(double)(old_start - new_start) / 1e9);
}

static void set_windows(struct slab_compare_ctx *ctx, const struct mm_report *const reports[2])
{
	const struct mm_cell *was = reports[0]->coverage, *is = reports[1]->coverage;
	uint64_t end = was[MM_COVERAGE_END_NS].u, old_start = was[MM_COVERAGE_START_NS].u;
	uint64_t new_start = is[MM_COVERAGE_START_NS].u;
	uint64_t start = new_start > old_start ? new_start : old_start;
	uint64_t gap = start > end ? start - end : 0, overlap = end > start ? end - start : 0;
	struct mm_report *report = ctx->report;
	static const char *const names[2] = { "old", "new" };

	for (int i = 0; i < 2; i++) {
		const struct mm_cell *c = reports[i]->coverage;
		uint64_t ns = c[MM_COVERAGE_END_NS].u - c[MM_COVERAGE_START_NS].u;

		ctx->seconds[i] = (double)ns / 1e9;
		mm_report_count(report, ns, "slab.compare.duration_ns", names[i]);
	}
	ctx->between = (double)(is[MM_COVERAGE_END_NS].u - end) / 1e9;
	mm_report_count(report, gap, "slab.compare.gap_ns");
	mm_report_count(report, overlap, "slab.compare.overlap_ns");
	if (overlap)
		mm_report_remark(
			report,
			"The snapshots cover %.3f s and %.3f s and overlap by %.3f s: what happened then is in both.",
			ctx->seconds[0], ctx->seconds[1], (double)overlap / 1e9);
	else
		mm_report_remark(
			report,
			"The snapshots cover %.3f s and %.3f s; between them is a gap of %.3f s: what was allocated or freed then is in neither.",
			ctx->seconds[0], ctx->seconds[1], (double)gap / 1e9);
	remark_early_start(report, old_start, new_start);
}

/* Returns the row number @row of the table if its bytes grew; sets *@bytes to the growth. */
static const struct mm_cell *grown_row(const struct mm_report *report,
				       const struct mm_table_def *def, size_t row, uint64_t *bytes)
{
	const struct mm_table *table = find_table(report, def);
	int column = table ? mm_table_column(table, "bytes_growth") : -1;
	const struct mm_cell *cells;

	if (column < 0 || row >= table->row_count)
		return NULL;
	cells = &table->cells[row * table->column_count];
	*bytes = cells[column].u;
	/* A cell with negative growth is signed. */
	return cells[column].kind == MM_CELL_UNSIGNED && *bytes ? cells : NULL;
}

/* Returns how many rows at the start of the table grew, FIRST_ROWS at most. */
static unsigned int count_grown(const struct mm_report *report, const struct mm_table_def *def)
{
	unsigned int count = 0;
	uint64_t bytes;

	while (count < FIRST_ROWS && grown_row(report, def, count, &bytes))
		count++;
	return count;
}

/* Names the slab cache or size class, and the call site, that grew most. */
static void answer_largest(struct mm_report *report)
{
	uint64_t cache_bytes, site_bytes;
	const struct mm_cell *cache = grown_row(report, &slab_compare_caches, 0, &cache_bytes);
	const struct mm_cell *site = grown_row(report, &slab_compare_sites, 0, &site_bytes);
	char bytes[2][32];

	if (!cache && !site) {
		mm_report_answer(report, "No slab cache, size class or call site grew.");
		return;
	}
	if (cache)
		mm_report_answer(report, "Largest growth: %s, %s.",
				 cache[SLAB_COMPARE_CACHES_CACHE].s,
				 slab_bytes_text(cache_bytes, bytes[0], sizeof(bytes[0])));
	if (site)
		mm_report_answer(report, "Largest growth of a call site: %s, %s in %s.",
				 site[SLAB_COMPARE_SITE_CALL_SITE].s,
				 slab_bytes_text(site_bytes, bytes[1], sizeof(bytes[1])),
				 site[SLAB_COMPARE_SITE_KIND].s);
}

/* Returns @text: "grew by 13.0 KiB: 75.3 KiB", with the old value. */
static const char *change_text(uint64_t old, uint64_t new, char *text, size_t size)
{
	char change[32], from[32];

	slab_bytes_text(new > old ? new - old : old - new, change, sizeof(change));
	slab_bytes_text(old, from, sizeof(from));
	if (new == old)
		snprintf(text, size, "did not grow: %s", from);
	else
		snprintf(text, size, "%s by %s: %s", new > old ? "grew" : "shrank", change, from);
	return text;
}

static void answer_objects(struct mm_report *report, const struct live_sum live[2])
{
	char change[96], bytes[32];

	mm_report_answer(report,
			 "Live slab objects %s (%" PRIu64 " object%s) in OLD, %s (%" PRIu64
			 ") in NEW.",
			 change_text(live[0].bytes, live[1].bytes, change, sizeof(change)),
			 live[0].live, mm_plural_s(live[0].live),
			 slab_bytes_text(live[1].bytes, bytes, sizeof(bytes)), live[1].live);
}

/* Returns the live bytes of pages; sets *@known if they are known. */
static uint64_t live_pages(const struct mm_report *report, bool *known)
{
	for (size_t i = 0; i < report->metric_count; i++) {
		const struct mm_metric *metric = report->metrics[i];

		if (strcmp(metric->def->name, "slab.live_bytes") != 0 ||
		    strcmp(metric->labels[0], "pages") != 0)
			continue;
		*known &= metric->value.kind == MM_CELL_UNSIGNED;
		return metric->value.u;
	}
	*known = false;
	return 0;
}

static void answer_pages(struct mm_report *report, const struct mm_report *const reports[2])
{
	bool known = true;
	uint64_t old = live_pages(reports[0], &known), new = live_pages(reports[1], &known);
	char change[96], bytes[32];

	if (known && (old || new))
		mm_report_answer(
			report,
			"Live pages (allocated and not freed within each snapshot) %s in OLD, %s in NEW.",
			change_text(old, new, change, sizeof(change)),
			slab_bytes_text(new, bytes, sizeof(bytes)));
}

static void answer_leaks(struct mm_report *report, const struct live_sum leaks[2])
{
	char bytes[2][32];

	if (!leaks[0].live && !leaks[1].live)
		mm_report_answer(report, "No call site has leak candidates in both snapshots.");
	else
		mm_report_answer(report,
				 "Call sites with leak candidates in both: %" PRIu64
				 " object%s (%s) in OLD, %" PRIu64 " (%s) in NEW.",
				 leaks[0].live, mm_plural_s(leaks[0].live),
				 slab_bytes_text(leaks[0].bytes, bytes[0], sizeof(bytes[0])),
				 leaks[1].live,
				 slab_bytes_text(leaks[1].bytes, bytes[1], sizeof(bytes[1])));
}

void slab_compare(const struct mm_report *older, const struct mm_report *newer,
		  struct mm_report *report)
{
	const struct mm_report *const reports[2] = { older, newer };
	struct slab_compare_ctx ctx = { .report = report };
	const bool unknown[2] = { is_unknown(older), is_unknown(newer) };
	struct live_sum live[2], leaks[2];

	set_windows(&ctx, reports);
	fill_tables(&ctx, reports);
	set_metrics(&ctx, reports, unknown, live, leaks);
	mm_report_first_table(report, &slab_compare_sites,
			      count_grown(report, &slab_compare_sites));
	if (unknown[0] || unknown[1]) {
		mm_report_answer(
			report,
			"What is live at the end of the %s is not known: frees may be missing from %s.",
			!unknown[0]  ? "newer snapshot"
			: unknown[1] ? "snapshots"
				     : "older snapshot",
			unknown[0] && unknown[1] ? "them" : "it");
		return;
	}
	answer_objects(report, live);
	answer_largest(report);
	answer_pages(report, reports);
	answer_leaks(report, leaks);
	if (ctx.renumbered)
		mm_report_note(
			report, "%" PRIu64 " %s separate.", ctx.renumbered,
			mm_plural(
				ctx.renumbered,
				"call-site number has different names in the snapshots: its rows are",
				"call-site numbers have different names in the snapshots: their rows are"));
	for (int i = 0; i < 2; i++)
		if (reports[i]->limits_unknown ||
		    reports[i]->coverage[MM_COVERAGE_LIMITED_TO].kind == MM_CELL_STRING)
			mm_report_note(
				report,
				"A tracker or a filter excluded events from the %s snapshot: excluded processes may have freed objects that count as live.",
				i ? "newer" : "older");
}
