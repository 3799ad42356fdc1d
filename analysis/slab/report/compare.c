// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Compares two snapshots of one boot: what grew, by how much, and where. Supplements the general
 * comparison.
 *
 * Within a boot, call sites and caches usually keep their numbers. If a number has two names, it
 * was reassigned, and its rows are not compared.
 */
#include "analysis/slab/report/compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/slab/report/compare-answer.h"
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
	uint64_t number; /* number of the call site or cache, or page order */
	int of;		 /* 0: older report, 1: newer report */
	bool is_of_class;
};

/* Rows of both reports, sorted so that rows about one call site or cache are adjacent. */
struct compared_rows {
	struct compared_row *all;
	size_t count, room;
};

struct slab_compare_ctx {
	struct mm_report *report;
	double seconds[2]; /* time that each report covers */
	double between;	   /* time between the ends of the reports */
	uint64_t renumbered;
	struct slab_compare_sums sums;
};

static const struct mm_cell *cell_of(const struct compared_row *side, const char *key)
{
	int column = side ? mm_table_column(side->table, key) : -1;

	return column < 0 ? NULL : &side->cells[column];
}

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
			side->name = name ? cell_of(side, name)->s : "";
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

/* Is @range ("ext4+0x10", "kernel+0x10") in the module or kernel that contains function @name? */
static bool is_in_range(const char *name, const char *range)
{
	const char *in = strrchr(name, '[');
	size_t length = strcspn(range, "+");

	if (!in)
		return !strncmp(range, "kernel+", strlen("kernel+"));
	return !strncmp(in + 1, range, length) && in[1 + length] == ']';
}

/*
 * Can both names belong to one call site? The name changes if symbols are missing or the module was
 * unloaded.
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

/* Sets the values of both snapshots, and if both are known, their difference. */
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

/* Copies the text that the cell shows instead of its value: "PING (+2: UNIX, UNIX-STREAM)". */
static void copy_shown(struct mm_cell *cell, const struct compared_row *side, const char *key)
{
	const struct mm_cell *from = cell_of(side, key);

	if (from && from->shown)
		mm_cell_set_shown(cell, from->shown);
}

static void copy_names(struct mm_cell *cell, const struct compared_row *side, const char *key)
{
	const struct mm_cell *from = cell_of(side, key);
	const char **names, *name;

	if (!from || from->kind != MM_CELL_LIST)
		return;
	names = calloc(from->u + 1, sizeof(*names));
	name = from->s;
	if (!names) {
		cell->kind = MM_CELL_FAILED;
		return;
	}
	for (uint64_t i = 0; i < from->u; i++, name += strlen(name) + 1)
		names[i] = name;
	mm_cell_set_list(cell, names, from->u);
	free(names);
}

static void fill_cache(struct slab_compare_ctx *ctx, struct mm_table *table,
		       const struct compared_row *was, const struct compared_row *is)
{
	struct mm_cell *cells = mm_table_row(ctx->report, table);
	const struct compared_row *any = is ? is : was;

	if (!cells)
		return;
	mm_cell_set_s(&cells[SLAB_COMPARE_CACHES_CACHE], any->name);
	copy_shown(&cells[SLAB_COMPARE_CACHES_CACHE], any, any->is_of_class ? "class" : "cache");
	copy_names(&cells[SLAB_COMPARE_CACHES_ALIASES], any, "aliases");
	if (!any->is_of_class && any->number)
		mm_cell_set_u(&cells[SLAB_COMPARE_CACHES_NUMBER], any->number);
	fill_both(ctx, &cells[SLAB_COMPARE_CACHES_SIDES], was, is);
}

static void fill_order(struct slab_compare_ctx *ctx, struct mm_table *table,
		       const struct compared_row *was, const struct compared_row *is)
{
	struct mm_cell *cells = mm_table_row(ctx->report, table);

	if (!cells)
		return;
	mm_cell_set_u(&cells[SLAB_COMPARE_ORDERS_ORDER], (is ? is : was)->number);
	fill_both(ctx, &cells[SLAB_COMPARE_ORDERS_SIDES], was, is);
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
	copy_shown(&cells[SLAB_COMPARE_SITE_KIND], side, "kind");
	return cells;
}

static void fill_site(struct slab_compare_ctx *ctx, struct mm_table *table,
		      const struct compared_row *was, const struct compared_row *is)
{
	struct mm_cell *cells = add_site(ctx, table, is ? is : was);

	if (cells)
		fill_both(ctx, &cells[SLAB_COMPARE_SITES_SIDES], was, is);
}

/* Adds the bytes of a row. If these are unknown or a lower bound, the sum becomes a lower bound. */
static void add_bytes(struct slab_live_sum *sum, const struct mm_cell *cell)
{
	sum->is_least_bytes |= cell->least || cell->kind != MM_CELL_UNSIGNED;
	if (cell->kind == MM_CELL_UNSIGNED)
		sum->bytes += cell->u;
}

