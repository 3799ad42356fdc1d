// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Answers a comparison of two snapshots in sentences. Sample:
 *   Live slab objects grew by 39.0 KiB: 428.2 KiB (1880 objects) in OLD, 467.2 KiB (2212) in NEW.
 *   Live pages (allocated and not freed within each snapshot) grew by 2.25 MiB: 6.05 MiB in ...
 *   Largest growth of a slab cache: vmap_area, 15.5 KiB (221 objects).
 *   Largest growth of pages: order 9, 2.0 MiB (1 allocation).
 *   Largest growth of a call site: copy_process+0x1c0, 8.2 KiB (1 object) in task_struct.
 */
#include "analysis/slab/report/compare-answer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/slab/report/compare-tables.h"
#include "analysis/slab/report/report.h"
#include "util/plural.h"

#define BYTES_TEXT 32
#define MOST_DIGITS 3

/* Writes @bytes with @digits decimals. Returns the unit. Sets *@rounded to the written number. */
static size_t write_bytes(uint64_t bytes, int digits, char text[BYTES_TEXT], double *rounded)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double scaled = (double)bytes;
	size_t unit = 0;

	for (; scaled >= 1024 && unit < 4; unit++)
		scaled /= 1024;
	snprintf(text, BYTES_TEXT, "%.*f", unit ? digits : 0, scaled);
	*rounded = strtod(text, NULL);
	snprintf(text, BYTES_TEXT, "%.*f %s", unit ? digits : 0, scaled, units[unit]);
	return unit;
}

/*
 * Writes the bytes of both snapshots and their difference. Values in the same unit get enough
 * decimals to add up: 6.0, 8.3 and 2.2 MiB become 6.01, 8.26 and 2.25 MiB.
 */
static void write_change(uint64_t old, uint64_t new, char olds[BYTES_TEXT], char news[BYTES_TEXT],
			 char changes[BYTES_TEXT])
{
	bool one_unit;
	double error;

	for (int digits = 1; digits <= MOST_DIGITS; digits++) {
		double was, is, change;
		size_t unit = write_bytes(old, digits, olds, &was);

		one_unit = unit == write_bytes(new, digits, news, &is);
		one_unit &= unit == write_bytes(new > old ? new - old : old - new, digits, changes,
						&change);
		error = (is > was ? is - was : was - is) - change;
		/*
		 * Numbers with MOST_DIGITS decimals or fewer are equal if they differ by less than
		 * 1e-4.
		 */
		if (!one_unit || (error < 1e-4 && error > -1e-4))
			return;
	}
}

static const char *at_least(bool is_least)
{
	return is_least ? "at least " : "";
}

static void answer_growth(struct mm_report *report, const struct slab_live_sum live[2])
{
	const struct slab_live_sum *old = &live[0], *new = &live[1];
	char olds[BYTES_TEXT], news[BYTES_TEXT], change[BYTES_TEXT], growth[64];
	bool is_count = old->is_least_bytes || new->is_least_bytes;
	uint64_t was = is_count ? old->live : old->bytes, is = is_count ? new->live : new->bytes;

	write_change(old->bytes, new->bytes, olds, news, change);
	if (is_count)
		snprintf(change, sizeof(change), "%" PRIu64, is > was ? is - was : was - is);
	if (was == is)
		snprintf(growth, sizeof(growth), "did not grow");
	else
		snprintf(growth, sizeof(growth), "%s by %s", is > was ? "grew" : "shrank", change);
	if (is_count)
		mm_report_answer(report,
				 "Live slab objects %s: %" PRIu64 " (%s%s) in OLD, %" PRIu64
				 " (%s%s) in NEW; some sizes are not known.",
				 growth, old->live, at_least(old->is_least_bytes), olds, new->live,
				 at_least(new->is_least_bytes), news);
	else
		mm_report_answer(report,
				 "Live slab objects %s: %s (%" PRIu64
				 " object%s) in OLD, %s (%" PRIu64 ") in NEW.",
				 growth, olds, old->live, mm_plural_s(old->live), news, new->live);
}

static void answer_objects(struct mm_report *report, const struct slab_compare_sums *sums)
{
	const struct slab_live_sum *old = &sums->live[0], *new = &sums->live[1];
	char bytes[2][BYTES_TEXT];

	if (sums->is_growth && !old->is_least && !new->is_least) {
		answer_growth(report, sums->live);
		return;
	}
	mm_report_answer(report,
			 "Live slab objects that were allocated in each snapshot: %s%s (%s%" PRIu64
			 " object%s) in OLD, %s%s (%s%" PRIu64 ") in NEW.",
			 at_least(old->is_least_bytes),
			 slab_bytes_text(old->bytes, bytes[0], sizeof(bytes[0])),
			 at_least(old->is_least), old->live, mm_plural_s(old->live),
			 at_least(new->is_least_bytes),
			 slab_bytes_text(new->bytes, bytes[1], sizeof(bytes[1])),
			 at_least(new->is_least), new->live);
}

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

static void answer_pages(struct mm_report *report, const struct slab_compare_sums *sums,
			 const struct mm_report *const reports[2])
{
	bool known = true;
	uint64_t old = live_pages(reports[0], &known), new = live_pages(reports[1], &known);
	char olds[BYTES_TEXT], news[BYTES_TEXT], change[BYTES_TEXT];

	if (!known || (!old && !new))
		return;
	write_change(old, new, olds, news, change);
	if (!sums->is_growth)
		mm_report_answer(
			report,
			"Live pages that were allocated in each snapshot: %s in OLD, %s in NEW.",
			olds, news);
	else if (old == new)
		mm_report_answer(
			report,
			"Live pages (allocated and not freed within each snapshot) did not grow: %s.",
			olds);
	else
		mm_report_answer(
			report,
			"Live pages (allocated and not freed within each snapshot) %s by %s: %s in OLD, %s in NEW.",
			new > old ? "grew" : "shrank", change, olds, news);
}

/* Returns the number of rows that have live objects, but no known growth in bytes. */
static size_t count_unknown(const struct mm_table *table)
{
	int growth = mm_table_column(table, "bytes_growth");
	int live[2] = { mm_table_column(table, "old_live"), mm_table_column(table, "new_live") };
	size_t count = 0;

	for (size_t r = 0; growth >= 0 && r < table->row_count; r++) {
		const struct mm_cell *cells = &table->cells[r * table->column_count];

		count += cells[growth].kind == MM_CELL_EMPTY &&
			 (cells[live[0]].u || cells[live[1]].u);
	}
	return count;
}

struct largest_growth {
	const struct mm_cell *cells; /* NULL: no row grew */
	size_t unknown;		     /* rows with unknown growth */
	char text[64];		     /* the growth: "8.2 KiB (1 object)" */
};

static void find_largest(const struct mm_report *report, const struct mm_table_def *def, int sides,
			 const char *what, struct largest_growth *largest)
{
	const struct mm_table *table = slab_compare_table(report, def);
	const struct mm_cell *bytes, *live;
	char text[BYTES_TEXT];
	int length;

	*largest = (struct largest_growth){ .cells = slab_compare_grown(table, 0) };
	if (table)
		largest->unknown = count_unknown(table);
	if (!largest->cells)
		return;
	bytes = &largest->cells[sides + SLAB_SIDES_BYTES_GROWTH];
	live = &largest->cells[sides + SLAB_SIDES_LIVE_GROWTH];
	slab_bytes_text(bytes->u, text, sizeof(text));
	length = snprintf(largest->text, sizeof(largest->text), "%s", text);
	if (live->kind == MM_CELL_UNSIGNED && live->u)
		snprintf(largest->text + length, sizeof(largest->text) - (size_t)length,
			 " (%" PRIu64 " %s%s)", live->u, what, mm_plural_s(live->u));
}

/* Returns the text of a cell, with the number of merged caches if the report states it. */
static const char *shown(const struct mm_cell *cell)
{
	return cell->shown ? cell->shown : cell->s;
}