static void fill_leak(struct slab_compare_ctx *ctx, struct mm_table *table,
		      const struct compared_row *was, const struct compared_row *is)
{
	struct mm_cell *cells = was && is ? add_site(ctx, table, is) : NULL;
	struct mm_cell old_bytes = { 0 }; /* not shown, but needed for the growth */

	if (!cells)
		return;
	set_growth(&(struct growth_cells){ &cells[SLAB_COMPARE_LEAKS_OLD_LIVE],
					   &cells[SLAB_COMPARE_LEAKS_NEW_LIVE],
					   &cells[SLAB_COMPARE_LEAKS_LIVE_GROWTH] },
		   was, is, "live");
	set_growth(&(struct growth_cells){ &old_bytes, &cells[SLAB_COMPARE_LEAKS_NEW_LIVE_BYTES],
					   &cells[SLAB_COMPARE_LEAKS_BYTES_GROWTH] },
		   was, is, "live_bytes");
	add_bytes(&ctx->sums.leaks[0], &old_bytes);
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
	struct compared_rows leaks = { 0 }, caches = { 0 }, orders = { 0 }, sites = { 0 };
	int failed = 0;

	for (int i = 0; i < 2 && !failed; i++)
		failed = collect(&leaks, reports[i], i, &slab_table_leaks, "call_site",
				 "call_site_number", "kind") ||
			 collect(&caches, reports[i], i, &slab_table_caches, "cache", "number",
				 NULL) ||
			 collect(&caches, reports[i], i, &slab_table_size_classes, "class", NULL,
				 NULL) ||
			 collect(&orders, reports[i], i, &slab_table_page_orders, NULL, "order",
				 NULL) ||
			 collect(&sites, reports[i], i, &slab_table_call_sites, "call_site",
				 "call_site_number", "kind");
	ctx->report->failed |= failed;
	fill_table(ctx, &leaks, &slab_compare_leaks, fill_leak);
	ctx->renumbered = 0;
	fill_table(ctx, &caches, &slab_compare_caches, fill_cache);
	fill_table(ctx, &orders, &slab_compare_orders, fill_order);
	fill_table(ctx, &sites, &slab_compare_sites, fill_site);
}

/* Adds up a column. Sets *@is_least if a row has a lower bound or no value. */
static uint64_t sum(const struct mm_report *report, const struct mm_table_def *def, const char *key,
		    bool *is_least)
{
	const struct mm_table *table = slab_compare_table(report, def);
	int column = table ? mm_table_column(table, key) : -1;
	uint64_t all = 0;

	for (size_t r = 0; column >= 0 && r < table->row_count; r++) {
		const struct mm_cell *cell =
			&table->cells[r * table->column_count + (size_t)column];

		if (cell->kind == MM_CELL_UNSIGNED)
			all += cell->u;
		*is_least |= cell->least || cell->kind != MM_CELL_UNSIGNED;
	}
	return all;
}

/* Are the live objects at the end of the snapshot unknown? */
static bool is_unknown(const struct mm_report *report)
{
	for (size_t i = 0; i < report->metric_count; i++)
		if (!strcmp(report->metrics[i]->def->name, "slab.leaks.objects"))
			return report->metrics[i]->value.kind == MM_CELL_EMPTY;
	return false;
}

/* Adds a metric. It has no value if @unknown, or if the only known fact is a lower bound of 0. */
static void set_sum(struct mm_report *report, uint64_t value, bool is_least, bool unknown,
		    const char *name, const char *of)
{
	struct mm_metric *metric = mm_report_metric(report, name, of, NULL);

	if (unknown || (is_least && !value))
		return;
	if (is_least)
		mm_cell_set_least(&metric->value, value);
	else
		mm_cell_set_u(&metric->value, value);
}

static void set_rate_metric(const struct slab_compare_ctx *ctx, const struct mm_report *of, int i,
			    const char *name)
{
	struct mm_metric *rate =
		mm_report_metric(ctx->report, "slab.compare.allocation_rate", name, NULL);
	bool is_least = false;
	uint64_t count = sum(of, &slab_table_caches, "allocations", &is_least) +
			 sum(of, &slab_table_size_classes, "allocations", &is_least);

	if (ctx->seconds[i] > 0)
		mm_cell_set_r(&rate->value, (double)count / ctx->seconds[i]);
}

static void set_metrics(struct slab_compare_ctx *ctx, const struct mm_report *const reports[2],
			const bool unknown[2])
{
	static const char *const names[2] = { "old", "new" };
	static const char *const lives[2] = { "old_live", "new_live" };
	static const char *const bytes[2] = { "old_live_bytes", "new_live_bytes" };
	struct mm_report *report = ctx->report;

	for (int i = 0; i < 2; i++) {
		struct slab_live_sum *live = &ctx->sums.live[i], *leaks = &ctx->sums.leaks[i];
		struct slab_live_sum *uncertain = &ctx->sums.uncertain[i];

		live->live = sum(report, &slab_compare_caches, lives[i], &live->is_least);
		live->bytes = sum(report, &slab_compare_caches, bytes[i], &live->is_least_bytes);
		leaks->live = sum(report, &slab_compare_leaks, lives[i], &leaks->is_least);
		uncertain->live =
			sum(reports[i], &slab_table_leaks_uncertain, "live", &uncertain->is_least);
		/*
		 * fill_leak() has already added up the bytes of OLD, because the table has no
		 * column for them.
		 */
		if (i)
			leaks->bytes =
				sum(report, &slab_compare_leaks, bytes[i], &leaks->is_least_bytes);
		set_sum(report, live->live, live->is_least, unknown[i], "slab.compare.live",
			names[i]);
		set_sum(report, live->bytes, live->is_least_bytes, unknown[i],
			"slab.compare.live_bytes", names[i]);
		set_rate_metric(ctx, reports[i], i, names[i]);
		set_sum(report, leaks->live, leaks->is_least, unknown[i], "slab.compare.leaks",
			names[i]);
		set_sum(report, leaks->bytes, leaks->is_least_bytes, unknown[0] || unknown[1],
			"slab.compare.leaks_bytes", names[i]);
	}
}

/*
 * If both snapshots start at the start of the session, their start times differ only by the error
 * of the clock offsets. This error is below SAME_START_NS.
 */
#define SAME_START_NS 1000000

/* Says how to read the difference between the live objects of both snapshots. */
static void remark_starts(struct slab_compare_ctx *ctx, uint64_t old_start, uint64_t new_start)
{
	struct mm_report *report = ctx->report;

	ctx->sums.is_growth =
		new_start < old_start + SAME_START_NS && old_start < new_start + SAME_START_NS;
	/* The answer says "grew" and needs no further explanation, so this is only a note. */
	if (ctx->sums.is_growth)
		mm_report_note(
			report,
			"Both snapshots start together: the live memory of NEW minus the live memory of OLD is the growth between their ends.");
	else if (new_start > old_start)
		mm_report_remark(
			report,
			"The snapshots start at different times: the difference of their live memory is not growth, because NEW lacks the memory that was allocated before its start.");
	else
		mm_report_remark(
			report,
			"The newer snapshot starts %.3f s before the older one: memory that was allocated in that time, and is live at the end, is only in NEW.",
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
			"The snapshots cover %.3f s and %.3f s and overlap by %.3f s: both contain the events of that time.",
			ctx->seconds[0], ctx->seconds[1], (double)overlap / 1e9);
	else
		mm_report_remark(
			report,
			"The snapshots cover %.3f s and %.3f s; between them is a gap of %.3f s: neither contains the allocations and frees of that time.",
			ctx->seconds[0], ctx->seconds[1], (double)gap / 1e9);
	remark_starts(ctx, old_start, new_start);
}

/* Returns the number of rows that grew, at most FIRST_ROWS. They are the first rows. */
static unsigned int count_grown(const struct mm_report *report, const struct mm_table_def *def)
{
	const struct mm_table *table = slab_compare_table(report, def);
	unsigned int count = 0;

	while (count < FIRST_ROWS && slab_compare_grown(table, count))
		count++;
	return count;
}

/* Notes call sites with two names, and events that were excluded. */
static void note_limits(const struct slab_compare_ctx *ctx,
			const struct mm_report *const reports[2])
{
	if (ctx->renumbered)
		mm_report_note(
			ctx->report, "%" PRIu64 " %s separate.", ctx->renumbered,
			mm_plural(
				ctx->renumbered,
				"call-site number has different names in the snapshots: its rows are",
				"call-site numbers have different names in the snapshots: their rows are"));
	for (int i = 0; i < 2; i++)
		if (reports[i]->limits_unknown ||
		    reports[i]->coverage[MM_COVERAGE_LIMITED_TO].kind == MM_CELL_STRING)
			mm_report_note(
				ctx->report,
				"A tracker or a filter excluded events from the %s snapshot: its live memory is an upper bound, because excluded processes may have freed some of it.",
				i ? "newer" : "older");
}

void slab_compare(const struct mm_report *older, const struct mm_report *newer,
		  struct mm_report *report)
{
	const struct mm_report *const reports[2] = { older, newer };
	struct slab_compare_ctx ctx = { .report = report };
	const bool unknown[2] = { is_unknown(older), is_unknown(newer) };

	set_windows(&ctx, reports);
	fill_tables(&ctx, reports);
	set_metrics(&ctx, reports, unknown);
	note_limits(&ctx, reports);
	mm_report_first_table(report, &slab_compare_sites,
			      count_grown(report, &slab_compare_sites));
	if (!unknown[0] && !unknown[1]) {
		slab_compare_answer(&ctx.sums, reports, report);
		return;
	}
	mm_report_answer(
		report,
		"It is not known what is live at the end of the %s: frees may be missing from %s.",
		!unknown[0]  ? "newer snapshot"
		: unknown[1] ? "snapshots"
			     : "older snapshot",
		unknown[0] && unknown[1] ? "them" : "it");
}