/* Names the slab cache or size class, the page order, and the call site that grew most. */
static void answer_largest(struct mm_report *report, bool is_growth)
{
	const char *what = is_growth ? "growth" : "increase from OLD to NEW";
	struct largest_growth cache, order, site;
	char known[64] = "";

	find_largest(report, &slab_compare_caches, SLAB_COMPARE_CACHES_SIDES, "object", &cache);
	find_largest(report, &slab_compare_orders, SLAB_COMPARE_ORDERS_SIDES, "allocation", &order);
	find_largest(report, &slab_compare_sites, SLAB_COMPARE_SITES_SIDES, "object", &site);
	if (cache.unknown)
		snprintf(known, sizeof(known), "; the growth of %zu other%s is not known",
			 cache.unknown, mm_plural_s(cache.unknown));
	if (!cache.cells && !order.cells && !site.cells && !cache.unknown) {
		mm_report_answer(report,
				 "No slab cache, size class, page order or call site grew.");
		return;
	}
	if (cache.cells)
		mm_report_answer(report, "Largest %s%s of a slab cache: %s, %s%s.",
				 cache.unknown ? "known " : "", what,
				 shown(&cache.cells[SLAB_COMPARE_CACHES_CACHE]), cache.text, known);
	else if (cache.unknown)
		mm_report_answer(report, "The growth of %zu slab cache%s is not known.",
				 cache.unknown, mm_plural_s(cache.unknown));
	if (order.cells)
		mm_report_answer(report, "Largest %s of pages: order %" PRIu64 ", %s.", what,
				 order.cells[SLAB_COMPARE_ORDERS_ORDER].u, order.text);
	if (site.cells)
		mm_report_answer(report, "Largest %s%s of a call site: %s, %s in %s.",
				 site.unknown ? "known " : "", what,
				 site.cells[SLAB_COMPARE_SITE_CALL_SITE].s, site.text,
				 shown(&site.cells[SLAB_COMPARE_SITE_KIND]));
}

static bool is_same(const struct slab_live_sum *x, const struct slab_live_sum *y)
{
	return x->live == y->live && x->bytes == y->bytes;
}

static void answer_leaks(struct mm_report *report, const struct slab_compare_sums *sums)
{
	const struct slab_live_sum *leaks = sums->leaks, *uncertain = sums->uncertain;
	char bytes[2][BYTES_TEXT];

	if (!leaks[0].live && !leaks[1].live)
		mm_report_answer(report,
				 "No call site has certain leak candidates in both snapshots.");
	else if (is_same(&leaks[0], &sums->live[0]) && is_same(&leaks[1], &sums->live[1]))
		mm_report_answer(report, "All these live slab objects are leak candidates.");
	else
		mm_report_answer(report,
				 "Call sites with leak candidates in both: %" PRIu64
				 " object%s (%s%s) in OLD, %" PRIu64 " (%s%s) in NEW.",
				 leaks[0].live, mm_plural_s(leaks[0].live),
				 at_least(leaks[0].is_least_bytes),
				 slab_bytes_text(leaks[0].bytes, bytes[0], sizeof(bytes[0])),
				 leaks[1].live, at_least(leaks[1].is_least_bytes),
				 slab_bytes_text(leaks[1].bytes, bytes[1], sizeof(bytes[1])));
	if (uncertain[0].live || uncertain[1].live)
		mm_report_answer(
			report,
			"Uncertain: %" PRIu64 " live object%s in OLD and %" PRIu64
			" in NEW may have been freed without an event (table leaks-uncertain).",
			uncertain[0].live, mm_plural_s(uncertain[0].live), uncertain[1].live);
}

void slab_compare_answer(const struct slab_compare_sums *sums,
			 const struct mm_report *const reports[2], struct mm_report *report)
{
	answer_objects(report, sums);
	answer_pages(report, sums, reports);
	answer_largest(report, sums->is_growth);
	answer_leaks(report, sums);
}
